//! OpenCode's own screen, in a terminal that a test can type into and read.

use std::process::Command;
use std::time::{Duration, Instant};

use ralph_testkit::models::{Reply, Script, Turn};
use ralph_testkit::until;

use super::serve::{PATIENCE, Serve};
use super::{broken, done, said, slow};

/// A terminal of its own: nothing of the person's tmux is touched.
struct Screen {
    socket: String,
}

impl Screen {
    fn open(serve: &Serve, arguments: &[&str]) -> Screen {
        // One that was closed a moment ago may not be gone yet.
        let free = (0..).map(|n| serve.project.base().join(format!("tmux-{n}"))).find(|path| !path.exists());
        let screen = Screen { socket: free.unwrap().to_string_lossy().into_owned() };
        let opencode = serve.opencode();
        let mut tmux = screen.tmux();
        tmux.env_clear().envs(opencode.get_envs().filter_map(|(name, value)| Some((name, value?))));
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "45", "-c"]);
        tmux.arg(serve.project.tree()).arg(opencode.get_program()).args(arguments);
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

    fn presses(&self, key: &str) {
        std::thread::sleep(Duration::from_millis(500));
        self.tmux().args(["send-keys", key]).status().unwrap();
    }

    /// A command with nothing after it is completed by the first Enter and sent by the second.
    fn types(&self, text: &str, enters: usize) {
        self.tmux().args(["send-keys", "-l", text]).status().unwrap();
        self.shows(text);
        for _ in 0..enters {
            self.presses("Enter");
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
    let screen = Screen::open(&serve, &[]);
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

#[test]
fn in_its_own_screen_an_error_is_waited_out_and_a_turn_that_is_interrupted_ends_the_loop() {
    let script = Script::default()
        .on("This is iteration 2 of 5", [done()])
        .on("iteration 1 of 5, attempt 2", [said()])
        .on("task error", [broken()])
        .on("task endless", [slow()]);
    let serve = Serve::prepare(script, None);
    let screen = Screen::open(&serve, &[]);
    screen.shows("Ask anything");
    screen.types("/ralph task error --max-iterations=5", 1);
    screen.shows("loop paused");
    let paused = Instant::now();
    screen.shows("iteration 2/5");
    assert!(paused.elapsed() > Duration::from_secs(4), "{:?}", paused.elapsed());
    screen.shows("loop complete");
    assert_eq!(serve.asked("task error"), 3);

    screen.types("/ralph task endless --max-iterations=57", 1);
    screen.shows("on and on");
    for _ in 0..2 {
        screen.presses("Escape");
    }
    screen.shows("loop cancelled");
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(serve.asked("task endless"), 1, "it went on after it was interrupted");
}

#[test]
fn in_its_own_screen_a_loop_moves_to_another_session_and_outlives_a_restart() {
    let script = Script::default()
        .on("What happened so far", [done()])
        .on("task compact", [said()])
        .on("go on with it now", [said()])
        .on("This is iteration 3 of 4", [done()])
        .on("This is iteration 2 of 4", [slow()])
        .on("task restart", [said()]);
    let serve = Serve::prepare(script, None);
    let screen = Screen::open(&serve, &[]);
    screen.shows("Ask anything");
    screen.types("/ralph task compact --strategy compact", 1);
    screen.shows("loop complete");
    screen.shows("Everything is done.");
    assert_eq!((serve.asked("What happened so far"), serve.asked("task compact")), (1, 2));
    drop(screen);

    let screen = Screen::open(&serve, &[]);
    screen.shows("Ask anything");
    screen.types("/ralph task restart --max-iterations=4", 1);
    screen.shows("iteration 2/4");
    until(PATIENCE, "the second turn", || (serve.asked("This is iteration 2 of 4") == 1).then_some(()));
    drop(screen);
    let screen = Screen::open(&serve, &["--continue"]);
    screen.shows("task restart");
    screen.types("go on with it now", 1);
    screen.shows("iteration 3/4");
    screen.shows("loop complete");
}
