//! Which means there are on this machine, and how an agent is started by each.

use std::ffi::OsString;
use std::path::PathBuf;

use ralph_core::sandbox::{Mode, Sandbox};

use super::bounds::Bounds;
use super::{bubblewrap, confine, landlock};
use crate::custody::Launch;
use crate::error::chain;

/// What sandboxes are made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confiner {
    /// The program that calls [`super::confine_main`] when it is started with `args`.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// ralph's state, which no agent reaches.
    pub hidden: PathBuf,
}

/// Why a sandbox cannot be had, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unavailable {
    pub what: String,
    pub next: &'static str,
}

/// Whether these bounds can be kept by these means on this machine.
pub fn check(mode: Mode, bounds: &Bounds) -> Result<(), Unavailable> {
    if mode == Mode::Off {
        return Ok(());
    }
    if let Some(path) = bounds.in_hidden() {
        let what = format!("the agent would write to {}, which is inside ralph's own state", path.display());
        return Err(Unavailable { what, next: "take that path out of `write`, or move state_dir" });
    }
    match mode {
        Mode::Off => Ok(()),
        Mode::Landlock => landlock_keeps(bounds),
        Mode::Bubblewrap => bubblewrap::available(bounds).map(drop).map_err(|error| Unavailable {
            what: chain(&error),
            next: "install bubblewrap and allow user namespaces, or use --sandbox=landlock",
        }),
    }
}

/// Whether these means are there at all.
pub fn probe(mode: Mode) -> Result<(), Unavailable> {
    let hidden = PathBuf::from("/nonexistent");
    check(mode, &Bounds { write: Vec::new(), hidden, shown: None, network: true })
}

fn landlock_keeps(bounds: &Bounds) -> Result<(), Unavailable> {
    if !bounds.network {
        let what = "landlock cannot take the network away".to_owned();
        return Err(Unavailable { what, next: "use --sandbox=bubblewrap for a run without network" });
    }
    if let Some(path) = bounds.around_hidden() {
        let what = format!(
            "landlock cannot shut off ralph's state in {}, because the agent may write to {}",
            bounds.hidden.display(),
            path.display()
        );
        return Err(Unavailable { what, next: "use --sandbox=bubblewrap, or move state_dir" });
    }
    landlock::available().map_err(|error| Unavailable {
        what: format!("landlock is not available: {}", chain(&error)),
        next: "use --sandbox=bubblewrap, or a kernel of version 6.2 or later with landlock on",
    })
}

/// The launch as it is to be asked of the guard.
pub(crate) fn enclosed(launch: Launch, sandbox: &Sandbox, confiner: &Confiner, bounds: &Bounds) -> Launch {
    let (program, mut args) = match sandbox.mode {
        Mode::Off => return launch,
        Mode::Landlock => {
            let args = confiner.args.iter().cloned().chain(confine::arguments(bounds)).collect();
            (confiner.program.clone(), args)
        }
        // Where it went meanwhile, the guard says that it cannot be started.
        Mode::Bubblewrap => {
            let program = bubblewrap::find().unwrap_or_else(|| bubblewrap::PROGRAM.into());
            let mut args: Vec<OsString> = bubblewrap::arguments(bounds);
            args.extend(bubblewrap::in_directory(&launch.dir));
            (program, args)
        }
    };
    args.push("--".into());
    args.push(launch.program.into());
    args.extend(launch.args);
    Launch { program, args, ..launch }
}
