//! Which sandbox a run gets, from what is asked and what this machine can do.

use std::path::{Path, PathBuf};

use ralph_agents::Staff;
use ralph_core::crew::Crew;
use ralph_core::sandbox::{Mode, Sandbox};
use ralph_engine::agent::Roster;
use ralph_engine::environment::Variables;
use ralph_engine::sandbox::{Bounds, Unavailable, check};

use crate::problem::{Problem, Problems};
use crate::settings::{SandboxChoice, SandboxWish};

/// All that a sandbox depends on beside the wish.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) root: &'a Path,
    pub(crate) state_dir: &'a Path,
    pub(crate) environment: &'a Variables,
    pub(crate) crew: &'a Crew,
    pub(crate) staff: &'a Staff,
}

impl Ground<'_> {
    /// The sandbox of a new run, or why there is none: never less than was asked for.
    pub(crate) fn decide(&self, wish: &SandboxWish) -> Result<Sandbox, Problems> {
        let mut write = wish.write.clone();
        write.extend(git_directories(self.root).iter().map(|path| path.to_string_lossy().into_owned()));
        let sandbox = |mode| Sandbox { mode, network: wish.network, write: write.clone() };
        let candidates: &[Mode] = match wish.choice {
            SandboxChoice::Off if !wish.network => return Err(needs_sandbox().into()),
            SandboxChoice::Off => return Ok(Sandbox::default()),
            SandboxChoice::Landlock => &[Mode::Landlock],
            SandboxChoice::Bubblewrap => &[Mode::Bubblewrap],
            SandboxChoice::Auto => &[Mode::Landlock, Mode::Bubblewrap],
        };
        let mut refusals = Vec::new();
        for mode in candidates {
            match self.holds(&sandbox(*mode)) {
                Ok(()) => return Ok(sandbox(*mode)),
                Err(unavailable) => refusals.push(unavailable),
            }
        }
        Err(refused(&refusals).into())
    }

    /// Whether a sandbox that was recorded can be had again.
    pub(crate) fn renew(&self, sandbox: &Sandbox) -> Result<(), Problems> {
        self.holds(sandbox).map_err(|unavailable| refused(&[unavailable]).into())
    }

    /// For every agent that may come to work.
    fn holds(&self, sandbox: &Sandbox) -> Result<(), Unavailable> {
        for member in self.crew.candidates().iter().chain(self.crew.asked()) {
            if let Some(server) = self.staff.adopted(member).filter(|_| sandbox.mode != Mode::Off) {
                let what =
                    format!("the OpenCode server at {} runs already, outside of any sandbox", server.url);
                return Err(Unavailable {
                    what,
                    next: "leave out --attach: a server that ralph starts is inside",
                });
            }
            let agent = self.staff.agent(member).ok();
            let state = agent.as_ref().map_or(&[][..], |agent| agent.state());
            let bounds = Bounds::gather(self.root, self.state_dir, self.environment, state, sandbox);
            check(sandbox.mode, &bounds)?;
        }
        Ok(())
    }
}

fn needs_sandbox() -> Problem {
    Problem::new("the network can only be taken from an agent in a sandbox, and the sandbox is off")
        .next("add --sandbox=bubblewrap, or leave the network on")
}

fn refused(why: &[Unavailable]) -> Problem {
    let reasons: Vec<String> = why.iter().map(ToString::to_string).collect();
    let problem =
        Problem::new(format!("the sandbox that is asked for cannot be had: {}", reasons.join("; ")));
    let problem = why.iter().fold(problem, |problem, one| problem.next(one.next));
    problem.next("or run without one: --sandbox=off (`ralph doctor` shows what there is)")
}

/// Where git keeps a linked work tree's part and what all of them share, outside the tree. The pointer in the tree is
/// only believed where git's side points back: an agent can write the one, not the other.
fn git_directories(root: &Path) -> Vec<PathBuf> {
    let read = |path: PathBuf| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let Some(pointer) = read(root.join(".git")) else { return Vec::new() };
    let Some(own) = pointer.strip_prefix("gitdir: ").map(|path| root.join(path)) else { return Vec::new() };
    let points_back = read(own.join("gitdir")).is_some_and(|back| {
        let (back, here) = (own.join(back).canonicalize(), root.join(".git").canonicalize());
        matches!((back, here), (Ok(back), Ok(here)) if back == here)
    });
    match read(own.join("commondir")) {
        Some(common) if points_back => vec![own.join(common), own],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::git_directories;
    use std::process::Command;

    #[test]
    fn a_linked_work_tree_brings_its_repository_unless_the_pointer_is_forged() {
        let dir = tempfile::tempdir().unwrap();
        let main = dir.path().join("main");
        let git = |args: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-c", "user.name=x", "-c", "user.email=x@example.com", "-C"]).arg(&main).args(args);
            assert!(command.output().unwrap().status.success(), "{args:?}");
        };
        std::fs::create_dir(&main).unwrap();
        git(&["init", "--quiet"]);
        git(&["commit", "--quiet", "--allow-empty", "-m", "x"]);
        git(&["worktree", "add", "--quiet", "../linked"]);
        assert!(git_directories(&main).is_empty());
        let found: Vec<_> = git_directories(&dir.path().join("linked"))
            .iter()
            .map(|path| path.canonicalize().unwrap())
            .collect();
        let repository = main.join(".git").canonicalize().unwrap();
        assert_eq!(found, [repository.clone(), repository.join("worktrees/linked")]);
        let forged = dir.path().join("forged");
        std::fs::create_dir_all(&forged).unwrap();
        std::fs::copy(dir.path().join("linked/.git"), forged.join(".git")).unwrap();
        assert!(git_directories(&forged).is_empty());
    }
}
