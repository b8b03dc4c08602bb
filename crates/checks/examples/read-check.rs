//! Shows what is read from an output: `read-check EXIT FILE…`.

use ralph_checks::{Exit, Output, Root, read};

fn main() {
    let mut args = std::env::args().skip(1);
    let exit = Exit::Code(args.next().and_then(|code| code.parse().ok()).unwrap_or_default());
    for path in args {
        let bytes = std::fs::read(&path).expect("a file that can be read");
        let found = read(&Output { tool: None, exit, root: &Root::unknown(), bytes: &bytes });
        println!("{path}: {:?} {:?} cut: {}", found.counts, found.sources, found.truncated);
        for failure in &found.failures {
            let place = failure.location.as_ref().map(ToString::to_string).unwrap_or_default();
            println!(
                "  {} {:?} {}\n    {place}\n    {:?}",
                failure.fingerprint, failure.source, failure.title, failure.message
            );
        }
    }
}
