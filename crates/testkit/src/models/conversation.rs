//! A request in the terms the script is written in, whatever protocol it came by.

use serde_json::Value;

/// What a program asks of the model.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    pub(super) model: String,
    pub(super) streamed: bool,
    /// The system prompt.
    pub(super) system: String,
    pub(super) messages: Vec<Message>,
    pub(super) tools: Vec<Tool>,
    /// The tool that must be called, where the request leaves no choice.
    pub(super) forced_tool: Option<String>,
    /// The schema that the text must follow, where one is asked for.
    pub(super) text_schema: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message {
    User(String),
    /// One turn of the model, however many items the protocol makes of it.
    Model,
    ToolResult(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tool {
    pub(super) name: String,
    /// The group it is in, where the protocol has groups.
    pub(super) namespace: Option<String>,
    /// JSON schema of its arguments.
    pub(super) schema: Value,
}

impl Request {
    /// Adds a part of the model's turn; parts in a row are one turn.
    pub(super) fn model_spoke(&mut self) {
        if self.messages.last() != Some(&Message::Model) {
            self.messages.push(Message::Model);
        }
    }

    pub(super) fn user_texts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.messages.iter().filter_map(|message| match message {
            Message::User(text) => Some(text.as_str()),
            Message::Model | Message::ToolResult(_) => None,
        })
    }

    pub(super) fn tool_results(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.messages.iter().filter_map(|message| match message {
            Message::ToolResult(text) => Some(text.as_str()),
            Message::Model | Message::User(_) => None,
        })
    }

    /// What the tools answered since the model last spoke.
    pub(super) fn fresh_tool_results(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().rev().take_while(|m| **m != Message::Model).filter_map(|message| match message {
            Message::ToolResult(text) => Some(text.as_str()),
            Message::Model | Message::User(_) => None,
        })
    }

    /// The directory that the program says it works in.
    pub(super) fn working_directory(&self) -> Option<&str> {
        std::iter::once(self.system.as_str()).chain(self.user_texts()).find_map(working_directory)
    }
}

/// How the programs introduce their working directory.
const INTRODUCTIONS: [&str; 5] = [
    "Primary working directory: ",
    "Working directory: ",
    "working in the directory: ",
    "<cwd>",
    "Workspace Directories:**\n",
];

fn working_directory(text: &str) -> Option<&str> {
    INTRODUCTIONS.iter().find_map(|introduction| {
        let rest = &text[text.find(introduction)? + introduction.len()..];
        let line = rest.lines().next()?;
        let path = line.split("</cwd>").next()?.trim_start_matches([' ', '-']).trim();
        path.starts_with('/').then_some(path)
    })
}

/// The text in a message's content, be it a string, a part or a list of parts.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().map(text_of).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Value::Object(part) => {
            part.get("text").or_else(|| part.get("content")).map(text_of).unwrap_or_default()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// A string field, empty where there is none.
pub(super) fn string(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

pub(super) fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value[field].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_directory_is_read_as_each_program_says_it() {
        for text in [
            " - Primary working directory: /a/b\n - Is a git repository: true",
            "<env>\n  Working directory: /a/b\n</env>",
            "I'm currently working in the directory: /a/b\nHere",
            "<environment_context>\n  <cwd>/a/b</cwd>",
            "- **Workspace Directories:**\n  - /a/b\n- more",
        ] {
            assert_eq!(working_directory(text), Some("/a/b"), "{text}");
        }
        assert_eq!(working_directory("nothing of the kind"), None);
    }
}
