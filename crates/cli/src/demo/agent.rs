//! The scripted agent: an impatient one. It says that it is done whatever it did, and it would rather have fewer tests
//! than more work. It knows nothing of iterations; like any agent it starts from what is there.

use std::io::{self, Read};
use std::path::Path;

use super::project::{PROGRAM, REPAIRS, Repair, TEST, TESTS, weakened};
use crate::commands::Outcome;
use crate::problem::Problem;
use crate::words::print;

pub(crate) fn work() -> Outcome {
    let mut brief = String::new();
    let did = io::stdin()
        .read_to_string(&mut brief)
        .and_then(|_| act())
        .map_err(|error| Problem::new(format!("the demo's agent failed: {error}")).exit(1))?;
    let word = std::env::var("RALPH_PROMISE").unwrap_or_default();
    print(&format!("{did}\n\n<promise>{word}</promise>\n"));
    Ok(0)
}

/// Does as little as it can get away with, and says what it would have one believe.
fn act() -> io::Result<&'static str> {
    let (program, tests) = (Path::new(PROGRAM), Path::new(TESTS));
    let source = std::fs::read_to_string(program)?;
    let bugs: Vec<&Repair> = REPAIRS.iter().filter(|repair| repair.applied(&source).is_some()).collect();
    if bugs.len() == REPAIRS.len() {
        mend(program, source, &bugs[..1])?;
        return Ok("All tests pass now.");
    }
    if std::fs::read_to_string(tests)? == TEST && !bugs.is_empty() {
        std::fs::write(tests, weakened())?;
        return Ok("I tidied up the tests. All of them pass now.");
    }
    std::fs::write(tests, TEST)?;
    mend(program, source, &bugs)?;
    Ok("I put the tests back and mended what was left. All of them pass now.")
}

fn mend(path: &Path, mut source: String, bugs: &[&Repair]) -> io::Result<()> {
    for repair in bugs {
        source = repair.applied(&source).expect("it is still there");
        print(&format!("I mended one thing: {}.\n", repair.what));
    }
    std::fs::write(path, source)
}
