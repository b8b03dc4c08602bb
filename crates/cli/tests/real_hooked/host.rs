//! A real program with ralph's hooks in it, and a scripted model behind it.

use std::os::unix::process::CommandExt;
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

    /// The same, and tells what the session is called: Codex names its sessions itself.
    pub(crate) fn converses(&self, session: &str, prompt: &str) -> String {
        let out = self.says(session, prompt);
        if self.program != Program::Codex {
            return session.to_owned();
        }
        let started = out.lines().find(|line| line.contains("thread.started")).unwrap();
        let started: Value = serde_json::from_str(started).unwrap();
        started["thread_id"].as_str().unwrap().to_owned()
    }

    /// Says something in the session that was there last.
    pub(crate) fn goes_on(&self, session: &str, prompt: &str) -> String {
        let flags =
            ["--json", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"];
        let args = match self.program {
            Program::Claude => vec![
                "-p",
                "--output-format",
                "json",
                "--dangerously-skip-permissions",
                "--resume",
                session,
                prompt,
            ],
            Program::Codex => {
                [&["exec", "resume", "--last"][..], &flags, &["--skip-git-repo-check", prompt]].concat()
            }
            Program::Gemini => {
                vec!["-m", "gemini-2.5-flash", "-o", "stream-json", "-y", "--resume", "latest", "-p", prompt]
            }
            Program::Qwen => vec!["-o", "stream-json", "-y", "--resume", session, prompt],
            Program::OpenCode => panic!("OpenCode has a plugin"),
        };
        self.run(&args)
    }

    /// The same as `says`, without waiting, in a group of its own.
    pub(crate) fn begins(&self, session: &str, prompt: &str) -> Child {
        let mut command = self.command();
        command.args(self.arguments(session, prompt)).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0).spawn().unwrap()
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
        stands(&self.status(session))
    }

    /// How the newest loop stands, whatever its session is called.
    pub(crate) fn newest(&self) -> (u64, String) {
        stands(&self.newest_status())
    }

    pub(crate) fn newest_status(&self) -> Value {
        let json = |args: &[&str]| -> Value {
            serde_json::from_str(&self.project.ralph(args).out).unwrap_or_default()
        };
        let listed = json(&["status", "--list", "--json"]);
        json(&["status", listed[0]["run"].as_str().unwrap_or_default(), "--json"])
    }

    /// How long its hooks may take is said in its settings.
    pub(crate) fn hurries(&self, seconds: u32) {
        let tree = self.project.tree();
        let path = match self.program {
            Program::Codex => tree.join(".codex/hooks.json"),
            _ => tree.join(format!(".{}/settings.json", self.program.name())),
        };
        let text = std::fs::read_to_string(&path).unwrap();
        let mut parts = text.split("--within ");
        let mut hurried = parts.next().unwrap().to_owned();
        for part in parts {
            let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
            hurried.push_str(&format!("--within {seconds}{rest}"));
        }
        assert_ne!(hurried, text);
        std::fs::write(&path, hurried).unwrap();
    }

    /// `ralph run` drives the program from outside, in the project that has the hooks.
    pub(crate) fn is_driven(&self, args: &[&str]) -> std::process::Output {
        let environment = self.command();
        let args = [&["run", "--agent", self.program.name(), "--yes"], args].concat();
        let mut ralph = self.project.command(&args);
        ralph.envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
        ralph.env("PATH", format!("{}:{}", self.bin().display(), std::env::var("PATH").unwrap()));
        ralph.output().unwrap()
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

fn stands(status: &Value) -> (u64, String) {
    let how = status["stop_reason"].as_str().or(status["status"].as_str()).unwrap_or("none");
    (status["iteration"].as_u64().unwrap_or(0), how.to_owned())
}
