//! `ralph template`: what briefs are made of.

use std::fs;
use std::path::{Path, PathBuf};

use ralph_core::nearest::nearest;
use ralph_templates::{Field, NAMES, Origin, Shape, Template, TemplateError, VARIABLES, built_in, read};
use ralph_trackers::{Overwrite, create};
use serde::Serialize;

use super::{Outcome, here};
use crate::backlog::tracker_problem;
use crate::problem::{Place, Problem, Problems};
use crate::render::{FAINT, GOOD, HEAD, inert, paint};
use crate::templates::{Shelf, template_problems};
use crate::words::{counted, print, print_json};

/// Show, check, list the variables of, or take over the templates that briefs are made of.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph template show prd              the one that counts for a prd.json
  ralph template eject prd             write it to .ralph/templates/prd.hbs, to be changed
  ralph template vars                  what can be written in one
  ralph template check                 whether the changed ones are right

A template is looked for in the project (.ralph/templates/NAME.hbs), then beside the user's
config.toml (templates/NAME.hbs); else it is ralph's own.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Show(ShowArgs),
    Check(CheckArgs),
    Vars(VarsArgs),
    Eject(EjectArgs),
}

/// Print the template that counts for a tracker.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ralph template show markdown --built-in")]
struct ShowArgs {
    /// The tracker, or `prompt`; the one that is found here by default
    #[arg(value_parser = NAMES)]
    name: Option<String>,
    /// ralph's own, whatever else there is
    #[arg(long)]
    built_in: bool,
    /// Print it as JSON: an object with name, origin (project, user or built_in), path, uses_promise, text
    #[arg(long)]
    json: bool,
}

/// Check templates: files that are named, or all of the project and the user.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  ralph template check .ralph/templates/prd.hbs

Exit codes: 1 if one of them is wrong, 2 if a file cannot be read.")]
struct CheckArgs {
    /// Those to look at
    files: Vec<PathBuf>,
    /// Print it as JSON: an array of objects with path, ok, uses_promise (null unless ok), faults (line, column, what,
    /// next), notes
    #[arg(long)]
    json: bool,
}

/// List the variables that a template can use.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  ralph template vars --json | jq -r '.[] | select(.type == \"text\").name'"
)]
struct VarsArgs {
    /// Print it as JSON: an array of objects with name, type, about, ralph_tui (whether ralph-tui has it too), fields
    /// (name, type)
    #[arg(long)]
    json: bool,
}

/// Write ralph's own template into the project, to be changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ralph template eject prd && $EDITOR .ralph/templates/prd.hbs")]
struct EjectArgs {
    /// The tracker, or `prompt`; the one that is found here by default
    #[arg(value_parser = NAMES)]
    name: Option<String>,
    /// Write over a file that is there
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &Args) -> Outcome {
    match &args.action {
        Action::Show(args) => show(args),
        Action::Check(args) => check(args),
        Action::Vars(args) => Ok(vars(args)),
        Action::Eject(args) => eject(args),
    }
}

#[derive(Debug, Serialize)]
struct Shown<'a> {
    name: &'a str,
    origin: &'static str,
    path: Option<&'a PathBuf>,
    uses_promise: bool,
    text: &'a str,
}

fn show(args: &ShowArgs) -> Outcome {
    let shelf = Shelf::here()?;
    let name = Shelf::name(args.name.as_deref())?;
    let template = if args.built_in { own(&name) } else { shelf.find(&name)? };
    if !args.json {
        print(&ralph_engine::output::printable(template.text()));
        return Ok(0);
    }
    let origin = match template.origin() {
        Origin::Given(_) => "given",
        Origin::Project(_) => "project",
        Origin::User(_) => "user",
        Origin::Tracker(_) => "tracker",
        Origin::BuiltIn(_) => "built_in",
    };
    let (path, uses_promise, text) = (template.path(), template.uses_promise(), template.text());
    print_json(&Shown { name: &name, origin, path, uses_promise, text });
    Ok(0)
}

fn own(name: &str) -> Template {
    let (name, text) = built_in(name);
    Template::compile(Origin::BuiltIn(name), text).expect("ralph's own templates are right")
}

#[derive(Debug, Serialize)]
struct Checked {
    path: PathBuf,
    ok: bool,
    uses_promise: Option<bool>,
    faults: Vec<Faulty>,
    notes: Vec<String>,
    #[serde(skip)]
    problems: Option<Problems>,
}

#[derive(Debug, Serialize)]
struct Faulty {
    line: usize,
    column: usize,
    what: String,
    next: Option<String>,
}

fn check(args: &CheckArgs) -> Outcome {
    let all = if args.files.is_empty() { on_the_shelf(&Shelf::here()?)? } else { named(&args.files)? };
    let wrong = all.iter().any(|one| !one.ok);
    if args.json {
        print_json(&all);
        return Ok(u8::from(wrong));
    }
    for one in &all {
        match &one.problems {
            Some(problems) => problems.print(),
            None => print(&format!("{} {}\n", paint(GOOD, "ok"), inert(&one.path.display().to_string()))),
        }
        for note in &one.notes {
            print(&paint(FAINT, &format!("  note: {}\n", inert(note))));
        }
    }
    if all.is_empty() {
        print("there is no template but ralph's own, which are right\n");
    }
    Ok(u8::from(wrong))
}

fn named(files: &[PathBuf]) -> Result<Vec<Checked>, Problems> {
    let here = here()?;
    files.iter().map(|file| look(&here.join(file))).collect()
}

/// All files that could be taken for a template, in the order in which they are looked for.
fn on_the_shelf(shelf: &Shelf) -> Result<Vec<Checked>, Problems> {
    let mut all = Vec::new();
    for folder in shelf.folders() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "hbs"));
        files.sort();
        for path in files {
            let mut checked = look(&path)?;
            checked.notes.extend(unused(&path));
            all.push(checked);
        }
    }
    Ok(all)
}

/// A file whose name is no tracker's is never looked for.
fn unused(path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_string_lossy();
    if NAMES.contains(&name.as_ref()) {
        return None;
    }
    let near = nearest(&name, NAMES).map_or(String::new(), |near| format!("; did you mean {near}.hbs?"));
    Some(format!("`{name}` is no tracker, so this is used only if it is named{near}"))
}

fn look(path: &Path) -> Result<Checked, Problems> {
    let text = match read(path) {
        Ok(Some(text)) => text,
        Ok(None) => {
            return Err(template_problems(&TemplateError::Missing { path: path.to_owned() }));
        }
        Err(error) => return Err(template_problems(&error)),
    };
    let compiled = Template::compile(Origin::Given(path.to_owned()), &text);
    let mut checked = Checked {
        path: path.to_owned(),
        ok: compiled.is_ok(),
        uses_promise: compiled.as_ref().ok().map(Template::uses_promise),
        faults: Vec::new(),
        notes: Vec::new(),
        problems: None,
    };
    if checked.uses_promise == Some(false) {
        let note = "it uses neither {{claim}} nor {{promise}}: the agent's promise will carry no nonce";
        checked.notes.push(note.to_owned());
    }
    if let Err(error) = &compiled {
        checked.problems = Some(template_problems(error));
        if let TemplateError::Faulty { faults, .. } = error {
            checked.faults = faults
                .iter()
                .map(|fault| Faulty {
                    line: fault.line,
                    column: fault.column,
                    what: fault.what.clone(),
                    next: fault.next.clone(),
                })
                .collect();
        }
    }
    Ok(checked)
}

#[derive(Debug, Serialize)]
struct Var {
    name: &'static str,
    r#type: &'static str,
    about: &'static str,
    ralph_tui: bool,
    fields: Vec<Below>,
}

#[derive(Debug, Serialize)]
struct Below {
    name: String,
    r#type: &'static str,
}

fn vars(args: &VarsArgs) -> u8 {
    let all: Vec<Var> = VARIABLES
        .iter()
        .map(|variable| Var {
            name: variable.field.name,
            r#type: variable.field.shape.name(),
            about: variable.about,
            ralph_tui: variable.shared,
            fields: below("", &variable.field.shape),
        })
        .collect();
    if args.json {
        print_json(&all);
        return 0;
    }
    let width = all.iter().map(|one| one.name.len()).max().unwrap_or_default();
    for one in &all {
        print(&format!("{}  {}\n", paint(HEAD, &format!("{:width$}", one.name)), one.about));
        if !one.fields.is_empty() {
            let fields: Vec<&str> = one.fields.iter().map(|field| field.name.as_str()).collect();
            print(&paint(FAINT, &format!("{:width$}  {}: {}\n", "", one.r#type, fields.join(", "))));
        } else if one.r#type != Shape::Text.name() {
            print(&paint(FAINT, &format!("{:width$}  {}\n", "", one.r#type)));
        }
    }
    print(&format!("{}\n", counted(all.len() as u64, "variable")));
    0
}

/// What is below something, with dots.
fn below(prefix: &str, shape: &Shape) -> Vec<Below> {
    let one = |field: &Field| {
        let name = format!("{prefix}{}", field.name);
        let deeper = below(&format!("{name}."), &field.shape);
        std::iter::once(Below { name, r#type: field.shape.name() }).chain(deeper).collect::<Vec<_>>()
    };
    shape.fields().iter().flat_map(one).collect()
}

fn eject(args: &EjectArgs) -> Outcome {
    let shelf = Shelf::here()?;
    let (name, text) = built_in(&Shelf::name(args.name.as_deref())?);
    let folder = shelf.of_project();
    let path = folder.join(format!("{name}.hbs"));
    let is_there = path.symlink_metadata().is_ok();
    if is_there && !args.force {
        let problem = Problem::new("this file is there already").at(Place::from(path));
        return Err(problem.next("change that one, or write over it with --force").into());
    }
    fs::create_dir_all(&folder).map_err(|error| {
        Problem::new(format!("cannot make the directory: {error}")).at(Place::from(folder)).exit(1)
    })?;
    let overwrite = if args.force { Overwrite::Allowed } else { Overwrite::Never };
    create(&path, text, overwrite).map_err(|error| tracker_problem(&error))?;
    print(&format!("wrote {}\n", path.display()));
    Ok(0)
}
