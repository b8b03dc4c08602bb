//! A real program with ralph's hooks in it, and a scripted model behind it.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ralph_testkit::models::{Answered, Script, Seen, Server};
use ralph_testkit::programs::{Program, Programs, install, offline_env, target_dir};
use ralph_testkit::{Project, until};
use serde_json::{Value, json};

pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Host {
    pub(crate) project: Project,
    pub(crate) models: Server,
    program: Program,
    programs: Programs,
}

impl Host {
    /// With the hooks in the project's settings.
    pub(crate) fn new(program: Program, script: Script) -> Host {
        let host = Host::bare(program, script);
        let installed = host.project.ralph(&["install", program.name(), "--project", "--yes"]);
        assert_eq!(installed.code, Some(0), "{installed:?}");
        host
    }

    pub(crate) fn bare(program: Program, script: Script) -> Host {
        let project = Project::new(env!("CARGO_BIN_EXE_ralph"));
        let programs = install(&target_dir()).unwrap();
        Host { project, models: Server::start(script).unwrap(), program, programs }
    }

    pub(crate) fn bin(&self) -> PathBuf {
        self.programs.bin().to_owned()
    }

    /// The program, with nothing of the world but the model, and ralph's state where the project has it.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.programs.path(self.program));
        let home = self.project.base();
        let tree = self.project.tree();
        command
            .env_clear()
            .envs(offline_env(self.program, &self.models.url(), home).unwrap())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("PWD", &tree)
            .env("XDG_STATE_HOME", self.project.state_home())
            .env("XDG_CONFIG_HOME", home.join("config"))
            .current_dir(&tree)
            .stdin(Stdio::null());
        if self.program == Program::Claude {
            let trusted = json!({
                "hasCompletedOnboarding": true, "theme": "dark",
                "customApiKeyResponses": { "approved": ["scripted-key"], "rejected": [] },
                "projects": { tree.to_string_lossy(): { "hasTrustDialogAccepted": true } }
            });
            std::fs::write(home.join(".claude/.claude.json"), trusted.to_string()).unwrap();
        }
        if self.program == Program::Codex {
            let path = home.join(".codex/config.toml");
            let settings = std::fs::read_to_string(&path).unwrap();
            let trusted = format!("\n[projects.{:?}]\ntrust_level = \"trusted\"\n", tree.to_string_lossy());
            std::fs::write(path, settings + &trusted).unwrap();
        }
        command
    }

    /// Says something in a session, which is begun by it, and waits for the end.
    pub(crate) fn says(&self, session: &str, prompt: &str) -> String {
        self.run(&self.arguments(session, prompt))
    }

    pub(crate) fn run(&self, args: &[&str]) -> String {
        let out = self.command().args(args).output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(out.status.success(), "{args:?}: {text}\n{}", String::from_utf8_lossy(&out.stderr));
        text
    }

    /// The same, without waiting.
    pub(crate) fn begins(&self, session: &str, prompt: &str) -> Child {
        let mut command = self.command();
        command.args(self.arguments(session, prompt)).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    fn arguments<'a>(&self, session: &'a str, prompt: &'a str) -> Vec<&'a str> {
        match self.program {
            Program::Claude => vec![
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--include-hook-events",
                "--dangerously-skip-permissions",
                "--session-id",
                session,
                prompt,
            ],
            Program::Gemini => {
                vec![
                    "-m",
                    "gemini-2.5-flash",
                    "-o",
                    "stream-json",
                    "-y",
                    "--session-id",
                    session,
                    "-p",
                    prompt,
                ]
            }
            Program::Qwen => vec!["-o", "stream-json", "-y", "--session-id", session, prompt],
            Program::Codex => vec![
                "exec",
                "--json",
                "--dangerously-bypass-approvals-and-sandbox",
                "--dangerously-bypass-hook-trust",
                "--skip-git-repo-check",
                prompt,
            ],
            Program::OpenCode => panic!("OpenCode has a plugin"),
        }
    }

    pub(crate) fn status(&self, session: &str) -> Value {
        let host = self.program.name();
        let ran = self.project.ralph(&["loop", "status", "--host", host, "--session", session, "--json"]);
        serde_json::from_str(&ran.out).unwrap_or(Value::Null)
    }

    /// How a session's loop stands.
    pub(crate) fn stands(&self, session: &str) -> (u64, String) {
        let status = self.status(session);
        let how = status["stop_reason"].as_str().or(status["status"].as_str()).unwrap_or("none");
        (status["iteration"].as_u64().unwrap_or(0), how.to_owned())
    }

    /// How the newest loop stands, whatever its session is called.
    pub(crate) fn newest(&self) -> (u64, String) {
        let json = |args: &[&str]| -> Value {
            serde_json::from_str(&self.project.ralph(args).out).unwrap_or_default()
        };
        let listed = json(&["status", "--list", "--json"]);
        let status = json(&["status", listed[0]["run"].as_str().unwrap_or_default(), "--json"]);
        let how = status["stop_reason"].as_str().or(status["status"].as_str()).unwrap_or("none");
        (status["iteration"].as_u64().unwrap_or(0), how.to_owned())
    }

    pub(crate) fn stood(&self, session: &str, iteration: u64, how: &str) {
        assert_eq!(self.stands(session), (iteration, how.to_owned()), "{}", self.status(session));
    }

    /// How often the model was asked with this in what users said.
    pub(crate) fn asked(&self, text: &str) -> usize {
        let is_meant = |seen: &&Seen| seen.answered != Answered::Aside && seen.user_text.contains(text);
        self.models.seen().iter().filter(is_meant).count()
    }

    pub(crate) fn wait_until_asked(&self, text: &str, times: usize) {
        until(PATIENCE, text, || (self.asked(text) >= times).then_some(()));
    }

    /// The hooks' own record of a loop.
    pub(crate) fn events(&self, session: &str) -> String {
        let run = self.status(session)["run"].as_str().unwrap().to_owned();
        std::fs::read_to_string(self.project.state().join("output").join(run).join("host-events.jsonl"))
            .unwrap()
    }
}
