//! What `ralph run "PROMPT"` is given to do.

use std::io::Read;
use std::path::PathBuf;

use ralph_core::redact::Redactor;
use ralph_core::task::Task;

use crate::attach::attach;
use crate::problem::{self, Problem, Problems};
use crate::words::size;

/// As much as a prompt may be, its files included.
const MOST_ATTACHED: u64 = 1 << 20;

pub(crate) struct Prompt {
    pub(crate) task: Task,
    pub(crate) notices: Vec<String>,
}

/// ralph itself never holds a secret beyond this point, so none can be stored.
pub(crate) fn redacted(text: &str, redactor: &Redactor) -> Prompt {
    let clean = redactor.text(text).into_owned();
    let mut notices = Vec::new();
    if clean != text {
        notices.push(
            "the prompt contained what looks like a secret; it was replaced and the agent does not get it"
                .to_owned(),
        );
    }
    Prompt { task: Task::prompt(&clean), notices }
}

/// What the prompt says, and the files that it only names.
pub(crate) fn read(given: &str, files: &[PathBuf]) -> Result<(String, Vec<String>), Problems> {
    let mut text = given.to_owned();
    if given == "-" {
        let problem =
            |what: String| Problem::new(what).at(problem::Place::from(PathBuf::from("standard input")));
        text = bounded(std::io::stdin(), problem)?;
    }
    if text.trim().is_empty() {
        let next = "say what is to be done: `ralph run \"PROMPT\"`";
        return Err(Problem::new("the prompt is empty").next(next).into());
    }
    let attached = files.iter().map(|path| attach(path)).collect::<Result<Vec<_>, _>>()?;
    attached.iter().for_each(|file| text.push_str(&file.text));
    if text.len() as u64 > MOST_ATTACHED {
        let what = format!(
            "the prompt and its files are {} in all, at most {} are allowed",
            size(text.len() as u64),
            size(MOST_ATTACHED)
        );
        return Err(Problem::new(what)
            .next("name paths in the prompt instead; the agent can read them")
            .into());
    }
    Ok((text, attached.into_iter().filter_map(|file| file.path).collect()))
}

/// What a file says that describes something to do.
pub(crate) fn file(path: &std::path::Path) -> Result<String, Problems> {
    let problem = |what: String| Problem::new(what).at(problem::Place::from(path.to_owned()));
    let is_file = path.metadata().map(|metadata| metadata.is_file());
    let opened = match is_file {
        Ok(true) => std::fs::File::open(path),
        Ok(false) => return Err(problem("this is not a file".to_owned()).into()),
        Err(error) => Err(error),
    };
    let text = bounded(opened.map_err(|error| problem(format!("cannot read this file: {error}")))?, problem)?;
    if text.trim().is_empty() {
        return Err(problem("this file is empty".to_owned()).next("say in it what is to be done").into());
    }
    Ok(text)
}

/// All of it, or a refusal: what is cut off in silence is lost.
fn bounded(from: impl Read, problem: impl Fn(String) -> Problem) -> Result<String, Problems> {
    let mut text = String::new();
    let read = from.take(MOST_ATTACHED + 1).read_to_string(&mut text);
    read.map_err(|error| problem(format!("cannot read it as text: {error}")))?;
    if text.len() as u64 > MOST_ATTACHED {
        let what = format!("too large for a prompt: at most {} are allowed", size(MOST_ATTACHED));
        return Err(problem(what).next("name its path in the prompt instead; the agent can read it").into());
    }
    Ok(text)
}
