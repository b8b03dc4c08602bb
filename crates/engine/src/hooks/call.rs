//! One call of a hook: JSON on its standard input, a deadline, an answer.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use nix::sys::memfd::{MFdFlags, memfd_create};
use ralph_core::id::RunId;
use ralph_core::redact::Redactor;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::AsyncReadExt;

use super::Hook;
use super::announce::Announcing;
use crate::custody::{
    CgroupUse, Child, Custody, CustodyError, Ending, GuardOptions, Launch, RUN_MARK, Status,
};
use crate::drive::Parts;
use crate::environment::Variables;
use crate::error::EngineError;

/// An answer is a line or two; a hook that floods is not listened to.
const LONGEST_ANSWER: usize = 64 * 1024;

/// A reason goes into the journal and the next brief.
const LONGEST_REASON: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Done,
    Veto(String),
    Failed(String),
}

/// What a hook says on its standard output when it objects.
#[derive(Deserialize)]
struct Said {
    veto: bool,
    #[serde(default)]
    reason: String,
}

/// Calls hooks, one at a time, each under a guard like any agent.
pub(crate) struct Desk {
    custody: Option<Custody>,
    program: PathBuf,
    args: Vec<OsString>,
    lock: Option<OwnedFd>,
    cgroup: CgroupUse,
    /// What its guard is known by: the run, or this process.
    mark: String,
    root: PathBuf,
    environment: Variables,
    redactor: Redactor,
}

impl Desk {
    pub(super) fn new<S>(parts: &Parts<S>, run: &RunId) -> Result<Desk, EngineError> {
        let mut environment = parts.environment.clone();
        environment.push(("RALPH_RUN".into(), run.as_str().into()));
        Ok(Desk {
            custody: None,
            program: parts.guard.program.clone(),
            args: parts.guard.args.clone(),
            lock: parts.guard.share_lock()?,
            cgroup: parts.guard.cgroup,
            mark: run.to_string(),
            root: parts.place.root.clone(),
            environment,
            redactor: parts.redactor.clone(),
        })
    }

    /// For what happens in a session of a host. The mark is there without a loop, too: a hook that starts the host
    /// again must not be told of that.
    pub(super) fn of_session(announcing: Announcing) -> Desk {
        let Announcing { program, args, cgroup, root, mut environment, redactor, run } = announcing;
        let mark = run.map_or_else(|| format!("hook-{}", std::process::id()), |run| run.to_string());
        environment.retain(|(name, _)| name != RUN_MARK);
        environment.push((RUN_MARK.into(), mark.as_str().into()));
        Desk { custody: None, program, args, lock: None, cgroup, mark, root, environment, redactor }
    }

    /// Tells a hook of something that happened in `run`, which may be an earlier one that died, or in none.
    pub(super) async fn call(
        &mut self,
        hook: &Hook,
        mut payload: Value,
        run: Option<&RunId>,
    ) -> Result<Answer, EngineError> {
        payload["run"] = Value::from(run.map(RunId::as_str));
        payload["root"] = Value::from(self.root.to_string_lossy());
        let stdin =
            sealed(format!("{payload}\n").as_bytes()).map_err(|source| EngineError::Pipe { source })?;
        let launch = Launch {
            program: PathBuf::from(&hook.program),
            args: hook.args.clone(),
            env: self.environment.clone(),
            dir: self.root.clone(),
        };
        let custody = self.custody().await?;
        let child = match custody.spawn(&launch, stdin).await {
            Ok(child) => child,
            Err(error) => return Ok(Answer::Failed(crate::error::chain(&error))),
        };
        match converse(custody, child, hook.timeout).await {
            Err(CustodyError::GuardLost(_)) => {
                self.custody = None;
                Ok(Answer::Failed("its guard died".to_owned()))
            }
            Err(other) => Err(other.into()),
            Ok(ended) => Ok(answer(&ended, hook, &self.redactor)),
        }
    }

    async fn custody(&mut self) -> Result<&mut Custody, EngineError> {
        if self.custody.is_none() {
            let options = GuardOptions {
                program: self.program.clone(),
                args: self.args.clone(),
                run: self.mark.clone(),
                lock: self
                    .lock
                    .as_ref()
                    .map(OwnedFd::try_clone)
                    .transpose()
                    .map_err(|source| EngineError::ShareLock { source })?,
                cgroup: self.cgroup,
            };
            self.custody = Some(Custody::open(options).await?);
        }
        Ok(self.custody.as_mut().expect("opened just now"))
    }

    pub(super) async fn close(self) {
        if let Some(custody) = self.custody {
            let _nothing_left_either_way = custody.close().await;
        }
    }
}

struct Ended {
    status: Status,
    said: Vec<u8>,
    overdue: bool,
}

/// Reads the answer and waits for the end, which is brought about at the deadline.
async fn converse(custody: &mut Custody, mut child: Child, timeout: Duration) -> Result<Ended, CustodyError> {
    let mut said = Vec::new();
    let mut overdue = false;
    let deadline = tokio::time::Instant::now() + timeout;
    let mut buffers = ([0_u8; 4096], [0_u8; 4096]);
    let mut open = (true, true);
    loop {
        tokio::select! {
            exit = custody.exited() => {
                let status = exit?.status;
                drain(&mut child, &mut said).await;
                return Ok(Ended { status, said, overdue });
            }
            read = child.stdout.read(&mut buffers.0), if open.0 => match read {
                Ok(read) if read > 0 => keep(&mut said, &buffers.0[..read]),
                Ok(_) | Err(_) => open.0 = false,
            },
            read = child.stderr.read(&mut buffers.1), if open.1 => open.1 = matches!(read, Ok(1..)),
            () = tokio::time::sleep_until(deadline), if !overdue => {
                overdue = true;
                custody.end(Ending::Gently).await?;
            }
        }
    }
}

async fn drain(child: &mut Child, said: &mut Vec<u8>) {
    let mut buffer = [0_u8; 4096];
    let rest = async {
        while let Ok(read @ 1..) = child.stdout.read(&mut buffer).await {
            keep(said, &buffer[..read]);
        }
    };
    let _whatever_came = tokio::time::timeout(Duration::from_millis(200), rest).await;
}

fn keep(said: &mut Vec<u8>, more: &[u8]) {
    let room = LONGEST_ANSWER.saturating_sub(said.len());
    said.extend_from_slice(&more[..more.len().min(room)]);
}

fn answer(ended: &Ended, hook: &Hook, redactor: &Redactor) -> Answer {
    if ended.overdue {
        return Answer::Failed(format!("took longer than {:?}", hook.timeout));
    }
    match ended.status {
        Status::Code(0) => {}
        Status::Code(code) => return Answer::Failed(format!("exit code {code}")),
        Status::Signal(signal) => return Answer::Failed(format!("ended by signal {signal}")),
    }
    match serde_json::from_slice::<Said>(&ended.said) {
        Ok(Said { veto: true, reason }) if hook.veto => {
            Answer::Veto(redactor.text(&reason).chars().take(LONGEST_REASON).collect())
        }
        Ok(_) | Err(_) => Answer::Done,
    }
}

/// Something to read from a file that never blocks and is nowhere on disk.
pub(crate) fn sealed(contents: &[u8]) -> std::io::Result<File> {
    let mut file = File::from(memfd_create("ralph", MFdFlags::MFD_CLOEXEC)?);
    file.write_all(contents)?;
    file.rewind()?;
    Ok(file)
}
