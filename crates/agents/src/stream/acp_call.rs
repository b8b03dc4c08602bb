//! Tool calls of the Agent Client Protocol, which come in instalments.

use std::collections::VecDeque;

use ralph_core::agent_event::AgentEvent;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::told::Told;
use super::words::{self, Text, summary};
use super::workers::Workers;

/// An agent that never ends its calls does not fill the memory.
const MOST: usize = 4096;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Call<'a> {
    #[serde(borrow)]
    tool_call_id: Text<'a>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
    #[serde(borrow)]
    raw_input: Option<&'a RawValue>,
    #[serde(borrow)]
    raw_output: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    locations: Option<&'a RawValue>,
}

impl Call<'_> {
    pub(super) fn id(&self) -> &str {
        &self.tool_call_id
    }

    /// The tool's name; agents that give none have a title, which may be one or a sentence.
    fn tool(&self) -> Option<&str> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let is_name = |title: &&str| !title.is_empty() && title.chars().all(is_part);
        self.name.as_deref().or_else(|| self.title.as_deref().filter(is_name)).or(self.kind.as_deref())
    }

    fn input(&self) -> Option<&RawValue> {
        self.raw_input.filter(|raw| !matches!(raw.get(), "{}" | "null"))
    }

    /// What it works on, on one line.
    pub(super) fn what(&self) -> String {
        if let Some(raw) = self.input() {
            return words::input(Some(raw));
        }
        let title = self.title.as_deref().filter(|title| Some(*title) != self.tool());
        match title {
            Some(title) => summary(title),
            None => summary(&self.place().unwrap_or_default()),
        }
    }

    fn place(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Location<'a> {
            #[serde(borrow)]
            path: Text<'a>,
        }
        let all: Vec<Location<'_>> = serde_json::from_str(self.locations?.get()).ok()?;
        all.first().map(|first| first.path.to_string())
    }

    /// What came of it: the first text, or the file that a change is of, or the raw output.
    fn result(&self) -> String {
        #[derive(Deserialize)]
        struct Item<'a> {
            #[serde(borrow)]
            content: Option<Block<'a>>,
            #[serde(borrow)]
            path: Option<Text<'a>>,
        }
        #[derive(Deserialize)]
        struct Block<'a> {
            #[serde(borrow)]
            text: Option<&'a RawValue>,
        }
        let items = self.content.and_then(|raw| serde_json::from_str::<Vec<Item<'_>>>(raw.get()).ok());
        let items = items.unwrap_or_default();
        let text = items.iter().find_map(|item| item.content.as_ref()?.text);
        let path = items.iter().find_map(|item| item.path.as_deref());
        match (text, path) {
            (Some(text), _) => words::result(Some(text)),
            (None, Some(path)) => summary(path),
            (None, None) => words::result(self.raw_output),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls that were announced and have not begun.
    announced: VecDeque<Announced>,
    /// Calls that were shown and have not ended.
    open: Vec<Open>,
    workers: Workers,
}

#[derive(Debug)]
struct Open {
    id: String,
    /// Its end is told already.
    is_denied: bool,
}

/// What is said of a call first: its name stands there even where its input is still missing.
#[derive(Debug)]
struct Announced {
    id: String,
    name: String,
    what: String,
}

impl Calls {
    /// An instalment of a call. One that is yet to begin is shown when it does.
    pub(super) fn hear(
        &mut self,
        call: &Call<'_>,
        parent: Option<String>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) {
        let status = call.status.as_deref().unwrap_or("pending");
        if status == "pending" {
            self.announce(call);
            return;
        }
        self.show(call, parent.clone(), told, out);
        if !matches!(status, "completed" | "failed") {
            return;
        }
        let id = call.id().to_owned();
        let ok = status == "completed";
        let at = self.open.iter().position(|open| open.id == id);
        if at.map(|at| self.open.swap_remove(at)).is_some_and(|open| open.is_denied) {
            return;
        }
        if parent.is_none() {
            told.used(&id, ok);
        }
        out(AgentEvent::ToolResult { id: id.clone(), ok, summary: call.result(), parent });
        self.workers.tool_ended(&id, ok, out);
    }

    fn announce(&mut self, call: &Call<'_>) {
        let is_known = self.announced.iter().any(|one| one.id == call.id());
        if is_known || self.is_open(call) {
            return;
        }
        self.announced.truncate(MOST - 1);
        let name = summary(call.tool().unwrap_or_default());
        self.announced.push_front(Announced { id: call.id().to_owned(), name, what: call.what() });
    }

    fn is_open(&self, call: &Call<'_>) -> bool {
        self.open.iter().any(|open| open.id == call.id())
    }

    /// The agent may not do it.
    pub(super) fn deny(&mut self, call: &Call<'_>, out: &mut dyn FnMut(AgentEvent)) {
        let Some(open) = self.open.iter_mut().find(|open| open.id == call.id()) else { return };
        open.is_denied = true;
        let (id, summary) = (open.id.clone(), "permission was denied".to_owned());
        out(AgentEvent::ToolResult { id: id.clone(), ok: false, summary, parent: None });
        self.workers.tool_ended(&id, false, out);
    }

    /// Shows a call once, by the name that it was announced with.
    pub(super) fn show(
        &mut self,
        call: &Call<'_>,
        parent: Option<String>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) {
        if self.open.len() == MOST || self.is_open(call) {
            return;
        }
        let id = call.id().to_owned();
        self.open.push(Open { id: id.clone(), is_denied: false });
        let at = self.announced.iter().position(|one| one.id == id);
        let announced = at.and_then(|at| self.announced.remove(at));
        let (name, what) = announced.map(|one| (one.name, one.what)).unwrap_or_default();
        let name = if name.is_empty() { summary(call.tool().unwrap_or("tool")) } else { name };
        let now = call.what();
        let input = if now.is_empty() { what } else { now };
        if parent.is_none() {
            told.uses(&name, &id, || words::question(call.raw_input));
        }
        let is_sub_agent = told.hearing.manners.sub_agent_tools.contains(&name);
        out(AgentEvent::ToolUse { id: id.clone(), name, input, parent: parent.clone() });
        if is_sub_agent {
            let (agent, task) = words::assignment(call.raw_input);
            self.workers.start(&id, &agent, &task, parent, out);
        }
    }
}
