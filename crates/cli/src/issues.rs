//! A backlog as issues of `br` or `bd`: where they go, what is told of them, and what they cannot say.

use std::path::Path;

use ralph_core::backlog::{Backlog, Item, Status};
use ralph_trackers::{Beads, Place as Found, TrackerError, Written};
use serde_json::Value;

use crate::backlog::{TrackerFlags, tracker_problem};
use crate::commands::{Outcome, here};
use crate::problem::{Problem, Problems};
use crate::settings::project_root;
use crate::words::{counted, print};

/// For `ralph convert --to beads`.
pub(crate) fn into_beads(file: &Path, output: Option<&Path>) -> Outcome {
    if output.is_some() {
        let what = "issues of br and bd are not written to a file";
        return Err(Problem::new(what).next("leave out --output").into());
    }
    let (mut beads, source) = (beads()?, source(file)?);
    let mut tracker = TrackerFlags::of_file(file).choose()?.tracker;
    let backlog = tracker.load().map_err(|error| tracker_problem(&error))?;
    let written = beads.write(&source, &backlog).map_err(|error| {
        tracker_problem(&error).next("then do this again: what is written already is not written twice")
    })?;
    print(&(table(&written) + &lost(&backlog)));
    for refused in &written.refused {
        anstream::eprintln!("not written: {}", crate::render::inert(refused));
    }
    Ok(u8::from(!written.refused.is_empty()))
}

fn beads() -> Result<Beads, Problems> {
    let problem = match TrackerFlags::beads().detect()? {
        Ok(found) => match found.place {
            Found::Beads { root, program, viewer } => return Ok(Beads::new(root, program, viewer)),
            _ => Problem::new("this project has no issues of br or bd"),
        },
        Err(TrackerError::NoBacklog { root }) => {
            Problem::new(format!("no issues of br or bd in {}", root.display()))
                .next("begin with `br init` there, or `bd init`, and do this again")
        }
        Err(error @ TrackerError::NoProgram { .. }) => {
            Problem::new(error.to_string()).next("install br or bd")
        }
        Err(error) => tracker_problem(&error),
    };
    Err(problem.into())
}

/// The name of a backlog that issues carry: wherever one is in the project, it is the same.
fn source(file: &Path) -> Result<String, Problems> {
    let here = here()?;
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let root = project_root(&here).unwrap_or_else(|_| here.clone());
    let (path, root) = (place(&here.join(file)), place(&root));
    Ok(path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned())
}

fn table(written: &Written) -> String {
    let longest = |ids: &mut dyn Iterator<Item = usize>| ids.max().unwrap_or(0);
    let tasks = longest(&mut written.issues.iter().map(|one| one.task.as_str().len()));
    let issues = longest(&mut written.issues.iter().map(|one| one.issue.as_str().len()));
    let mut text = String::new();
    for one in &written.issues {
        let note = if one.was_there { "  was there" } else { "" };
        let line = format!("{:tasks$}  {:issues$}{note}", one.task.as_str(), one.issue.as_str());
        text += &format!("{}\n", line.trim_end());
    }
    let there = written.issues.iter().filter(|one| one.was_there).count();
    text += &format!("wrote {}", counted((written.issues.len() - there) as u64, "issue"));
    text += &if there > 0 { format!(", {there} were there already\n") } else { "\n".to_owned() };
    for (label, instead) in &written.labels {
        text += &match instead {
            Some(instead) => {
                format!("not kept: how the label {label:?} is written, which makes it {instead}\n")
            }
            None => format!("not kept: the label {label:?}\n"),
        };
    }
    text
}

fn lost(backlog: &Backlog) -> String {
    let told =
        |is: fn(&Item) -> bool, what: &str| match backlog.items().iter().filter(|item| is(item)).count() {
            0 => String::new(),
            count => format!("not kept: {what} of {}\n", counted(count as u64, "task")),
        };
    told(|item| item.status == Status::Cancelled, "that it was cancelled, which makes it closed,")
        + &told(is_beyond, "how far its priority is beyond 0 to 4")
        + &told(has_more, "keys that only the other format has")
}

fn is_beyond(item: &Item) -> bool {
    let priority = item.metadata.get(Item::PRIORITY).and_then(Value::as_i64);
    priority.is_some_and(|priority| !(1..=5).contains(&priority))
}

fn has_more(item: &Item) -> bool {
    let is_kept = |key: &str| matches!(key, Item::PRIORITY | "completionNotes" | "type");
    let is_empty = |value: &Value| value.is_null() || value.as_str().is_some_and(str::is_empty);
    item.metadata.iter().any(|(key, value)| !is_kept(key) && !is_empty(value))
}
