//! A control group (v2) around a guard and its job, where the machine lets us make one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// Whether to try for a cgroup. The proof that nothing is left holds with and without.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupUse {
    Auto,
    Never,
}

#[derive(Debug)]
pub(super) struct Cgroup {
    dir: PathBuf,
}

impl Cgroup {
    /// Makes a group for `run` below the caller's own. `None` when that is not allowed here, which is common.
    pub(super) fn make(run: &str) -> Option<Cgroup> {
        let dir = own_dir()?.join(format!("ralph-{run}-{}", Pid::this()));
        fs::create_dir(&dir).ok()?;
        Some(Cgroup { dir })
    }

    pub(super) fn at(dir: impl Into<PathBuf>) -> Cgroup {
        Cgroup { dir: dir.into() }
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Moves the caller in.
    pub(super) fn enter(&self) -> io::Result<()> {
        fs::write(self.dir.join("cgroup.procs"), "0")
    }

    /// Moves the caller out, into the group above.
    pub(super) fn leave(&self) -> io::Result<()> {
        fs::write(self.dir.join("../cgroup.procs"), "0")
    }

    /// Whether the caller is in it, so that killing it would be suicide.
    pub(super) fn holds_caller(&self) -> bool {
        own_dir().is_some_and(|own| own.starts_with(&self.dir))
    }

    /// Kills every member at once, also those that are just forking. Fails before Linux 5.14.
    pub(super) fn kill(&self) -> io::Result<()> {
        fs::write(self.dir.join("cgroup.kill"), "1")
    }

    pub(super) fn members(&self) -> Vec<Pid> {
        let mut pids = Vec::new();
        for dir in nested(&self.dir) {
            let list = fs::read_to_string(dir.join("cgroup.procs")).unwrap_or_default();
            pids.extend(list.lines().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw));
        }
        pids
    }

    /// Removes it with the groups a member may have made inside. Only works once it is empty.
    pub(super) fn remove(&self) -> io::Result<()> {
        for dir in nested(&self.dir).iter().rev() {
            match fs::remove_dir(dir) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The groups that guards of `run` have left behind, wherever in the tree they were started.
pub(super) fn left_over(run: &str) -> Vec<Cgroup> {
    let Some((mount, _)) = mount() else { return Vec::new() };
    let prefix = format!("ralph-{run}-");
    let is_ours = |dir: &PathBuf| {
        let pid = dir.file_name().and_then(|name| name.to_str()?.strip_prefix(&prefix));
        pid.is_some_and(|pid| !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit()))
    };
    nested(&mount).into_iter().filter(is_ours).map(Cgroup::at).collect()
}

/// `dir` and all groups below it, each after the one it is in.
fn nested(dir: &Path) -> Vec<PathBuf> {
    let mut dirs = vec![dir.to_owned()];
    let mut next = 0;
    while let Some(dir) = dirs.get(next) {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        let below: Vec<_> =
            entries.filter(|e| e.file_type().is_ok_and(|kind| kind.is_dir())).map(|e| e.path()).collect();
        dirs.extend(below);
        next += 1;
    }
    dirs
}

/// The directory of the caller's own group.
fn own_dir() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let (mount, root) = mount()?;
    // A bind mount shows only the part of the tree below its root.
    let below = Path::new(path).strip_prefix(root).ok()?;
    Some(mount.join(below))
}

/// Where the v2 tree is mounted, and which of its groups is seen there as the root.
fn mount() -> Option<(PathBuf, PathBuf)> {
    parse_mount(&fs::read_to_string("/proc/self/mountinfo").ok()?)
}

fn parse_mount(mountinfo: &str) -> Option<(PathBuf, PathBuf)> {
    mountinfo.lines().find_map(|line| {
        let (mount, filesystem) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        filesystem.starts_with("cgroup2 ").then(|| (point.into(), root.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_v2_tree_is_found_beside_the_v1_ones() {
        let mountinfo = "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n\
                         41 31 0:38 /box /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
        assert_eq!(parse_mount(mountinfo), Some(("/sys/fs/cgroup/unified".into(), "/box".into())));
        assert_eq!(parse_mount("23 1 0:21 / /proc rw - proc proc rw\n"), None);
    }
}
