//! A judge that does not answer as it should, that oversteps, that is cut short, or that there cannot be.

use ralph_testkit::{PATIENCE, Project, survivors, until};
use serde_json::Value;

use crate::judge::{MADE, WORKS, YES, askings, court, run};
use crate::project;

const ANSWER: &str = r#"{"success": true, "reason": "Believe me.", "suggestions": []}"#;

#[test]
fn whatever_is_no_answer_is_asked_for_once_more_and_never_success() {
    let cases = [
        ("echo 'All is well.'".to_owned(), "no JSON object"),
        (":".to_owned(), "no JSON object"),
        (r#"echo '{"success": true}'"#.to_owned(), "missing field `reason`"),
        (ANSWER.replace("true", "\"yes\"").replace('{', "echo '{") + "'", "expected a boolean"),
        (format!("echo '{ANSWER}'; echo '{{\"success\":'"), "cannot be read"),
        (format!("echo '{ANSWER}' >&2"), "no JSON object"),
        (format!("echo '{ANSWER}'; exit 3"), "failed: "),
        (format!("echo '{ANSWER}'; kill -9 $$"), "failed: "),
        (format!("echo '{ANSWER}'; echo 'usage LIMIT: try again in 3h'; exit 1"), "limited"),
        (format!("echo '{ANSWER}'; sleep 60"), "took longer"),
    ];
    for (script, reason) in cases {
        let project =
            court(WORKS, &format!("cat > /dev/null; {script}")).with("RALPH_SET_VERIFY__JUDGE_TIMEOUT", "1s");
        let ran = run(&project, "both", &["--criteria", MADE, "--max-iterations", "1"]);
        assert_eq!(ran.code, Some(3), "{script}: {}{}", ran.out, ran.err);
        let asked = askings(&project);
        assert_eq!(asked.len(), 2, "{script}");
        for one in &asked {
            assert_eq!(one["judgement"]["opinion"], "unsure", "{script}");
            let why = one["judgement"]["reason"].as_str().unwrap();
            assert!(why.contains(reason), "{script}: {why}");
        }
        assert_eq!(project.status().unwrap()["judgement"]["opinion"], "unsure", "{script}");
    }
}

#[test]
fn an_answer_at_the_second_asking_counts() {
    let judge = format!("cat > ../asked; if [ -e ../once ]; then {YES}; else touch ../once; echo hm; fi");
    let project = court(WORKS, &judge.replace("cat > /dev/null; ", ""));
    let ran = run(&project, "both", &["--criteria", MADE]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let opinions: Vec<_> = askings(&project).iter().map(|one| one["judgement"]["opinion"].clone()).collect();
    assert_eq!(opinions, ["unsure", "success"]);
    let asked = std::fs::read_to_string(project.base().join("asked")).unwrap();
    assert!(asked.contains("your answer did not count\n\n```\nits message has no JSON object\n"), "{asked}");
}

fn tampering(project: &Project) -> Vec<Value> {
    let checked = project.journal().into_iter().find(|entry| entry["type"] == "checked").unwrap();
    checked["tampering"].as_array().unwrap().clone()
}

#[test]
fn a_judge_that_changes_the_tree_is_found_out() {
    let project = court(WORKS, &format!("echo x > meddled.txt; {YES}"));
    let ran = run(&project, "both", &["--criteria", MADE, "--max-iterations", "1"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let told = "while it judged, meddled.txt changed; it is there to look";
    assert!(ran.out.contains(told), "{}", ran.out);
    let asked = askings(&project);
    assert_eq!(asked.len(), 1, "what the checks saw is gone, so there is nothing to ask about");
    let judgement = &asked[0]["judgement"];
    assert_eq!((&judgement["opinion"], &judgement["reason"]), (&"unsure".into(), &told.into()));
    assert!(project.tree().join("meddled.txt").exists(), "nothing is put back in silence");
}

#[test]
fn no_setting_and_no_second_asking_makes_a_change_by_the_judge_count() {
    let once = format!("[ -e meddled.txt ] || echo x > meddled.txt; {YES}");
    for judge in ["both", "agent"] {
        let project = court(WORKS, &once).with("RALPH_SET_VERIFY__ALLOW_TAMPERING", "true");
        let ran = run(&project, judge, &["--criteria", MADE, "--max-iterations", "1"]);
        assert_eq!(ran.code, Some(3), "{judge}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn a_judge_that_commits_is_found_out() {
    let commit = "git -c user.name=j -c user.email=j@x commit -q --allow-empty -m judged";
    let project = court(WORKS, &format!("{commit} > /dev/null 2>&1; {YES}"));
    let mut git = std::process::Command::new("git");
    assert!(git.args(["init", "-q"]).current_dir(project.tree()).status().unwrap().success());
    let ran = run(&project, "both", &["--criteria", MADE, "--max-iterations", "1"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let reason = askings(&project)[0]["judgement"]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("git's HEAD moved"), "{reason}");
}

#[test]
fn in_a_sandbox_a_judge_cannot_write_the_tree() {
    for mode in ["landlock", "bubblewrap"] {
        let judge = format!("{{ echo x > meddled.txt && touch ../wrote; }} 2> /dev/null; {YES}");
        let project = court(WORKS, &judge);
        let temporary = project.base().join("tmp");
        std::fs::create_dir(&temporary).unwrap();
        let project = project.with("TMPDIR", &temporary.to_string_lossy());
        let ran = run(&project, "both", &["--criteria", MADE, &format!("--sandbox={mode}")]);
        assert_eq!(ran.code, Some(0), "{mode}: {}{}", ran.out, ran.err);
        assert!(project.tree().join("done.txt").exists(), "{mode}: the worker can");
        assert!(!project.tree().join("meddled.txt").exists(), "{mode}");
        assert_eq!(tampering(&project), [] as [Value; 0], "{mode}");
    }
}

/// Says that it was asked, and answers when it may.
const HELD: &str = r#"cat > /dev/null; touch "../asked-$$"
while [ ! -e ../go ]; do sleep 0.02; done
echo '{"success": true, "reason": "At last.", "suggestions": []}'"#;

fn asked(project: &Project) -> usize {
    let names = std::fs::read_dir(project.base()).unwrap().flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with("asked-")).count()
}

#[test]
fn a_run_that_died_while_the_judge_thought_asks_again() {
    let project = court(WORKS, HELD);
    let mut live = project.start(&["run", "make done.txt", "--judge", "both", "--criteria", MADE]);
    until(PATIENCE, "a judge", || (asked(&project) == 1).then_some(()));
    live.kill();
    let id = project.run_id().unwrap();
    until(PATIENCE, "the judge's end", || survivors(&id).is_empty().then_some(()));
    std::fs::write(project.base().join("go"), "").unwrap();
    let ran = project.ralph(&["resume"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!((asked(&project), askings(&project).len()), (2, 1));
    let status = project.status().unwrap();
    assert_eq!(
        (&status["iteration"], &status["attempts"]),
        (&1.into(), &1.into()),
        "the work is not done twice"
    );
}

#[test]
fn an_abort_does_not_wait_for_the_judge() {
    let project = court(WORKS, HELD);
    let mut live = project.start(&["run", "make done.txt", "--judge", "both", "--criteria", MADE]);
    until(PATIENCE, "a judge", || (asked(&project) == 1).then_some(()));
    let id = project.run_id().unwrap();
    assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
    assert_eq!(live.end(PATIENCE).code, Some(130));
    assert_eq!(survivors(&id), []);
    assert_eq!(project.status().unwrap()["stop_reason"], "aborted");
    let judgement = &askings(&project)[0]["judgement"];
    assert_eq!((&judgement["opinion"], &judgement["reason"]), (&"unsure".into(), &"aborted".into()));
    std::fs::write(project.base().join("go"), "").unwrap();
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
}

#[test]
fn a_judge_does_not_outlast_the_run() {
    let project = court(WORKS, HELD);
    let ran = run(&project, "both", &["--criteria", MADE, "--max-duration", "3s"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert_eq!(project.status().unwrap()["stop_reason"], "max_duration");
    assert_eq!(survivors(&project.run_id().unwrap()), []);
}

#[test]
fn a_judge_that_there_cannot_be_is_told_before_the_run() {
    let refused = |project: &Project, judge: &str, more: &[&str], told: &[&str]| {
        let ran = run(project, judge, more);
        assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
        for part in told {
            assert!(ran.err.contains(part), "{part} in {}", ran.err);
        }
        assert_eq!(project.run_id(), None, "no run is begun");
    };
    let nobody = court(WORKS, YES).with("RALPH_SET_VERIFY__JUDGE_AGENT", "nobody");
    refused(&nobody, "both", &["--criteria", MADE], &["agent `nobody` cannot judge", "judge_agent"]);
    let without = court(WORKS, YES);
    refused(&without, "both", &[], &["there are no checks", "--judge agent"]);
    refused(&without, "exit", &["--require", "criteria"], &["criteria are required and there are none"]);
    let config = std::fs::read_to_string(without.user_config()).unwrap();
    let (worker, judge) = config.split_once("[agents.judge]").unwrap();
    let silent = judge.replace("reports_usage = true", "reports_usage = false");
    std::fs::write(without.user_config(), format!("{worker}[agents.judge]{silent}")).unwrap();
    refused(&without, "agent", &["--max-tokens", "100"], &["is to judge and does not report what it uses"]);
    let unasked = project().agent("echo \"<promise>$RALPH_PROMISE</promise>\"");
    assert_eq!(run(&unasked, "both", &["--require", "promise"]).code, Some(0), "nobody need judge a promise");
    assert_eq!(askings(&unasked), [] as [Value; 0]);
}
