//! Claude Code's own screen, in a terminal that a test can type into and read.

use std::process::Command;
use std::time::Duration;

use ralph_testkit::models::{Reply, Script, Turn};
use ralph_testkit::programs::Program;
use ralph_testkit::until;

use super::host::{Host, PATIENCE};
use super::steps;

/// A terminal of its own: nothing of the person's tmux is touched.
struct Screen {
    socket: String,
}

impl Screen {
    fn open(host: &Host, args: &[&str]) -> Screen {
        let screen = Screen { socket: host.project.base().join("tmux").to_string_lossy().into_owned() };
        let program = host.command();
        let mut tmux = screen.tmux();
        tmux.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50", "-c"]);
        tmux.arg(host.project.tree()).arg(program.get_program()).args(args);
        assert!(tmux.status().expect("tmux is installed").success());
        screen
    }

    fn tmux(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.args(["-S", &self.socket]);
        tmux
    }

    fn shows(&self, text: &str) {
        let mut last = String::new();
        let seen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            until(PATIENCE, text, || {
                let out = self.tmux().args(["capture-pane", "-p"]).output().unwrap();
                last = String::from_utf8_lossy(&out.stdout).into_owned();
                std::thread::sleep(Duration::from_millis(50));
                last.contains(text).then_some(())
            });
        }));
        assert!(seen.is_ok(), "the screen never shows {text:?}:\n{last}");
    }

    fn types(&self, text: &str) {
        self.tmux().args(["send-keys", "-l", text]).status().unwrap();
        self.shows(text);
        std::thread::sleep(Duration::from_millis(700));
        self.presses("Enter");
    }

    fn presses(&self, key: &str) {
        self.tmux().args(["send-keys", key]).status().unwrap();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _nothing_is_left_either_way = self.tmux().arg("kill-server").status();
    }
}

/// The session that the newest conversation is of.
fn session(host: &Host) -> String {
    let projects = host.project.base().join(".claude/projects");
    until(PATIENCE, "a conversation", || {
        let folders = std::fs::read_dir(&projects).ok()?.flatten();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten());
        let newest = files
            .filter(|file| file.path().extension().is_some_and(|kind| kind == "jsonl"))
            .max_by_key(|file| file.metadata().and_then(|about| about.modified()).ok())?;
        Some(newest.path().file_stem()?.to_string_lossy().into_owned())
    })
}

#[test]
fn in_its_own_screen_a_loop_is_begun_completed_cancelled_and_taken_over() {
    let pondering = |number: u32| {
        Turn::from(Reply {
            say: format!("Hm, {number}. ").repeat(20),
            bytes_per_second: Some(1_000),
            ..Reply::default()
        })
    };
    let mut script = Script::default();
    for number in 1..=9 {
        for of in [60, 61] {
            script = script.on(&format!("This is iteration {number} of {of}."), [pondering(number)]);
        }
    }
    let script = steps(script, 10, 70);
    let host = Host::new(Program::Claude, script);
    let screen = Screen::open(&host, &[]);
    screen.shows("for shortcuts");
    screen.types("/ralph task finish --max-iterations=70");
    screen.shows("loop complete: done after 10 iterations");
    let id = session(&host);
    host.stood(&id, 10, "completed");

    screen.types("/ralph-loop task ponder --max-iterations 60");
    screen.shows("iteration 2/60");
    screen.types("/cancel-ralph");
    screen.shows("loop cancelled");
    assert_eq!(host.stands(&id).1, "aborted");

    screen.types("/ralph task again --max-iterations 61");
    screen.shows("iteration 2/61");
    host.wait_until_asked("This is iteration 2 of 61", 1);
    screen.presses("Escape");
    screen.shows("Interrupted");
    assert_eq!(host.stands(&id).1, "running");
    screen.types("something else");
    screen.shows("a person took over");
    assert_eq!(host.stands(&id).1, "aborted");
}
