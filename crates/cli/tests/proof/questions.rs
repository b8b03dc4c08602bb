//! An agent that asks instead of working: the inbox, answers in time and late, and going on without one.

use std::time::Duration;

use ralph_testkit::{Project, until};

use crate::project;

/// Asks until its brief has an answer, or says that there is none.
const ASKING: &str = "cat > brief.txt; cat brief.txt >> briefs.txt\n\
    if grep -q 'The answer: 8080' brief.txt; then echo \"<promise>$RALPH_PROMISE</promise>\"\n\
    elif grep -q 'Nobody is there to answer' brief.txt; then echo 'Assumption: port 80'; echo \"<promise>$RALPH_PROMISE</promise>\"\n\
    else echo 'Which port should the server listen on?'; fi";

fn agent(project: &Project) -> String {
    project.script("asking.sh", ASKING).to_string_lossy().into_owned()
}

fn events(project: &Project, kind: &str) -> Vec<serde_json::Value> {
    project.journal().into_iter().filter(|entry| entry["type"] == kind).collect()
}

fn happens(project: &Project, kind: &str) {
    let there = || project.status().is_some() && !events(project, kind).is_empty();
    until(Duration::from_secs(20), kind, || there().then_some(()));
}

fn inbox(project: &Project, args: &[&str]) -> Vec<serde_json::Value> {
    let args = [&["inbox", "--json"], args].concat();
    let ran = project.ralph(&args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).expect("a list")
}

#[test]
fn without_anybody_there_the_run_goes_on_at_once_with_a_recorded_assumption() {
    let project = project();
    let ran = project.ralph(&["run", "serve", "--agent-command", &agent(&project)]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("Which port should the server listen on?"), "{}", ran.out);
    assert_eq!(project.status().unwrap()["iteration"], 2);
    let all = inbox(&project, &["--all"]);
    assert_eq!((all.len(), all[0]["assumption"].as_str()), (1, Some("port 80")), "{all:?}");
    assert!(inbox(&project, &[]).is_empty(), "a finished run asks nobody");
    let assumed = events(&project, "question_assumed");
    let said: Vec<_> = assumed.iter().map(|entry| entry["assumption"].as_str()).collect();
    assert_eq!(said, [None, Some("port 80")]);
}

#[test]
fn an_answer_in_time_ends_the_wait_and_is_in_the_next_brief_once() {
    let project = project();
    let agent = agent(&project);
    let mut live = project.start(&["run", "serve", "--agent-command", &agent, "--answer-deadline", "5m"]);
    happens(&project, "question_asked");
    let open = inbox(&project, &[]);
    assert_eq!((open.len(), open[0]["no"].as_u64()), (1, Some(1)), "{open:?}");
    assert_eq!(project.status().unwrap()["status"], "paused");
    let wrong = project.ralph(&["answer", "8080", "--question", "7"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
    assert!(wrong.err.contains("no open question 7") && wrong.err.contains("ralph inbox"), "{}", wrong.err);
    let answered = project.ralph(&["answer", "8080"]);
    assert_eq!(answered.code, Some(0), "{}", answered.err);
    let ran = live.end(Duration::from_secs(20));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let briefs = std::fs::read_to_string(project.tree().join("briefs.txt")).unwrap();
    assert_eq!(briefs.matches("The answer: 8080").count(), 1, "{briefs}");
    assert!(briefs.contains("> Which port should the server listen on?"), "{briefs}");
    assert!(inbox(&project, &[]).is_empty());
    let twice = project.ralph(&["answer", "9090"]);
    assert!(twice.code == Some(2) && twice.err.contains("nobody asks anything"), "{}", twice.err);
}

#[test]
fn a_question_nobody_answers_in_time_is_assumed() {
    let project = project();
    let agent = agent(&project);
    let ran = project.ralph(&["run", "serve", "--agent-command", &agent, "--answer-deadline", "1s"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(events(&project, "question_asked")[0]["until"].is_string());
    assert_eq!(events(&project, "question_assumed").len(), 2);
}

#[test]
fn a_run_stopped_while_it_waits_takes_the_answer_up_when_it_goes_on() {
    let project = project();
    let agent = agent(&project);
    let mut live = project.start(&["run", "serve", "--agent-command", &agent, "--answer-deadline", "5m"]);
    happens(&project, "question_asked");
    assert_eq!(project.ralph(&["stop"]).code, Some(0));
    assert_eq!(live.end(Duration::from_secs(20)).code, Some(130));
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    assert_eq!(project.ralph(&["answer", "8080"]).code, Some(0));
    assert_eq!(project.ralph(&["answer", secret]).code, Some(2), "it has an answer");
    let ran = project.ralph(&["resume"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let brief = std::fs::read_to_string(project.tree().join("brief.txt")).unwrap();
    assert!(brief.contains("The answer: 8080"), "{brief}");
}

#[test]
fn a_crash_while_it_waits_loses_neither_question_nor_deadline() {
    let project = project();
    let agent = agent(&project);
    let mut live = project.start(&["run", "serve", "--agent-command", &agent, "--answer-deadline", "5m"]);
    happens(&project, "question_asked");
    live.kill();
    let mut again = project.start(&["resume"]);
    happens(&project, "run_resumed");
    assert_eq!(inbox(&project, &[]).len(), 1);
    assert_eq!(project.ralph(&["answer", "8080"]).code, Some(0));
    let ran = again.end(Duration::from_secs(20));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(events(&project, "question_asked").len(), 1);
}
