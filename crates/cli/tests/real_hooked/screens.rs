//! The own screens of Codex, Gemini and Qwen: a loop is begun, completed, cancelled and taken over.

use ralph_testkit::models::{Script, Turn};
use ralph_testkit::programs::Program;
use ralph_testkit::until;

use super::host::{Host, PATIENCE};
use super::terminal::Screen;
use super::{slow, steps};

/// What a screen is told, and what it shows.
struct Manner {
    program: Program,
    args: &'static [&'static str],
    /// What it shows when something can be typed.
    ready: &'static str,
    /// What begins a command, and what the screen shows of it while it is typed.
    command: (&'static str, Option<&'static str>),
    cancels: &'static str,
    /// What it shows while the agent is at work.
    busy: &'static str,
}

const OFFERED: &str = "Keep at a task until it is done";

fn script() -> Script {
    let mut script = steps(Script::default(), 3, 70);
    for of in [60, 61] {
        script = script.on(&format!("This is iteration 1 of {of}."), [Turn::say("One.")]);
        for number in 2..=9 {
            script = script.on(&format!("This is iteration {number} of {of}."), [slow()]);
        }
    }
    script
}

impl Manner {
    /// A screen of its own for each loop, begun with this.
    fn begins(&self, host: &Host, task: &str) -> Screen {
        let screen = Screen::open(host, self.args, &[]);
        screen.shows(self.ready);
        let (begin, offered) = self.command;
        match offered {
            // Commands are there some time after the screen is.
            Some(offered) => {
                screen.keys(begin);
                screen.shows(offered);
                screen.types(&format!(" {task}"));
            }
            None => screen.types(&format!("{begin} {task}")),
        }
        screen
    }

    fn obeys(&self) {
        let host = Host::new(self.program, script());
        let screen = self.begins(&host, "task finish --max-iterations 70");
        screen.shows("loop complete: done after 3 iterations");
        assert_eq!(host.newest(), (3, "completed".to_owned()));
        drop(screen);
        for (of, says) in [(60, self.cancels), (61, "something else")] {
            let screen = self.begins(&host, &format!("task ponder --max-iterations {of}"));
            host.wait_until_asked(&format!("This is iteration 2 of {of}."), 1);
            screen.presses("Escape");
            screen.loses(self.busy);
            assert_eq!(host.newest().1, "running", "{says}");
            screen.types(says);
            until(PATIENCE, says, || (host.newest().1 == "aborted").then_some(()));
        }
    }
}

#[test]
fn in_codex_own_screen_a_loop_is_begun_completed_cancelled_and_taken_over() {
    let args = &["--no-daemon", "--dangerously-bypass-hook-trust"];
    let ready = "Ask Codex to do anything";
    let (command, cancels, busy) = (("ralph:", None), "ralph: stop", "esc to interrupt");
    Manner { program: Program::Codex, args, ready, command, cancels, busy }.obeys();
}

#[test]
fn in_geminis_own_screen_a_loop_is_begun_completed_cancelled_and_taken_over() {
    let args = &["-m", "gemini-2.5-flash"];
    let ready = "Type your message";
    let (command, cancels, busy) = (("/ralph", Some(OFFERED)), "/cancel-ralph", "esc to cancel");
    Manner { program: Program::Gemini, args, ready, command, cancels, busy }.obeys();
}

#[test]
fn in_qwens_own_screen_a_loop_is_begun_completed_cancelled_and_taken_over() {
    let ready = "Type your message";
    let (command, cancels, busy) = (("/ralph", Some(OFFERED)), "/cancel-ralph", "esc to cancel");
    Manner { program: Program::Qwen, args: &[], ready, command, cancels, busy }.obeys();
}
