//! ralph-tui's templates: understood as they are, but for where the progress file is.

use std::path::{Path, PathBuf};

use ralph_templates::{FOLDER, Origin, Template, TemplateError};

use crate::fault::{Fault, Spot};
use crate::plan::{Fate, NewFile, Plan};
use crate::predecessor::{Request, Scope};
use crate::source;

/// Their names for trackers, each with ralph's. Of two that become the same, the first counts.
const NAMES: [(&str, &str); 6] = [
    ("json", "prd"),
    ("beads", "beads"),
    ("beads-rust", "beads"),
    ("beads-bv", "beads-bv"),
    ("beads-rust-bv", "beads-bv"),
    ("jira", "jira"),
];

const THEIR_PROGRESS: &str = ".ralph-tui/progress.md";
const OUR_PROGRESS: &str = ".ralph/progress.md";

pub(super) fn folder(
    request: &Request<'_>,
    theirs: &Path,
    progress: Option<&str>,
    plan: &mut Plan,
) -> Result<(), Fault> {
    let files = source::files(&theirs.join(FOLDER))?;
    let rank =
        |path: &PathBuf| NAMES.iter().position(|(name, _)| path.file_stem().is_some_and(|s| s == *name));
    let (mut known, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| {
        path.extension().is_some_and(|extension| extension == "hbs") && rank(path).is_some()
    });
    known.sort_by_key(rank);
    for path in known {
        let own = rank(&path).map_or("", |at| NAMES[at].1);
        let target = request.ours.join(FOLDER).join(format!("{own}.hbs"));
        if let Some(there) = plan.files.iter().find(|file| file.path == target) {
            let first = there.from.as_deref().unwrap_or(&target).display();
            let why = format!("{first} is {own}.hbs already");
            plan.fates.push(fate(&path, None, why));
            continue;
        }
        let text = source::text(request.root, &path, source::WRITTEN)?.unwrap_or_default();
        take(&path, &text, target, progress, plan);
    }
    for path in others {
        let why = "ralph has no template of this name; one is named with --template FILE".to_owned();
        plan.fates.push(fate(&path, None, why));
    }
    Ok(())
}

/// The file that their configuration names; whether it is taken over.
pub(super) fn custom(
    request: &Request<'_>,
    named: &str,
    progress: Option<&str>,
    plan: &mut Plan,
) -> Result<Option<PathBuf>, Fault> {
    let path = match named.strip_prefix("~/") {
        Some(_) => PathBuf::from(named),
        None => request.root.join(named),
    };
    let text = match request.scope {
        Scope::Project => source::text(request.root, &path, source::WRITTEN)?,
        Scope::User => source::named(&path)?,
    };
    let Some(text) = text else {
        let next = "put it there, or take `prompt_template` out of the configuration";
        plan.faults.push(Fault::new(
            &path,
            "the configuration names this template, and it is not there",
            next,
        ));
        return Ok(None);
    };
    let name = path.file_stem().map_or("brief".into(), |stem| stem.to_string_lossy());
    let target = request.ours.join(FOLDER).join(format!("custom-{name}.hbs"));
    Ok(take(&path, &text, target.clone(), progress, plan).then_some(target))
}

fn take(path: &Path, text: &str, target: PathBuf, progress: Option<&str>, plan: &mut Plan) -> bool {
    if let Err(error) = Template::compile(Origin::Given(path.to_owned()), text) {
        let faults = faults(path, &error, &target);
        plan.faults.extend(faults);
        plan.fates.push(fate(path, None, "it is not right for ralph".to_owned()));
        return false;
    }
    let mut text = text.to_owned();
    let mut why = String::new();
    for theirs in progress.into_iter().chain([THEIR_PROGRESS]) {
        if theirs != OUR_PROGRESS && text.contains(theirs) {
            text = text.replace(theirs, OUR_PROGRESS);
            why = format!("`{theirs}` in it is now `{OUR_PROGRESS}`");
        }
    }
    plan.fates.push(fate(path, Some(&target), why));
    plan.files.push(NewFile { path: target, from: Some(path.to_owned()), text, origins: Default::default() });
    true
}

fn fate(path: &Path, became: Option<&Path>, why: String) -> Fate {
    Fate {
        file: path.display().to_string(),
        line: None,
        key: String::new(),
        became: became.map(|path| path.display().to_string()),
        why,
    }
}

fn faults(path: &Path, error: &TemplateError, target: &Path) -> Vec<Fault> {
    let by_hand =
        format!("copy it to {} and mend it there; `ralph template check` looks at it", target.display());
    let TemplateError::Faulty { faults, .. } = error else {
        return vec![Fault::new(path, error.to_string(), by_hand)];
    };
    let one = |fault: &ralph_templates::Fault| {
        let next = fault.next.clone().unwrap_or_else(|| by_hand.clone());
        Fault::new(path, fault.what.clone(), next).at(Spot {
            line: fault.line,
            column: fault.column,
            text: fault.text.clone(),
            width: fault.width,
        })
    };
    faults.iter().map(one).collect()
}
