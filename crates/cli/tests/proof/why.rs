//! `ralph why`: what a stop, and the verdict on an iteration, rest on.

use ralph_testkit::{Project, Ran};
use serde_json::Value;

use crate::project;

/// Two tests, each of which passes once its file says `right`.
const TESTS: &str = r##"
n=0 code=0
for name in alpha beta; do
  n=$((n + 1))
  if [ "$(cat $name 2> /dev/null)" = right ]; then echo "ok $n - $name works"
  else echo "not ok $n - $name works"; echo "# $name is $(cat $name 2> /dev/null)"; code=1; fi
done
exit $code
"##;

/// A run of an agent that is this script, checked with the tests above.
fn ran(agent: &str, flags: &[&str]) -> (Project, Ran) {
    let project = project().agent(&format!("cat > /dev/null\n{agent}"));
    let tests = project.script("tests.sh", TESTS);
    let criterion = format!("test_pass={}", tests.display());
    let mut args = vec!["run", "Make it right", "--criteria", &criterion];
    args.extend(flags);
    let ran = project.ralph(&args);
    (project, ran)
}

fn why(project: &Project, args: &[&str]) -> String {
    let ran = project.ralph(&[&["why"], args].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 200), "{}", ran.out);
    ran.out
}

fn json(project: &Project, args: &[&str]) -> Value {
    serde_json::from_str(&why(project, &[args, &["--json"]].concat())).expect("JSON")
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` in\n{text}");
    }
}

#[test]
fn a_claim_that_the_tests_contradict_is_told_with_the_tests_by_name() {
    let (project, ran) =
        ran("echo right > alpha\necho \"<promise>$RALPH_PROMISE</promise>\"", &["--max-iterations", "1"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    has(&ran.out, &["✗ the agent says it is done, and is not believed"]);
    let told = why(&project, &[]);
    has(
        &told,
        &[
            "✘ max_iterations: iteration 1 of 1 ended without completion",
            "before  ████████████████████████  2",
            "     1  ████████████              1  said done, not believed",
            "exit code 1 after",
            "passed 0 → 1, failed 2 → 1",
            "= still beta works: beta is",
            "- gone  alpha works: alpha is",
            "✗ not complete, whatever it says",
            "next: ralph run \"PROMPT\" --max-iterations 2",
        ],
    );
    let value = json(&project, &[]);
    let check = &value["iterations"][0]["checks"][0];
    assert_eq!(check["went"][0]["title"], "alpha works");
    assert_eq!(check["stayed"][0]["title"], "beta works");
    assert_eq!((&check["failing_before"], &check["failing"]), (&2.into(), &1.into()));
    assert_eq!(value["iterations"][0]["claim"]["claim"], "made");
    has(
        &project.ralph(&["status"]).out,
        &["failing   █▄ 2 → 1", "check     test_pass fails", "next\n", "  ralph why"],
    );
}

#[test]
fn no_progress_is_told_with_the_count_and_the_limit() {
    let (project, ran) = ran("true", &["--max-no-progress", "2", "--max-iterations", "6"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    has(
        &why(&project, &[]),
        &[
            "✘ no_progress: 2 iterations in a row left files, commits and failures as they were",
            "nothing changed ×2",
            "no progress: files, commits and failures are as before (2 iterations in a row, the run stops at 2)",
            "next: ralph run \"PROMPT\" --agent OTHER",
        ],
    );
    has(&why(&project, &["1"]), &["(1 iteration in a row, the run stops at 2)"]);
}

#[test]
fn going_in_circles_is_told_with_the_iteration_that_was_repeated() {
    let turn = "if [ \"$(cat alpha)\" = one ]; then echo two > alpha; else echo one > alpha; fi";
    let (project, ran) = ran(turn, &["--max-circular", "2", "--max-iterations", "6"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let told = why(&project, &[]);
    has(&told, &["✘ circular: 2 iterations tried what had failed before", "in circles: as iteration"]);
    has(&told, &["% of the changes alike, with the same failures (2 repetitions, the run stops at 2)"]);
    let value = json(&project, &[]);
    let moved = &value["iterations"].as_array().unwrap().last().unwrap()["movement"];
    assert!(moved["again"].as_u64() >= Some(1) && moved["alike"].as_u64() >= Some(90), "{moved}");
}

#[test]
fn without_checks_the_agents_word_is_what_there_is() {
    let project = project().agent("cat > /dev/null; echo nothing");
    assert_eq!(project.ralph(&["run", "x", "--max-iterations", "1"]).code, Some(3));
    let told = why(&project, &[]);
    has(&told, &["it does not say that it is done", "✗ not complete: the promise was not given"]);
    assert!(!told.contains("failing after"), "{told}");
}

#[test]
fn an_iteration_that_is_not_there_is_refused_with_those_that_are() {
    let project = project().agent("cat > /dev/null; echo nothing");
    assert_eq!(project.ralph(&["why"]).code, Some(4), "there is no run");
    assert_eq!(project.ralph(&["run", "x", "--max-iterations", "2"]).code, Some(3));
    let refused = project.ralph(&["why", "7"]);
    assert_eq!(refused.code, Some(2));
    has(&refused.err, &["has no iteration 7", "it has iterations 1 to 2"]);
    let id = project.run_id().unwrap();
    assert_eq!(why(&project, &[&id, "2"]), why(&project, &["2"]));
    has(&why(&project, &["2"]), &[&format!("next: ralph diff {id} 2\n")]);
    assert_eq!(json(&project, &["2"])["iterations"].as_array().unwrap().len(), 1);
}

#[test]
fn what_a_test_is_called_does_not_drive_the_terminal() {
    let project = project().agent("cat > /dev/null");
    let tests = project.script("tests.sh", r"printf 'not ok 1 - \033]52;c;x\007red\033[31m\n'; exit 1");
    let criterion = format!("test_pass={}", tests.display());
    let ran = project.ralph(&["run", "x", "--criteria", &criterion, "--max-iterations", "1"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    for told in [why(&project, &[]), project.ralph(&["status"]).out] {
        assert!(told.chars().all(|c| c == '\n' || !c.is_control()), "{told:?}");
    }
}
