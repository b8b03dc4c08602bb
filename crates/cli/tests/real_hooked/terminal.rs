//! A terminal that a test can type into and read.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ralph_testkit::until;

use super::host::{Host, PATIENCE};

/// A terminal of its own: nothing of the person's tmux is touched.
pub(crate) struct Screen {
    socket: String,
}

impl Screen {
    /// The host's program with these arguments, and with these variables beside its own.
    pub(crate) fn open(host: &Host, args: &[&str], variables: &[(&str, &str)]) -> Screen {
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let socket = host.project.base().join(format!("tmux-{number}"));
        let screen = Screen { socket: socket.to_string_lossy().into_owned() };
        let mut program = host.command();
        program.envs(variables.iter().copied());
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

    pub(crate) fn shows(&self, text: &str) {
        self.comes_to(&format!("to show {text:?}"), |shown| shown.contains(text));
    }

    /// Until this is not there any more.
    pub(crate) fn loses(&self, text: &str) {
        self.comes_to(&format!("to lose {text:?}"), |shown| !shown.contains(text));
    }

    fn comes_to(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let mut last = String::new();
        let seen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            until(PATIENCE, what, || {
                let out = self.tmux().args(["capture-pane", "-p"]).output().unwrap();
                last = String::from_utf8_lossy(&out.stdout).into_owned();
                std::thread::sleep(Duration::from_millis(50));
                is_so(&last).then_some(())
            });
        }));
        assert!(seen.is_ok(), "the screen never comes {what}:\n{last}");
    }

    pub(crate) fn keys(&self, text: &str) {
        self.tmux().args(["send-keys", "-l", text]).status().unwrap();
    }

    pub(crate) fn types(&self, text: &str) {
        self.keys(text);
        self.shows(text);
        std::thread::sleep(Duration::from_millis(700));
        self.presses("Enter");
    }

    pub(crate) fn presses(&self, key: &str) {
        self.tmux().args(["send-keys", key]).status().unwrap();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _nothing_is_left_either_way = self.tmux().arg("kill-server").status();
    }
}
