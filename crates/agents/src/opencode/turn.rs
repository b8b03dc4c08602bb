//! Where a turn stands, decided from the session's messages and its status: an idle session alone says nothing, for it is
//! idle before the turn begins, may be idle before the last message is whole, and is idle after a server was restarted.

use serde_json::Value;

use super::wire::{Message, Status, Tokens};

/// The tool by which an agent says that the task is done.
pub const TASK_COMPLETE: &str = "task_complete";
/// The server's own tool for the list of things to do.
const WRITES_LIST: &str = "todowrite";

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Standing {
    /// The session does not have the prompt.
    Unheard,
    Working,
    /// The server waits before it asks the model again.
    Waiting {
        attempt: u32,
        message: String,
        next: u64,
    },
    /// Nobody works on it, and it is not finished: that is yet to come, or never will.
    Unsettled,
    Over(Box<Ended>),
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ended {
    pub(super) how: How,
    /// What the agent said last.
    pub(super) text: String,
    pub(super) tokens: Tokens,
    pub(super) cost: f64,
    /// Whether the tool that says so was called and took the call.
    pub(super) called_complete: bool,
    /// Whether the list of things to do was written.
    pub(super) wrote_list: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum How {
    /// For this reason.
    Finished(String),
    /// With an error, in the server's own words.
    Failed(Value),
    /// A person stopped it.
    Aborted,
}

/// `messages` are those of the session, as far back as the prompt, oldest first.
pub(super) fn standing(status: &Status, messages: &[Message], prompt: &str) -> Standing {
    match status {
        Status::Busy => return Standing::Working,
        Status::Retry { attempt, message, next } => {
            return Standing::Waiting { attempt: *attempt, message: message.clone(), next: *next };
        }
        Status::Idle => {}
    }
    let Some(at) = messages.iter().position(|message| message.info.id == prompt) else {
        return Standing::Unheard;
    };
    let since = &messages[at + 1..];
    match since.iter().rev().find(|message| message.info.is_assistant()) {
        Some(last) if last.info.time.completed.is_some() => Standing::Over(Box::new(ended(last, since))),
        Some(_) | None => Standing::Unsettled,
    }
}

/// Whether somebody has worked on the prompt, also where nobody was seen at it.
pub(super) fn has_begun(messages: &[Message], prompt: &str) -> bool {
    let mut since = messages.iter().skip_while(|message| message.info.id != prompt);
    since.any(|message| message.info.is_assistant())
}

fn ended(last: &Message, since: &[Message]) -> Ended {
    let own = || since.iter().filter(|message| message.info.is_assistant());
    let how = match (&last.info.error, &last.info.finish) {
        (Some(error), _) if error["name"] == "MessageAbortedError" => How::Aborted,
        (Some(error), _) => How::Failed(error.clone()),
        (None, Some(reason)) => How::Finished(reason.clone()),
        // So it is left by an abort while the server waited to ask again.
        (None, None) => How::Aborted,
    };
    let is_last_word = matches!(&how, How::Finished(reason) if is_whole(reason)) && !last.info.is_summary();
    Ended {
        text: if is_last_word { last.text() } else { String::new() },
        how,
        tokens: own().fold(Tokens::default(), |sum, message| sum.plus(message.info.tokens)),
        cost: own().map(|message| message.info.cost).sum(),
        called_complete: own().flat_map(|message| &message.parts).any(|part| took(part, TASK_COMPLETE)),
        wrote_list: own().flat_map(|message| &message.parts).any(|part| took(part, WRITES_LIST)),
    }
}

/// Whether a message that ended for this reason says all that it was to say: a step that ends with calls is followed by
/// another, unless one of them was refused, and what was cut off may have gone on with a "but".
fn is_whole(reason: &str) -> bool {
    !matches!(reason, "tool-calls" | "length" | "content-filter" | "error")
}

/// Whether this is a call of the tool, and the tool took it.
fn took(part: &Value, tool: &str) -> bool {
    part["type"] == "tool" && part["tool"] == tool && part["state"]["status"] == "completed"
}

/// Whether a list of things to do is there and worked off: something was done, and nothing is left to do.
pub(super) fn is_worked_off(list: &[Value]) -> bool {
    list.iter().any(|entry| entry["status"] == "completed")
        && list.iter().all(|entry| entry["status"] == "completed" || entry["status"] == "cancelled")
}

#[cfg(test)]
mod tests {
    use super::{How, Standing, has_begun, is_worked_off, standing};
    use crate::opencode::wire::{Message, Status};
    use serde_json::{Value, json};

    fn message(id: &str, role: &str, more: &Value, parts: &Value) -> Message {
        let mut info = json!({ "id": id, "role": role, "time": { "created": 1 } });
        let fields = more.as_object().unwrap().clone();
        info.as_object_mut().unwrap().extend(fields);
        serde_json::from_value(json!({ "info": info, "parts": parts })).unwrap()
    }

    fn prompt() -> Message {
        message(
            "p",
            "user",
            &json!({ "summary": { "diffs": [] } }),
            &json!([{ "type": "text", "text": "do it" }]),
        )
    }

    fn done(finish: &str, text: &str) -> Message {
        let more = json!({ "time": { "created": 1, "completed": 2 }, "finish": finish, "cost": 0.5,
            "tokens": { "input": 3, "output": 2, "reasoning": 1, "cache": { "read": 4, "write": 0 } } });
        message("a", "assistant", &more, &json!([{ "type": "text", "text": text }]))
    }

    fn idle(messages: &[Message]) -> Standing {
        standing(&Status::Idle, messages, "p")
    }

    #[test]
    fn an_idle_session_alone_is_no_end() {
        let before = done("stop", "of an earlier turn");
        assert_eq!(idle(&[]), Standing::Unheard);
        assert_eq!(idle(std::slice::from_ref(&before)), Standing::Unheard);
        assert_eq!(idle(&[before.clone(), prompt()]), Standing::Unsettled, "it has not begun");
        let unfinished = message("a", "assistant", &json!({ "finish": "stop" }), &json!([]));
        assert_eq!(idle(&[prompt(), unfinished.clone()]), Standing::Unsettled);
        assert!(has_begun(&[prompt(), unfinished.clone()], "p"), "the server was lost in the middle of it");
        assert!(
            !has_begun(&[before.clone(), prompt()], "p") && !has_begun(std::slice::from_ref(&before), "p")
        );
        assert_eq!(idle(&[prompt(), before, unfinished]), Standing::Unsettled, "the next step has begun");
    }

    #[test]
    fn a_busy_session_is_at_work_whatever_its_messages_say() {
        let whole = [prompt(), done("stop", "all done")];
        assert_eq!(standing(&Status::Busy, &whole, "p"), Standing::Working);
        let retry = Status::Retry { attempt: 2, message: "429".to_owned(), next: 7 };
        let waiting = Standing::Waiting { attempt: 2, message: "429".to_owned(), next: 7 };
        assert_eq!(standing(&retry, &whole, "p"), waiting);
    }

    #[track_caller]
    fn ended(messages: &[Message]) -> (How, String, f64) {
        match idle(messages) {
            Standing::Over(ended) => (ended.how, ended.text, ended.tokens.input),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_last_message_says_how_it_ended_and_all_of_them_what_it_took() {
        let both = [prompt(), done("tool-calls", "on the way"), done("stop", "all done")];
        assert_eq!(ended(&both), (How::Finished("stop".to_owned()), "all done".to_owned(), 6.0));
        let refused = ended(&[prompt(), done("tool-calls", "<promise>X</promise>")]);
        assert_eq!(refused, (How::Finished("tool-calls".to_owned()), String::new(), 3.0));
        for cut_off in ["length", "content-filter", "error"] {
            let said = ended(&[prompt(), done(cut_off, "<promise>X</promise>")]).1;
            assert_eq!(said, "", "{cut_off}");
        }
        let with = |error: Value| {
            let more = json!({ "time": { "created": 1, "completed": 2 }, "error": error });
            ended(&[prompt(), message("a", "assistant", &more, &json!([]))]).0
        };
        assert_eq!(with(json!({ "name": "MessageAbortedError" })), How::Aborted);
        assert_eq!(with(json!({ "name": "APIError" })), How::Failed(json!({ "name": "APIError" })));
        assert_eq!(with(Value::Null), How::Aborted, "as an abort between two tries leaves it");
    }

    #[test]
    fn what_a_compaction_wrote_is_not_what_the_agent_says() {
        let mut summary = done("stop", "we did <promise>X</promise>");
        summary.info = serde_json::from_value(json!({ "id": "s", "role": "assistant", "summary": true,
            "finish": "stop", "time": { "created": 1, "completed": 2 } }))
        .unwrap();
        assert_eq!(ended(&[prompt(), summary]).1, "");
    }

    #[test]
    fn only_a_call_that_was_taken_completes() {
        let call = |status: &str| {
            let part = json!([{ "type": "tool", "tool": "task_complete", "state": { "status": status } }]);
            let more = json!({ "time": { "created": 1, "completed": 2 }, "finish": "tool-calls" });
            match idle(&[prompt(), message("a", "assistant", &more, &part)]) {
                Standing::Over(ended) => ended.called_complete,
                other => panic!("{other:?}"),
            }
        };
        assert!(call("completed"));
        assert!(!call("error"));
    }

    #[test]
    fn an_empty_list_is_never_worked_off() {
        let check = |statuses: &[&str], expected: bool| {
            let list: Vec<Value> = statuses.iter().map(|status| json!({ "status": status })).collect();
            assert_eq!(is_worked_off(&list), expected, "{statuses:?}");
        };
        check(&[], false);
        check(&["completed", "cancelled"], true);
        check(&["completed", "in_progress"], false);
        check(&["completed", "pending"], false);
        check(&["cancelled"], false);
        check(&["completed", "whatever comes"], false);
    }
}
