//! The guard's cgroup and on which side of its door the guard stands.

use std::path::Path;

use super::cgroup::Cgroup;

/// The guard lives inside the cgroup, so its children are born there: moving each of them in costs up to tens of
/// milliseconds. It steps out before it kills the group.
pub(super) struct Cell {
    cgroup: Cgroup,
    is_inside: bool,
}

impl Cell {
    pub(super) fn make(run: &str) -> Option<Cell> {
        let mut cell = Cell { cgroup: Cgroup::make(run)?, is_inside: false };
        cell.step_in();
        if !cell.is_inside {
            let _ = cell.cgroup.remove();
            return None;
        }
        Some(cell)
    }

    /// Failing to means that the next job is held without the cgroup: slower to kill, as surely.
    pub(super) fn step_in(&mut self) {
        self.is_inside = self.is_inside || self.cgroup.enter().is_ok();
    }

    fn step_out(&mut self) {
        self.is_inside = self.is_inside && self.cgroup.leave().is_err();
    }

    /// Whether the group was killed; never with the guard in it.
    pub(super) fn kill(&mut self) -> bool {
        self.step_out();
        !self.is_inside && self.cgroup.kill().is_ok()
    }

    pub(super) fn dir(&self) -> &Path {
        self.cgroup.dir()
    }

    /// For good. Only works once nobody else is inside.
    pub(super) fn remove(&mut self) {
        self.step_out();
        let _ = self.cgroup.remove();
    }
}
