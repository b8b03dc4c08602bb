//! OpenCode's own server with ralph's plugin in it, and a scripted model behind it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ralph_testkit::models::{Answered, Script, Seen, Server};
use ralph_testkit::programs::{Program, Programs, install, offline_env, target_dir};
use ralph_testkit::{Project, until};
use serde_json::{Value, json};

use super::http::ask;

pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Serve {
    pub(crate) project: Project,
    pub(crate) models: Server,
    programs: Programs,
    running: Option<(Child, String)>,
}

impl Serve {
    /// With this as the project's `opencode.json`, where there is one.
    pub(crate) fn start(script: Script, configuration: Option<&str>) -> Serve {
        let mut serve = Serve::prepare(script, configuration);
        serve.again();
        serve
    }

    /// The same, with the plugin as it is after this.
    pub(crate) fn start_with(script: Script, edit: impl Fn(&Serve, String) -> String) -> Serve {
        let mut serve = Serve::prepare(script, None);
        let plugin = serve.project.tree().join(".opencode/plugins/ralph.js");
        let text = std::fs::read_to_string(&plugin).unwrap();
        std::fs::write(&plugin, edit(&serve, text)).unwrap();
        serve.again();
        serve
    }

    /// Everything but the server.
    pub(crate) fn prepare(script: Script, configuration: Option<&str>) -> Serve {
        let project = Project::new(env!("CARGO_BIN_EXE_ralph"));
        if let Some(text) = configuration {
            std::fs::write(project.tree().join("opencode.json"), text).unwrap();
        }
        let installed = project.ralph(&["install", "opencode", "--yes"]);
        assert_eq!(installed.code, Some(0), "{installed:?}");
        let programs = install(&target_dir()).unwrap();
        Serve { project, models: Server::start(script).unwrap(), programs, running: None }
    }

    /// OpenCode, with nothing of the world but the model, and ralph's state where the project has it.
    pub(crate) fn opencode(&self) -> Command {
        let mut command = Command::new(self.programs.path(Program::OpenCode));
        let home = self.project.base();
        command
            .env_clear()
            .envs(offline_env(Program::OpenCode, &self.models.url(), home).unwrap())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("PWD", self.project.tree())
            .env("XDG_STATE_HOME", self.project.state_home())
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("RALPH_SET_AGENT__RETRY_DELAY", "20ms")
            .current_dir(self.project.tree());
        command
    }

    /// Ends the server if it runs, and starts it.
    pub(crate) fn again(&mut self) {
        self.end();
        let log = std::fs::File::create(self.project.base().join("serve.log")).unwrap();
        let mut child = self.opencode();
        let mut child =
            child.args(["serve", "--port", "0"]).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let authority = loop {
            let line = lines.next().expect("the server says where it is").unwrap();
            if let Some((_, url)) = line.split_once("listening on http://") {
                break url.trim().to_owned();
            }
        };
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        self.running = Some((child, authority));
    }

    fn end(&mut self) {
        if let Some((mut child, _)) = self.running.take() {
            let _already_gone = child.kill();
            let _already_gone = child.wait();
        }
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        ask(&self.running.as_ref().unwrap().1, method, path, body)
    }

    pub(crate) fn session(&self) -> String {
        self.session_with(json!({ "title": "a session" }))
    }

    pub(crate) fn session_with(&self, about: Value) -> String {
        let (status, session) = self.ask("POST", "/session", Some(&about));
        assert_eq!(status, 200, "{session}");
        session["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn sessions(&self) -> Vec<String> {
        let (_, all) = self.ask("GET", "/session", None);
        all.as_array().unwrap().iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
    }

    /// What people are shown from now on.
    pub(crate) fn toasts(&self) -> Arc<Mutex<Vec<String>>> {
        let mut stream = TcpStream::connect(&self.running.as_ref().unwrap().1).unwrap();
        stream.write_all(b"GET /event HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines();
        while !lines.next().unwrap().unwrap().contains("server.connected") {}
        let shown = Arc::new(Mutex::new(Vec::new()));
        let kept = shown.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok).filter(|line| line.contains("tui.toast.show")) {
                kept.lock().unwrap().push(line);
            }
        });
        shown
    }

    /// Types a command, and waits until its turn is over.
    pub(crate) fn command(&self, session: &str, name: &str, arguments: &str) {
        let body = json!({ "command": name, "arguments": arguments });
        let (status, answer) = self.ask("POST", &format!("/session/{session}/command"), Some(&body));
        assert_eq!(status, 200, "{answer}");
    }

    pub(crate) fn say(&self, session: &str, text: &str) {
        let body = json!({ "parts": [{ "type": "text", "text": text }] });
        let (status, answer) = self.ask("POST", &format!("/session/{session}/message"), Some(&body));
        assert_eq!(status, 200, "{answer}");
    }

    pub(crate) fn status(&self, session: &str) -> Value {
        let ran = self.project.ralph(&["loop", "status", "--session", session, "--json"]);
        serde_json::from_str(&ran.out).unwrap_or(Value::Null)
    }

    /// How a session's loop stands.
    pub(crate) fn stands(&self, session: &str) -> (u64, String) {
        let status = self.status(session);
        let how = status["stop_reason"].as_str().or(status["status"].as_str()).unwrap_or("none");
        (status["iteration"].as_u64().unwrap_or(0), how.to_owned())
    }

    pub(crate) fn wait(&self, session: &str, iteration: u64, how: &str) {
        let mut last = (0, String::new());
        let reached = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            until(PATIENCE, &format!("{how} at iteration {iteration}"), || {
                last = self.stands(session);
                (last == (iteration, how.to_owned())).then_some(())
            });
        }));
        assert!(reached.is_ok(), "session {session} stands at {last:?}, not at {iteration} {how}");
    }

    /// How often the model was asked with this in the last thing a user said.
    pub(crate) fn asked(&self, text: &str) -> usize {
        let is_meant = |seen: &&Seen| seen.answered != Answered::Aside && seen.last_user_text.contains(text);
        self.models.seen().iter().filter(is_meant).count()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        self.end();
    }
}
