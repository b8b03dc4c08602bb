//! git, started for what a person asked for just now. Nothing that the repository names is run by it.

use std::path::Path;
use std::process::Stdio;

use ralph_chronicle::worktree::Muzzle;
use ralph_chronicle::{Command, Declined, Ended, Next, Plan};

#[derive(Debug, Default)]
pub(crate) struct Git {
    muzzle: Muzzle,
}

impl Git {
    /// For the repository around a directory, whose filters are left out.
    pub(crate) fn around(dir: &Path) -> Result<Git, Declined> {
        Ok(Git { muzzle: Muzzle::of(Git::default().perform(&Muzzle::ask(dir)))? })
    }

    /// The filters that are left out.
    pub(crate) fn filters(&self) -> Vec<String> {
        self.muzzle.filters()
    }

    /// Whoever asked for it waits, and can interrupt it.
    pub(crate) fn perform(&self, command: &Command) -> Ended {
        let mut git = std::process::Command::new(command.program);
        git.args(&command.args).current_dir(&command.dir).stdin(Stdio::null());
        for name in command.without {
            git.env_remove(name);
        }
        let ended = git.envs(command.env.iter().copied()).envs(self.muzzle.variables()).output();
        match ended {
            Ok(ended) => {
                Ended::Exit { success: ended.status.success(), stdout: ended.stdout, stderr: ended.stderr }
            }
            Err(error) => Ended::NotStarted { why: error.to_string() },
        }
    }

    pub(crate) fn follow<P: Plan>(&self, mut plan: P) -> P::Outcome {
        let mut next = plan.begin();
        loop {
            match next {
                Next::Perform(command) => next = plan.after(self.perform(&command)),
                Next::Over(outcome) => return outcome,
            }
        }
    }
}
