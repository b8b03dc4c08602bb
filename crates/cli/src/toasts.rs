//! Short notices on the screen of an OpenCode that does the work: what a person who sits there wants to know of the run.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ralph_agents::opencode::{Address, Toast, Toaster, Variant};
use ralph_core::event::{Event, Line, Started};
use ralph_core::id::TaskId;
use ralph_core::stop::{RunState, StopReason};

use crate::pacing::{ROOM, paced};
use crate::words::{counted, span};

const TITLE: &str = "ralph";

/// Sends notices from a thread of its own. Nothing of the run depends on whether they arrive.
#[derive(Debug)]
pub(crate) struct Toasts {
    to_be_shown: SyncSender<Toast>,
    sender: JoinHandle<()>,
}

impl Toasts {
    /// For the server at this address; none where no client can be made of it.
    pub(crate) fn at(server: &Address, root: &Path) -> Option<Toasts> {
        let toaster = Toaster::new(server, root).ok()?;
        let (to_be_shown, waiting) = sync_channel(ROOM);
        Some(Toasts { to_be_shown, sender: std::thread::spawn(move || send(&toaster, &waiting)) })
    }

    pub(crate) fn take(&self, line: &Line) {
        if let Line::Journal(entry) = line
            && let Some(toast) = toast(&entry.event)
        {
            let _missed = self.to_be_shown.try_send(toast);
        }
    }

    /// Waits for the last of them, which is tried for a few seconds at most.
    pub(crate) fn close(self) {
        drop(self.to_be_shown);
        let _panicked = self.sender.join();
    }
}

/// A server that refuses one, or is gone, is sent no more.
fn send(toaster: &Toaster, waiting: &Receiver<Toast>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let stays = |toast: &Toast| Duration::from_millis(toast.duration);
    paced(waiting, stays, |toast| runtime.block_on(toaster.show(toast)));
}

fn toast(event: &Event) -> Option<Toast> {
    let toast = |variant, seconds: u64, message: String| {
        Some(Toast { title: TITLE.to_owned(), message, variant, duration: seconds * 1000 })
    };
    match event {
        Event::RunStarted(started) => toast(Variant::Info, 3, begun(started)),
        Event::IterationStarted { iteration, max_iterations, .. } => {
            let of = max_iterations.map(|max| format!("/{max}")).unwrap_or_default();
            toast(Variant::Info, 2, format!("iteration {iteration}{of}"))
        }
        // A prompt is the whole loop, whose end is told anyway.
        Event::TaskCompleted { task, .. } if *task != TaskId::prompt() => {
            toast(Variant::Success, 3, format!("{task} is complete"))
        }
        Event::RunStopped { detail, evidence, .. } => {
            let (variant, seconds, what) = end(*detail);
            toast(variant, seconds, format!("{what}: {evidence}"))
        }
        _ => None,
    }
}

fn begun(started: &Started) -> String {
    let iterations =
        started.limits.max_iterations.map(|max| format!("at most {}", counted(max.into(), "iteration")));
    let time = started.limits.max_duration_ms.map(|ms| span(Duration::from_millis(ms)));
    let limits: Vec<String> = iterations.into_iter().chain(time).collect();
    let nonce = if started.nonce { "-…" } else { "" };
    format!("started: {}; {}; promise {}{nonce}", started.description, limits.join(", "), started.promise)
}

fn end(reason: StopReason) -> (Variant, u64, &'static str) {
    match (reason, reason.state()) {
        (StopReason::Completed, _) => (Variant::Success, 5, "the loop is complete"),
        (StopReason::NoTasks, _) => (Variant::Info, 2, "nothing to do"),
        (StopReason::Stopped | StopReason::Aborted, _) => (Variant::Info, 2, "cancelled"),
        (_, RunState::Failed) if reason.exit_code() == 3 => (Variant::Warning, 5, "a limit was reached"),
        (_, _) => (Variant::Error, 5, "failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Variant, end, toast};
    use ralph_core::event::Event;
    use ralph_core::id::TaskId;
    use ralph_core::stop::StopReason;

    #[test]
    fn every_end_of_a_run_has_its_colour() {
        let shown = StopReason::ALL.map(|reason| end(reason).0);
        let count = |variant| shown.iter().filter(|one| **one == variant).count();
        assert_eq!(count(Variant::Success), 1);
        assert_eq!(count(Variant::Info), 3);
        assert_eq!(count(Variant::Warning), 5);
        assert_eq!(end(StopReason::Authentication).0, Variant::Error);
    }

    #[test]
    fn an_iteration_is_told_with_its_bound() {
        let task = TaskId::parse("t").unwrap();
        let said = |max_iterations| {
            let event = Event::IterationStarted { iteration: 2, max_iterations, task: task.clone() };
            let toast = toast(&event).unwrap();
            (toast.message, toast.duration)
        };
        assert_eq!(said(Some(5)), ("iteration 2/5".to_owned(), 2000));
        assert_eq!(said(None), ("iteration 2".to_owned(), 2000));
        assert_eq!(toast(&Event::Paused {}), None);
    }
}
