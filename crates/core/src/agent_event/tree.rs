//! The sub-agents of an attempt: who works for whom, how it went and how long it took.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AgentEvent;

/// An agent that starts sub-agents without end does not fill the memory; later ones are only counted.
const MOST_BRANCHES: usize = 4096;

/// What is known of the sub-agents after some events. Times are since any fixed moment, such as the attempt's start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    /// In the order they were started.
    branches: Vec<Branch>,
    /// Sub-agents beyond those that are kept.
    pub left_out: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Branch {
    pub id: String,
    /// The sub-agent that started this one; none if the agent itself did.
    pub parent: Option<String>,
    pub name: String,
    pub task: String,
    pub state: State,
    /// What it does at the moment, or did last.
    pub activity: String,
    pub tool_uses: u32,
    started: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    Running,
    Done {
        at: Duration,
    },
    Failed {
        at: Duration,
    },
    /// The agent ended and never said what became of it.
    Lost {
        at: Duration,
    },
}

impl Branch {
    /// How long it has been working, or worked.
    pub fn duration(&self, now: Duration) -> Duration {
        let until = match self.state {
            State::Running => now,
            State::Done { at } | State::Failed { at } | State::Lost { at } => at,
        };
        until.saturating_sub(self.started)
    }
}

impl Tree {
    /// Takes in what was said at a time.
    pub fn apply(&mut self, event: &AgentEvent, at: Duration) {
        match event {
            AgentEvent::SubAgentStarted { id, name, task, parent } => {
                self.start(id, name, task, parent.as_deref(), at);
            }
            AgentEvent::SubAgentEnded { id, ok } => {
                self.end(id, if *ok { State::Done { at } } else { State::Failed { at } });
            }
            AgentEvent::ToolUse { name, input, parent: Some(parent), .. } => self.act(parent, name, input),
            AgentEvent::End { .. } => self.close(at),
            AgentEvent::Session { .. }
            | AgentEvent::Message { .. }
            | AgentEvent::Reasoning { .. }
            | AgentEvent::ToolUse { parent: None, .. }
            | AgentEvent::ToolResult { .. }
            | AgentEvent::Usage { .. }
            | AgentEvent::Cost { .. }
            | AgentEvent::Waiting { .. }
            | AgentEvent::Limit { .. }
            | AgentEvent::Error { .. } => {}
        }
    }

    /// Whoever still runs when the attempt is over is lost.
    pub fn close(&mut self, at: Duration) {
        for branch in self.branches.iter_mut().filter(|branch| branch.state == State::Running) {
            branch.state = State::Lost { at };
        }
    }

    /// The sub-agents that this one started; the agent's own with `None`.
    pub fn children(&self, parent: Option<&str>) -> impl Iterator<Item = &Branch> {
        let parent = parent.filter(|id| self.find(id).is_some()).map(str::to_owned);
        self.branches.iter().filter(move |branch| self.parent(branch) == parent.as_deref())
    }

    pub fn len(&self) -> usize {
        self.branches.len()
    }

    pub fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    /// A parent that was never seen, or that is the branch itself, is the agent.
    fn parent<'a>(&'a self, branch: &'a Branch) -> Option<&'a str> {
        branch.parent.as_deref().filter(|id| *id != branch.id && self.find(id).is_some())
    }

    fn find(&self, id: &str) -> Option<&Branch> {
        self.branches.iter().find(|branch| branch.id == id)
    }

    fn start(&mut self, id: &str, name: &str, task: &str, parent: Option<&str>, at: Duration) {
        if self.find(id).is_some() {
            return;
        }
        if self.branches.len() == MOST_BRANCHES {
            self.left_out += 1;
            return;
        }
        self.branches.push(Branch {
            id: id.to_owned(),
            parent: parent.map(str::to_owned),
            name: name.to_owned(),
            task: task.to_owned(),
            state: State::Running,
            activity: String::new(),
            tool_uses: 0,
            started: at,
        });
    }

    fn end(&mut self, id: &str, state: State) {
        if let Some(branch) = self.branches.iter_mut().find(|branch| branch.id == id)
            && branch.state == State::Running
        {
            branch.state = state;
        }
    }

    fn act(&mut self, parent: &str, name: &str, input: &str) {
        if let Some(branch) = self.branches.iter_mut().find(|branch| branch.id == parent) {
            branch.tool_uses = branch.tool_uses.saturating_add(1);
            branch.activity = format!("{name} {input}").trim_end().to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentEvent, Branch, State, Tree};
    use std::time::Duration;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn started(id: &str, parent: Option<&str>) -> AgentEvent {
        AgentEvent::SubAgentStarted {
            id: id.to_owned(),
            name: "worker".to_owned(),
            task: "a job".to_owned(),
            parent: parent.map(str::to_owned),
        }
    }

    fn tree(events: &[(AgentEvent, u64)]) -> Tree {
        let mut tree = Tree::default();
        for (event, seconds) in events {
            tree.apply(event, at(*seconds));
        }
        tree
    }

    fn ids<'a>(branches: impl Iterator<Item = &'a Branch>) -> Vec<&'a str> {
        branches.map(|branch| branch.id.as_str()).collect()
    }

    #[test]
    fn sub_agents_form_a_tree_with_states_and_durations() {
        let tree = tree(&[
            (started("a", None), 1),
            (started("b", Some("a")), 2),
            (started("c", Some("never seen")), 3),
            (AgentEvent::SubAgentEnded { id: "b".to_owned(), ok: false }, 7),
            (AgentEvent::SubAgentEnded { id: "b".to_owned(), ok: true }, 8),
        ]);
        assert_eq!(ids(tree.children(None)), ["a", "c"]);
        assert_eq!(ids(tree.children(Some("a"))), ["b"]);
        let b = tree.children(Some("a")).next().expect("b");
        assert_eq!((b.state, b.duration(at(100))), (State::Failed { at: at(7) }, at(5)));
        let a = tree.children(None).next().expect("a");
        assert_eq!((a.state, a.duration(at(11))), (State::Running, at(10)));
    }

    #[test]
    fn who_still_runs_when_the_agent_ends_is_lost() {
        let tree = tree(&[(started("a", None), 1), (AgentEvent::End { ok: true }, 4)]);
        assert_eq!(tree.children(None).next().expect("a").state, State::Lost { at: at(4) });
    }

    #[test]
    fn a_flood_of_sub_agents_is_counted_and_not_kept() {
        let events: Vec<_> = (0..5000).map(|n| (started(&n.to_string(), None), 0)).collect();
        let tree = tree(&events);
        assert_eq!((tree.len(), tree.left_out), (4096, 904));
    }
}
