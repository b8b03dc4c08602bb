//! What events are called.

use super::Event;

impl Event {
    /// The name under which hooks and `--json` know the event.
    pub fn name(&self) -> &'static str {
        match self {
            Event::RunStarted(_) => "run_started",
            Event::RunResumed {} => "run_resumed",
            Event::IterationStarted { .. } => "iteration_started",
            Event::AttemptStarted { .. } => "attempt_started",
            Event::AgentSpawned { .. } => "agent_spawned",
            Event::AttemptEnded { .. } => "attempt_ended",
            Event::SnapshotTaken { .. } => "snapshot_taken",
            Event::FilesChanged { .. } => "files_changed",
            Event::RolledBack { .. } => "rolled_back",
            Event::Baseline { .. } => "baseline",
            Event::Checked { .. } => "checked",
            Event::JudgeAsked { .. } => "judge_asked",
            Event::Progress { .. } => "progress",
            Event::Verdict { .. } => "verdict",
            Event::IterationEnded { .. } => "iteration_ended",
            Event::TaskStarted { .. } => "task_started",
            Event::TaskCompleted { .. } => "task_completed",
            Event::TaskCommitted { .. } => "task_committed",
            Event::Recalled { .. } => "recalled",
            Event::MemoryAsked { .. } => "memory_asked",
            Event::Consolidated { .. } => "consolidated",
            Event::TaskSkipped { .. } => "task_skipped",
            Event::ControlApplied { .. } => "control_applied",
            Event::Waiting { .. } => "waiting",
            Event::Paused {} => "paused",
            Event::Unpaused {} => "unpaused",
            Event::SessionPresented { .. } => "session_presented",
            Event::SessionReplaced { .. } => "session_replaced",
            Event::AgentChosen { .. } => "agent_chosen",
            Event::AgentChanged { .. } => "agent_changed",
            Event::AllLimited { .. } => "all_limited",
            Event::QuestionAsked { .. } => "question_asked",
            Event::QuestionAnswered { .. } => "question_answered",
            Event::QuestionAssumed { .. } => "question_assumed",
            Event::Limit { .. } => "limit",
            Event::Notice { .. } => "notice",
            Event::RunStopped { .. } => "run_stopped",
        }
    }
}
