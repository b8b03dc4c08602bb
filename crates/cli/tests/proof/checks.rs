//! Checks that an agent lays its hands on: whatever it does to them is seen, and nothing of it is waited for.

use std::fs;

use ralph_testkit::{Project, Ran, survivors};

use crate::project;

/// A project that a check fails in until `done` is there.
fn with(files: &[(&str, &str)], agent: &str) -> Project {
    let project = project();
    for (name, text) in files {
        let path = project.tree().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    project.agent(agent)
}

/// One iteration, and what was found of tampering.
fn once(project: &Project, more: &[&str]) -> (Ran, Vec<String>) {
    let args = [&["run", "Do it.", "--yes", "--max-iterations", "1"], more].concat();
    let ran = project.ralph(&args);
    let journal = project.journal();
    let checked = journal.iter().find(|entry| entry["type"] == "checked");
    let tampering = checked.and_then(|entry| entry["tampering"].as_array().cloned()).unwrap_or_default();
    (ran, tampering.iter().map(|what| what.as_str().unwrap().to_owned()).collect())
}

fn stop_reason(project: &Project) -> String {
    project.journal().last().unwrap()["stop_reason"].as_str().unwrap_or_default().to_owned()
}

const MAKEFILE: (&str, &str) = ("Makefile", "test:\n\t@test -e done\n");

#[test]
fn the_honest_way_is_believed() {
    let project = with(&[MAKEFILE], "touch done");
    let (ran, tampering) = once(&project, &["--criteria", "test_pass"]);
    assert_eq!((ran.code, tampering), (Some(0), Vec::new()), "{}", ran.err);
}

#[test]
fn a_file_that_takes_the_place_of_a_check_is_seen() {
    let project = with(&[MAKEFILE], r"printf 'test:\n\t@true\n' > GNUmakefile");
    let (ran, tampering) = once(&project, &["--criteria", "test_pass"]);
    assert_eq!(tampering, ["GNUmakefile is part of the checks and was added"], "{}", ran.err);
    assert_eq!((ran.code, stop_reason(&project)), (Some(3), "max_iterations".to_owned()));
}

#[test]
fn settings_and_scripts_of_a_command_that_was_given_are_part_of_it() {
    let checks = [("ci/check.sh", "test -e done\n"), ("ci/ruff", "test -e done\n")];
    for (line, agent, wanted) in [
        (
            "custom=sh ci/check.sh",
            "echo true > ci/check.sh",
            "ci/check.sh is part of the checks and was changed",
        ),
        (
            "custom=cd ci && timeout 60 sh check.sh",
            "echo true > ci/check.sh",
            "ci/check.sh is part of the checks and was changed",
        ),
        ("custom=sh ci/ruff", "touch done ruff.toml", "ruff.toml is part of the checks and was added"),
    ] {
        let project = with(&checks, agent);
        let (ran, tampering) = once(&project, &["--criteria", line]);
        assert_eq!(tampering, [wanted], "{}", ran.err);
        assert_eq!(ran.code, Some(3), "{}", ran.out);
    }
}

#[test]
fn a_pipe_or_a_device_in_place_of_a_protected_file_holds_nothing_up() {
    let files = [("tests/a", "one"), ("tests/b", "two"), ("tests/c", "three")];
    let agent = "touch done; rm tests/*; mkfifo tests/a; ln -s /dev/zero tests/b; ln -s /dev/null tests/c";
    let project = with(&files, agent);
    let (ran, tampering) = once(&project, &["--criteria", "custom=test -e done", "--protect", "tests/*"]);
    assert_eq!(tampering.len(), 3, "{tampering:?}\n{}", ran.err);
    assert!(tampering.iter().all(|what| what.ends_with("was changed")), "{tampering:?}");
    assert_eq!((ran.code, stop_reason(&project)), (Some(3), "max_iterations".to_owned()));
}

#[test]
fn a_project_does_not_allow_its_own_checks_to_be_changed_unasked() {
    let allow = (".ralph/config.toml", "[verify]\nallow_tampering = true\n");
    let project = with(&[MAKEFILE, allow], r"printf 'test:\n\t@true\n' > Makefile");
    let refused = project.ralph(&["run", "Do it.", "--criteria", "test_pass"]);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.err.contains("lets the agent change the checks that it is judged by"), "{}", refused.err);
    assert_eq!(project.ralph(&["trust", "--yes"]).code, Some(0));
    let (ran, tampering) = once(&project, &["--criteria", "test_pass"]);
    assert_eq!((ran.code, tampering.len()), (Some(0), 1), "it is reported all the same: {}", ran.err);
}

#[test]
fn a_check_that_must_be_red_at_first_and_is_not_ends_the_run() {
    let project = with(&[MAKEFILE, ("done", "")], "true").with("RALPH_SET_VERIFY__RED_FIRST", "true");
    let (ran, _) = once(&project, &["--criteria", "test_pass"]);
    assert_eq!((ran.code, stop_reason(&project)), (Some(1), "failed".to_owned()), "{}", ran.err);
    assert!(ran.out.contains("a check was to fail before the work begins"), "{}", ran.out);
    let again = project.ralph(&["resume"]);
    assert!(again.out.contains("a check was to fail before the work begins"), "{}{}", again.out, again.err);
    assert!(!project.events().contains(&"attempt_started".to_owned()), "{:?}", project.events());
    let why = project.ralph(&["why"]);
    assert!(why.out.contains("test_pass passes already: leave --red-first"), "{}", why.out);
    assert!(!why.out.contains("doctor"), "{}", why.out);
}

#[test]
fn a_project_does_not_make_less_count_as_done_than_the_person_asks_for() {
    let loosening =
        "[completion]\nrequire = [\"promise\"]\n[promise]\nnonce = false\n[verify]\njudge = \"exit\"\n";
    let project = with(&[(".ralph/config.toml", loosening)], "echo '<promise>COMPLETE</promise>'");
    let args = ["run", "Do it.", "--max-iterations", "1", "--criteria", "custom=test -e done"];
    let refused = project.ralph(&args);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    for effect in
        ["counts a task as done by: promise", "without this run's nonce", "lets the checks judge alone"]
    {
        assert!(refused.err.contains(effect), "{effect}: {}", refused.err);
    }
    assert_eq!(project.ralph(&["trust", "--yes"]).code, Some(0));
    let idle = project.ralph(&args);
    assert_eq!(idle.code, Some(2), "a check that decides nothing was typed: {}", idle.out);
    assert!(idle.err.contains("--require criteria,promise"), "{}", idle.err);
}

#[test]
fn a_secret_in_a_check_is_refused_before_it_is_stored() {
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let table = format!("[[check]]\nname = \"a\"\ncommand = \"true\"\nenv = [\"ACCESS={secret}\"]\n");
    let line = format!("custom=curl -H 'Authorization: Bearer {secret}' localhost");
    for (files, more) in
        [(vec![], vec!["--criteria", line.as_str()]), (vec![(".ralph/config.toml", table.as_str())], vec![])]
    {
        let project = with(&files, "true");
        let ran = project.ralph(&[&["run", "Do it.", "--yes"], &more[..]].concat());
        assert_eq!(ran.code, Some(2), "{}", ran.out);
        assert!(
            ran.err.contains("looks like a secret") && ran.err.contains("environment variable"),
            "{}",
            ran.err
        );
        assert!(!ran.err.contains(secret), "{}", ran.err);
        assert!(project.run_id().is_none(), "nothing was begun");
    }
}

#[test]
fn what_checks_print_is_kept_apart_whatever_they_are_called() {
    let long = "x".repeat(300);
    let table = |name: &str, word: &str| format!("[[check]]\nname = \"{name}\"\ncommand = \"echo {word}\"\n");
    let text = table("a b", "one") + &table("a_b", "two") + &table(&long, "three");
    let project = with(&[(".ralph/config.toml", &text)], "true");
    let (ran, _) = once(&project, &[]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    let place = project.state().join("output").join(project.run_id().unwrap()).join("0001-01");
    let cut = format!("check-3-{}", "x".repeat(40));
    for name in ["check-1-a_b", "check-2-a_b", &cut] {
        assert!(place.join(name).is_dir(), "{name} in {}", place.display());
    }
}

#[test]
fn a_check_that_puts_itself_back_is_seen_before_it_does() {
    let agent = "cp check.sh ../kept; printf 'cat ../kept > check.sh\nexit 0\n' > check.sh";
    let project = with(&[("check.sh", "test -e done\n")], agent);
    let (ran, tampering) = once(&project, &["--criteria", "custom=sh check.sh"]);
    assert_eq!(tampering, ["check.sh is part of the checks and was changed"], "{}", ran.err);
    assert_eq!(ran.code, Some(3));
}

#[test]
fn what_is_added_among_protected_files_is_seen() {
    let test = ("tests/t.sh", "if [ -e tests/setup.sh ]; then . tests/setup.sh; fi\ntest -e done\n");
    let project = with(&[test], "echo 'exit 0' > tests/setup.sh");
    let (ran, tampering) = once(&project, &["--criteria", "custom=sh tests/t.sh", "--protect", "tests"]);
    assert_eq!(tampering, ["tests/setup.sh is protected and was added"], "{}", ran.err);
    assert_eq!(ran.code, Some(3));
}

#[test]
fn a_pattern_that_protects_nothing_is_refused() {
    let project = with(&[MAKEFILE], "touch done");
    let ran = project.ralph(&["run", "Do it.", "--yes", "--criteria", "test_pass", "--protect", "test/**"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("no file is there that `test/**` names"), "{}", ran.err);
}

#[test]
fn what_a_check_writes_itself_is_not_the_agents_doing() {
    let check = ("tests/t.sh", "date +%s%N > tests/report\ntest -e done\n");
    let agent = "if [ $RALPH_ITERATION = 2 ]; then touch done; fi";
    let project = with(&[check, ("tests/report", "old\n")], agent);
    let args = ["run", "Do it.", "--criteria", "custom=sh tests/t.sh", "--protect", "tests"];
    let ran = project.ralph(&args);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("the checks change this themselves"), "{}", ran.out);
}

#[test]
fn what_checks_leave_behind_is_no_progress() {
    let project = with(&[("t.sh", "date +%s%N > report.txt; exit 1\n")], "true");
    let ran = project.ralph(&["run", "Do it.", "--criteria", "custom=sh t.sh", "--max-iterations", "6"]);
    assert_eq!((ran.code, stop_reason(&project)), (Some(3), "no_progress".to_owned()), "{}", ran.out);
}

#[test]
fn a_check_that_ends_its_own_guard_costs_no_further_attempt_of_the_agent() {
    let project = with(&[], "touch done; echo once >> ../attempts");
    let check = "custom=if [ -e done ]; then kill -9 $PPID; sleep 60; fi; false";
    let (ran, _) = once(&project, &["--criteria", check, "--max-consecutive-failures", "3"]);
    assert_eq!((ran.code, stop_reason(&project)), (Some(1), "failed".to_owned()), "{}{}", ran.out, ran.err);
    let wanted = "3 failures in a row, the last: its guard process died while the checks were run";
    assert!(ran.out.contains(wanted), "{}", ran.out);
    assert_eq!(fs::read_to_string(project.base().join("attempts")).unwrap(), "once\n");
    assert!(project.tree().join("done").exists(), "what the agent did is still there");
    let run = project.run_id().unwrap();
    assert!(survivors(&run).is_empty(), "{:?}", survivors(&run));
}

#[test]
fn a_check_that_is_killed_has_failed_and_nothing_more() {
    let project = with(&[], "touch done; echo once >> ../attempts");
    let check = "custom=if [ -e done ]; then kill -9 $$; fi; false";
    let ran = project.ralph(&["run", "Do it.", "--yes", "--max-iterations", "2", "--criteria", check]);
    assert_eq!(
        (ran.code, stop_reason(&project)),
        (Some(3), "max_iterations".to_owned()),
        "{}{}",
        ran.out,
        ran.err
    );
    assert_eq!(fs::read_to_string(project.base().join("attempts")).unwrap(), "once\nonce\n");
    let journal = project.journal();
    let checked: Vec<_> = journal.iter().filter(|entry| entry["type"] == "checked").collect();
    assert_eq!(checked.len(), 2);
    for entry in checked {
        let result = &entry["checks"][0];
        assert_eq!((&result["exit"]["signal"], &result["passed"]), (&9.into(), &false.into()), "{result}");
    }
    assert!(!journal.iter().any(|entry| entry["type"] == "notice"), "{:?}", project.events());
}
