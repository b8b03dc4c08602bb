//! The tools of an agent that works on a task.

mod knowing;

use ralph_core::assignment::Assignment;
use ralph_core::policy::Signal;
use ralph_core::redact::Redactor;
use ralph_engine::chain;
use ralph_engine::mailbox::{Mailbox, MailboxError, Said};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

use crate::inquiry::Inquiry;
use crate::library::{Library, Reply};
use crate::tool::{Answer, Tool};

/// Where an agent's task is, and where its word goes.
#[derive(Debug, Clone)]
pub struct Post {
    /// None where nobody gave it a task.
    pub mailbox: Option<Mailbox>,
    /// What can be looked in where nobody gave it a task, for nothing is hidden from it then.
    pub library: Option<Arc<Library>>,
    /// What of its words is a secret and never kept.
    pub redactor: Redactor,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Complete {
    /// What was done, in a few sentences
    summary: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ask {
    /// The question, with what somebody needs to know to answer it
    question: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// The table of this role.
pub fn agent(post: Post) -> Vec<Tool> {
    let post = Arc::new(post);
    let (completing, asking, looking) = (post.clone(), post.clone(), post.clone());
    let mut tools = vec![
        Tool::new(
            "task_complete",
            "Say that your task is done. Call it once, when everything is done and checked, and never before.",
            move |Complete { summary }| completing.complete(summary),
        ),
        Tool::new(
            "ask",
            "Put a question to the people who gave you the task, when you cannot go on without an answer. The answer \
             comes with your next brief, so end your turn after asking.",
            move |Ask { question }| asking.ask(&question),
        ),
        Tool::new(
            "task",
            "Your task: its title and text, what is checked after you end, what earlier attempts came to and what was \
             found wrong with them, and what was answered to questions.",
            move |Nothing {}| looking.task(),
        )
        .that_only_looks(),
    ];
    tools.extend(knowing::tools(&post));
    tools
}

impl Post {
    fn complete(&self, summary: Option<String>) -> Result<Answer, String> {
        let task = self.assignment()?;
        let summary = summary.map(|text| self.redactor.text(&text).into_owned());
        self.say(&Said::TaskComplete { summary })?;
        let mut told =
            "It is noted that the task is done. End with a short account of what you did.".to_owned();
        if task.require.contains(&Signal::Promise) {
            told += " The promise that your brief asks for is needed as well.";
        }
        Ok(Answer::Words(told))
    }

    fn ask(&self, question: &str) -> Result<Answer, String> {
        self.assignment()?;
        if question.trim().is_empty() {
            return Err("the question is empty".to_owned());
        }
        self.say(&Said::Asked { question: self.redactor.text(question).into_owned() })?;
        Ok(Answer::Words(
            "The question is noted, and is put into the inbox when your turn ends. End it now: the answer comes with \
             your next brief."
                .to_owned(),
        ))
    }

    /// Through the socket of its attempt, or straight from what there is where it has none.
    fn inquire(&self, inquiry: &Inquiry) -> Result<Answer, String> {
        if let Some(mailbox) = &self.mailbox {
            let line = serde_json::to_string(inquiry).expect("a question is JSON");
            let reply = mailbox.ask(&line).map_err(|error| told(&error))?;
            return match serde_json::from_str(&reply) {
                Ok(Reply::Found(text)) => Ok(Answer::Words(text)),
                Ok(Reply::Refused(why)) => Err(why),
                Err(_) => Err("ralph's answer was cut off; ask for less".to_owned()),
            };
        }
        let none = "nothing of ralph's can be reached here: start this in a project's directory, or let `ralph run` do it";
        self.library.as_ref().ok_or(none)?.reply(None, inquiry).map(Answer::Words)
    }

    fn task(&self) -> Result<Answer, String> {
        let task = serde_json::to_value(self.assignment()?).expect("a task is JSON");
        Ok(Answer::Data(task))
    }

    fn assignment(&self) -> Result<Assignment, String> {
        self.mailbox()?.task().map_err(|error| told(&error))
    }

    fn say(&self, said: &Said) -> Result<(), String> {
        self.mailbox()?.say(said).map_err(|error| told(&error))
    }

    fn mailbox(&self) -> Result<&Mailbox, String> {
        let none = "there is no task of ralph here: this agent was not started by `ralph run`";
        self.mailbox.as_ref().ok_or_else(|| none.to_owned())
    }
}

fn told(error: &MailboxError) -> String {
    chain(error)
}
