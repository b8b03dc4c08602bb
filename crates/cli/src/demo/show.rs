//! What `ralph demo` shows: failing tests, the loop, passing tests, and where to look next.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::project::{Tested, create, test};
use crate::commands::Outcome;
use crate::problem::{self, Problem, Problems};
use crate::render::faint;
use crate::words::print;

const PROMPT: &str = "The tests of this crate fail. Mend the code, not the tests, one thing at a time.";

pub(crate) fn run(keep: Option<PathBuf>) -> Outcome {
    let dir = directory(keep)?;
    let project = dir.join("basket");
    let io = |error: std::io::Error| {
        Problem::new(format!("the demo cannot be set up: {error}"))
            .at(problem::Place::from(project.clone()))
            .next("the demo's project is tested with cargo; is it on the search path?")
            .exit(1)
    };
    create(&project).map_err(io)?;
    print(&format!("A small project with failing tests, in {}\n\n$ cargo test\n", project.display()));
    print(&told(&test(&project).map_err(io)?));
    print("\nA loop with a scripted agent that mends one thing per iteration:\n\n");
    let code = looped(&dir, &project)?;
    print("\n$ cargo test\n");
    let after = test(&project).map_err(io)?;
    print(&told(&after));
    print(&next_steps(&dir, &project));
    Ok(if after.passed { code } else { 1 })
}

/// The demo's loop is `ralph run` as anyone would type it.
fn looped(dir: &Path, project: &Path) -> Result<u8, Problems> {
    let cannot = |error: std::io::Error| Problem::new(format!("cannot start ralph: {error}")).exit(1);
    let ralph = std::env::current_exe().map_err(cannot)?;
    let agent = format!("{} demo-agent", shell_words::quote(&ralph.to_string_lossy()));
    let typed = format!("$ ralph run \"{PROMPT}\" --agent-command 'ralph demo-agent' --max-iterations 6\n");
    print(&faint(&typed));
    let status = Command::new(&ralph)
        .args(["run", PROMPT, "--agent", "command", "--agent-command", &agent])
        .args(["--max-iterations", "6", "--verbose"])
        .current_dir(project)
        .env("XDG_STATE_HOME", dir.join("state"))
        .status()
        .map_err(cannot)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
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

fn told(tested: &Tested) -> String {
    tested.summary().iter().map(|line| format!("  {}\n", line.trim_end())).collect()
}

fn next_steps(dir: &Path, project: &Path) -> String {
    let quoted = |path: &Path| shell_words::quote(&path.to_string_lossy()).into_owned();
    format!(
        "
Look at what it did:
  cd {}
  export XDG_STATE_HOME={}
  ralph status        how the run ended, and why
  ralph logs          every event, and what the agent printed
  ralph replay --speed 1

Then try it on your own project:
  ralph run \"PROMPT\" --agent-command 'YOUR-AGENT ARGS' --max-iterations 10
",
        quoted(project),
        quoted(&dir.join("state")),
    )
}
