//! A directory with an agent in it that does next to nothing, for ralph and for a plain shell loop alike.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::ensure;
use tempfile::TempDir;

/// Reads its prompt at one go: the shell's own `read` takes a system call for every byte.
const AGENT: &str = "#!/bin/sh\nexec /bin/cat > /dev/null\n";

pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> anyhow::Result<Place> {
        let place = Place { dir: tempfile::tempdir()? };
        place.agent(AGENT)?;
        fs::write(place.path().join("prompt.md"), "Do nothing.\n")?;
        Ok(place)
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn agent(&self, script: &str) -> anyhow::Result<()> {
        let path = self.path().join("agent.sh");
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(())
    }

    /// A program in this directory with a state directory of its own, silent.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env("XDG_STATE_HOME", self.path().join("state"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The arguments of a run that ends only with its iterations.
    pub(crate) fn run_args(iterations: u32) -> Vec<String> {
        let iterations = iterations.to_string();
        let args =
            ["run", "Do nothing.", "--new", "--agent-command", "./agent.sh", "--max-iterations", &iterations];
        let args = args.into_iter().chain(["--iteration-delay", "0"]);
        args.map(str::to_owned).collect()
    }

    /// A whole loop; it ends with 3, because its iterations are used up.
    pub(crate) fn ralph(&self, ralph: &Path, iterations: u32) -> anyhow::Result<()> {
        let status = self.command(ralph).args(Place::run_args(iterations)).status()?;
        ensure!(status.code() == Some(3), "ralph run ended with {status}, not with 3");
        Ok(())
    }

    /// The same agent as often, from the shell.
    pub(crate) fn shell(&self, iterations: u32) -> anyhow::Result<()> {
        let script = "i=0; while [ $i -lt $1 ]; do ./agent.sh < prompt.md > out.log 2>&1; i=$((i+1)); done";
        let mut command = self.command(&PathBuf::from("/bin/sh"));
        let status = command.args(["-c", script, "sh", &iterations.to_string()]).status()?;
        ensure!(status.success(), "the shell loop ended with {status}");
        Ok(())
    }
}
