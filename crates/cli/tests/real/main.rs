//! The real agent programs, driven by ralph, against a scripted model server on loopback.
//!
//! The programs come from the package registry, pinned by a lock file, and are installed once per target directory.
//! One test, so that the programs are not started all at once: two at a time is what two cores bear.

mod asked;
mod handover;
mod judged;
mod known;
mod machine;
mod opencode_script;
mod opencode_server;
mod scenario;
mod tool;

use std::sync::Mutex;
use std::time::Instant;

use opencode_server::Scene;
use ralph_testkit::programs::{Program, Programs, install, target_dir};
use scenario::{Case, Scenario};

#[test]
fn every_real_program_is_kept_at_its_task() {
    let programs = install(&target_dir()).unwrap();
    let mut work: Vec<Part> = handover::PAIRS.map(Part::Handover).to_vec();
    work.extend(Scene::ALL.map(Part::Server));
    work.push(Part::Models);
    work.extend(Program::ALL.map(Part::Preflight));
    work.extend([Program::Codex, Program::OpenCode].map(Part::Picture));
    work.extend(Program::ALL.map(Part::Judged));
    work.extend(tool::CASES.map(Part::Tool));
    work.extend(known::CASES.map(Part::Known));
    work.extend(cases().into_iter().map(Part::Alone));
    // To look at some alone: RALPH_REAL=claude, RALPH_REAL='kept inside'.
    let wanted = std::env::var("RALPH_REAL").unwrap_or_default();
    work.retain(|part| part.label(&programs).contains(&wanted));
    let queue = Mutex::new(work.into_iter());
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(part) = queue.lock().unwrap().next() else { return };
                    let begun = Instant::now();
                    let outcome = part.play(&programs);
                    let seconds = begun.elapsed().as_secs_f64();
                    rows.lock().unwrap().push((part.label(&programs), outcome, seconds));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap();
    rows.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    println!("\n{:<9} {:<9} {:<5} {:<28} {:>7}  result", "program", "version", "by", "scenario", "seconds");
    for (label, outcome, seconds) in &rows {
        let result = outcome.as_ref().map_or_else(String::as_str, |()| "ok");
        println!("{label} {seconds:>7.1}  {result}");
    }
    assert!(!rows.is_empty(), "no scenario is called {wanted}");
    let failed = rows.iter().filter(|(_, outcome, _)| outcome.is_err()).count();
    assert_eq!(failed, 0, "{failed} of {} scenarios failed", rows.len());
}

/// Every program in its own language, and those that can in the Agent Client Protocol as well.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for program in Program::ALL {
        all.extend(Scenario::OWN.map(|scenario| Case { program, is_acp: false, scenario }));
        if program.acp_arguments().is_some() {
            all.extend(Scenario::ACP.map(|scenario| Case { program, is_acp: true, scenario }));
        }
    }
    all
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Alone(Case),
    Handover((Program, Program)),
    Judged(Program),
    Models,
    Server(Scene),
    Preflight(Program),
    Picture(Program),
    Tool(tool::Case),
    Known(known::Case),
}

impl Part {
    fn play(self, programs: &Programs) -> Result<(), String> {
        match self {
            Part::Alone(case) => case.play(programs),
            Part::Handover(pair) => handover::play(pair, programs),
            Part::Judged(program) => judged::play(program, programs),
            Part::Models => asked::models(programs),
            Part::Server(scene) => scene.play(programs),
            Part::Preflight(program) => asked::preflight(program, programs),
            Part::Picture(program) => asked::picture(program, programs),
            Part::Tool(case) => tool::play(case, programs),
            Part::Known(case) => known::play(case, programs),
        }
    }

    /// The row's first columns.
    fn label(self, programs: &Programs) -> String {
        let (program, speech, scenario) = match self {
            Part::Alone(case) => (case.program, case.speech(), case.scenario.name().to_owned()),
            Part::Handover((first, second)) => (first, "own", format!("at its limit to {}", second.name())),
            Part::Judged(program) => (program, "own", "objects, then agrees".to_owned()),
            Part::Models => (Program::OpenCode, "own", "its models".to_owned()),
            Part::Server(scene) => (Program::OpenCode, "http", scene.name().to_owned()),
            Part::Preflight(program) => (program, "own", "preflight".to_owned()),
            Part::Picture(program) => (program, "own", "a picture attached".to_owned()),
            Part::Known((program, sandbox)) => (program, "mcp", format!("searches, remembers, {sandbox}")),
            Part::Tool((program, sandbox)) => (program, "mcp", format!("says so by a tool, {sandbox}")),
        };
        format!("{:<9} {:<9} {speech:<5} {scenario:<28}", program.name(), programs.version(program))
    }
}
