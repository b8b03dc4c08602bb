//! ralph-tui: `.ralph-tui/` of a project, and `~/.config/ralph-tui/` of a person.

mod config;
mod crew;
mod session;
mod templates;
mod value;

use std::collections::BTreeMap;
use std::path::Path;

use ralph_templates::FOLDER;

use crate::fault::{Fault, Spot};
use crate::leaves::{Leaf, leaves};
use crate::plan::{Fate, NewFile, Plan};
use crate::predecessor::{Predecessor, Request, Scope};
use crate::source;

use config::Config;

const PROGRESS: &str = "progress.md";

/// What agents under ralph-tui have been told to say.
const WORD: &str = "COMPLETE";

pub(crate) fn plan(request: &Request<'_>) -> Result<Plan, Fault> {
    let theirs = request.root.join(Predecessor::RalphTui.leaves(request.scope)[0]);
    let mut plan = Plan::default();
    let path = theirs.join("config.toml");
    let text = source::text(request.root, &path, source::WRITTEN)?;
    let keys = text.as_deref().map_or(Ok(Vec::new()), |text| leaves(&path, text))?;
    let mut config = config::read(&path, &keys, request)?;
    plan.faults.append(&mut config.faults);
    let progress = config.progress.clone();
    templates::folder(request, &theirs, progress.as_deref(), &mut plan)?;
    if request.scope == Scope::User {
        remind_of_word(&mut plan);
    }
    let template = template(request, &mut config, progress.as_deref(), &mut plan)?;
    let from = text.is_some().then_some(path.as_path());
    if let Some(file) = written(request, &config, &keys, template, from) {
        plan.files.insert(0, file);
    }
    plan.flags.append(&mut config.flags);
    plan.fates.splice(0..0, config.fates);
    if request.scope == Scope::Project {
        of_project(request, &theirs, progress.as_deref(), &mut plan)?;
    }
    plan.flags = once_each(plan.flags);
    Ok(plan)
}

/// A backlog is named once, by its file rather than by its kind; epics may be several.
fn once_each(flags: Vec<String>) -> Vec<String> {
    let has_file = flags.iter().any(|flag| flag.starts_with("--prd "));
    let mut kept: Vec<String> = Vec::new();
    for flag in flags {
        let name = flag.split(' ').next().unwrap_or_default();
        let is_said = match name {
            "--tracker" => has_file || kept.iter().any(|other| other.starts_with("--tracker ")),
            "--prd" => kept.iter().any(|other| other.starts_with("--prd ")),
            _ => kept.contains(&flag),
        };
        if !is_said {
            kept.push(flag);
        }
    }
    kept
}

/// The template that their configuration names, as ours names it.
fn template(
    request: &Request<'_>,
    config: &mut Config,
    progress: Option<&str>,
    plan: &mut Plan,
) -> Result<Option<(usize, String)>, Fault> {
    let Some((at, named)) = config.template.take() else { return Ok(None) };
    let Some(target) = templates::custom(request, &named, progress, plan)? else {
        config.fates[at].became = None;
        "the template is not taken over".clone_into(&mut config.fates[at].why);
        return Ok(None);
    };
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let written = match request.scope {
        Scope::Project => format!(".ralph/{FOLDER}/{name}"),
        Scope::User => target.to_string_lossy().into_owned(),
    };
    Ok(Some((at, written)))
}

/// ralph's config.toml; none where there would be nothing in it.
fn written(
    request: &Request<'_>,
    config: &Config,
    keys: &[Leaf],
    template: Option<(usize, String)>,
    from: Option<&Path>,
) -> Option<NewFile> {
    let mut lines: Vec<(String, Option<Spot>)> = Vec::new();
    let mut push = |line: String, spot: Option<Spot>| lines.push((line, spot));
    push(
        "# Taken over from ralph-tui by `ralph migrate`. `ralph config` shows what counts.".to_owned(),
        None,
    );
    let spot = |at: usize| Some(keys[at].spot.clone());
    if let Some((at, name)) = &template {
        push(format!("template = {}", toml::Value::from(name.as_str())), spot(*at));
    }
    let mut sections: BTreeMap<&str, Vec<&config::Setting>> = BTreeMap::new();
    for setting in config.settings.values() {
        let (section, _) = setting.key.rsplit_once('.').unwrap_or(("", &setting.key));
        sections.entry(section).or_default().push(setting);
    }
    let is_empty = sections.is_empty() && template.is_none();
    for (section, settings) in sections {
        push(String::new(), None);
        push(format!("[{section}]"), None);
        for setting in settings {
            let name = setting.key.rsplit('.').next().unwrap_or(&setting.key);
            push(format!("{name} = {}", setting.value), spot(setting.leaf));
        }
    }
    match request.scope {
        Scope::Project => {
            push(String::new(), None);
            push("# ralph-tui's own word, which its templates name.".to_owned(), None);
            push(format!("[promise]\nword = \"{WORD}\"\nnonce = false"), None);
        }
        Scope::User if is_empty => return None,
        Scope::User => {}
    }
    let origins =
        lines.iter().enumerate().filter_map(|(at, (_, spot))| Some((at + 1, spot.clone()?))).collect();
    let text: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    Some(NewFile { path: request.ours.join("config.toml"), from: from.map(Path::to_owned), text, origins })
}

fn of_project(
    request: &Request<'_>,
    theirs: &Path,
    progress: Option<&str>,
    plan: &mut Plan,
) -> Result<(), Fault> {
    let path = progress.map_or_else(|| theirs.join(PROGRESS), |named| request.root.join(named));
    if let Some(text) = source::text(request.root, &path, source::FILLED)? {
        let target = request.ours.join(PROGRESS);
        plan.fates.push(Fate {
            file: path.display().to_string(),
            line: None,
            key: String::new(),
            became: Some(target.display().to_string()),
            why: "as it is; its patterns are in every brief".to_owned(),
        });
        plan.files.push(NewFile { path: target, from: Some(path), text, origins: BTreeMap::new() });
    }
    let session = theirs.join("session.json");
    if let Some(text) = source::text(request.root, &session, source::FILLED)? {
        session::read(&session, &text, plan)?;
    }
    let meta = theirs.join("session-meta.json");
    if let Some(text) = source::text(request.root, &meta, source::FILLED)? {
        session::read_meta(&meta, &text, plan)?;
    }
    left_there(theirs, plan)
}

/// What ralph has no use for stays, and is named.
fn left_there(theirs: &Path, plan: &mut Plan) -> Result<(), Fault> {
    let stays: [(&str, &str); 7] = [
        ("iterations", "logs of ralph-tui's iterations; ralph's own are in .ralph/logs"),
        ("reports", "reports of ralph-tui's"),
        ("images", "images that were pasted into ralph-tui"),
        ("worktrees", "work trees of ralph-tui's; look into them before you remove them"),
        ("parallel-session.json", "a parallel session of ralph-tui's"),
        ("ralph.lock", "ralph-tui's own lock"),
        ("plugins", "plugins of ralph-tui's"),
    ];
    for (name, why) in stays {
        let path = theirs.join(name);
        let is_there = if path.is_dir() { !source::files(&path)?.is_empty() } else { path.exists() };
        if is_there {
            plan.fates.push(Fate {
                file: path.display().to_string(),
                line: None,
                key: String::new(),
                became: None,
                why: why.to_owned(),
            });
        }
    }
    Ok(())
}

/// A person's templates count in every project, their word only in those that are taken over.
fn remind_of_word(plan: &mut Plan) {
    if plan.files.iter().any(|file| file.text.contains(WORD)) {
        plan.notices.push(format!(
            "these templates name the word {WORD}: a project that is not taken over needs --promise {WORD}"
        ));
    }
}
