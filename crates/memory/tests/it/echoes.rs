//! What a brief tells anyway, and what quotes the last error, does not take the place of what would help.

use ralph_core::id::RunId;
use ralph_core::note::{Draft, Kind, KindName, Observation, Origin, Scope, TerminalSnapshot};
use ralph_memory::{Allowance, Hydration, Need, hydrate};

use crate::hydration::{need, of};
use crate::{Memory, wait};

const ERROR: &str = "ConnectionRefusedError: redis broker not reachable on startup";
const CURE: &str =
    "Start the redis broker with make broker before the login tests, else ConnectionRefusedError";

fn run(name: &str) -> RunId {
    RunId::parse(name).unwrap()
}

/// As a failing check leaves it.
fn failing(of_run: &str, iteration: u32) -> Draft {
    let terminal =
        TerminalSnapshot { command: "pytest".to_owned(), exit_code: Some(1), text: ERROR.to_owned() };
    let triggers = vec![format!("error: {ERROR}")];
    let mut draft = Draft::new(Kind::Gotcha { triggers, terminal: Some(terminal) }, ERROR);
    draft.title = "Test failure: test_login".to_owned();
    draft.origin = Origin::Tool;
    draft.files = vec!["login.py".to_owned()];
    seen_in(draft, of_run, iteration)
}

fn seen_in(mut draft: Draft, of_run: &str, iteration: u32) -> Draft {
    draft.scope = Scope::Task { task: need("").task };
    draft.source.run = Some(run(of_run));
    draft.source.iteration = Some(iteration);
    draft
}

fn cure() -> Draft {
    let mut draft = of(Kind::Gotcha { triggers: Vec::new(), terminal: None }, CURE);
    draft.origin = Origin::Person;
    draft
}

fn after_a_failure(run_of_brief: Option<&str>) -> Need {
    Need {
        files: vec!["login.py".to_owned()],
        run: run_of_brief.map(run),
        ..need(&format!("add a remember-me box to the login page\ntest_login: {ERROR}"))
    }
}

fn hydrated(memory: &Memory, need: &Need) -> Hydration {
    let shelves = ralph_memory::Shelves { project: &memory.store, global: None };
    wait(hydrate(&shelves, need, &Allowance::default(), None, memory.now())).unwrap()
}

#[test]
fn what_the_last_check_printed_does_not_push_out_the_cure() {
    let memory = Memory::new();
    for number in 0..30 {
        memory.say(&format!("Filler number {number} about nothing in particular"));
    }
    let cure = memory.put(cure());
    let echoes: Vec<_> = (1..=40).map(|iteration| memory.put(failing("run100000000", iteration))).collect();
    let taken = hydrated(&memory, &after_a_failure(Some("run100000000"))).notes();
    assert!(taken.contains(&cure), "{taken:?}");
    assert!(echoes.iter().all(|echo| !taken.contains(echo)), "the brief says what fails: {taken:?}");
    let taken = hydrated(&memory, &after_a_failure(Some("run200000000"))).notes();
    assert!(taken.contains(&cure), "nor does what an earlier run was told: {taken:?}");
    let taken = hydrated(&memory, &after_a_failure(None)).notes();
    assert!(taken.contains(&cure) && echoes.iter().any(|echo| taken.contains(echo)), "{taken:?}");
}

#[test]
fn how_the_checks_came_out_is_in_no_brief() {
    let memory = Memory::new();
    for iteration in 1..=12 {
        let tool = Observation::ToolUse { tool: "checks".to_owned() };
        let mut draft = of(Kind::Observation(tool), "custom fails (exit code 1): 1 found");
        draft.title = format!("Checks after iteration {iteration}");
        draft.files = vec!["login.py".to_owned()];
        draft.tags = vec!["outcome".to_owned()];
        memory.put(seen_in(draft, "run100000000", iteration));
    }
    let mut edited = of(Kind::Observation(Observation::Discovery), "the session cookie is signed twice");
    edited.files = vec!["login.py".to_owned()];
    let edited = memory.put(edited);
    let chosen = hydrated(&memory, &after_a_failure(Some("run100000000")));
    assert_eq!(chosen.notes(), [edited], "{chosen:?}");
}

#[test]
fn of_what_failed_in_this_task_the_newest_is_told() {
    let memory = Memory::new();
    let failed: Vec<_> = (1..=8)
        .map(|iteration| {
            let words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
            let approach = format!("login page by {} {iteration}", words[iteration as usize - 1]);
            let kind = Kind::Failure {
                approach: approach.clone(),
                diff: Some(format!("d{iteration}")),
                errors: vec![format!("e{iteration}")],
            };
            let mut draft = of(kind, &approach);
            draft.files = vec!["login.py".to_owned()];
            memory.put(seen_in(draft, "run100000000", iteration))
        })
        .collect();
    let chosen = hydrated(&memory, &after_a_failure(Some("run100000000")));
    let taken: Vec<_> =
        chosen.taken.iter().filter(|one| one.note.said.kind.name() == KindName::Failure).collect();
    let ids: Vec<_> = taken.iter().map(|one| one.note.id.clone()).collect();
    assert_eq!(ids, [failed[7].clone(), failed[6].clone(), failed[5].clone()]);
}
