//! What all trials share: the binary, and what an undisturbed run looks like.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ralph_testkit::{Project, story};
use serde_json::Value;

use super::points::{Call, Pass, Victim, passes};
use super::tracer::trace;
use super::world;
use crate::cargo::{cargo, succeed, target};

/// How many undisturbed runs are looked at.
const COUNTS: usize = 8;

#[derive(Debug)]
pub(crate) struct Lab {
    pub(crate) binary: PathBuf,
    pub(crate) passes: Vec<Pass>,
    pub(crate) calls: Vec<Call>,
    /// What the undisturbed runs came to.
    pub(crate) eventful: Vec<Value>,
    pub(crate) plain: Vec<Value>,
}

impl Lab {
    pub(crate) fn set_up() -> Result<Lab> {
        let binary = build()?;
        let (passes, eventful) = shortest(|| count_passes(&binary))?;
        let (calls, plain) = shortest(|| count_calls(&binary))?;
        Ok(Lab { binary, passes, calls, eventful, plain })
    }

    /// How many blows there are to try: every point for ralph, and where there is a guard for guard and both.
    pub(crate) fn blows(&self) -> usize {
        let guarded =
            self.passes.iter().map(|pass| pass.guarded).chain(self.calls.iter().map(|call| call.guarded));
        guarded.map(|guarded| if guarded { Victim::ALL.len() } else { 1 }).sum()
    }
}

/// On a loaded machine an attempt may live long enough for the loop to look around and write once more. What is
/// there in the shortest run is there in every run.
fn shortest<T>(count: impl Fn() -> Result<(Vec<T>, Vec<Value>)>) -> Result<(Vec<T>, Vec<Value>)> {
    let mut best = count()?;
    for _ in 1..COUNTS {
        let other = count()?;
        if other.0.len() < best.0.len() {
            best = other;
        }
    }
    Ok(best)
}

/// The one that the tests run: they are built with all features, and so with the fail-points. A test that is built
/// along asks for it with just the features that all tests have, so that nothing is compiled twice; the copy stays what
/// it is whatever is built meanwhile.
fn build() -> Result<PathBuf> {
    let tests = ["test", "--workspace", "--all-features", "--locked", "--no-run", "--test", "help"];
    succeed(cargo().args(tests)).context("the binary with fail-points does not build")?;
    let target = target()?;
    let binary = target.join("crash/ralph");
    fs::create_dir_all(target.join("crash"))?;
    fs::copy(target.join("debug/ralph"), &binary).context("cannot copy the binary with fail-points")?;
    Ok(binary)
}

fn count_passes(binary: &Path) -> Result<(Vec<Pass>, Vec<Value>)> {
    let project = world::eventful(binary);
    let log = project.base().join("passes");
    let ran = project.command(&world::DELAYED).env("FAILPOINTS_LOG", &log).output()?;
    ensure!(ran.status.success(), "the undisturbed run fails: {}", String::from_utf8_lossy(&ran.stderr));
    Ok((passes(&fs::read_to_string(log)?), told(&project)))
}

fn count_calls(binary: &Path) -> Result<(Vec<Call>, Vec<Value>)> {
    let project = world::plain(binary);
    let traced = trace(project.command(&world::RUN), &project.state_home(), None)?;
    ensure!(traced.code == Some(0), "the undisturbed run fails under the tracer: {:?}", traced.code);
    Ok((traced.calls, told(&project)))
}

fn told(project: &Project) -> Vec<Value> {
    story(&project.journal())
}
