//! Texts of tasks as people give them.

use std::io::Read;
use std::path::Path;

use ralph_core::backlog::Priority;
use ralph_core::redact::Redactor;
use ralph_store::NewTask;
use serde_json::Value;

use crate::backlog::tracker_problem;
use crate::perform::redactor;
use crate::problem::{Problem, Problems};

/// What is longer is no text for a task, or not a backlog.
const MOST: u64 = 64 << 20;

/// A text with something in it, on one line, and no secret.
pub(super) fn line(what: &str, given: &str) -> Result<String, Problems> {
    let given = given.trim();
    if given.is_empty() {
        return Err(Problem::new(format!("{what} is empty")).next("say something, or leave it out").into());
    }
    if given.contains(['\n', '\r']) {
        let next = "put the rest into --description, or the whole into --file FILE";
        return Err(Problem::new(format!("{what} has more than one line")).next(next).into());
    }
    Ok(kept(given))
}

/// A text as it goes into the store: a secret that ralph can recognise is in no file of its own.
pub(super) fn kept(given: &str) -> String {
    redactor().text(given).into_owned()
}

/// The same for everything that tasks say.
pub(super) fn all_kept(tasks: Vec<NewTask>) -> Vec<NewTask> {
    let redactor = redactor();
    tasks.into_iter().map(|task| without_secrets(task, &redactor)).collect()
}

fn without_secrets(mut task: NewTask, redactor: &Redactor) -> NewTask {
    let clean = |text: &mut String| *text = redactor.text(text).into_owned();
    let lists = [&mut task.acceptance_criteria, &mut task.labels];
    lists.into_iter().flatten().for_each(clean);
    [&mut task.title, &mut task.description].into_iter().for_each(clean);
    task.reason.iter_mut().for_each(clean);
    let mut values: Vec<&mut Value> = task.metadata.values_mut().collect();
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) => clean(text),
            Value::Array(list) => values.extend(list),
            Value::Object(object) => values.extend(object.values_mut()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    task
}

/// The bytes of a file, or of standard input where it is called `-`.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Problems> {
    if path != Path::new("-") {
        return ralph_trackers::read(path).map_err(|error| tracker_problem(&error).into());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Problem::new(format!("cannot read standard input: {error}")))?;
    if bytes.len() as u64 > MOST {
        return Err(Problem::new("standard input has more than 64 MiB").next("split it").into());
    }
    Ok(bytes)
}

/// A title and a description, as in the message of a commit.
pub(super) fn titled(path: &Path) -> Result<(String, String), Problems> {
    let text = String::from_utf8(read(path)?)
        .map_err(|_| Problem::new(format!("{} is not UTF-8", path.display())).next("save it as UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    let (title, description) = text.split_once('\n').unwrap_or((text, ""));
    Ok((line("the first line, which is the title,", title)?, kept(description.trim())))
}

pub(super) fn priority(text: &str) -> Result<Priority, String> {
    let number: u8 = text.parse().map_err(|_| "a number from 0, critical, to 4".to_owned())?;
    Priority::try_from(number)
}
