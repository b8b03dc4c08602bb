//! The sub-agents of an attempt: who works for whom, how it went and how long it took.

use std::collections::HashMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AgentEvent;

/// An agent that starts sub-agents without end does not fill the memory; later ones are only counted.
const MOST_BRANCHES: usize = 4096;

/// Sub-agents of sub-agents beyond this are not told apart.
const DEEPEST: usize = 32;

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

    /// Every sub-agent after the one that started it, with how deep below the agent it is.
    pub fn outline(&self) -> Vec<(usize, &Branch)> {
        let places: HashMap<&str, usize> =
            self.branches.iter().enumerate().map(|(place, branch)| (branch.id.as_str(), place)).collect();
        let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for (place, branch) in self.branches.iter().enumerate() {
            // A parent that was never seen, or comes later, is the agent: so there are no circles.
            let parent = branch.parent.as_deref().and_then(|id| places.get(id).copied());
            children.entry(parent.filter(|parent| *parent < place)).or_default().push(place);
        }
        let mut outline = Vec::with_capacity(self.branches.len());
        let below = |parent, depth| {
            let places = children.get(&parent).into_iter().flatten().rev();
            places.map(move |place| (depth, *place)).collect::<Vec<_>>()
        };
        let mut left = below(None, 0);
        while let Some((depth, place)) = left.pop() {
            outline.push((depth, &self.branches[place]));
            left.extend(below(Some(place), depth + 1));
        }
        outline
    }

    pub fn branch(&self, id: &str) -> Option<&Branch> {
        self.branches.iter().find(|branch| branch.id == id)
    }

    /// How many sub-agents there are above whoever speaks, that one included; none above the agent itself.
    pub fn depth(&self, speaker: Option<&str>) -> usize {
        let above = |branch: &&Branch| branch.parent.as_deref().and_then(|id| self.branch(id));
        let first = speaker.and_then(|id| self.branch(id));
        std::iter::successors(first, above).take(DEEPEST).count()
    }

    pub fn running(&self) -> usize {
        self.branches.iter().filter(|branch| branch.state == State::Running).count()
    }

    pub fn len(&self) -> usize {
        self.branches.len()
    }

    pub fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    fn start(&mut self, id: &str, name: &str, task: &str, parent: Option<&str>, at: Duration) {
        if self.branch(id).is_some() {
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

    fn outline(tree: &Tree) -> Vec<(usize, &str)> {
        tree.outline().into_iter().map(|(depth, branch)| (depth, branch.id.as_str())).collect()
    }

    fn branch<'a>(tree: &'a Tree, id: &str) -> &'a Branch {
        tree.branch(id).expect(id)
    }

    #[test]
    fn sub_agents_form_a_tree_with_states_and_durations() {
        let tree = tree(&[
            (started("a", None), 1),
            (started("c", Some("never seen")), 2),
            (started("b", Some("a")), 2),
            (started("d", Some("b")), 3),
            (AgentEvent::SubAgentEnded { id: "b".to_owned(), ok: false }, 7),
            (AgentEvent::SubAgentEnded { id: "b".to_owned(), ok: true }, 8),
        ]);
        assert_eq!(outline(&tree), [(0, "a"), (1, "b"), (2, "d"), (0, "c")]);
        assert_eq!([None, Some("a"), Some("d"), Some("?")].map(|id| tree.depth(id)), [0, 1, 3, 0]);
        let b = branch(&tree, "b");
        assert_eq!((b.state, b.duration(at(100))), (State::Failed { at: at(7) }, at(5)));
        let a = branch(&tree, "a");
        assert_eq!((a.state, a.duration(at(11)), tree.running()), (State::Running, at(10), 3));
    }

    #[test]
    fn who_calls_itself_its_own_ancestor_is_the_agents() {
        let events = [started("a", Some("b")), started("b", Some("a")), started("c", Some("c"))];
        let tree = tree(&events.map(|event| (event, 1)));
        assert_eq!(outline(&tree), [(0, "a"), (1, "b"), (0, "c")]);
        assert!(tree.depth(Some("a")) <= 32);
    }

    #[test]
    fn who_still_runs_when_the_agent_ends_is_lost() {
        let tree = tree(&[(started("a", None), 1), (AgentEvent::End { ok: true }, 4)]);
        assert_eq!(branch(&tree, "a").state, State::Lost { at: at(4) });
    }

    #[test]
    fn a_flood_of_sub_agents_is_counted_and_not_kept() {
        let events: Vec<_> = (0..5000).map(|n| (started(&n.to_string(), None), 0)).collect();
        let tree = tree(&events);
        assert_eq!((tree.len(), tree.left_out), (4096, 904));
    }
}
