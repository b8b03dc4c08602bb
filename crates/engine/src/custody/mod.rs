//! Process custody: every agent runs under a guard, and none of its descendants outlives its job.
//!
//! A **guard** is this same binary, re-executed. It is a child subreaper, so whatever an agent forks, detaches or
//! daemonises falls back to it and to nobody else; `waitpid` answering "no children" is then an exact proof that
//! nothing is left. It outlives ralph: when its control socket closes, it kills what is there and goes.
//!
//! Three parties, each covering for the loss of the others:
//! - the guard ends its job's descendants, whether ralph asks or dies ([`guard_main`]);
//! - ralph is a subreaper as well, so the orphans of a killed guard fall to it ([`Custody::exited`]);
//! - when both are gone, `resume` finds the rest by the run id in their environment ([`reap_run`]).
//!
//! A cgroup, where one may be made, adds an atomic kill; it is never what the proof rests on.

mod cell;
mod cgroup;
mod driven;
mod error;
mod estate;
mod guard;
mod job;
mod launch;
mod link;
mod nursery;
mod proc;
mod sweep;
mod ward;
mod wire;

pub use cgroup::CgroupUse;
pub use driven::is_driven;
pub use error::{CustodyError, SpawnError};
pub use estate::{ReapError, adopt_orphans, reap_run};
pub use guard::guard_main;
pub use job::{Ending, Exit, Status};
pub use launch::Launch;
pub use proc::process_start;
pub use ward::{Child, Custody, CustodyKind, GuardOptions, Streams};

/// The environment variable that marks everything a run has started, with the run's id as its value.
pub const RUN_MARK: &str = "RALPH_RUN";
