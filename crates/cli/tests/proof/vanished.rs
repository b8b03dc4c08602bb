//! The state directory is deleted under a running ralph.

use std::time::{Duration, Instant};

use ralph_testkit::{PATIENCE, survivors};

use crate::agents::{HELD, begun};
use crate::project;

#[test]
fn a_deleted_state_directory_is_noticed_and_what_is_in_memory_is_kept() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    let id = project.run_id().unwrap();
    std::fs::remove_dir_all(project.state_home()).unwrap();
    let start = Instant::now();
    let ran = run.end(PATIENCE);
    // Two seconds to notice; ending the agent takes what it takes.
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(survivors(&id), []);
    let told = ran.err.split_whitespace().find(|word| word.contains("-rescued-")).expect(&ran.err);
    let dump = std::fs::read_to_string(told.trim_end_matches([',', '.', ';'])).unwrap();
    let dump: serde_json::Value = serde_json::from_str(&dump).unwrap();
    assert_eq!(dump["run"]["id"], id.as_str());
    assert!(!project.state_home().exists(), "nothing is written where a person deleted");
}
