//! Which turn of the script is due, read from the history that a request carries.

use std::collections::{BTreeSet, HashMap};

use super::conversation::{Message, Request};
use super::script::{Answer, Conversation, Plain, Script, Turn, When};

/// The script with what must be remembered beside it: how often each conversation asked and failed.
#[derive(Debug)]
pub(super) struct Dialogues {
    script: Script,
    places: HashMap<(usize, String), Place>,
}

/// One conversation, known by the prompt that began it.
#[derive(Debug, Default)]
struct Place {
    requests: u32,
    /// Faults given so far, by turn.
    failures: HashMap<usize, u32>,
    /// How many replies the history had where a condition, not the order, chose the reply.
    out_of_order: BTreeSet<usize>,
}

/// What a request gets.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Due {
    /// The script is not about it.
    Aside(String),
    Turn {
        marker: Option<String>,
        turn: usize,
        answer: Answer,
    },
    /// The script has no turn left.
    Nothing,
}

impl Dialogues {
    pub(super) fn new(script: Script) -> Dialogues {
        Dialogues { script, places: HashMap::new() }
    }

    pub(super) fn due(&mut self, request: &Request) -> Due {
        if let Plain::Aside(text) = &self.script.plain
            && (request.tools.is_empty() || request.forced_tool.is_some())
        {
            return Due::Aside(text.clone());
        }
        let Some((number, begun)) = begun(&self.script.conversations, request) else {
            return Due::Nothing;
        };
        let conversation = &self.script.conversations[number];
        let replies = request.messages[begun..].iter().filter(|m| **m == Message::Model).count();
        let prompt = match &request.messages[begun] {
            Message::User(text) => text.clone(),
            Message::Model | Message::ToolResult(_) => String::new(),
        };
        let place = self.places.entry((number, prompt)).or_default();
        place.requests += 1;
        let chosen = place
            .by_condition(conversation, request, replies)
            .or_else(|| place.in_order(conversation, replies));
        match chosen {
            None => Due::Nothing,
            Some(turn) => Due::Turn {
                marker: conversation.marker.clone(),
                turn,
                answer: conversation.turns[turn].answer.clone(),
            },
        }
    }
}

/// The conversation of a request and the message it began with. The last prompt with a marker counts: a resumed
/// session carries the earlier ones too.
fn begun(conversations: &[Conversation], request: &Request) -> Option<(usize, usize)> {
    let marked = |text: &str| {
        conversations.iter().position(|c| c.marker.as_ref().is_some_and(|marker| text.contains(marker)))
    };
    let last_marked = request.messages.iter().enumerate().rev().find_map(|(at, message)| match message {
        Message::User(text) => Some((marked(text)?, at)),
        Message::Model | Message::ToolResult(_) => None,
    });
    last_marked.or_else(|| {
        let unmarked = conversations.iter().position(|c| c.marker.is_none())?;
        (!request.messages.is_empty()).then_some((unmarked, 0))
    })
}

impl Place {
    fn by_condition(
        &mut self,
        conversation: &Conversation,
        request: &Request,
        replies: usize,
    ) -> Option<usize> {
        let due = conversation.turns.iter().enumerate().find(|(at, turn)| {
            let holds = match &turn.when {
                When::InOrder => false,
                When::Request(number) => self.requests == *number,
                When::ToolResult(part) => request.fresh_tool_results().any(|result| result.contains(part)),
            };
            holds && !self.is_spent(*at, turn)
        });
        let (at, turn) = due?;
        self.give(at, turn);
        if let Answer::Reply(_) = turn.answer {
            self.out_of_order.insert(replies);
        }
        Some(at)
    }

    fn in_order(&mut self, conversation: &Conversation, replies: usize) -> Option<usize> {
        let mut to_pass = replies - self.out_of_order.range(..replies).count();
        for (at, turn) in conversation.turns.iter().enumerate().filter(|(_, turn)| turn.when == When::InOrder)
        {
            match turn.answer {
                Answer::Reply(_) if to_pass == 0 => return Some(at),
                Answer::Reply(_) => to_pass -= 1,
                Answer::Fault(_) if to_pass == 0 && !self.is_spent(at, turn) => {
                    self.give(at, turn);
                    return Some(at);
                }
                Answer::Fault(_) => {}
            }
        }
        None
    }

    fn is_spent(&self, at: usize, turn: &Turn) -> bool {
        match &turn.answer {
            Answer::Reply(_) => false,
            Answer::Fault(fault) => self.failures.get(&at).is_some_and(|given| *given >= fault.times()),
        }
    }

    fn give(&mut self, at: usize, turn: &Turn) {
        if let Answer::Fault(_) = turn.answer {
            *self.failures.entry(at).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::conversation::Tool;
    use super::super::script::Fault;
    use super::*;

    fn asking(messages: Vec<Message>) -> Request {
        let tool = Tool { name: "Bash".into(), namespace: None, schema: serde_json::Value::Null };
        Request { messages, tools: vec![tool], ..Request::default() }
    }

    fn user(text: &str) -> Message {
        Message::User(text.into())
    }

    fn result(text: &str) -> Message {
        Message::ToolResult(text.into())
    }

    fn turn(dialogues: &mut Dialogues, messages: Vec<Message>) -> Option<usize> {
        match dialogues.due(&asking(messages)) {
            Due::Turn { turn, .. } => Some(turn),
            Due::Aside(_) | Due::Nothing => None,
        }
    }

    #[test]
    fn a_fault_is_given_its_number_of_times_and_then_the_reply() {
        let limit = Fault::RateLimit { retry_after: None, times: 2 };
        let mut dialogues = Dialogues::new(Script::of([Turn::fault(limit), Turn::say("a"), Turn::say("b")]));
        let ask = |d: &mut Dialogues| turn(d, vec![user("x")]);
        assert_eq!(
            [ask(&mut dialogues), ask(&mut dialogues), ask(&mut dialogues), ask(&mut dialogues)],
            [Some(0), Some(0), Some(1), Some(1)]
        );
        assert_eq!(turn(&mut dialogues, vec![user("x"), Message::Model, result("")]), Some(2));
        assert_eq!(turn(&mut dialogues, vec![user("x"), Message::Model, result(""), Message::Model]), None);
    }

    #[test]
    fn the_last_marked_prompt_says_which_conversation_it_is() {
        let script = Script::of([Turn::say("any")])
            .on("T-1", [Turn::say("one"), Turn::say("two")])
            .on("T-2", [Turn::say("first")]);
        let mut dialogues = Dialogues::new(script);
        let markers = |d: &mut Dialogues, messages| match d.due(&asking(messages)) {
            Due::Turn { marker, turn, .. } => (marker, turn),
            other => panic!("{other:?}"),
        };
        assert_eq!(markers(&mut dialogues, vec![user("hello")]), (None, 0));
        let first = vec![user("do T-1"), Message::Model, result("ok"), user("a reminder")];
        assert_eq!(markers(&mut dialogues, first.clone()), (Some("T-1".into()), 1));
        let resumed = [first, vec![Message::Model, user("do T-2")]].concat();
        assert_eq!(markers(&mut dialogues, resumed), (Some("T-2".into()), 0));
    }

    #[test]
    fn a_condition_goes_first_and_takes_no_place_in_the_order() {
        let script = Script::of([
            Turn::say("run"),
            Turn::say("it failed, again").when(When::ToolResult("exit 3".into())),
            Turn::say("done"),
        ]);
        let mut dialogues = Dialogues::new(script);
        let mut history = vec![user("x")];
        assert_eq!(turn(&mut dialogues, history.clone()), Some(0));
        history.extend([Message::Model, result("exit 3")]);
        assert_eq!(turn(&mut dialogues, history.clone()), Some(1));
        history.extend([Message::Model, result("fine")]);
        assert_eq!(turn(&mut dialogues, history), Some(2));
    }

    #[test]
    fn a_request_is_chosen_by_its_number() {
        let script = Script::of([
            Turn::say("usual"),
            Turn::fault(Fault::Status { code: 500, times: 1 }).when(When::Request(2)),
        ]);
        let mut dialogues = Dialogues::new(script);
        let ask = |d: &mut Dialogues| turn(d, vec![user("x")]);
        assert_eq!(
            [ask(&mut dialogues), ask(&mut dialogues), ask(&mut dialogues)],
            [Some(0), Some(1), Some(0)]
        );
    }

    #[test]
    fn a_request_without_tools_is_an_aside_unless_scripted() {
        let mut script = Script::of([Turn::say("a")]);
        let plain = Request { messages: vec![user("x")], ..Request::default() };
        assert!(matches!(Dialogues::new(script.clone()).due(&plain), Due::Aside(_)));
        script.plain = Plain::Scripted;
        assert!(matches!(Dialogues::new(script).due(&plain), Due::Turn { turn: 0, .. }));
    }
}
