//! From an agent and its brief to what the guard is asked to start.

use std::fs::File;
use std::path::{Path, PathBuf};

use ralph_core::assignment::Assignment;
use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::policy::Signal;
use ralph_core::sandbox::Mode;
use ralph_store::Store;

use crate::agent::{Agent, Equipment, Prompt, Tools};
use crate::custody::Launch;
use crate::drive::Drive;
use crate::environment::{self, Variables};
use crate::error::EngineError;
use crate::mailbox::{self, Letterbox};
use crate::sandbox::{Bounds, enclosed, temporary};

/// The kernel takes no longer argument, its end included.
const LONGEST_ARGUMENT: usize = 128 * 1024;

/// What to start, still without a sandbox.
pub(crate) struct Assembled {
    pub(crate) launch: Launch,
    pub(crate) stdin: File,
    /// The file that the agent is told to read.
    shown: Option<PathBuf>,
}

/// Whether an agent is there to change the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Work,
    /// In a sandbox, the project is not its to write.
    Look,
}

/// `file` holds the brief, where it is kept in one.
pub(crate) fn assemble(
    agent: &dyn Agent,
    attempt: &Attempt,
    brief: &Brief,
    (mut env, dir): (Variables, PathBuf),
    (file, equipment): (Option<&Path>, Equipment<'_>),
) -> Result<Assembled, EngineError> {
    let sealed =
        |text: &str| crate::hooks::sealed(text.as_bytes()).map_err(|source| EngineError::Pipe { source });
    let (mut invocation, mut prompt) = (agent.invocation(attempt), agent.prompt());
    agent.equip(equipment, &mut invocation, &mut prompt);
    env.extend(invocation.env);
    // Some programs take this for the project, and it still says where ralph was started.
    env.push(("PWD".into(), dir.clone().into()));
    let (mut args, mut shown) = (invocation.args, None);
    // Never the file itself: whoever holds it open reaches it from inside a sandbox too.
    let stdin = match prompt {
        Prompt::Stdin => sealed(&brief.text)?,
        Prompt::Argument(at) => {
            let told = argument(&brief.text).or_else(|| {
                shown = file.map(Path::to_owned);
                file.map(pointer)
            });
            args.insert(at.min(args.len()), told.unwrap_or_default().into());
            sealed("")?
        }
    };
    Ok(Assembled { launch: Launch { program: invocation.program.into(), args, env, dir }, stdin, shown })
}

impl<S: Store + 'static> Drive<S> {
    /// Where the agent of an attempt finds its task, and leaves what it says by ralph's tools. None where there is no
    /// room for it and none of that is asked for.
    pub(crate) fn letterbox(&self, attempt: &Attempt) -> Result<Option<Letterbox>, EngineError> {
        let temporary = temporary(&self.parts.environment).swap_remove(0);
        let task = Assignment::of(&self.run, attempt, self.parts.attended);
        match Letterbox::open(&temporary, &task) {
            Ok(letterbox) => Ok(Some(letterbox.answering(task, self.parts.librarian.clone()))),
            Err(source) if self.wants_tool() => Err(EngineError::Write { path: temporary, source }),
            Err(_) => Ok(None),
        }
    }

    pub(crate) fn tools(&self, letterbox: &Letterbox) -> Tools {
        let program = self.parts.confiner.program.clone();
        Tools { program, run: self.run.id.clone(), mailbox: letterbox.dir().to_owned() }
    }

    fn wants_tool(&self) -> bool {
        self.run.policy.completion.require.contains(&Signal::Tool)
    }

    /// Who is to call one of them is given all of them, and everybody where a person wants that.
    fn gives_tools(&self) -> bool {
        self.wants_tool() || self.parts.memory.as_ref().is_some_and(|memory| memory.tools)
    }

    /// In the run's sandbox, with its standard input.
    pub(crate) fn launch(
        &self,
        agent: &dyn Agent,
        attempt: &Attempt,
        brief: &Brief,
        file: Option<&Path>,
        (reach, tools): (Reach, Option<&Tools>),
    ) -> Result<(Launch, File), EngineError> {
        let mut env = environment::for_attempt(&self.parts.environment, &self.run, attempt);
        env.extend(tools.map(|tools| (mailbox::VARIABLE.into(), tools.mailbox.clone().into())));
        let place = (env, self.parts.place.root.clone());
        // A file that went meanwhile would keep the agent from starting.
        let is_there = |path: &&String| Path::new(path).is_file();
        let attached: Vec<String> = self.run.task.files.iter().filter(is_there).cloned().collect();
        // Only an agent whose word by a tool is asked for is given any.
        let equipment = Equipment { files: &attached, tools: tools.filter(|_| self.gives_tools()) };
        let Assembled { launch, stdin, shown } = assemble(agent, attempt, brief, place, (file, equipment))?;
        let (sandbox, confiner) = (&self.run.policy.sandbox, &self.parts.confiner);
        if sandbox.mode == Mode::Off {
            return Ok((launch, stdin));
        }
        let bounds = Bounds::gather(&launch.dir, &confiner.hidden, &launch.env, agent.state(), sandbox);
        let bounds = match reach {
            Reach::Work => bounds,
            Reach::Look => bounds.sparing(&launch.dir),
        };
        Ok((enclosed(launch, sandbox, confiner, &bounds.showing(shown)), stdin))
    }
}

/// The brief as one argument, unless the kernel would not take it.
fn argument(brief: &str) -> Option<String> {
    // Nothing that begins like a flag is taken for one.
    let text = if brief.starts_with('-') { format!("\n{brief}") } else { brief.to_owned() };
    (text.len() < LONGEST_ARGUMENT && !text.contains('\0')).then_some(text)
}

/// What an agent is told instead of a brief that is too long.
fn pointer(file: &Path) -> String {
    format!("Your whole task is in the file {}. Read all of it and do what it says.", file.display())
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_ARGUMENT, argument};

    #[test]
    fn a_brief_is_one_argument_as_long_as_the_kernel_takes_it() {
        assert_eq!(argument("do it").as_deref(), Some("do it"));
        assert_eq!(argument("--help").as_deref(), Some("\n--help"));
        assert_eq!(argument("a\0b"), None);
        let longest = "x".repeat(LONGEST_ARGUMENT - 1);
        assert_eq!(argument(&longest).as_ref(), Some(&longest));
        assert_eq!(argument(&"x".repeat(LONGEST_ARGUMENT)), None);
        assert_eq!(argument(&format!("-{}", &longest[1..])), None);
        let run = |text: &str| std::process::Command::new("true").arg(text).status();
        assert!(run(&longest).is_ok(), "the kernel takes this");
        assert!(run(&"x".repeat(LONGEST_ARGUMENT)).is_err(), "and not one more");
    }
}
