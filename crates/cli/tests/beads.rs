//! A backlog of `br` or `bd`, gone through by `ralph run`: epics, dependencies, priorities, a failure and a crash. The
//! programs are played by a stand-in, unless RALPH_TEST_BR or RALPH_TEST_BD names a real one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use ralph_testkit::{PATIENCE, Project, until};
use serde_json::{Value, json};

const STAND_IN: &str = include_str!("../../trackers/tests/stand_in.py");

/// Notes what it was given and what the tracker says of that meanwhile; fails at one task, and stays at another until
/// somebody lets it go.
const WORKER: &str = r#"
title=$(sed -n 's/^# Your task: .*\(Task [A-Z][A-Z]*\)$/\1/p')
echo "$title" >> ../order
"$ISSUES" show "$RALPH_TASK" --json > ../shown.json
echo >> ../shown; tr -d '\n' < ../shown.json >> ../shown
case "$title" in
    'Task LATE') [ -e ../go ] || { touch ../held; sleep 60; } ;;
    'Task NEVER') echo 'I cannot.'; exit 0 ;;
esac
echo done > "$RALPH_TASK.txt"
echo "<promise>$RALPH_PROMISE</promise>"
"#;

/// Two epics, the second waits for the first; tasks in them, and two that are in none.
const ISSUES: [(&str, &str, u8); 7] = [
    ("Epic one", "epic", 2),
    ("Task FIRST", "task", 3),
    ("Task SECOND", "task", 0),
    ("Epic two", "epic", 2),
    ("Task LATE", "task", 0),
    ("Task URGENT", "bug", 0),
    ("Task NEVER", "task", 4),
];
const DEPENDENCIES: [(usize, usize, &str); 5] = [
    (1, 0, "parent-child"),
    (2, 0, "parent-child"),
    (2, 1, "blocks"),
    (3, 0, "blocks"),
    (4, 3, "parent-child"),
];

struct Tracked {
    project: Project,
    program: PathBuf,
    ids: Vec<String>,
}

impl Tracked {
    /// A project in which nothing but `name` keeps issues.
    fn new(name: &str, put: impl FnOnce(&Path)) -> Tracked {
        let project = Project::new(env!("CARGO_BIN_EXE_ralph")).agent(WORKER);
        let bin = project.base().join("bin");
        fs::create_dir(&bin).unwrap();
        let program = bin.join(name);
        put(&program);
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let project = project.with("PATH", &path).with("ISSUES", program.to_str().unwrap());
        Tracked { project, program, ids: Vec::new() }
    }

    fn stand_in(name: &str, shape: &str) -> Tracked {
        let mut tracked = Tracked::new(name, |program| {
            fs::write(program, STAND_IN).unwrap();
            fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
        });
        tracked.ids = (0..ISSUES.len()).map(|at| format!("bd-{at}")).collect();
        let id = |at: usize| tracked.ids[at].clone();
        let issue = |at: usize| {
            let (title, kind, priority) = ISSUES[at];
            let needs = DEPENDENCIES.iter().filter(|(from, ..)| *from == at);
            let needs = needs
                .map(|(from, on, how)| json!({"issue_id": id(*from), "depends_on_id": id(*on), "type": how}));
            json!({"id": id(at), "title": title, "status": "open", "priority": priority, "issue_type": kind,
                "dependencies": needs.collect::<Vec<_>>()})
        };
        let beads = tracked.project.tree().join(".beads");
        fs::create_dir(&beads).unwrap();
        let issues: Vec<Value> = (0..ISSUES.len()).map(issue).collect();
        fs::write(beads.join("stand-in.json"), json!(issues).to_string()).unwrap();
        fs::write(beads.join("shape"), shape).unwrap();
        tracked
    }

    fn real(name: &str, program: &Path, init: &[&str]) -> Tracked {
        let mut tracked = Tracked::new(name, |link| symlink(program, link).unwrap());
        tracked.ask(init);
        for (title, kind, priority) in ISSUES {
            let issue = tracked.ask(&[
                "create",
                title,
                "--type",
                kind,
                "--priority",
                &priority.to_string(),
                "--json",
            ]);
            tracked.ids.push(issue["id"].as_str().unwrap().to_owned());
        }
        for (from, on, how) in DEPENDENCIES {
            tracked.ask(&["dep", "add", &tracked.ids[from], &tracked.ids[on], "--type", how, "--json"]);
        }
        tracked
    }

    fn ask(&self, args: &[&str]) -> Value {
        let mut command = Command::new(&self.program);
        command.args(args).current_dir(self.project.tree()).env("RUST_LOG", "error");
        let out = command.output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap_or_default()
    }

    /// What the program says of an issue.
    fn issue(&self, at: usize) -> Value {
        self.ask(&["show", &self.ids[at], "--json"])[0].clone()
    }

    fn is_worked_off(&self) {
        let listed = self.project.ralph(&["tasks"]);
        assert!(
            listed.out.contains("5 tasks: 3 ready, 2 waiting for others; and 2 containers"),
            "{}",
            listed.out
        );
        let mut run = self.project.start(&["run", "--iteration-delay", "0"]);
        until(PATIENCE * 15, "the task that waits for an epic", || {
            assert!(!run.is_over(), "{}{}", run.out(), run.err());
            self.project.base().join("held").exists().then_some(())
        });
        run.kill();
        assert_eq!(self.issue(4)["status"], "in_progress");
        fs::write(self.project.base().join("go"), "").unwrap();
        let ran = self.project.ralph(&["resume"]);
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);

        let order = fs::read_to_string(self.project.base().join("order")).unwrap();
        let never = ["Task NEVER"; 3];
        let expected = ["Task URGENT", "Task FIRST", "Task SECOND", "Task LATE", "Task LATE"];
        assert_eq!(order.lines().collect::<Vec<_>>(), [&expected[..], &never].concat());
        let shown = fs::read_to_string(self.project.base().join("shown")).unwrap();
        for line in shown.lines().filter(|line| !line.is_empty()) {
            let shown: Value = serde_json::from_str(line).unwrap();
            assert_eq!(shown[0]["status"], "in_progress", "while it is worked on: {shown}");
        }
        for at in [1, 2, 4, 5] {
            let issue = self.issue(at);
            assert_eq!(issue["status"], "closed", "{issue}");
            let reason = issue["close_reason"].as_str().unwrap();
            assert_eq!(reason, "the promise was given on line 1 of the final message");
        }
        let epic = self.issue(0);
        assert_eq!(
            (&epic["status"], &epic["close_reason"]),
            (&"closed".into(), &"everything in it is done".into())
        );
        assert_eq!(self.issue(6)["status"], "open", "what was given up is nobody's");
        let evidence = self.project.status().unwrap()["evidence"].clone();
        let given_up = format!("{} was skipped: 3 iterations did not complete it", self.ids[6]);
        assert!(evidence.as_str().unwrap().contains(&given_up), "{evidence}");
    }
}

#[test]
fn issues_of_br_are_worked_off_whatever_its_version_answers() {
    for shape in ["array", "lenient"] {
        Tracked::stand_in("br", shape).is_worked_off();
    }
}

#[test]
fn issues_of_bd_are_worked_off() {
    Tracked::stand_in("bd", "object").is_worked_off();
}

#[test]
fn a_prd_is_converted_to_issues_once_and_keeps_its_order() {
    let tracked = Tracked::stand_in("br", "mixed");
    let project = &tracked.project;
    let story = |id: &str, title: &str, priority: u8| json!({"id": id, "title": title, "priority": priority, "passes": false, "acceptanceCriteria": [format!("-{title}")]});
    let mut stories = [
        story("US-1", "one", 3),
        story("US-2", "two", 3),
        story("US-3", "three", 1),
        story("US-4", "four", 7),
    ];
    stories[0]["dependsOn"] = json!(["US-3"]);
    stories[3]["dependsOn"] = json!(["US-9"]);
    fs::write(project.tree().join("prd.json"), json!({"name": "n", "userStories": stories}).to_string())
        .unwrap();
    let home = project.tree().join(".beads");
    fs::rename(&home, project.base().join("elsewhere")).unwrap();
    let without = project.ralph(&["convert", "prd.json", "--to", "beads"]);
    assert!(
        without.err.contains("no issues of br or bd in") && without.err.contains("br init"),
        "{}",
        without.err
    );
    fs::rename(project.base().join("elsewhere"), &home).unwrap();
    fs::write(home.join("stand-in.json"), "[]").unwrap();
    let output = project.ralph(&["convert", "prd.json", "--to", "beads", "--output", "x"]);
    assert!(output.err.contains("leave out --output"), "{}", output.err);
    let first = project.ralph(&["convert", "prd.json", "--to", "beads"]);
    assert!(first.out.contains("US-3  bd-z999\n") && first.out.contains("wrote 4 issues\n"), "{}", first.out);
    assert!(
        first.out.contains("not kept: how far its priority is beyond 0 to 4 of 1 task\n"),
        "{}",
        first.out
    );
    assert!(first.err.contains("not written: US-4 waits for US-9"), "{}", first.err);
    let again = project.ralph(&["convert", "./prd.json", "--to", "beads"]);
    assert!(again.out.contains("wrote 0 issues, 4 were there already\n"), "{}", again.out);
    let listed = project.ralph(&["tasks", "--tracker", "beads", "--json"]);
    let places: Vec<usize> = ["three", "one", "two", "four"]
        .iter()
        .map(|title| listed.out.find(&format!("\"{title}\"")).unwrap())
        .collect();
    assert!(places.is_sorted() && listed.out.contains("\"-four\""), "{}", listed.out);
}

#[test]
#[ignore = "needs a br, in RALPH_TEST_BR"]
fn issues_of_a_real_br_are_worked_off() {
    let program = PathBuf::from(std::env::var_os("RALPH_TEST_BR").expect("RALPH_TEST_BR names a br"));
    Tracked::real("br", &program, &["init", "--prefix", "bd"]).is_worked_off();
}

#[test]
#[ignore = "needs a bd, in RALPH_TEST_BD"]
fn issues_of_a_real_bd_are_worked_off() {
    let program = PathBuf::from(std::env::var_os("RALPH_TEST_BD").expect("RALPH_TEST_BD names a bd"));
    let init = ["init", "--prefix", "bd", "--stealth", "--skip-agents", "--non-interactive"];
    Tracked::real("bd", &program, &init).is_worked_off();
}
