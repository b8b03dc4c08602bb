//! What each program must show.

use std::time::Duration;

use ralph_testkit::models::{Call, Fault, Script, Server, Turn};
use ralph_testkit::programs::{Program, Programs, offline_env};
use ralph_testkit::{Live, Project, Ran, survivors, until};

/// Some programs refuse a bare `sleep`.
const WAITING: &str = "tail -f /dev/null --pid=$$ -s 300";

/// The home is not the agent's to write to, but for what it keeps there.
const ESCAPE: &str = "echo escaped > $HOME/escaped.txt; echo tried > tried.txt";

pub(crate) const PATIENCE: Duration = Duration::from_secs(240);

/// One program in one scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) program: Program,
    /// Spoken with by the Agent Client Protocol, not listened to in its own language.
    pub(crate) is_acp: bool,
    pub(crate) scenario: Scenario,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// Three iterations, a file written through a real tool call, completion by the promise.
    ThreeIterations,
    /// A limit that the server lifts again.
    LimitWaitedOut,
    /// An abort in the middle of a tool call.
    Abort,
    /// Two iterations in one session of the program's own, each counted once.
    SameSession,
    /// In a sandbox: a tool call that writes outside is refused, and the work is done all the same.
    Landlock,
    Bubblewrap,
    /// It asks whether it may write, and may not.
    Denied,
}

impl Scenario {
    pub(crate) const OWN: [Scenario; 6] = [
        Scenario::ThreeIterations,
        Scenario::LimitWaitedOut,
        Scenario::Abort,
        Scenario::SameSession,
        Scenario::Landlock,
        Scenario::Bubblewrap,
    ];
    pub(crate) const ACP: [Scenario; 4] =
        [Scenario::ThreeIterations, Scenario::LimitWaitedOut, Scenario::Abort, Scenario::Denied];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Scenario::ThreeIterations => "three iterations, a file",
            Scenario::LimitWaitedOut => "a limit is waited out",
            Scenario::Abort => "an abort in a tool call",
            Scenario::SameSession => "one session goes on",
            Scenario::Landlock => "kept inside by landlock",
            Scenario::Bubblewrap => "kept inside by bubblewrap",
            Scenario::Denied => "permission is denied",
        }
    }

    fn script(self) -> Script {
        let done = || Turn::say("Everything is done and checked.\n\n<promise>{promise}</promise>");
        let write = || {
            let call = Call::Write { path: "made.txt".into(), content: "made by a tool\n".to_owned() };
            Turn::call("I write the file.", call)
        };
        match self {
            Scenario::ThreeIterations => Script::of([done()])
                .on("This is iteration 1 of", [write(), Turn::say("The file is there; more is to do.")])
                .on("This is iteration 2 of", [Turn::say("I looked at it; more is to do.")])
                .on("This is iteration 3 of", [done()]),
            Scenario::LimitWaitedOut => {
                let limited = Turn::fault(Fault::RateLimit { retry_after: Some(1), times: 1 });
                Script::of([done()]).on("This is iteration 1 of", [limited, done()])
            }
            Scenario::SameSession => Script::of([done()])
                .on("This is iteration 1 of", [Turn::say("I began; more is to do.")])
                .on("This is iteration 2 of", [done()]),
            Scenario::Denied => {
                let refused = [write(), Turn::say("I may not.")];
                let script = Script::of([done()]).on("This is iteration 1 of", refused);
                script.on("This is iteration 2 of", [done()]).on("This is iteration 3 of", [done()])
            }
            Scenario::Abort => {
                let wait = Turn::call("I wait.", Call::Shell(WAITING.to_owned()));
                Script::of([done()]).on("This is iteration 1 of", [wait, done()])
            }
            Scenario::Landlock | Scenario::Bubblewrap => {
                let escape = Turn::call("I write outside.", Call::Shell(ESCAPE.to_owned()));
                Script::of([done()]).on("This is iteration 1 of", [escape, write(), done()])
            }
        }
    }
}

impl Case {
    pub(crate) fn speech(self) -> &'static str {
        if self.is_acp { "acp" } else { "own" }
    }

    pub(crate) fn play(self, programs: &Programs) -> Result<(), String> {
        let server = Server::start(self.scenario.script()).map_err(|error| error.to_string())?;
        let project = project(self.program, programs, &server);
        match self.scenario {
            Scenario::ThreeIterations => three_iterations(&project, self),
            Scenario::LimitWaitedOut => limit_waited_out(&project, self),
            Scenario::Abort => abort(&project, self),
            Scenario::Denied => denied(project, self),
            Scenario::SameSession => same_session(&project, self.program, &server),
            Scenario::Landlock => kept_inside(&project, self.program, "landlock"),
            Scenario::Bubblewrap => kept_inside(&project, self.program, "bubblewrap"),
        }
    }

    fn start(self, project: &Project, prompt: &str, iterations: &str) -> Live {
        let name = self.program.name();
        let args = ["run", prompt, "--agent", name, "--max-iterations", iterations, "--json", "--acp"];
        project.start(&args[..args.len() - usize::from(!self.is_acp)])
    }
}

pub(crate) fn project(program: Program, programs: &Programs, server: &Server) -> Project {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut project = Project::new(env!("CARGO_BIN_EXE_ralph"))
        .with("PATH", &format!("{}:{path}", programs.bin().display()))
        .with("RALPH_SET_AGENT__SILENCE_TIMEOUT", "3m");
    for (name, value) in offline_env(program, &server.url(), project.base()).expect("a home for the program")
    {
        project = project.with(&name, &value);
    }
    project
}

fn run(project: &Project, case: Case, iterations: &str) -> Ran {
    case.start(project, "Make made.txt with the text: made by a tool.", iterations).end(PATIENCE)
}

fn three_iterations(project: &Project, case: Case) -> Result<(), String> {
    let ran = run(project, case, "5");
    expect(ran.code == Some(0), "exit code 0", &ran)?;
    let status = project.status().ok_or("no status")?;
    expect(
        status["iteration"] == 3 && status["stop_reason"] == "completed",
        "completed in iteration 3",
        &ran,
    )?;
    let made = std::fs::read_to_string(project.tree().join("made.txt")).unwrap_or_default();
    expect(made.trim_end() == "made by a tool", "the file made by a tool", &ran)?;
    expect(ran.out.contains("\"event\":\"tool_use\""), "a tool use among the events", &ran)?;
    expect(status["usage"]["output_tokens"].as_u64().unwrap_or(0) > 0, "tokens counted", &ran)
}

fn limit_waited_out(project: &Project, case: Case) -> Result<(), String> {
    let ran = run(project, case, "2");
    expect(ran.code == Some(0), "exit code 0", &ran)
}

/// The tool fails, the file is not made, and the agent goes on with the next iteration.
fn denied(project: Project, case: Case) -> Result<(), String> {
    let project = project
        .with("RALPH_SET_AGENT__PERMISSIONS", "deny")
        // Left to itself, this program asks for nothing.
        .with("OPENCODE_PERMISSION", r#"{"edit":"ask"}"#);
    let ran = run(&project, case, "3");
    expect(ran.code == Some(0), "exit code 0", &ran)?;
    expect(!project.tree().join("made.txt").exists(), "no file", &ran)?;
    expect(ran.out.contains("\"ok\":false,\"summary\""), "a tool that failed", &ran)
}

fn abort(project: &Project, case: Case) -> Result<(), String> {
    let mut live = case.start(project, "Wait.", "2");
    let id = until(PATIENCE, "a run", || project.run_id());
    // The command of the tool call runs, or the program ended before it came to that.
    until(PATIENCE, "a tool call", || {
        let asleep = survivors(&id).iter().any(|(_, command)| command.contains("300"));
        (asleep || live.is_over()).then_some(())
    });
    let stopped = project.ralph(&["stop", "--now"]);
    let ran = live.end(PATIENCE);
    expect(stopped.code == Some(0), "the stop is taken", &stopped)?;
    expect(ran.code == Some(130), "exit code 130", &ran)?;
    let left = survivors(&id);
    expect(left.is_empty(), &format!("no process left, not {left:?}"), &ran)
}

fn same_session(project: &Project, program: Program, server: &Server) -> Result<(), String> {
    let args = ["run", "Think.", "--agent", program.name(), "--max-iterations", "3", "--session", "continue"];
    let ran = project.start(&args).end(PATIENCE);
    expect(ran.code == Some(0), "exit code 0", &ran)?;
    let seen = server.seen();
    let history = |iteration: u32| {
        let brief = format!("This is iteration {iteration} of");
        let asked = seen.iter().filter(|seen| seen.last_user_text.contains(&brief) && !seen.tools.is_empty());
        asked.map(|seen| seen.messages).max().unwrap_or(0)
    };
    let (first, second) = (history(1), history(2));
    expect(second > first, &format!("a longer history than {first} messages, not {second}"), &ran)?;
    let ended = project.journal().into_iter().filter(|entry| entry["type"] == "attempt_ended");
    let reports: Vec<_> = ended.map(|entry| entry["ending"]["reported"].clone()).collect();
    let [one, two] = reports.as_slice() else { return Err(format!("two attempts, not {reports:?}")) };
    expect(one["conversation"]["id"] == two["conversation"]["id"], "one session", &ran)?;
    let tokens = |report: &serde_json::Value| report["usage"]["output_tokens"].as_u64().unwrap_or(0);
    let counted = format!("each attempt's own tokens, not {} and {}", tokens(one), tokens(two));
    expect(tokens(one) > 0 && tokens(one) == tokens(two), &counted, &ran)
}

fn kept_inside(project: &Project, program: Program, mode: &str) -> Result<(), String> {
    let sandbox = format!("--sandbox={mode}");
    let args = ["run", "Work.", "--agent", program.name(), "--max-iterations", "2", "--json", &sandbox];
    let ran = project.start(&args).end(PATIENCE);
    expect(ran.code == Some(0), "exit code 0", &ran)?;
    let tree = project.tree();
    expect(tree.join("tried.txt").exists(), "the tool call to have run", &ran)?;
    expect(!project.base().join("escaped.txt").exists(), "nothing written outside", &ran)?;
    let made = std::fs::read_to_string(tree.join("made.txt")).unwrap_or_default();
    expect(made.trim_end() == "made by a tool", "the file made by a tool", &ran)?;
    let status = project.status().ok_or("no status")?;
    expect(status["iteration"] == 1 && status["sandbox"]["mode"] == mode, "one iteration inside", &ran)
}

pub(crate) fn expect(holds: bool, what: &str, ran: &Ran) -> Result<(), String> {
    if holds {
        return Ok(());
    }
    let tail =
        |text: &str| text.chars().rev().take(1_500).collect::<String>().chars().rev().collect::<String>();
    Err(format!(
        "expected {what}; code {:?}\n--- out\n{}\n--- err\n{}",
        ran.code,
        tail(&ran.out),
        tail(&ran.err)
    ))
}
