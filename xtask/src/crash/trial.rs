//! One run, struck once or three times in a row, resumed, and compared with one that was not disturbed.

use std::fs;

use ralph_testkit::{Project, Ran, extra_attempts, story, survivors};
use serde_json::Value;

use super::lab::Lab;
use super::points::{Call, Pass, Victim, passes};
use super::tracer::trace;
use super::world;

/// How often a run may have to be resumed after the last blow.
const RESUMES: usize = 3;
/// A point that depends on the moment is tried again.
const AIMS: usize = 4;

#[derive(Debug, Clone)]
pub(crate) enum Trial {
    AtStep(Pass, Victim),
    AtCall(Call, Victim),
    Nested([Blow; 3]),
}

/// What falls at the `nth` durable system call of a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blow {
    pub(crate) nth: usize,
    pub(crate) victim: Victim,
}

/// What the blows left.
struct Struck {
    project: Project,
    is_dead: bool,
    code: Option<i32>,
    blows: usize,
}

impl Trial {
    pub(crate) fn name(&self) -> String {
        match self {
            Trial::AtStep(pass, victim) => format!("{pass}, {}", victim.name()),
            Trial::AtCall(call, victim) => format!("call {} {}, {}", call.nth, call.name, victim.name()),
            Trial::Nested(blows) => {
                let each = blows.map(|blow| format!("{} {}", blow.nth, blow.victim.name()));
                format!("nested {}", each.join(", "))
            }
        }
    }

    pub(crate) fn hold(&self, lab: &Lab) -> Result<(), String> {
        let (struck, again, expected) = match self {
            Trial::AtStep(pass, victim) => (at_step(lab, pass, *victim)?, &world::DELAYED, &lab.eventful),
            Trial::AtCall(call, victim) => (at_call(lab, call, *victim)?, &world::RUN, &lab.plain),
            Trial::Nested(blows) => (in_a_row(lab, blows)?, &world::RUN, &lab.plain),
        };
        let project = &struck.project;
        let code = if struck.is_dead { recover(project, again)? } else { struck.code };
        if code != Some(0) {
            return Err(format!("ends with {code:?}{}", keep(struck.project)));
        }
        judge(project, expected, struck.blows).map_err(|why| format!("{why}{}", keep(struck.project)))
    }
}

fn at_step(lab: &Lab, pass: &Pass, victim: Victim) -> Result<Struck, String> {
    for _ in 0..AIMS {
        let project = world::eventful(&lab.binary);
        let log = project.base().join("passes");
        let mut command = project.command(&world::DELAYED);
        command.env("FAILPOINTS_LOG", &log).env("FAILPOINTS", pass.setting(victim));
        let ran: Ran = command.output().map_err(|error| error.to_string())?.into();
        let log = fs::read_to_string(log).unwrap_or_default();
        if passes(&log).iter().any(|other| other.point == pass.point && other.nth == pass.nth) {
            return Ok(Struck { project, is_dead: ran.code.is_none(), code: ran.code, blows: 1 });
        }
    }
    Err("is not reached".to_owned())
}

fn at_call(lab: &Lab, call: &Call, victim: Victim) -> Result<Struck, String> {
    let blow = Blow { nth: call.nth, victim };
    for _ in 0..AIMS {
        let project = world::plain(&lab.binary);
        let traced = trace(project.command(&world::RUN), &project.state_home(), Some(&blow));
        let traced = traced.map_err(|error| error.to_string())?;
        if traced.struck {
            return Ok(Struck { project, is_dead: traced.code.is_none(), code: traced.code, blows: 1 });
        }
    }
    Err("is not reached".to_owned())
}

fn in_a_row(lab: &Lab, blows: &[Blow; 3]) -> Result<Struck, String> {
    let project = world::plain(&lab.binary);
    let mut struck = Struck { project, is_dead: false, code: None, blows: 0 };
    let mut args: &[&str] = &world::RUN;
    for blow in blows {
        let traced = trace(struck.project.command(args), &struck.project.state_home(), Some(blow));
        let traced = traced.map_err(|error| error.to_string())?;
        struck.blows += 1;
        struck.is_dead = traced.code.is_none();
        struck.code = traced.code;
        // The first blow may have come before there was a run.
        struck.is_dead |= traced.code == Some(4);
        if !struck.is_dead {
            break;
        }
        args = &["resume", "--yes"];
    }
    Ok(struck)
}

/// Resumes until the run ends, or starts it again where the blow came before there was one.
fn recover(project: &Project, again: &[&str]) -> Result<Option<i32>, String> {
    for _ in 0..RESUMES {
        let ran = project.ralph(&["resume", "--yes"]);
        match ran.code {
            None => {}
            Some(4) => return Ok(project.ralph(again).code),
            Some(0) => return Ok(ran.code),
            Some(code) => return Err(format!("resume ends with {code}: {}{}", ran.err, ran.out)),
        }
    }
    Err(format!("is not over after {RESUMES} resumptions"))
}

fn judge(project: &Project, expected: &[Value], blows: usize) -> Result<(), String> {
    let journal = project.journal();
    let extra = extra_attempts(&journal);
    if extra > blows {
        return Err(format!("{extra} attempts were lost to {blows} blows"));
    }
    compare(&story(&journal), expected)?;
    let seqs: Vec<u64> = journal.iter().filter_map(|entry| entry["seq"].as_u64()).collect();
    if seqs != (1..=journal.len() as u64).collect::<Vec<_>>() {
        return Err(format!("the journal has gaps: {seqs:?}"));
    }
    if let Ok(violation) = fs::read_to_string(project.base().join("violation")) {
        return Err(format!("two agents at once: {violation}"));
    }
    let trace = fs::read_to_string(project.base().join("trace")).unwrap_or_default();
    let begun = trace.lines().filter(|line| line.starts_with("begin")).count();
    if begun > 3 + blows {
        return Err(format!("{begun} agents were started"));
    }
    tree_is_exact(project)?;
    database_is_sound(project)?;
    nothing_is_left(project)
}

fn compare(story: &[Value], expected: &[Value]) -> Result<(), String> {
    if story == expected {
        return Ok(());
    }
    let differs =
        (0..story.len().max(expected.len())).find(|at| story.get(*at) != expected.get(*at)).unwrap_or(0);
    let line = |story: &[Value]| story.get(differs).map_or("nothing".to_owned(), Value::to_string);
    Err(format!("the journal differs at {differs}:\n  {}\n  instead of {}", line(story), line(expected)))
}

/// Every iteration has left its traces once, whatever was cut short and made again.
fn tree_is_exact(project: &Project) -> Result<(), String> {
    let mut names: Vec<String> = fs::read_dir(project.tree())
        .map_err(|error| error.to_string())?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let log = fs::read_to_string(project.tree().join("log")).unwrap_or_default();
    if names == ["log", "made-1", "made-2", "made-3"] && log == "iteration 1\niteration 2\niteration 3\n" {
        return Ok(());
    }
    Err(format!("the tree is not as it should be: {names:?}, {log:?}"))
}

fn database_is_sound(project: &Project) -> Result<(), String> {
    let doctor = project.ralph(&["doctor", "--json"]);
    let findings: Vec<Value> = serde_json::from_str(&doctor.out).map_err(|error| error.to_string())?;
    match findings.iter().find(|finding| finding["name"] == "database") {
        Some(finding) if finding["state"] == "good" => Ok(()),
        other => Err(format!("the database is not sound: {other:?}")),
    }
}

fn nothing_is_left(project: &Project) -> Result<(), String> {
    let run = project.run_id().ok_or("there is no run")?;
    let left = survivors(&run);
    if left.is_empty() { Ok(()) } else { Err(format!("survivors: {left:?}")) }
}

/// What failed is kept to be looked at.
fn keep(project: Project) -> String {
    format!("\n  kept in {}", project.keep().display())
}
