//! What `ralph demo` shows: failing tests, an agent that says they pass, the loop that looks for itself, and where to
//! look next.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::project::{CHECK, TESTS, create};
use crate::commands::Outcome;
use crate::perform::own_program;
use crate::problem::{self, Problem, Problems};
use crate::render::faint;
use crate::words::print;

const PROMPT: &str = "Make the tests pass";

/// What the loop is started with, beside the agent.
const FLAGS: [&str; 4] = ["--protect", TESTS, "--max-iterations", "6"];

pub(crate) fn run(keep: Option<PathBuf>) -> Outcome {
    let dir = directory(keep)?;
    let [project, state, config] = ["basket", "state", "config"].map(|name| dir.join(name));
    let demo = Demo { project, state, config, ralph: own_program()? };
    create(&demo.project).map_err(|error| {
        Problem::new(format!("the demo cannot be set up: {error}"))
            .at(problem::Place::from(demo.project.clone()))
            .exit(1)
    })?;
    print(&format!("A small program with three bugs, in {}\n\n", demo.project.display()));
    demo.tests()?;
    print("\nAn agent that says it is done whatever it did. ralph looks for itself:\n\n");
    let code = demo.looped()?;
    print("\n");
    let passed = demo.tests()?;
    demo.why()?;
    print(&demo.next_steps());
    Ok(if passed { code } else { 1 })
}

struct Demo {
    project: PathBuf,
    state: PathBuf,
    /// Empty: a person's own settings are none of the demo's.
    config: PathBuf,
    ralph: PathBuf,
}

impl Demo {
    /// The demo's loop is `ralph run` as anyone would type it.
    fn looped(&self) -> Result<u8, Problems> {
        print(&faint(&format!(
            "$ ralph run \"{PROMPT}\" --criteria test_pass='{CHECK}' \\\n    {} --agent-command 'ralph demo-agent'\n",
            FLAGS.join(" ")
        )));
        let agent = format!("{} demo-agent", shell_words::quote(&self.ralph.to_string_lossy()));
        self.ralph(&["run", PROMPT, "--agent", "command", "--agent-command", &agent, "--verbose"])
            .args(["--criteria", &format!("test_pass={CHECK}")])
            .args(FLAGS)
            .status()
            .map(|status| status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
            .map_err(|error| Problem::new(format!("cannot start ralph: {error}")).exit(1).into())
    }

    fn why(&self) -> Result<(), Problems> {
        print(&faint("\n$ ralph why\n"));
        let told = self.ralph(&["why"]).status();
        told.map(|_| ()).map_err(|error| Problem::new(format!("cannot start ralph: {error}")).exit(1).into())
    }

    fn ralph(&self, args: &[&str]) -> Command {
        let mut ralph = Command::new(&self.ralph);
        ralph.args(args).current_dir(&self.project);
        ralph.env("XDG_STATE_HOME", &self.state).env("XDG_CONFIG_HOME", &self.config);
        ralph
    }

    /// Runs the project's tests and shows what they say; whether they pass.
    fn tests(&self) -> Result<bool, Problems> {
        let ran = Command::new("sh")
            .args(["-c", CHECK])
            .current_dir(&self.project)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| {
                Problem::new(format!("cannot run the demo's tests: {error}"))
                    .next("they need `sh`; is it on the search path?")
                    .exit(1)
            })?;
        let output = String::from_utf8_lossy(&ran.stdout).into_owned();
        let told = output.lines().filter(|line| line.contains("ok ") || line.starts_with("# "));
        print(&faint(&format!("$ {CHECK}\n")));
        print(&told.map(|line| format!("  {line}\n")).collect::<String>());
        Ok(ran.status.success())
    }

    fn next_steps(&self) -> String {
        let quoted = |path: &Path| shell_words::quote(&path.to_string_lossy()).into_owned();
        format!(
            "
Look at what it did:
  cd {}
  export XDG_STATE_HOME={}
  ralph why 2         what its iteration 2 was decided from
  ralph diff          what it has changed
  ralph logs          every event, and what the agent printed
  ralph replay --speed 1

Then try it on your own project:
  ralph run \"PROMPT\" --agent claude --criteria test_pass --max-iterations 10
",
            quoted(&self.project),
            quoted(&self.state),
        )
    }
}

fn directory(keep: Option<PathBuf>) -> Result<PathBuf, Problems> {
    let problem = |path: &Path, error: std::io::Error| {
        Problem::new(format!("cannot make the demo's directory: {error}"))
            .at(problem::Place::from(path.to_owned()))
            .next("name another one with --keep DIR")
            .exit(1)
    };
    let path = keep.unwrap_or_else(|| {
        std::env::temp_dir().join(format!("ralph-demo-{:08x}", ralph_engine::entropy() as u32))
    });
    std::fs::create_dir(&path).map_err(|error| problem(&path, error))?;
    Ok(path.canonicalize().map_err(|error| problem(&path, error))?)
}
