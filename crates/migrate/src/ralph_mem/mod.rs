//! ralph-mem: what its settings say of its loops becomes flags, and what it has written down becomes notes. Its loops are in
//! sessions of its own making, which no host knows: they stay there, and are named.

mod flow;
mod notes;

use std::path::Path;

use crate::fault::{Fault, Spot};
use crate::plan::{Fate, Plan};
use crate::predecessor::{Predecessor, Request};
use crate::source;

const SECTION: &str = "ralph";

pub(crate) fn plan(request: &Request<'_>) -> Plan {
    let mut plan = Plan::default();
    for place in Predecessor::RalphMem.leaves(request.scope) {
        let theirs = request.root.join(place);
        let path = theirs.join("config.yaml");
        match source::text(request.root, &path, source::WRITTEN) {
            Ok(Some(text)) => settings(&path, &text, &mut plan),
            Ok(None) => {}
            Err(fault) => plan.faults.push(fault),
        }
        match source::files(&theirs) {
            Ok(files) => files.iter().filter(|file| **file != path).for_each(|file| look(file, &mut plan)),
            Err(fault) => plan.faults.push(fault),
        }
    }
    plan
}

/// A database is read; everything else stays.
fn look(file: &Path, plan: &mut Plan) {
    if file.extension().is_none_or(|end| end != "db") || !file.is_file() {
        plan.fates.push(stays(file));
        return;
    }
    match notes::read(file) {
        Ok(found) => {
            plan.fates.push(Fate {
                became: Some(format!("{} notes of ralph's", found.len())),
                why: "its loops are in sessions that no host knows, and do not go on".to_owned(),
                ..stays(file)
            });
            plan.notes.extend(found);
        }
        Err(fault) => {
            plan.fates.push(stays(file));
            plan.faults.push(fault);
        }
    }
}

fn stays(file: &Path) -> Fate {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let why = match name.as_str() {
        "snapshots" => "files that its loops kept; ralph takes snapshots of its own",
        name if name.contains(".db") => "it belongs to a database of its, and stays",
        _ => "of no use to ralph",
    };
    Fate {
        file: file.display().to_string(),
        line: None,
        key: String::new(),
        became: None,
        why: why.to_owned(),
    }
}

/// The settings of its loops: the section `ralph` of a file that is written by hand. Only what ralph has itself is read.
fn settings(path: &Path, text: &str, plan: &mut Plan) {
    let mut is_inside = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_end_matches('\r');
        let said = line.trim();
        // What only closes belongs to what was opened before.
        if said.is_empty() || said.starts_with(['#', '}', ']']) || matches!(said, "---" | "...") {
            continue;
        }
        if line.starts_with([' ', '\t', '-']) {
            if is_inside {
                one(path, text, at, said, plan);
            }
            continue;
        }
        let value = section(said);
        is_inside = value == Some("");
        match value {
            None if said.starts_with('{') => unread(path, text, at, plan),
            None => {
                plan.fates.push(named(path, at, said, (None, "of its memory, which stays there".to_owned())));
            }
            Some("") => {}
            Some(value) if value.starts_with('{') => one(path, text, at, value, plan),
            Some(_) => unread(path, text, at, plan),
        }
    }
}

/// What the line says of the section of its loops: nothing where that follows. None for any other section.
fn section(said: &str) -> Option<&str> {
    let (key, value) = said.split_once(':')?;
    let is_it = key.trim().trim_matches(['"', '\'']) == SECTION;
    is_it.then(|| flow::without_remark(value).trim())
}

/// What a line says, in either notation.
fn one(path: &Path, text: &str, at: usize, said: &str, plan: &mut Plan) {
    let Some(entries) = flow::entries(said) else { return unread(path, text, at, plan) };
    for said in entries {
        match fate(said) {
            Ok(fate) => {
                plan.flags.extend(fate.0.clone());
                plan.fates.push(named(path, at, said, fate));
            }
            Err(what) => {
                let spot = Spot::of_line(text, at + 1, 1);
                plan.faults.push(Fault::new(path, what, "mend the line: the others are read").at(spot));
            }
        }
    }
}

fn unread(path: &Path, text: &str, at: usize, plan: &mut Plan) {
    let next = format!("write `{SECTION}:` and, below it, one `key: value` a line, further in");
    let fault =
        Fault::new(path, "this notation is not understood, so the settings in it are not taken over", next);
    plan.faults.push(fault.at(Spot::of_line(text, at + 1, 1)));
}

fn named(path: &Path, at: usize, said: &str, (became, why): (Option<String>, String)) -> Fate {
    let key = said.split(':').next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned();
    Fate { file: path.display().to_string(), line: Some(at + 1), key, became, why }
}

/// The flag of `ralph run` that says the same; none where there is none, with the reason.
fn fate(said: &str) -> Result<(Option<String>, String), String> {
    let (key, value) = said.split_once(':').ok_or_else(|| "this is no `key: value`".to_owned())?;
    let key = key.trim().trim_matches(['"', '\'']);
    let value = value.trim().trim_matches(['"', '\'']);
    let number = || value.parse::<u64>().map_err(|_| format!("`{key}` is a whole number"));
    let flag = |flag: String| Ok((Some(flag), String::new()));
    match key {
        "max_iterations" => flag(format!("--max-iterations {}", number()?)),
        "max_duration_ms" => flag(format!("--max-duration {}s", number()?.div_ceil(1000))),
        "type" => match value {
            "test_pass" | "build_success" | "lint_clean" | "type_check" => {
                flag(format!("--criteria {value}"))
            }
            _ => Ok((None, "write its command: --criteria 'custom=COMMAND'".to_owned())),
        },
        "success_criteria" => Ok((None, "its entries follow".to_owned())),
        "command" => Ok((
            None,
            "ralph finds the project's own commands, or takes --criteria 'NAME=COMMAND'".to_owned(),
        )),
        _ => Ok((None, "ralph has no such setting".to_owned())),
    }
}
