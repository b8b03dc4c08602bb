//! The programs that tests start, and how the missing ones are got.

use std::process::Command;

use anyhow::bail;

use crate::cargo::{has, succeed};

/// Each program with the Debian package that brings it.
const PROGRAMS: [(&str, &str); 15] = [
    ("git", "git"),
    ("strace", "strace"),
    ("tmux", "tmux"),
    ("python3", "python3"),
    ("setpriv", "util-linux"),
    ("mount", "mount"),
    ("ps", "procps"),
    ("openssl", "openssl"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("bwrap", "bubblewrap"),
    ("go", "golang-go"),
    ("gcc", "gcc"),
    ("make", "make"),
    ("ctags", "universal-ctags"),
];

/// Installs what is missing where that is possible; a test is never left out for want of a program.
pub(crate) fn meet() -> anyhow::Result<()> {
    let packages = packages_of(missing());
    if packages.is_empty() {
        println!("all {} programs are there", PROGRAMS.len());
        return Ok(());
    }
    if !nix::unistd::geteuid().is_root() || !has("apt-get") {
        bail!("missing: {}; install with: apt-get install {}", missing().join(", "), packages.join(" "));
    }
    succeed(Command::new("apt-get").arg("update"))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "--no-install-recommends"]).args(&packages);
    succeed(install.env("DEBIAN_FRONTEND", "noninteractive"))?;
    match missing() {
        still if still.is_empty() => Ok(()),
        still => bail!("still missing after the installation: {}", still.join(", ")),
    }
}

fn missing() -> Vec<&'static str> {
    PROGRAMS.iter().map(|(program, _)| *program).filter(|program| !has(program)).collect()
}

fn packages_of(programs: Vec<&'static str>) -> Vec<&'static str> {
    let package = |program| PROGRAMS.iter().find(|(one, _)| *one == program).map(|(_, package)| *package);
    programs.into_iter().filter_map(package).collect()
}
