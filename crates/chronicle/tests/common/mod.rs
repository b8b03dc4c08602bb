//! What the tests of this crate share.

use ralph_chronicle::{Iteration, Outcome};
use ralph_core::Timestamp;
use ralph_core::id::{AgentName, RunId, TaskId};
use ralph_core::task::Task;

pub(crate) fn iteration(run: &str, number: u32, task: &str) -> Iteration {
    let task =
        Task { id: TaskId::parse(task).unwrap(), ..Task::prompt("Add login\nand all that belongs to it") };
    let agent = AgentName::parse("claude").unwrap();
    let at = Timestamp::from_second(1_800_000_000).unwrap();
    let outcome = Outcome::Complete { evidence: "tests pass".to_owned() };
    Iteration::new(RunId::parse(run).unwrap(), number, &task, agent, outcome, at)
}
