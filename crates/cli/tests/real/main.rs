//! The real agent programs, driven by ralph, against a scripted model server on loopback.
//!
//! The programs come from the package registry, pinned by a lock file, and are installed once per target directory.
//! One test, so that the programs are not started all at once: two at a time is what two cores bear.

mod machine;
mod scenario;

use std::sync::Mutex;
use std::time::Instant;

use ralph_testkit::programs::{Program, install, target_dir};
use scenario::Scenario;

#[test]
fn every_real_program_is_kept_at_its_task() {
    let programs = install(&target_dir()).unwrap();
    let work: Vec<(Program, Scenario)> =
        Program::ALL.iter().flat_map(|program| Scenario::ALL.map(|scenario| (*program, scenario))).collect();
    let queue = Mutex::new(work.into_iter());
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((program, scenario)) = queue.lock().unwrap().next() else { return };
                    let begun = Instant::now();
                    let outcome = scenario.play(program, &programs);
                    let seconds = begun.elapsed().as_secs_f64();
                    rows.lock().unwrap().push((program, scenario, outcome, seconds));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap();
    rows.sort_by_key(|(program, scenario, ..)| (program.name(), scenario.name()));
    println!("\n{:<9} {:<9} {:<28} {:>7}  result", "program", "version", "scenario", "seconds");
    for (program, scenario, outcome, seconds) in &rows {
        let result = outcome.as_ref().map_or_else(String::as_str, |()| "ok");
        let version = programs.version(*program);
        println!("{:<9} {version:<9} {:<28} {seconds:>7.1}  {result}", program.name(), scenario.name());
    }
    let failed = rows.iter().filter(|(.., outcome, _)| outcome.is_err()).count();
    assert_eq!(failed, 0, "{failed} of {} scenarios failed", rows.len());
}
