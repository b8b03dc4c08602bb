//! An agent that prints without end drowns out nothing: deadlines, signals and controls are heard all the same.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use ralph_testkit::{Live, PATIENCE, Project, send, survivors};

use crate::agents::begun;
use crate::project;

/// Ending an agent takes what it takes: it is asked first and has five seconds to obey.
const PROMPT: Duration = Duration::from_secs(6);

const ENDLESS: &str = r#"
touch "begun-$RALPH_ITERATION-$RALPH_ATTEMPT"
exec yes 'a line of some length, as a build prints it'
"#;

/// Deaf as well, on both streams, and not alone.
const STUBBORN: &str = r#"
trap '' INT TERM HUP
touch "begun-$RALPH_ITERATION-$RALPH_ATTEMPT"
yes 'more of the same' >&2 &
while :; do echo 'and more'; done
"#;

/// The run ends promptly once it is told to, with this code and reason, and nothing is left of it.
#[track_caller]
fn check(project: &Project, mut run: Live, code: i32, reason: &str, tell: impl FnOnce(&Live)) {
    begun(project, 1, 1);
    let id = project.run_id().unwrap();
    let start = Instant::now();
    tell(&run);
    let ran = run.end(PATIENCE);
    assert!(start.elapsed() < PROMPT, "{:?}", start.elapsed());
    assert_eq!(ran.code, Some(code), "{}", ran.err);
    let status = project.status().unwrap();
    assert_eq!((&status["stop_reason"], &status["alive"]), (&reason.into(), &false.into()), "{status}");
    assert_eq!(survivors(&id), []);
}

#[test]
fn its_time_runs_out() {
    for agent in [ENDLESS, STUBBORN] {
        let project = project().agent(agent);
        let run = project.start(&["run", "x", "--max-duration", "1s"]);
        check(&project, run, 3, "max_duration", |_| {});
    }
}

#[test]
fn a_signal_ends_it() {
    for agent in [ENDLESS, STUBBORN] {
        let project = project().agent(agent);
        let run = project.start(&["run", "x", "--verbose"]);
        check(&project, run, 130, "aborted", |run| send(run.pid(), Signal::SIGINT));
    }
}

#[test]
fn stop_now_ends_it() {
    for agent in [ENDLESS, STUBBORN] {
        let project = project().agent(agent);
        let run = project.start(&["run", "x", "--json"]);
        check(&project, run, 130, "aborted", |_| {
            assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
        });
    }
}
