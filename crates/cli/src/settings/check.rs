//! Checks: what ralph runs itself to see whether the work is done.

use std::collections::BTreeMap;
use std::time::Duration;

use ignore::gitignore::GitignoreBuilder;
use ralph_core::check::{Check, Command, Criterion, Judge};
use ralph_core::nearest::{nearest, shortened};
use schemars::JsonSchema;
use serde_json::{Value, json};

use super::catalogue::{CommandValue, CriterionName, DurationText};
use super::origin::Set;
use super::raw::{GivenTable, Raw};
use super::reader::Reader;
use super::value::{Refused, command, duration, duration::deadline, plain};
use crate::problem::Problem;

const DAY: Duration = Duration::from_secs(86_400);
/// How long a check may take where nothing else is said.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(600);

pub(crate) const KEYS: [&str; 6] = ["name", "criterion", "command", "timeout", "dir", "env"];

/// A command that ralph runs after every iteration, and once before the first; exit code 0 is success. Where there is a
/// check, it decides whether the task is done, unless `require` in `[completion]` says otherwise.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct CheckKeys {
    /// What the check is called; a check of the same name in a higher layer replaces it.
    #[schemars(extend("examples" = ["unit tests"]))]
    name: String,
    /// What it shows when it succeeds.
    #[schemars(extend("default" = "custom"))]
    criterion: Option<CriterionName>,
    /// What to run: a string is handed to `sh -c`, an array is run without a shell.
    #[schemars(extend("examples" = [["make", "check"]]))]
    command: CommandValue,
    /// How long it may take; unset, as long as `timeout` in `[verify]` says.
    #[schemars(extend("examples" = ["5m"]))]
    timeout: Option<DurationText>,
    /// Where it runs, below the project's root.
    #[schemars(extend("examples" = ["backend"]))]
    dir: Option<String>,
    /// Environment variables that it gets beside what ralph has.
    #[schemars(extend("default" = [], "examples" = [["CI=1"]]))]
    env: Option<Vec<String>>,
}

/// A check as it was written; the time it may take may be left open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckSet {
    pub(crate) check: Check,
    pub(crate) timeout: Option<Duration>,
}

pub(crate) fn read_checks(given: Vec<GivenTable>, problems: &mut Vec<Problem>) -> Vec<Set<CheckSet>> {
    let mut checks: Vec<Set<CheckSet>> = Vec::new();
    for one in given {
        let at = one.at.clone();
        let Some(check) = read(one, problems) else { continue };
        if checks.iter().any(|other| other.value.check.name == check.check.name) {
            let what = format!("two checks are called `{}`", shortened(&check.check.name));
            problems.push(Problem::new(what).at(at.place()).next("give each check a name of its own"));
        }
        checks.push(Set { value: check, origin: at });
    }
    checks
}

fn read(given: GivenTable, problems: &mut Vec<Problem>) -> Option<CheckSet> {
    let already = problems.len();
    let present = |key: &str| given.items.iter().any(|item| item.key == key);
    let missing: Vec<&str> = ["name", "command"].into_iter().filter(|key| !present(key)).collect();
    if !missing.is_empty() {
        let what = format!("the check has no {}", missing.join(", no "));
        problems.push(Problem::new(what).at(given.at.place()).next("a check needs name and command"));
    }
    let mut from = Reader::new(given.items, problems);
    let name = from.take("check", "name", |raw| plain::text(raw, "a name").map(str::to_owned));
    let criterion = from.take("check", "criterion", criterion);
    let command = from.take("check", "command", command);
    let timeout = from.take("check", "timeout", |raw| deadline(raw, DAY));
    let dir = from.take("check", "dir", dir);
    let env = from.take("check", "env", variables);
    from.finish();
    let check = Check {
        name: name?.value,
        criterion: criterion.map_or(Criterion::Custom, |set| set.value),
        command: command?.value,
        dir: dir.map(|set| set.value),
        env: env.map(|set| set.value).unwrap_or_default(),
        timeout: TIMEOUT,
        defined_in: Vec::new(),
    };
    (problems.len() == already).then_some(CheckSet { check, timeout: timeout.map(|set| set.value) })
}

fn command(raw: &Raw) -> Result<Command, Refused> {
    match raw {
        Raw::Text(line) if line.trim().is_empty() => {
            Err(Refused::new("the command is empty", "write a command line"))
        }
        Raw::Text(line) if line.contains('\0') => {
            Err(Refused::new("the command has a NUL byte", "remove it"))
        }
        Raw::Text(line) => Ok(Command::Shell(line.clone())),
        other => command::words(other).map(Command::Program),
    }
}

fn dir(raw: &Raw) -> Result<String, Refused> {
    const RULE: &str = "a directory below the project's root such as \"backend\"";
    let text = plain::text(raw, RULE)?;
    let beneath = std::path::Path::new(text)
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    if text.is_empty() || !beneath {
        return Err(Refused::new(
            format!("`{}` is not below the root", shortened(text)),
            format!("write {RULE}"),
        ));
    }
    Ok(text.to_owned())
}

fn variables(raw: &Raw) -> Result<BTreeMap<String, String>, Refused> {
    const RULE: &str = "an array such as [\"CI=1\"]";
    let pair = |text: &String| {
        let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty())?;
        (!text.contains('\0')).then(|| (name.to_owned(), value.to_owned()))
    };
    let texts = plain::texts(raw, RULE)?;
    texts
        .iter()
        .map(|text| {
            pair(text).ok_or_else(|| {
                let what = format!("`{}` is not NAME=VALUE", shortened(text));
                Refused::new(what, format!("write {RULE}"))
            })
        })
        .collect()
}

/// A criterion that is wanted, with a command where one is given: `test_pass`, or `custom=make check`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) criterion: Criterion,
    pub(crate) command: Option<String>,
}

impl Wanted {
    pub(crate) fn written(&self) -> String {
        let name = self.criterion.name();
        self.command.as_ref().map_or_else(|| name.to_owned(), |command| format!("{name}={command}"))
    }
}

pub(crate) fn wanted(raw: &Raw) -> Result<Vec<Wanted>, Refused> {
    let texts = match raw {
        Raw::Given(text) => from_text(text),
        other => plain::texts(other, "an array of criteria such as [\"test_pass\"]")?,
    };
    texts.iter().map(|text| one(text)).collect()
}

/// Commas separate plain names; a command may have commas of its own.
fn from_text(text: &str) -> Vec<String> {
    text.split('\n')
        .flat_map(|line| match line.contains('=') {
            true => vec![line.to_owned()],
            false => line.split(',').map(str::to_owned).collect(),
        })
        .collect()
}

fn one(text: &str) -> Result<Wanted, Refused> {
    let (name, command) = match text.split_once('=') {
        Some((name, command)) => (name.trim(), Some(command.trim().to_owned())),
        None => (text.trim(), None),
    };
    let criterion = named(name)?;
    match &command {
        Some(command) if command.is_empty() || command.contains('\0') => {
            Err(Refused::new(format!("`{name}=` has no command"), format!("write {name}='COMMAND'")))
        }
        None if criterion == Criterion::Custom => {
            Err(Refused::new("`custom` needs a command", "write custom='COMMAND'"))
        }
        Some(_) | None => Ok(Wanted { criterion, command }),
    }
}

fn criterion(raw: &Raw) -> Result<Criterion, Refused> {
    named(plain::text(raw, &rule())?)
}

fn named(name: &str) -> Result<Criterion, Refused> {
    let names = Criterion::ALL.map(Criterion::name);
    Criterion::ALL.into_iter().find(|criterion| criterion.name() == name).ok_or_else(|| {
        let refused = Refused::new(format!("`{}` is not a criterion", shortened(name)), rule());
        match nearest(name, names) {
            Some(near) => refused.hint(format!("did you mean `{near}`?")),
            None => refused,
        }
    })
}

fn rule() -> String {
    format!("write one of {}", Criterion::ALL.map(Criterion::name).join(", "))
}

pub(crate) fn judge(raw: &Raw) -> Result<Judge, Refused> {
    const RULE: &str = "\"exit\", \"agent\" or \"both\"";
    match plain::text(raw, RULE)? {
        "exit" => Ok(Judge::Exit),
        "agent" => Ok(Judge::Agent),
        "both" => Ok(Judge::Both),
        other => Err(Refused::new(format!("`{}` is no judge", shortened(other)), format!("write {RULE}"))),
    }
}

/// Patterns of paths, as in a `.gitignore`, below the root.
pub(crate) fn patterns(raw: &Raw) -> Result<Vec<String>, Refused> {
    const RULE: &str = "an array of patterns such as [\"tests/**\"]";
    let patterns = match raw {
        Raw::Given(text) => text.lines().map(str::to_owned).collect(),
        other => plain::texts(other, RULE)?,
    };
    let is_wrong = |pattern: &&String| GitignoreBuilder::new("").add_line(None, pattern).is_err();
    match patterns.iter().find(is_wrong) {
        Some(wrong) => {
            let what = format!("`{}` is not a pattern", shortened(wrong));
            Err(Refused::new(what, format!("write {RULE}")))
        }
        None => Ok(patterns),
    }
}

/// The keys that a check has, as they are written.
pub(crate) fn fields(set: &CheckSet) -> Vec<(&'static str, Value)> {
    let CheckSet { check, timeout } = set;
    let mut fields = vec![
        ("name", json!(check.name)),
        ("criterion", json!(check.criterion.name())),
        ("command", json!(check.command)),
    ];
    fields.extend(timeout.map(|timeout| ("timeout", json!(duration::written_out(timeout)))));
    fields.extend(check.dir.as_ref().map(|dir| ("dir", json!(dir))));
    if !check.env.is_empty() {
        let env: Vec<String> = check.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        fields.push(("env", json!(env)));
    }
    fields
}
