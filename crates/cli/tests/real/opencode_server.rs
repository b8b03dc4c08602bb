//! OpenCode's own server as the agent: started by ralph, or adopted while it runs by itself.

use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use ralph_testkit::models::Server;
use ralph_testkit::programs::{OpenCode, Program, Programs, Setup, offline_env};
use ralph_testkit::proxy::Proxy;
use ralph_testkit::{Project, Ran, send, survivors, until};
use serde_json::Value;

use crate::opencode_script::{script, unhurried};
use crate::scenario::{PATIENCE, expect, project};

/// How far behind OpenCode's screen may be where two cores do everything else as well.
const SCREEN_BEHIND: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scene {
    Started,
    Sessions,
    Provider,
    Overload,
    Hands,
    Restart,
    Cuts,
    Signals,
    Toasts,
    Left,
}

impl Scene {
    pub(crate) const ALL: [Scene; 10] = [
        Scene::Overload,
        Scene::Started,
        Scene::Sessions,
        Scene::Provider,
        Scene::Hands,
        Scene::Restart,
        Scene::Cuts,
        Scene::Signals,
        Scene::Toasts,
        Scene::Left,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Scene::Started => "a server of its own",
            Scene::Sessions => "fresh, continue, compact",
            Scene::Provider => "its provider fails",
            Scene::Overload => "its provider is overloaded",
            Scene::Hands => "aborted and deleted by hand",
            Scene::Restart => "the server is restarted",
            Scene::Cuts => "three cuts of the stream",
            Scene::Signals => "tool and todo",
            Scene::Toasts => "toasts on its screen",
            Scene::Left => "killed in a turn",
        }
    }

    pub(crate) fn play(self, programs: &Programs) -> Result<(), String> {
        let script = if self == Scene::Toasts { unhurried() } else { script() };
        let models = Server::start(script).map_err(|error| error.to_string())?;
        let stage = Stage { project: project(Program::OpenCode, programs, &models), models, programs };
        match self {
            Scene::Started => stage.started(),
            Scene::Sessions => stage.sessions(),
            Scene::Provider => stage.provider(),
            Scene::Overload => stage.overload(),
            Scene::Hands => stage.hands(),
            Scene::Restart => stage.restart(),
            Scene::Cuts => stage.cuts(),
            Scene::Signals => stage.signals(),
            Scene::Toasts => stage.toasts(),
            Scene::Left => stage.left(),
        }
    }
}

struct Stage<'a> {
    project: Project,
    models: Server,
    programs: &'a Programs,
}

impl Stage<'_> {
    fn run(&self, prompt: &str, more: &[&str]) -> Ran {
        let args = ["run", prompt, "--new", "--agent", "opencode-server", "--json"];
        self.project.start(&[&args[..], more].concat()).end(PATIENCE)
    }

    fn serve(&self) -> Result<OpenCode, String> {
        let (models, settings) = (self.models.url(), self.settings());
        self.setup(&models, Some(&settings)).serve().map_err(|error| error.to_string())
    }

    fn setup<'a>(&'a self, models: &'a str, settings: Option<&'a str>) -> Setup<'a> {
        Setup { programs: self.programs, project: &self.project, models, settings }
    }

    /// The scripted provider with a second model.
    fn settings(&self) -> String {
        let known = offline_env(Program::OpenCode, &self.models.url(), self.project.base()).expect("a home");
        let settings =
            known.into_iter().find(|(name, _)| name == "OPENCODE_CONFIG_CONTENT").expect("settings").1;
        let mut settings: Value = serde_json::from_str(&settings).expect("settings are JSON");
        let models = &mut settings["provider"]["scripted"]["models"];
        models["other"] = models["scripted"].clone();
        settings.to_string()
    }

    /// How the latest attempt ended.
    fn exit(&self) -> Value {
        let journal = self.project.journal();
        let ended = journal.iter().rev().find(|entry| entry["type"] == "attempt_ended");
        ended.map(|entry| entry["ending"]["reported"]["exit"].clone()).unwrap_or_default()
    }

    /// How often the model was asked by the agent itself about a prompt with this word.
    fn asked(&self, word: &str) -> usize {
        let seen = self.models.seen();
        seen.iter().filter(|seen| seen.user_text.contains(word) && !seen.tools.is_empty()).count()
    }

    fn nothing_left(&self, ran: &Ran) -> Result<(), String> {
        let left = survivors(&self.project.run_id().ok_or("no run")?);
        expect(left.is_empty(), &format!("no process left, not {left:?}"), ran)
    }

    fn three_iterations(&self, more: &[&str]) -> Result<Ran, String> {
        let made = self.project.tree().join("made.txt");
        let _not_there = std::fs::remove_file(&made);
        let ran = self.run("Make made.txt.", &[&["--max-iterations", "5"][..], more].concat());
        expect(ran.code == Some(0), "exit code 0", &ran)?;
        let status = self.project.status().ok_or("no status")?;
        expect(status["iteration"] == 3, "completed in iteration 3", &ran)?;
        expect(status["usage"]["output_tokens"] == 200, "the tokens of four answers", &ran)?;
        let text = std::fs::read_to_string(&made).unwrap_or_default();
        expect(text.trim_end() == "made by a tool", "the file made by a tool", &ran)?;
        self.nothing_left(&ran)?;
        Ok(ran)
    }

    fn started(&self) -> Result<(), String> {
        let ran = self.three_iterations(&[])?;
        let is_told = |word: &str| ran.out.contains(word);
        expect(is_told("\"event\":\"tool_use\"") && is_told("\"event\":\"session\""), "its work told", &ran)
    }

    fn sessions(&self) -> Result<(), String> {
        let server = self.serve()?;
        let route = "[[route]]\niteration = 2\nmodel = \"scripted/other\"\n";
        // The program's home has the configuration of all that run in it.
        let config = self.project.base().join(".config/ralph");
        std::fs::create_dir_all(&config).map_err(|error| error.to_string())?;
        std::fs::write(config.join("config.toml"), route).map_err(|error| error.to_string())?;
        let url = server.url();
        let mut known = 0;
        for (mode, new) in [("fresh", 3), ("continue", 1), ("compact", 1)] {
            let before = self.models.seen().len();
            let ran = self.three_iterations(&[
                "--attach",
                &url,
                "--session-mode",
                mode,
                "--model",
                "scripted/scripted",
            ])?;
            let sessions = server.call("GET", "/session").map_err(|error| error.to_string())?;
            let sessions = sessions.as_array().cloned().unwrap_or_default();
            expect(
                sessions.len() == known + new,
                &format!("{new} new sessions with {mode}, not {sessions:?}"),
                &ran,
            )?;
            known += new;
            let titled = sessions.iter().all(|session| session["title"] == "prompt: Make made.txt.");
            expect(titled, &format!("the task in every title, not {sessions:?}"), &ran)?;
            let seen = self.models.seen().split_off(before);
            let of = |iteration: u32| {
                let marker = format!("This is iteration {iteration} of");
                seen.iter()
                    .rev()
                    .find(move |seen| seen.last_user_text.contains(&marker) && !seen.tools.is_empty())
            };
            let (Some(first), Some(second), Some(third)) = (of(1), of(2), of(3)) else {
                return Err(format!("{mode}: three iterations asked of the model"));
            };
            let models = (first.model.as_str(), second.model.as_str(), third.model.as_str());
            expect(
                models == ("scripted", "other", "scripted"),
                &format!("each its model, not {models:?}"),
                &ran,
            )?;
            let goes_on = third.messages > second.messages && second.messages > 2;
            expect(goes_on == (mode == "continue"), &format!("a history with continue alone: {mode}"), &ran)?;
            let has_summary = second.last_user_text.contains("# What was done so far, in short");
            expect(
                has_summary == (mode == "compact"),
                &format!("a summary with compact alone: {mode}"),
                &ran,
            )?;
        }
        Ok(())
    }

    /// What a run is told that goes on with nothing but this one attempt.
    fn once(&self, prompt: &str, url: &str) -> Ran {
        let alone = ["--max-iterations", "1", "--max-consecutive-failures", "1", "--attach", url];
        self.run(prompt, &alone)
    }

    fn provider(&self) -> Result<(), String> {
        let server = self.serve()?;
        let ran = self.once("scene-waits", &server.url());
        let waits = ran.out.matches("\"event\":\"waiting\"").count();
        expect(ran.code == Some(0) && waits == 3, &format!("three waits and a promise, not {waits}"), &ran)?;
        expect(self.asked("scene-waits") == 4, "four requests", &ran)?;
        let ran = self.once("scene-refused", &server.url());
        let exit = self.exit();
        expect(
            ran.code == Some(1) && exit["kind"] == "unauthenticated",
            &format!("no login, not {exit}"),
            &ran,
        )?;
        expect(self.asked("scene-refused") == 1, "one request", &ran)?;
        let none = ["--max-iterations", "1", "--model", "scripted/none", "--attach", &server.url()];
        let ran = self.run("No such model.", &none);
        let exit = self.exit();
        expect(exit["kind"] == "misconfigured", &format!("no such model, not {exit}"), &ran)
    }

    /// Both are retried by the server first, and by ralph after that.
    fn overload(&self) -> Result<(), String> {
        let server = self.serve()?;
        for (prompt, kind) in [("scene-limited", "limited"), ("scene-overloaded", "overloaded")] {
            let args =
                ["run", prompt, "--new", "--agent", "opencode-server", "--json", "--attach", &server.url()];
            let before = self.project.run_id();
            let mut live = self.project.start(&args);
            until(PATIENCE, "a run", || (self.project.run_id() != before).then_some(()));
            let has_ended =
                || self.project.events().iter().any(|event| event == "attempt_ended").then_some(());
            until(PATIENCE, "the end of an attempt", has_ended);
            let exit = self.exit();
            let _stopping = self.project.ralph(&["stop", "--now"]);
            let ran = live.end(PATIENCE);
            expect(exit["kind"] == kind, &format!("{kind}, not {exit}"), &ran)?;
            expect(self.asked(prompt) >= 6, "one request and five more", &ran)?;
            self.nothing_left(&ran)?;
        }
        Ok(())
    }

    /// The session that is at work.
    fn at_work(server: &OpenCode) -> Option<String> {
        let all = server.call("GET", "/session/status").ok()?;
        all.as_object()?.keys().next().cloned()
    }

    fn hands(&self) -> Result<(), String> {
        let server = self.serve()?;
        let url = server.url();
        let tree = self.project.tree().canonicalize().map_err(|error| error.to_string())?;
        let args = [
            "run",
            "scene-works",
            "--new",
            "--agent",
            "opencode-server",
            "--json",
            "--on-error",
            "skip",
            "--attach",
            &url,
        ];
        for (method, path, kind, word) in
            [("POST", "/abort", "failed", "aborted"), ("DELETE", "", "session_gone", "deleted")]
        {
            let mut live = self.project.start(&args);
            let session = until(PATIENCE, "a session at work", || Stage::at_work(&server));
            until(PATIENCE, "a tool at work", || sleeps(&tree).then_some(()));
            server.call(method, &format!("/session/{session}{path}")).map_err(|error| error.to_string())?;
            let ran = live.end(PATIENCE);
            let exit = self.exit();
            let what = exit["what"].as_str().unwrap_or_default();
            expect(
                exit["kind"] == kind && what.contains(word),
                &format!("{kind}, {word}, not {exit}"),
                &ran,
            )?;
            until(PATIENCE, "the end of the tool", || (!sleeps(&tree)).then_some(()));
            self.nothing_left(&ran)?;
        }
        // An interruption aborts the session before it ends the relay.
        let mut live = self.project.start(&args);
        until(PATIENCE, "a tool at work", || sleeps(&tree).then_some(()));
        let stopped = self.project.ralph(&["stop", "--now"]);
        let ran = live.end(PATIENCE);
        expect(stopped.code == Some(0) && ran.code == Some(130), "a stop", &ran)?;
        until(PATIENCE, "the end of the tool", || (!sleeps(&tree)).then_some(()));
        expect(Stage::at_work(&server).is_none(), "no session at work", &ran)
    }

    /// Whoever drove the turn is killed with all that it started: the server goes on by itself.
    fn left(&self) -> Result<(), String> {
        let server = self.serve()?;
        let (url, tree) = (server.url(), self.project.tree());
        let tree = tree.canonicalize().map_err(|error| error.to_string())?;
        let args = ["run", "scene-works", "--agent", "opencode-server", "--json", "--attach", &url];
        let mut live = self.project.start(&args);
        until(PATIENCE, "a tool at work", || sleeps(&tree).then_some(()));
        let run = self.project.run_id().ok_or("no run")?;
        let guard = live.guard();
        let mut all = vec![live.pid(), guard];
        all.extend(survivors(&run).into_iter().map(|(pid, _)| pid));
        all.iter().for_each(|pid| send(*pid, Signal::SIGSTOP));
        all.iter().for_each(|pid| send(*pid, Signal::SIGKILL));
        let session = Stage::at_work(&server).ok_or("a session that goes on")?;
        let known = server.call("GET", &format!("/session/{session}")).map_err(|error| error.to_string())?;
        let ran = live.end(PATIENCE);
        expect(known["metadata"]["ralph"] == run.as_str(), &format!("the run's mark, not {known}"), &ran)?;
        let stopped = self.project.ralph(&["stop"]);
        expect(stopped.code == Some(0) && !sleeps(&tree), "a turn that was ended", &stopped)?;
        expect(Stage::at_work(&server).is_none(), "no session at work", &stopped)?;
        let mut live = self.project.start(&["resume", "--json"]);
        let again = until(PATIENCE, "a session at work", || Stage::at_work(&server));
        until(PATIENCE, "a tool at work", || sleeps(&tree).then_some(()));
        let _stopping = self.project.ralph(&["stop", "--now"]);
        let ran = live.end(PATIENCE);
        expect(again != session, "a session of its own", &ran)?;
        self.nothing_left(&ran)
    }

    fn restart(&self) -> Result<(), String> {
        let mut server = self.serve()?;
        let (url, port) = (server.url(), server.port());
        let once = ["--max-iterations", "1", "--max-consecutive-failures", "1", "--attach", &url];
        let args = ["run", "scene-hangs", "--agent", "opencode-server", "--json"];
        let mut live = self.project.start(&[&args[..], &once].concat());
        until(PATIENCE, "a request", || (self.asked("scene-hangs") > 0).then_some(()));
        server.kill();
        let (models, settings) = (self.models.url(), self.settings());
        let again = self.setup(&models, Some(&settings)).serve_on(port).map_err(|error| error.to_string())?;
        let ran = live.end(PATIENCE);
        let exit = self.exit();
        let what = exit["what"].as_str().unwrap_or_default();
        expect(
            exit["kind"] == "network" && what.contains("restarted"),
            &format!("a restart, not {exit}"),
            &ran,
        )?;
        expect(self.asked("scene-hangs") == 1, "the prompt sent once", &ran)?;
        let sessions = again.call("GET", "/session").map_err(|error| error.to_string())?;
        let id = sessions[0]["id"].as_str().unwrap_or_default().to_owned();
        let messages =
            again.call("GET", &format!("/session/{id}/message")).map_err(|error| error.to_string())?;
        let prompts = messages.as_array().into_iter().flatten().filter(|one| one["info"]["role"] == "user");
        expect(prompts.count() == 1, "one prompt in the session", &ran)
    }

    fn cuts(&self) -> Result<(), String> {
        let server = self.serve()?;
        let proxy = Proxy::before(server.port()).map_err(|error| error.to_string())?;
        let (url, args) = (proxy.url(), ["run", "scene-slow", "--agent", "opencode-server", "--json"]);
        let mut live =
            self.project.start(&[&args[..], &["--max-iterations", "1", "--attach", &url]].concat());
        until(PATIENCE, "a request", || (self.asked("scene-slow") > 0).then_some(()));
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(500));
            proxy.cut();
        }
        let ran = live.end(PATIENCE);
        expect(ran.code == Some(0), "exit code 0", &ran)?;
        expect(self.asked("scene-slow") == 1, "the prompt sent once", &ran)?;
        let status = self.project.status().ok_or("no status")?;
        expect(status["attempts"] == 1, "one attempt", &ran)
    }

    fn signals(&self) -> Result<(), String> {
        for (prompt, signal) in [("scene-tool", "tool"), ("scene-todo", "todo")] {
            let ran = self.run(prompt, &["--require", signal, "--max-iterations", "1"]);
            expect(ran.code == Some(0), &format!("completed by {signal}"), &ran)?;
            self.nothing_left(&ran)?;
        }
        let ran = self.run("Say something.", &["--require", "todo", "--max-iterations", "1"]);
        expect(ran.code == Some(3), "nothing shown by an empty list", &ran)
    }

    fn toasts(&self) -> Result<(), String> {
        let models = self.models.url();
        let server = self.setup(&models, None).on_screen().map_err(|error| error.to_string())?;
        let (url, args) = (server.url(), ["run", "Make made.txt.", "--agent", "opencode-server", "--json"]);
        let mut live =
            self.project.start(&[&args[..], &["--max-iterations", "5", "--attach", &url]].concat());
        let mut unseen =
            vec!["started: Make made.txt.", "iteration 1/5", "iteration 3/5", "the loop is complete"];
        let look = |unseen: &mut Vec<&str>| {
            let screen = server.screen();
            unseen.retain(|words| !screen.contains(words));
        };
        until(PATIENCE, "the toasts", || {
            look(&mut unseen);
            (unseen.is_empty() || live.is_over()).then_some(())
        });
        let ran = live.end(PATIENCE);
        // The last one stays for five seconds, from whenever the screen has come to it.
        let last = Instant::now() + SCREEN_BEHIND;
        until(PATIENCE, "the last toast", || {
            look(&mut unseen);
            (unseen.is_empty() || Instant::now() > last).then_some(())
        });
        expect(ran.code == Some(0) && unseen.is_empty(), &format!("{unseen:?} on the screen"), &ran)
    }
}

/// Whether the command of a tool runs in this tree.
fn sleeps(tree: &Path) -> bool {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    processes.into_iter().any(|process| {
        let is_it = std::fs::read(process.join("cmdline")).is_ok_and(|words| words == b"sleep\x00297\x00");
        is_it && std::fs::read_link(process.join("cwd")).is_ok_and(|dir| dir == tree)
    })
}
