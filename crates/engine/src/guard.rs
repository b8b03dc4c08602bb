//! How guards for a run are raised: which program, with which lock and means.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use ralph_core::id::RunId;

use crate::custody::{CgroupUse, GuardOptions};
use crate::error::EngineError;
use crate::lock::TreeLock;

/// The program that becomes a guard when it is started with `args`, and what its guards hold on to.
#[derive(Debug)]
pub struct Guard {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// None where nothing in the tree is looked at.
    pub lock: Option<TreeLock>,
    pub cgroup: CgroupUse,
}

impl Guard {
    /// Every guard shares the lock of the tree: it is free only when nothing of the run is left.
    pub(crate) fn options(&self, run: &RunId) -> Result<GuardOptions, EngineError> {
        let lock = self.share_lock()?;
        Ok(GuardOptions {
            program: self.program.clone(),
            args: self.args.clone(),
            run: run.to_string(),
            lock,
            cgroup: self.cgroup,
        })
    }

    pub(crate) fn share_lock(&self) -> Result<Option<OwnedFd>, EngineError> {
        let shared = self.lock.as_ref().map(TreeLock::share).transpose();
        shared.map_err(|source| EngineError::ShareLock { source })
    }
}
