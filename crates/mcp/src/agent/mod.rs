//! The tools of an agent that works on a task.

mod knowing;
mod room;

use ralph_core::assignment::Assignment;
use ralph_core::policy::Signal;
use ralph_core::redact::Redactor;
use ralph_engine::chain;
use ralph_engine::mailbox::{Mailbox, MailboxError, Said};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub use room::{Room, Stranger};

use crate::inquiry::Inquiry;
use crate::library::Reply;
use crate::tool::{Answer, Caller, Tool};

/// Where an agent's task is, and where its word goes.
#[derive(Debug, Clone)]
pub struct Post {
    /// None where ralph did not start it.
    pub mailbox: Option<Mailbox>,
    /// Where it works that ralph did not start; nothing is hidden from it there.
    pub room: Arc<dyn Room>,
    /// What of its words is a secret and never kept.
    pub redactor: Redactor,
}

/// What is said where only the host knows whether there is a task.
const PERHAPS: &str =
    "This host does not tell this server which of its sessions calls; if a ralph loop lives in yours,";

/// What becomes of a question.
const WAITED_FOR: &str =
    "and is put into the inbox when your turn ends. End it now: the answer comes with your next brief.";
const NOT_WAITED_FOR: &str = "and is put into the inbox when your turn ends, but nobody is waited for. Decide it \
    yourself: take what is easiest to change later, go on with the work, and say what you took for granted; that is recorded.";
const PERHAPS_WAITED_FOR: &str = "and is put into the inbox when your turn ends. If somebody is waited for, the answer \
                                  comes with your next brief; if nobody is, that brief asks you to decide it yourself.";

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
        Tool::for_caller(
            "task_complete",
            "Say that your task is done. Call it once, when everything is done and checked, and never before.",
            move |Complete { summary }, caller| completing.complete(summary, caller),
        ),
        Tool::for_caller(
            "ask",
            "Put a question to the people who gave you the task, when you cannot go on without an answer. What it says \
             tells whether somebody is waited for.",
            move |Ask { question }, caller| asking.ask(&question, caller),
        ),
        Tool::for_caller(
            "task",
            "Your task: its title and text, what is checked after you end, what earlier attempts came to and what was \
             found wrong with them, and what was answered to questions.",
            move |Nothing {}, caller| looking.task(caller),
        )
        .that_only_looks(),
    ];
    tools.extend(knowing::tools(&post));
    tools
}

impl Post {
    fn complete(&self, summary: Option<String>, caller: &Caller) -> Result<Answer, String> {
        let summary = summary.map(|text| self.redactor.text(&text).into_owned());
        let task = self.say(&Said::TaskComplete { summary }, caller)?;
        let mut told = match &task {
            Some(_) => "It is noted that the task is done.".to_owned(),
            None => format!("{PERHAPS} it is noted that the task is done."),
        };
        told += " End with a short account of what you did.";
        if task.is_some_and(|task| task.require.contains(&Signal::Promise)) {
            told += " The promise that your brief asks for is needed as well.";
        }
        Ok(Answer::Words(told))
    }

    fn ask(&self, question: &str, caller: &Caller) -> Result<Answer, String> {
        if question.trim().is_empty() {
            return Err("the question is empty".to_owned());
        }
        let asked = Said::Asked { question: self.redactor.text(question).into_owned() };
        let told = match self.say(&asked, caller)? {
            Some(task) if task.waits_for_answers => format!("The question is noted, {WAITED_FOR}"),
            Some(_) => format!("The question is noted, {NOT_WAITED_FOR}"),
            None => format!("{PERHAPS} the question is noted, {PERHAPS_WAITED_FOR}"),
        };
        Ok(Answer::Words(told))
    }

    /// Through the socket of its attempt, or straight from what there is where ralph did not start it.
    fn inquire(&self, inquiry: &Inquiry, caller: &Caller) -> Result<Answer, String> {
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
        let library = self.room.library().ok_or(none)?;
        let task = match (self.room.task(caller), inquiry) {
            (Ok(task), _) => Some(task),
            (Err(stranger), Inquiry::Remember(_)) => {
                return Err(format!("{stranger}; what an agent remembers is its task's"));
            }
            // What everybody may see can be looked at without a task.
            (Err(_), _) => None,
        };
        library.reply(task.as_ref(), inquiry).map(Answer::Words)
    }

    fn task(&self, caller: &Caller) -> Result<Answer, String> {
        let task = match &self.mailbox {
            Some(mailbox) => mailbox.task().map_err(|error| told(&error))?,
            None => self.room.task(caller).map_err(|stranger| stranger.to_string())?,
        };
        Ok(Answer::Data(serde_json::to_value(task).expect("a task is JSON")))
    }

    /// The task that it is about, where that is known. In a session of a host nothing is written here: the host's own event of the
    /// call says so to ralph's hooks, with the session that it was made in.
    fn say(&self, said: &Said, caller: &Caller) -> Result<Option<Assignment>, String> {
        if let Some(mailbox) = &self.mailbox {
            let task = mailbox.task().map_err(|error| told(&error))?;
            mailbox.say(said).map_err(|error| told(&error))?;
            return Ok(Some(task));
        }
        said.is_short().map_err(|error| told(&error))?;
        match self.room.task(caller) {
            Ok(task) => Ok(Some(task)),
            Err(Stranger::Untold) => Ok(None),
            Err(stranger @ Stranger::NoTask(_)) => Err(stranger.to_string()),
        }
    }
}

fn told(error: &MailboxError) -> String {
    chain(error)
}
