//! Backlogs that an agent drafts: what it says is checked, and ralph writes the file.

use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use ralph_testkit::{PATIENCE, Project, Ran, is_alive, until};
use serde_json::Value;

use crate::project;

const STORY: &str = r#"{"id": "US-001", "title": "One", "description": "d", "acceptanceCriteria": ["`true` passes"],
 "priority": 1, "dependsOn": [], "passes": true}"#;

/// What the agent prints: a backlog of these stories.
fn backlog(stories: &str) -> String {
    format!(
        "cat <<'END'\nHere it is.\n\n```json\n{{\"name\": \"Login\", \"userStories\": [{stories}]}}\n```\nEND\n"
    )
}

/// Keeps each brief beside the tree, as brief-1, brief-2 and so on.
const COUNT: &str = r#"n=$(ls ../brief-* 2>/dev/null | wc -l); n=$((n + 1)); cat > ../brief-$n
"#;

fn idea(project: &Project) {
    fs::write(project.tree().join("idea.md"), "A login form.\n").unwrap();
}

fn written(project: &Project) -> Value {
    serde_json::from_str(&fs::read_to_string(project.tree().join("prd.json")).unwrap()).unwrap()
}

fn from_idea(project: &Project, more: &[&str]) -> Ran {
    idea(project);
    project.ralph(&[&["prd", "new", "--from", "idea.md"], more].concat())
}

#[test]
fn a_good_draft_is_written_and_nothing_of_it_is_done_yet() {
    let project = project().agent(&format!("{COUNT}{}", backlog(STORY)));
    let ran = from_idea(&project, &["--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&told["tasks"], &told["askings"]), (&1.into(), &1.into()), "{told:#}");
    let prd = written(&project);
    assert_eq!((&prd["name"], &prd["userStories"][0]["passes"]), (&"Login".into(), &false.into()));
    assert_eq!(project.ralph(&["prd", "check", "prd.json"]).code, Some(0));
    let brief = fs::read_to_string(project.base().join("brief-1")).unwrap();
    assert!(brief.contains("A login form.") && brief.contains("Nobody is there"), "{brief}");

    let again = from_idea(&project, &[]);
    assert_eq!(again.code, Some(2), "what is there is not written over: {}", again.err);
    assert!(!project.base().join("brief-2").exists(), "and nobody is asked for nothing");
    fs::write(project.tree().join("prd.json"), "mine").unwrap();
    let forced = from_idea(&project, &["--force"]);
    assert_eq!(forced.code, Some(0), "{}{}", forced.out, forced.err);
    assert_eq!(fs::read_to_string(project.tree().join("prd.json.1")).unwrap(), "mine");
    assert_eq!(written(&project)["name"], "Login");
}

#[test]
fn a_bad_draft_is_told_what_is_wrong_with_it_and_mended() {
    let circle = STORY.replace(r#""dependsOn": []"#, r#""dependsOn": ["US-002"]"#);
    let other = circle.replace("US-001", "US-X").replace("US-002", "US-001").replace("US-X", "US-002");
    let script = format!(
        "{COUNT}case $n in\n1) echo 'I thought about it.' ;;\n2) {}\n;;\n3) {}\n;;\n*) {}\n;;\nesac",
        backlog(&format!("{STORY}, {STORY}")),
        backlog(&format!("{circle}, {other}")),
        backlog(STORY)
    );
    let project = project().agent(&script);
    let ran = from_idea(&project, &["--to", "markdown", "--out", "TODO.md"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(fs::read_to_string(project.tree().join("TODO.md")).unwrap().contains("- [ ] US-001: One"));
    for (number, said) in [(2, "no fenced block"), (3, "US-001"), (4, "wait for each other")] {
        let brief = fs::read_to_string(project.base().join(format!("brief-{number}"))).unwrap();
        assert!(brief.contains("What is wrong") && brief.contains(said), "no {said} in {brief}");
    }
    assert!(!project.base().join("brief-5").exists());
}

#[test]
fn a_draft_that_never_is_right_leaves_nothing_but_the_answer_that_is_named() {
    let unknown = STORY.replace(r#""dependsOn": []"#, r#""dependsOn": ["US-009"]"#);
    let project = project().agent(&format!("{COUNT}{}", backlog(&unknown)));
    let ran = from_idea(&project, &[]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(!project.tree().join("prd.json").exists());
    assert!(project.base().join("brief-4").exists() && !project.base().join("brief-5").exists());
    assert!(ran.err.contains("US-009"), "{}", ran.err);
    let path =
        ran.err.split_whitespace().find(|word| word.ends_with("answer.md")).expect("the answer is named");
    assert!(fs::read_to_string(path).unwrap().contains("US-009"));
}

#[test]
fn whoever_only_repeats_what_it_is_told_has_not_answered() {
    let project = project().agent("cat");
    fs::write(
        project.tree().join("idea.md"),
        format!("Like this:\n```json\n{{\"name\": \"x\", \"userStories\": [{STORY}]}}\n```\n"),
    )
    .unwrap();
    let ran = project.ralph(&["prd", "new", "--from", "idea.md"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(!project.tree().join("prd.json").exists());
}

#[test]
fn an_agent_that_dies_or_takes_too_long_is_told_of_and_nothing_is_written() {
    let dying = project().agent(&format!("{} exit 3", backlog(STORY)));
    let ran = from_idea(&dying, &[]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("next:") && !dying.tree().join("prd.json").exists(), "{}", ran.err);
    let slow = project().agent("sleep 60");
    let ran = from_idea(&slow, &["--patience", "1"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("did not answer"), "{}", ran.err);
}

/// Asks for the colour first, and then for the size in plain words.
fn asking() -> String {
    format!(
        "{COUNT}case $n in\n1) printf '```json\\n{{\"questions\": [\"Which colour?\", \"Which font?\"]}}\\n```\\n' ;;\n\
         2) echo 'How big is it to be?' ;;\n*) {}\n;;\nesac",
        backlog(STORY)
    )
}

fn answered(project: &Project) {
    let brief = fs::read_to_string(project.base().join("brief-3")).unwrap();
    for said in [
        "A door.\nWith a handle.",
        "You asked: Which colour?\nThe answer: red",
        "You asked: Which font?\nThe answer: (no answer: decide)",
        "You asked: How big is it to be?\nThe answer: two metres",
    ] {
        assert!(brief.contains(said), "no {said} in {brief}");
    }
    assert_eq!(written(project)["userStories"][0]["id"], "US-001");
}

#[test]
fn what_the_agent_asks_is_answered_by_lines_of_standard_input() {
    let project = project().agent(&asking());
    let mut command = project.command(&["prd", "new"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"A door.\nWith a handle.\n\nred\n\ntwo metres\n").unwrap();
    drop(stdin);
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("Which colour?"), "{}", ran.err);
    answered(&project);
    let nobody = project.ralph(&["prd", "new", "--out", "other.json"]);
    assert_eq!(nobody.code, Some(2), "{}", nobody.err);
    assert!(nobody.err.contains("nothing is described"), "{}", nobody.err);
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let project = project().agent(&asking());
    let pty = openpty(None, None).unwrap();
    let slave = |fd: &OwnedFd| Stdio::from(fd.try_clone().unwrap());
    let mut command: Command = project.command(&["prd", "new"]);
    let mut child =
        command.stdin(slave(&pty.slave)).stdout(slave(&pty.slave)).stderr(slave(&pty.slave)).spawn().unwrap();
    drop(command);
    drop(pty.slave);
    let mut screen = fs::File::from(pty.master.try_clone().unwrap());
    let mut keys = fs::File::from(pty.master);
    let mut shown = String::new();
    let mut read_until = |text: &str| {
        let mut buffer = [0; 4096];
        while !shown.contains(text) {
            let read =
                screen.read(&mut buffer).unwrap_or_else(|error| panic!("{error} before {text} in {shown}"));
            shown += &String::from_utf8_lossy(&buffer[..read]);
        }
    };
    for (asked, typed) in [
        ("What is to be built?", "A door.\nWith a handle.\n\n"),
        ("Which colour?", "red\n"),
        ("Which font?", "\n"),
        ("How big is it to be?", "two metres\n"),
    ] {
        read_until(asked);
        keys.write_all(typed.as_bytes()).unwrap();
    }
    read_until("wrote 1 task");
    assert!(child.wait().unwrap().success());
    answered(&project);
}

#[test]
fn an_interruption_leaves_neither_a_file_nor_a_process() {
    let project = project().agent("echo $$ > ../pid; sleep 60");
    idea(&project);
    let mut live = project.start(&["prd", "new", "--from", "idea.md"]);
    let pid: u32 = until(PATIENCE, "the agent", || {
        fs::read_to_string(project.base().join("pid")).ok()?.trim().parse().ok()
    });
    kill(Pid::from_raw(live.pid().try_into().unwrap()), Signal::SIGINT).unwrap();
    live.end(PATIENCE);
    until(PATIENCE, "the end of the agent", || (!is_alive(pid)).then_some(()));
    let left: Vec<_> =
        fs::read_dir(project.tree()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["idea.md"]);
}
