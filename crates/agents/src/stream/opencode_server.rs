//! What the relay prints of an OpenCode server; see [`crate::opencode::Line`].
//!
//! **Final message:** the text of the `end` line, which the relay reads from the session once the turn is over. The parts
//! before it only show what goes on: they come from the server's events, and those may be missing or out of order.
//!
//! An `end` is the end; without one the attempt failed, and an `error` says why.

use std::collections::BTreeSet;

use ralph_core::agent_event::AgentEvent;
use ralph_core::policy::{Cost, Signal};
use ralph_core::report::Usage;
use serde::Deserialize;

use super::jsonl::{Dialect, Malformed};
use super::opencode::{Error, Part, Tokens, text, tool};
use super::told::{End, Problem, Question, Told};
use super::words::{self, Text, owned, summary};

#[derive(Debug, Default)]
pub(super) struct OpencodeServer {
    /// Of the steps so far.
    sum: Usage,
}

#[derive(Debug, Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(rename = "sessionID", borrow)]
    session: Option<Text<'a>>,
    #[serde(borrow)]
    part: Option<Part<'a>>,
    #[serde(borrow)]
    error: Option<Error<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
    #[serde(borrow)]
    reason: Option<Text<'a>>,
    #[serde(rename = "callID", borrow)]
    call: Option<Text<'a>>,
    #[serde(borrow)]
    what: Option<Text<'a>>,
    #[serde(borrow)]
    policy: Option<Text<'a>>,
    tokens: Option<Tokens>,
    cost: Option<f64>,
    attempt: Option<u32>,
    delay_ms: Option<u64>,
    #[serde(default)]
    tool: bool,
    #[serde(default)]
    todo: bool,
}

impl Dialect for OpencodeServer {
    fn read(
        &mut self,
        bytes: &[u8],
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let line: Line<'_> = serde_json::from_slice(bytes)?;
        told.trouble = None;
        let own = told.session.as_deref();
        let parent = line.session.as_deref().filter(|id| own != Some(id)).map(str::to_owned);
        match (&*line.kind, &line.part) {
            ("session", _) => {
                told.model = owned(line.model.as_ref()).or(told.model.take());
                told.session(line.session.as_deref().ok_or(Malformed)?, out);
            }
            ("step_start", _) if parent.is_none() => told.message.forget(),
            ("text", Some(part)) => text(part, parent, told, out),
            ("reasoning", Some(part)) => {
                let text = words::message(part.text.as_deref().unwrap_or_default());
                out(AgentEvent::Reasoning { text, parent });
            }
            ("tool_use", Some(part)) => used(part, parent, told, out),
            ("step_finish", Some(part)) if parent.is_none() => {
                let step = part.tokens.as_ref().map(Tokens::usage).unwrap_or_default();
                self.sum = self.sum.plus(step);
                told.counted(self.sum, out);
            }
            ("waiting", _) => waiting(&line, told, out),
            ("permission", _) if line.policy.as_deref() == Some("ask") => {
                let text = words::message(&format!("May I? {}", line.what.as_deref().unwrap_or_default()));
                told.question = Some(Question { tool: called(&line), text });
            }
            ("question", _) => {
                let text = words::message(line.text.as_deref().unwrap_or_default());
                told.question = Some(Question { tool: called(&line), text });
            }
            ("end", _) => end(&line, told, out),
            ("error", _) => failed(&line, told, out)?,
            _ => {}
        }
        Ok(())
    }
}

/// What it was not allowed to do stays a question; any other tool shows that it went on without an answer.
fn used(part: &Part<'_>, parent: Option<String>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    let asked = told.question.take();
    tool(part, parent, told, out);
    if told.question.is_none() {
        told.question =
            asked.filter(|question| part.call.as_deref() == Some(&*question.tool) && part.failed());
    }
}

fn called(line: &Line<'_>) -> String {
    line.call.as_deref().unwrap_or_default().to_owned()
}

fn waiting(line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    let message = line.message.as_deref().unwrap_or_default();
    out(AgentEvent::Waiting {
        attempt: line.attempt.unwrap_or(1),
        of: None,
        delay_ms: line.delay_ms,
        why: summary(message),
    });
    told.trouble = Some(Problem { message: message.to_owned(), ..Problem::default() });
}

fn spent(line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    if let Some(tokens) = &line.tokens {
        told.counted(tokens.usage(), out);
    }
    if let Some(cost) = line.cost {
        told.costs(Cost::from(cost), out);
    }
}

fn end(line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    spent(line, told, out);
    told.message.forget();
    told.message.say(line.text.as_deref().unwrap_or_default());
    told.signals = shown(line);
    let end = match line.reason.as_deref().unwrap_or_default() {
        reason @ ("length" | "content-filter" | "error") => {
            let message = format!("the last step ended for the reason {reason}");
            End::Badly(Problem { message, ..Problem::default() })
        }
        _ => End::Well,
    };
    told.ends(end, out);
}

fn shown(line: &Line<'_>) -> BTreeSet<Signal> {
    let all = [(Signal::Tool, line.tool), (Signal::Todo, line.todo)];
    all.into_iter().filter_map(|(signal, holds)| holds.then_some(signal)).collect()
}

fn failed(line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) -> Result<(), Malformed> {
    spent(line, told, out);
    let problem = line.error.as_ref().ok_or(Malformed)?.problem();
    out(AgentEvent::Error { what: summary(&problem.message) });
    told.ends(End::Badly(problem), out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::catalog::Catalogue;
    use crate::stream::{Conclusion, Hearing, Outcome};
    use ralph_core::agent_event::AgentEvent;
    use ralph_core::policy::Signal;
    use ralph_core::promise::{Claim, Word};
    use ralph_core::report::{AgentExit, Usage};
    use std::sync::Arc;

    fn heard(lines: &[&str], code: i32) -> (Vec<AgentEvent>, Conclusion) {
        let catalogue = Catalogue::builtin();
        let entry = catalogue.get("opencode-server").expect("an entry");
        let mut parser = entry.parser(Hearing {
            promise: Word::parse("DONE-1").expect("a word"),
            brief: "Do it.".to_owned(),
            model: None,
            counter: Usage::default(),
            manners: Arc::clone(&entry.manners),
            prices: Arc::default(),
        });
        let mut events = Vec::new();
        let session = r#"{"type":"session","sessionID":"s"}"#;
        for line in std::iter::once(&session).chain(lines) {
            parser.push(format!("{line}\n").as_bytes(), &mut |event| events.push(event));
        }
        (events, parser.conclude(&AgentExit::Code { code }, ""))
    }

    const TOLD: &str = r#"{"type":"text","sessionID":"s","part":{"text":"<promise>DONE-1</promise>"}}"#;

    #[test]
    fn only_the_end_says_what_the_final_message_is() {
        let end = r#"{"type":"end","reason":"stop","text":"not yet","tokens":{"input":3,"output":2},"cost":0.5,"tool":true,"todo":false}"#;
        let (events, concluded) = heard(&[TOLD, end], 0);
        assert_eq!((concluded.claim, concluded.message.as_deref()), (Claim::None, Some("not yet")));
        assert_eq!((concluded.usage.tokens(), f64::from(concluded.usage.cost)), (5, 0.5));
        assert_eq!(concluded.signals.into_iter().collect::<Vec<_>>(), [Signal::Tool]);
        assert!(events.contains(&AgentEvent::End { ok: true }));
        let end = r#"{"type":"end","reason":"stop","text":"<promise>DONE-1</promise>"}"#;
        assert_eq!(heard(&[end], 0).1.claim, Claim::Made { line: 1 });
        assert_eq!(heard(&[TOLD], 0).1.claim, Claim::None, "a turn that has not ended claims nothing");
    }

    #[test]
    fn an_error_is_named_for_what_it_calls_for() {
        let outcome = |name: &str| {
            let line = format!(r#"{{"type":"error","error":{{"name":"{name}","data":{{"message":"m"}}}}}}"#);
            heard(&[&line], 1).1.outcome
        };
        let what = || "m".to_owned();
        assert_eq!(outcome("ServerGone"), Outcome::Network { what: what() });
        assert_eq!(outcome("SessionDeleted"), Outcome::SessionGone { what: what() });
        assert_eq!(outcome("Aborted"), Outcome::Failed { what: what() });
        assert!(
            matches!(outcome("ServerPassword"), Outcome::Unauthenticated { next, .. } if next.contains("PASSWORD"))
        );
        assert!(
            matches!(outcome("ServerTooOld"), Outcome::Misconfigured { next, .. } if next.contains("upgrade"))
        );
        let limited =
            r#"{"type":"error","error":{"name":"APIError","data":{"message":"m","statusCode":429}}}"#;
        assert!(matches!(heard(&[limited], 1).1.outcome, Outcome::Limited { .. }));
    }

    #[test]
    fn what_it_was_not_allowed_to_do_is_asked_unless_it_went_on() {
        let asked =
            r#"{"type":"permission","callID":"c","what":"read /etc/x","policy":"ask","allowed":false}"#;
        let used = |call: &str, status: &str| {
            format!(
                r#"{{"type":"tool_use","sessionID":"s","part":{{"tool":"read","callID":"{call}","state":{{"status":"{status}"}}}}}}"#
            )
        };
        let end = r#"{"type":"end","reason":"tool-calls","text":""}"#;
        let question = Outcome::Asked { question: "May I? read /etc/x".to_owned() };
        assert_eq!(heard(&[asked, &used("c", "error"), end], 0).1.outcome, question);
        let on = [asked, &used("c", "error"), &used("d", "completed"), end];
        assert_eq!(heard(&on, 0).1.outcome, Outcome::Finished);
    }

    #[test]
    fn a_wait_of_the_server_is_one_of_the_agent() {
        let line = r#"{"type":"waiting","attempt":2,"message":"429","delay_ms":1500}"#;
        let waiting =
            AgentEvent::Waiting { attempt: 2, of: None, delay_ms: Some(1500), why: "429".to_owned() };
        assert!(heard(&[line], 0).0.contains(&waiting));
    }
}
