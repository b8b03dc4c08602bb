//! The scripted agent: looks at the tree, mends the first bug it finds, runs the tests, and promises only when
//! they pass. It knows nothing of iterations; like any agent it starts from what is there.

use std::io::Read;
use std::path::Path;

use super::project::{REPAIRS, test};
use crate::commands::Outcome;
use crate::problem::Problem;
use crate::words::print;

pub(crate) fn work() -> Outcome {
    let io = |error: std::io::Error| Problem::new(format!("the demo's agent failed: {error}")).exit(1);
    let mut brief = String::new();
    std::io::stdin().read_to_string(&mut brief).map_err(io)?;
    print(&format!("I have read the brief ({} lines).\n", brief.lines().count()));
    let path = Path::new("src/lib.rs");
    let source = std::fs::read_to_string(path).map_err(io)?;
    let mended = REPAIRS.iter().find_map(|repair| Some((repair, repair.applied(&source)?)));
    if let Some((repair, text)) = mended {
        std::fs::write(path, text).map_err(io)?;
        print(&format!("I mended one thing: {}.\n", repair.what));
    }
    let tested = test(Path::new(".")).map_err(io)?;
    for line in tested.summary() {
        print(&format!("{line}\n"));
    }
    if tested.passed {
        let word = std::env::var("RALPH_PROMISE").unwrap_or_default();
        print(&format!("Every test passes.\n\n<promise>{word}</promise>\n"));
    } else {
        print("There is more to do; I leave the rest for the next iteration.\n");
    }
    Ok(0)
}
