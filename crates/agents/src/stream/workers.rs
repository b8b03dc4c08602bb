//! Which sub-agents an agent has started and not yet told the end of.

use ralph_core::agent_event::AgentEvent;

/// An agent that never ends its sub-agents does not fill the memory.
const MOST: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Workers {
    open: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    id: String,
    /// It runs as a task of its own, whose end is told apart from the result of the tool that started it.
    is_task: bool,
}

impl Workers {
    pub(super) fn start(
        &mut self,
        id: &str,
        name: &str,
        task: &str,
        parent: Option<String>,
        out: &mut dyn FnMut(AgentEvent),
    ) {
        if self.open.len() == MOST || self.open.iter().any(|worker| worker.id == id) {
            return;
        }
        self.open.push(Worker { id: id.to_owned(), is_task: false });
        let (name, task) = (super::words::summary(name), super::words::summary(task));
        out(AgentEvent::SubAgentStarted { id: id.to_owned(), name, task, parent });
    }

    pub(super) fn is_task(&mut self, id: &str) {
        if let Some(worker) = self.open.iter_mut().find(|worker| worker.id == id) {
            worker.is_task = true;
        }
    }

    /// The tool that started it gave a result; a failed start ends a task as well.
    pub(super) fn tool_ended(&mut self, id: &str, ok: bool, out: &mut dyn FnMut(AgentEvent)) {
        if self.open.iter().any(|worker| worker.id == id && !(worker.is_task && ok)) {
            self.end(id, ok, out);
        }
    }

    pub(super) fn end(&mut self, id: &str, ok: bool, out: &mut dyn FnMut(AgentEvent)) {
        let Some(at) = self.open.iter().position(|worker| worker.id == id) else { return };
        self.open.swap_remove(at);
        out(AgentEvent::SubAgentEnded { id: id.to_owned(), ok });
    }
}
