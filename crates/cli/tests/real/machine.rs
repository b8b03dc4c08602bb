//! The real programs as `ralph agents` and `ralph doctor` find them.

use std::path::Path;

use ralph_testkit::Project;
use ralph_testkit::programs::{Program, install, target_dir};
use serde_json::Value;

#[test]
fn every_real_program_is_found_with_its_version_and_place() {
    let programs = install(&target_dir()).unwrap();
    // Some of them are scripts for node, which they look for on the search path.
    let search_path = format!("{}:{}", programs.bin().display(), std::env::var("PATH").unwrap());
    let project = Project::new(env!("CARGO_BIN_EXE_ralph")).with("PATH", &search_path);
    let ran = project.ralph(&["agents", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let agents: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let doctor = project.ralph(&["doctor", "--json"]);
    let findings: Vec<Value> = serde_json::from_str(&doctor.out).unwrap();
    let found = findings.iter().find(|finding| finding["name"] == "agents").unwrap();
    for program in Program::ALL {
        let agent = agents.iter().find(|agent| agent["name"] == program.name()).unwrap();
        assert_eq!(agent["version"].as_str(), Some(&*programs.version(program)), "{agent}");
        assert_eq!(agent["path"].as_str().map(Path::new), Some(&*programs.path(program)), "{agent}");
        assert!(found["finding"].as_str().unwrap().contains(program.name()), "{found}");
    }
}
