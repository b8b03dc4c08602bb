//! OpenCode's own screen, in a terminal that a test can type into and read.

use std::process::Command;
use std::time::Duration;

use ralph_testkit::models::{Reply, Script, Turn};
use ralph_testkit::until;

use super::serve::{PATIENCE, Serve};
use super::{done, said};

/// A terminal of its own: nothing of the person's tmux is touched.
struct Screen {
    socket: String,
}

impl Screen {
    fn open(serve: &Serve) -> Screen {
        let screen = Screen { socket: serve.project.base().join("tmux").to_string_lossy().into_owned() };
        let opencode = serve.opencode();
        let mut tmux = screen.tmux();
        tmux.env_clear().envs(opencode.get_envs().filter_map(|(name, value)| Some((name, value?))));
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "45", "-c"]);
        tmux.arg(serve.project.tree()).arg(opencode.get_program());
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

    /// A command with nothing after it is completed by the first Enter and sent by the second.
    fn types(&self, text: &str, enters: usize) {
        self.tmux().args(["send-keys", "-l", text]).status().unwrap();
        self.shows(text);
        for _ in 0..enters {
            std::thread::sleep(Duration::from_millis(500));
            self.tmux().args(["send-keys", "Enter"]).status().unwrap();
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _nothing_is_left_either_way = self.tmux().arg("kill-server").status();
    }
}

#[test]
fn in_its_own_screen_a_loop_is_begun_shown_completed_and_cancelled() {
    let pondering = Reply { say: "Hm. ".repeat(20), bytes_per_second: Some(1_500), ..Reply::default() };
    let script = Script::default()
        .on("This is iteration 3 of 7", [done()])
        .on("task finish", [said()])
        .on("task ponder", [Turn::from(pondering)]);
    let serve = Serve::prepare(script, None);
    let screen = Screen::open(&serve);
    screen.shows("Ask anything");
    screen.types("/ralph task finish --max-iterations=7", 1);
    screen.shows("iteration 2/7");
    screen.shows("loop complete");
    assert_eq!(serve.asked("task finish"), 3);
    screen.types("/ralph-loop task ponder --max-iterations 59", 1);
    screen.shows("iteration 2/59");
    screen.types("/cancel-ralph", 2);
    screen.shows("loop cancelled");
    let asked = serve.asked("task ponder");
    std::thread::sleep(Duration::from_secs(3));
    assert!(serve.asked("task ponder") <= asked + 1, "it went on after it was cancelled");
}
