//! The real agent programs, driven by ralph, against a scripted model server on loopback.
//!
//! The programs come from the package registry, pinned by a lock file, and are installed once per target directory.
//! One test, so that the programs are not started all at once: two at a time is what two cores bear.

mod scenario;

use std::sync::Mutex;
use std::time::Instant;

use ralph_testkit::programs::{Program, install, target_dir};
use scenario::{Case, Scenario};

#[test]
fn every_real_program_is_kept_at_its_task() {
    let programs = install(&target_dir()).unwrap();
    let work = cases();
    let queue = Mutex::new(work.into_iter());
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(case) = queue.lock().unwrap().next() else { return };
                    let begun = Instant::now();
                    let outcome = case.play(&programs);
                    let seconds = begun.elapsed().as_secs_f64();
                    rows.lock().unwrap().push((case, outcome, seconds));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap();
    rows.sort_by_key(|(case, ..)| (case.program.name(), case.speech(), case.scenario.name()));
    println!("\n{:<9} {:<9} {:<5} {:<28} {:>7}  result", "program", "version", "by", "scenario", "seconds");
    for (case, outcome, seconds) in &rows {
        let result = outcome.as_ref().map_or_else(String::as_str, |()| "ok");
        let (name, scenario) = (case.program.name(), case.scenario.name());
        let version = programs.version(case.program);
        println!("{name:<9} {version:<9} {:<5} {scenario:<28} {seconds:>7.1}  {result}", case.speech());
    }
    let failed = rows.iter().filter(|(.., outcome, _)| outcome.is_err()).count();
    assert_eq!(failed, 0, "{failed} of {} scenarios failed", rows.len());
}

/// Every program in its own language, and those that can in the Agent Client Protocol as well. `REAL_ONLY=opencode/acp`
/// plays one program in one language.
fn cases() -> Vec<Case> {
    let only = std::env::var("REAL_ONLY").ok();
    let mut all = Vec::new();
    for program in Program::ALL {
        all.extend(Scenario::OWN.map(|scenario| Case { program, is_acp: false, scenario }));
        if program.acp_arguments().is_some() {
            all.extend(Scenario::ACP.map(|scenario| Case { program, is_acp: true, scenario }));
        }
    }
    all.retain(|case| {
        only.as_ref().is_none_or(|only| *only == format!("{}/{}", case.program.name(), case.speech()))
    });
    all
}
