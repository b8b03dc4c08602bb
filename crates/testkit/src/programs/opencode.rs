//! An OpenCode that runs by itself, for ralph to adopt: its server alone, or with its screen.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{Program, Programs, end_survivors, offline_env};
use crate::project::Project;
use crate::wait::until;

const PATIENCE: Duration = Duration::from_secs(180);

/// Dropped, it is killed with all that it started.
#[derive(Debug)]
pub struct OpenCode {
    child: Child,
    port: u16,
    /// What it prints, or the socket of the terminal that it draws on.
    shown: PathBuf,
    /// By which it and all that it starts are found.
    mark: String,
}

/// Where and how it is started.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    pub programs: &'a Programs,
    pub project: &'a Project,
    /// URL of the model server.
    pub models: &'a str,
    /// Settings of its own instead of the usual ones.
    pub settings: Option<&'a str>,
}

impl Setup<'_> {
    /// A server in the project's tree, once it takes calls. It has no password.
    pub fn serve(self) -> io::Result<OpenCode> {
        self.serve_on(free_port()?)
    }

    pub fn serve_on(self, port: u16) -> io::Result<OpenCode> {
        let shown = self.project.base().join(format!("opencode-{port}"));
        let mut command = Command::new(self.programs.path(Program::OpenCode));
        command.args(["serve", "--hostname", "127.0.0.1", "--port", &port.to_string()]);
        command.stdout(File::create(&shown)?);
        let opened = self.start(command, port, shown)?;
        let printed = || std::fs::read_to_string(&opened.shown).unwrap_or_default();
        until(PATIENCE, "a server that listens", || printed().contains("listening on").then_some(()));
        Ok(opened)
    }

    /// With its screen, on a terminal of its own; it waits for answers that only a terminal gives.
    pub fn on_screen(self) -> io::Result<OpenCode> {
        let (port, shown) = (free_port()?, self.project.base().join("terminal"));
        let program = self.programs.path(Program::OpenCode);
        let mut command = Command::new("tmux");
        command.args(["-f", "/dev/null", "-S"]).arg(&shown);
        command.args(["new-session", "-d", "-x", "160", "-y", "50"]);
        command.arg(format!("{} --port {port}", program.display()));
        let opened = self.start(command, port, shown)?;
        until(PATIENCE, "something on the screen", || (!opened.screen().trim().is_empty()).then_some(()));
        Ok(opened)
    }

    fn start(self, mut command: Command, port: u16, shown: PathBuf) -> io::Result<OpenCode> {
        let mut variables = offline_env(Program::OpenCode, self.models, self.project.base())?;
        if let Some(settings) = self.settings {
            variables.push(("OPENCODE_CONFIG_CONTENT".to_owned(), settings.to_owned()));
        }
        let mark = format!("RALPH_TEST_RUN={}-opencode-{port}", std::process::id());
        let (name, value) = mark.split_once('=').unwrap_or_default();
        let child = command
            .env_clear()
            .envs(variables)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("PWD", self.project.tree())
            .env(name, value)
            .current_dir(self.project.tree())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(OpenCode { child, port, shown, mark })
    }
}

impl OpenCode {
    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What is on its screen now.
    pub fn screen(&self) -> String {
        let drawn = Command::new("tmux").arg("-S").arg(&self.shown).args(["capture-pane", "-p"]).output();
        drawn.map(|drawn| String::from_utf8_lossy(&drawn.stdout).into_owned()).unwrap_or_default()
    }

    /// A call, and its answer.
    pub fn call(&self, method: &str, path: &str) -> io::Result<Value> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(stream, "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n")?;
        let mut answer = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            answer.read_line(&mut line)?;
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().map_err(io::Error::other)?;
                }
                None if line.trim_end().is_empty() => break,
                Some(_) | None => {}
            }
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body)?;
        serde_json::from_slice(&body).map_err(io::Error::other)
    }

    /// As `kill -9`.
    pub fn kill(&mut self) {
        end_survivors(&self.mark);
        let _waited_for = self.child.wait();
    }
}

impl Drop for OpenCode {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
