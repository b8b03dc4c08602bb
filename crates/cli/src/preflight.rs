//! Whether agents answer: one small prompt each, and how long it took.

use std::time::Duration;

use ralph_core::crew::Member;
use ralph_core::id::AgentName;
use ralph_core::report::AgentExit;
use ralph_engine::agent::Roster;
use ralph_engine::{Answer, chain, preflight};
use serde::Serialize;

use crate::models::Asking;
use crate::perform::{bare_guard, redactor};
use crate::problem::Problem;
use crate::words::moment;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Answered,
    Limited,
    NotLoggedIn,
    Misconfigured,
    Unreachable,
    Silent,
    NotInstalled,
    Broken,
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Limited => "at its limit",
            Outcome::NotLoggedIn => "not logged in",
            Outcome::Misconfigured => "misconfigured",
            Outcome::Unreachable => "cannot reach its servers",
            Outcome::Silent => "did not answer",
            Outcome::NotInstalled => "not installed",
            Outcome::Broken => "broken",
        }
    }
}

/// One line of `ralph agents --preflight`.
#[derive(Debug, Serialize)]
pub(crate) struct Tried {
    name: AgentName,
    result: Outcome,
    seconds: Option<f64>,
    detail: String,
    next: Option<String>,
}

impl Tried {
    pub(crate) fn answered(&self) -> bool {
        self.result == Outcome::Answered
    }

    pub(crate) fn line(&self) -> String {
        let word = self.result.word();
        let time = self.seconds.map_or(String::new(), |seconds| format!(" after {seconds:.1} s"));
        let detail = if self.detail.is_empty() { String::new() } else { format!(": {}", self.detail) };
        let next = self.next.as_ref().map_or(String::new(), |next| format!("           next: {next}\n"));
        let detail = ralph_engine::output::printable(&detail).replace('\n', " ");
        format!("{:<15} {word}{time}{detail}\n{next}", self.name.as_str())
    }
}

/// Asks one agent, as a run would start it.
pub(crate) async fn ask(name: &AgentName, asking: Asking<'_>, patience: Duration) -> Tried {
    let told = |result, seconds, detail: String, next: Option<String>| Tried {
        name: name.clone(),
        result,
        seconds,
        // An agent may name the key that was refused.
        detail: redactor().text(&detail).into_owned(),
        next,
    };
    let agent = match asking.staff.agent(&Member::new(name.clone(), Vec::new())) {
        Ok(agent) => agent,
        Err(why) => {
            let next = Some("install it, or name another: `ralph agents` lists them".to_owned());
            return told(Outcome::NotInstalled, None, why, next);
        }
    };
    let options = match bare_guard("preflight") {
        Ok(options) => options,
        Err(problem) => return told(Outcome::Broken, None, problem.what, problem.next.into_iter().next()),
    };
    let (environment, dir) = (asking.environment.clone(), asking.root.to_owned());
    match preflight(&*agent, options, environment, dir, patience).await {
        Ok((answer, took)) => {
            let (result, detail, next) = judge(answer, name);
            told(result, Some(took.as_secs_f64()), detail, next)
        }
        Err(error) => told(Outcome::Broken, None, chain(&error), None),
    }
}

/// What is wrong where an agent that was asked something did not come to its end.
pub(crate) fn refusal(answer: &Answer, name: &AgentName) -> Option<Problem> {
    let (result, detail, next) = judge(answer.clone(), name);
    if result == Outcome::Answered {
        return None;
    }
    let detail = redactor().text(&detail).into_owned();
    let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
    let problem = Problem::new(format!("agent `{name}` {}{detail}", result.word())).exit(1);
    Some(match next {
        Some(next) => problem.next(next),
        None => problem,
    })
}

fn judge(answer: Answer, name: &AgentName) -> (Outcome, String, Option<String>) {
    let by_hand = || Some(format!("start `{name}` by hand and see what it says"));
    match answer {
        Answer::Late => (Outcome::Silent, "it was ended".to_owned(), by_hand()),
        Answer::Ended(AgentExit::Code { code: 0 }) => (Outcome::Answered, String::new(), None),
        Answer::Ended(AgentExit::Limited { what, reset }) => {
            let when = reset.map_or("later".to_owned(), |reset| format!("after {}", moment(reset)));
            (Outcome::Limited, what, Some(format!("try again {when}, or name another with --fallback")))
        }
        Answer::Ended(AgentExit::Unauthenticated { what, next }) => (Outcome::NotLoggedIn, what, Some(next)),
        Answer::Ended(AgentExit::Misconfigured { what, next }) => (Outcome::Misconfigured, what, Some(next)),
        Answer::Ended(AgentExit::Overloaded { what } | AgentExit::Network { what }) => {
            (Outcome::Unreachable, what, Some("look at the network, or try again later".to_owned()))
        }
        Answer::Ended(
            other @ (AgentExit::Code { .. }
            | AgentExit::Signal { .. }
            | AgentExit::NotStarted { .. }
            | AgentExit::StartTimeout
            | AgentExit::SilenceTimeout
            | AgentExit::TotalTimeout
            | AgentExit::SessionGone { .. }
            | AgentExit::Failed { .. }
            | AgentExit::Unfinished),
        ) => (Outcome::Broken, other.to_string(), by_hand()),
    }
}
