//! A repository of its own, untouched by the settings of whoever runs the tests.

use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ralph_chronicle::{Committed, Committing, Ended, Next, Plan, Request, Standing, Survey};

pub(crate) struct Repository {
    root: PathBuf,
    _home: Option<tempfile::TempDir>,
}

impl Repository {
    pub(crate) fn new() -> Repository {
        let home = tempfile::tempdir().unwrap();
        let repository = Repository::init(home.path());
        Repository { _home: Some(home), ..repository }
    }

    pub(crate) fn init(root: &Path) -> Repository {
        let repository = Repository::at(root);
        repository.git(&["init", "-q", "-b", "main"]);
        repository.git(&["config", "user.name", "A Person"]);
        repository.git(&["config", "user.email", "person@example.org"]);
        repository
    }

    /// With one commit of these files.
    pub(crate) fn with(files: &[&str]) -> Repository {
        let repository = Repository::new();
        for file in files {
            repository.write(file, "1");
        }
        repository.git(&["add", "."]);
        repository.git(&["commit", "-qm", "first"]);
        repository
    }

    pub(crate) fn at(root: &Path) -> Repository {
        Repository { root: root.to_owned(), _home: None }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn hook(&self, name: &str, script: &str) {
        let path = self.path(".git/hooks").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self) -> Command {
        let mut git = Command::new("git");
        git.current_dir(&self.root);
        clean(&mut git);
        git
    }

    /// What it prints, without the last line's end.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let out = self.command().args(args).output().unwrap();
        assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).trim_end().to_owned()
    }

    pub(crate) fn fails(&self, args: &[&str]) {
        assert!(!self.command().args(args).output().unwrap().status.success(), "git {args:?}");
    }

    pub(crate) fn status(&self) -> Vec<String> {
        let out = self.command().args(["status", "--porcelain", "-uall"]).output().unwrap();
        String::from_utf8_lossy(&out.stdout).lines().map(str::to_owned).collect()
    }

    pub(crate) fn request(&self, paths: Vec<PathBuf>, message: &str) -> Request {
        Request {
            root: self.root.clone(),
            paths,
            own: vec!["prd.json".into()],
            message: message.to_owned(),
            dirty_at_start: false,
            allow_dirty: false,
            timeout: Duration::from_secs(60),
        }
    }

    pub(crate) fn commit(&self, paths: &[&str], message: &str) -> Committed {
        self.perform(self.request(paths.iter().map(PathBuf::from).collect(), message))
    }

    pub(crate) fn perform(&self, request: Request) -> Committed {
        self.perform_with(request, &[])
    }

    pub(crate) fn perform_with(&self, request: Request, env: &[(&str, OsString)]) -> Committed {
        follow(Committing::new(request), env)
    }

    pub(crate) fn survey(&self) -> Standing {
        follow(Survey::new(&self.root, vec!["prd.json".into()]), &[])
    }
}

pub(crate) fn id_of(committed: Committed) -> String {
    match committed {
        Committed::Made { id, untidy: false, .. } => id,
        other => panic!("{other}"),
    }
}

fn clean(git: &mut Command) {
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"]
    {
        git.env_remove(name);
    }
}

fn follow<P: Plan>(mut plan: P, env: &[(&str, OsString)]) -> P::Outcome {
    let mut next = plan.begin();
    loop {
        match next {
            Next::Perform(command) => next = plan.after(perform(&command, env)),
            Next::Over(outcome) => return outcome,
        }
    }
}

/// With the environment of a person, and more of it where a test wants to lead git astray.
fn perform(command: &ralph_chronicle::Command, env: &[(&str, OsString)]) -> Ended {
    let mut program = Command::new(command.program);
    program.args(&command.args).current_dir(&command.dir);
    clean(&mut program);
    program.envs(env.iter().map(|(key, value)| (key, value)));
    for name in command.without {
        program.env_remove(name);
    }
    program.envs(command.env.iter().copied());
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = match program.spawn() {
        Ok(child) => child,
        Err(error) => return Ended::NotStarted { why: error.to_string() },
    };
    let (mut stdin, stdout, stderr) = (child.stdin.take().unwrap(), child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        scope.spawn(|| stdin.write_all(&command.stdin).and_then(|()| stdin.flush()).map(|()| drop(stdin)));
        let hear = |mut from: Box<dyn Read + Send>| {
            let mut heard = Vec::new();
            from.read_to_end(&mut heard).unwrap();
            heard
        };
        let stdout = scope.spawn(move || hear(Box::new(stdout.unwrap())));
        let stderr = scope.spawn(move || hear(Box::new(stderr.unwrap())));
        let deadline = Instant::now() + command.timeout;
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
                return Ended::Exit { success: status.success(), stdout, stderr };
            }
            if Instant::now() > deadline {
                let group = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
                rustix::process::kill_process_group(group, rustix::process::Signal::TERM).unwrap();
                child.wait().unwrap();
                return Ended::Overdue;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    })
}
