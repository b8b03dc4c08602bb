//! One run per tree.

use ralph_testkit::{PATIENCE, until};

use crate::agents::{DONE, HELD, begun, has_begun, let_go};
use crate::project;

const STARTS: usize = 100;

#[test]
fn of_a_hundred_starts_one_wins() {
    let project = project().agent(HELD);
    let mut runs: Vec<_> = (0..STARTS).map(|_| project.start(&["run", "do it"])).collect();
    begun(&project, 1, 1);
    let id = std::fs::read_to_string(project.tree().join("run")).unwrap().trim().to_owned();
    let lost = |runs: &mut Vec<ralph_testkit::Live>| {
        runs.iter_mut().filter_map(|run| run.is_over().then_some(())).count()
    };
    until(PATIENCE * 3, "99 refusals", || (lost(&mut runs) == STARTS - 1).then_some(()));
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    let ends: Vec<_> = runs.iter_mut().map(|run| run.end(PATIENCE)).collect();
    let (won, refused): (Vec<_>, Vec<_>) = ends.into_iter().partition(|ran| ran.code == Some(0));
    assert_eq!(won.len(), 1);
    for ran in refused {
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(&id), "{id} in {}", ran.err);
    }
    assert!(!has_begun(&project, 1, 2));
}

#[test]
fn the_first_runs_of_many_projects_may_begin_at_once() {
    let shared = tempfile::tempdir().unwrap();
    let home = shared.path().to_str().unwrap();
    let projects: Vec<_> = (0..20).map(|_| project().agent(DONE).with("XDG_STATE_HOME", home)).collect();
    let mut runs: Vec<_> = projects.iter().map(|project| project.start(&["run", "do it"])).collect();
    for run in &mut runs {
        let ran = run.end(PATIENCE);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
}

#[test]
fn an_agent_is_told_the_tree_it_works_in_and_not_where_ralph_was_started() {
    let project = project().agent(&format!("tr '\\0' '\\n' < /proc/$$/environ | grep ^PWD= > told\n{DONE}"));
    let project = project.with("PWD", "/somewhere/else");
    assert_eq!(project.ralph(&["run", "do it"]).code, Some(0));
    let told = std::fs::read_to_string(project.tree().join("told")).unwrap();
    let tree = project.tree().canonicalize().unwrap();
    assert_eq!(told.trim_end(), format!("PWD={}", tree.display()));
}
