//! The tools that ask what is known: notes in three layers, what to remember, and the graph of the code.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::Post;
use crate::inquiry::Inquiry;
use crate::tool::Tool;

pub(super) fn tools(post: &Arc<Post>) -> Vec<Tool> {
    let mut tools = of_notes(post);
    tools.extend(of_code(post));
    tools
}

fn asking<A: DeserializeOwned + JsonSchema>(
    post: &Arc<Post>,
    name: &'static str,
    about: &'static str,
    inquiry: impl Fn(A) -> Inquiry + Send + Sync + 'static,
) -> Tool {
    let post = post.clone();
    Tool::for_caller(name, about, move |arguments, caller| post.inquire(&inquiry(arguments), caller))
}

fn of_notes(post: &Arc<Post>) -> Vec<Tool> {
    vec![
        asking(
            post,
            "memory_search",
            "What is remembered about something, the most useful first: a line for each note, with its id. Look here before \
             you work something out that somebody may have found out already.",
            Inquiry::Search,
        )
        .that_only_looks(),
        asking(
            post,
            "memory_timeline",
            "What was put down just before and after a note, in the same session or run.",
            Inquiry::Timeline,
        )
        .that_only_looks(),
        asking(post, "memory_get", "Notes as a whole, by their ids, with what they rest on.", Inquiry::Get)
            .that_only_looks(),
        asking(
            post,
            "remember",
            "Put down what the next one at this task should know and cannot see in the code: a discovery, a decision with its \
             reason, a command that works, a pattern, a gotcha with its triggers, an approach that failed. One thing a note. Cite \
             files of the project where they show it.",
            Inquiry::Remember,
        ),
    ]
}

fn of_code(post: &Arc<Post>) -> Vec<Tool> {
    vec![
        asking(
            post,
            "graph_symbols",
            "The symbols of the code by a part of their names, with where they stand and how they begin.",
            Inquiry::Symbols,
        )
        .that_only_looks(),
        asking(post, "graph_refs", "Where a symbol is used, as far as names tell.", Inquiry::Refs)
            .that_only_looks(),
        asking(
            post,
            "graph_impact",
            "What depends on a symbol or a file, directly and through others. Look before you change it.",
            Inquiry::Impact,
        )
        .that_only_looks(),
        asking(post, "graph_map", "The most important symbols within a budget of tokens.", Inquiry::Map)
            .that_only_looks(),
    ]
}
