//! Backlogs on servers as a person uses them, with the stand-ins for Linear and Jira of the trackers' own tests, and
//! where a token goes: nowhere by the word of a project that is not trusted.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

#[path = "../../trackers/tests/remote/mod.rs"]
mod remote;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use remote::{JIRA_TOKEN, LINEAR_KEY, StandIn};

fn ralph(dir: &Path, args: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
    command.args(args).current_dir(dir).env_clear().env("HOME", dir).env("PATH", "/nowhere");
    command.envs(env.iter().copied()).output().expect("ralph starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("ralph prints UTF-8")
}

fn project(config: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(".ralph")).unwrap();
    fs::write(dir.path().join(".ralph/config.toml"), config).unwrap();
    dir
}

fn linear() -> (tempfile::TempDir, StandIn, String) {
    let (dir, stand_in, _) = remote::linear(&[]);
    let url = format!("http://127.0.0.1:{}/graphql", stand_in.port);
    (dir, stand_in, url)
}

#[test]
fn issues_in_linear_are_listed_done_and_reopened() {
    let (_home, stand_in, url) = linear();
    stand_in.change(|state| state["page"] = 1.into());
    let dir = project("");
    let env =
        [("LINEAR_API_KEY", LINEAR_KEY), ("RALPH_SET_LINEAR__URL", &url), ("RALPH_SET_LINEAR__TEAM", "eng")];
    let told = ralph(dir.path(), &["tasks", "--tracker", "linear"], &env);
    assert_eq!(told.status.code(), Some(0), "{}", text(&told.stderr));
    let told = text(&told.stdout);
    assert!(told.contains("ENG-2  Task A-2  after ENG-1") && told.contains("4 tasks: 2 ready"), "{told}");
    for (args, state) in [
        (["tasks", "done", "ENG-1", "--tracker", "linear"], "state-Done"),
        (["tasks", "reopen", "ENG-1", "--tracker", "linear"], "state-Todo"),
    ] {
        let out = ralph(dir.path(), &args, &env);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert_eq!(stand_in.state()["issues"][0]["state"], state);
    }
    let configured = [&env[..], &[("RALPH_SET_TRACKER__KIND", "linear")]].concat();
    let told = ralph(dir.path(), &["tasks"], &configured);
    assert!(text(&told.stdout).contains("ENG-4"), "{}", text(&told.stderr));
    let refused = ralph(dir.path(), &["tasks", "add", "x"], &configured);
    assert!(text(&refused.stderr).contains("make them in Linear"), "{}", text(&refused.stderr));
}

#[test]
fn issues_in_jira_are_reached_by_the_names_that_others_have_for_it() {
    let (_home, stand_in, _) = remote::jira(true, &[]);
    let dir = project("");
    let url = format!("http://127.0.0.1:{}", stand_in.port);
    let env = [
        ("JIRA_API_TOKEN", JIRA_TOKEN),
        ("JIRA_BASE_URL", &url),
        ("JIRA_EMAIL", "ann@example.com"),
        ("RALPH_SET_JIRA__PROJECT", "P"),
    ];
    let told = ralph(dir.path(), &["tasks", "--tracker", "jira"], &env);
    assert!(text(&told.stdout).contains("P-2  Task A-2  after P-1"), "{}", text(&told.stderr));
    let out = ralph(dir.path(), &["tasks", "done", "P-1", "--tracker", "jira", "--reason", "by hand"], &env);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert_eq!(stand_in.state()["issues"][0]["status"], "Done");
}

#[test]
fn what_is_missing_is_told_with_the_next_step() {
    let dir = project("");
    for (args, env, what, next) in [
        ("linear", &[][..], "needs the key of a team", "linear.team"),
        (
            "linear",
            &[("RALPH_SET_LINEAR__TEAM", "ENG")],
            "needs a key in LINEAR_API_KEY",
            "Security & access",
        ),
        ("jira", &[], "needs the address of the site", "JIRA_BASE_URL"),
    ] {
        let out = ralph(dir.path(), &["tasks", "--tracker", args], env);
        let told = text(&out.stderr);
        assert!(out.status.code() == Some(2) && told.contains(what) && told.contains(next), "{told}");
    }
}

#[test]
fn no_project_sends_a_token_anywhere_before_it_is_trusted() {
    let thief = TcpListener::bind("127.0.0.1:0").unwrap();
    thief.set_nonblocking(true).unwrap();
    let url = format!("http://127.0.0.1:{}", thief.local_addr().unwrap().port());
    let config = format!("[tracker]\nkind = \"linear\"\n[linear]\nteam = \"ENG\"\nurl = \"{url}/graphql\"\n");
    let dir = project(&config);
    let env = [("LINEAR_API_KEY", LINEAR_KEY)];
    for args in [
        &["tasks"][..],
        &["tasks", "--tracker", "linear"],
        &["run"],
        &["tasks", "done", "ENG-1"],
        &["template", "show"],
    ] {
        let out = ralph(dir.path(), args, &env);
        let told = text(&out.stderr);
        assert!(
            told.contains("`ralph trust`") && told.contains("sends your key for Linear to"),
            "{args:?}: {told}"
        );
        assert!(thief.accept().is_err(), "{args:?}: the host of an untrusted project was asked");
    }
    let (_home, _stand_in, good) = linear();
    let dir = project(&config.replace(&format!("{url}/graphql"), &good));
    let trusted = ralph(dir.path(), &["trust", "--yes"], &env);
    assert_eq!(trusted.status.code(), Some(0), "{}", text(&trusted.stderr));
    let told = ralph(dir.path(), &["tasks"], &env);
    assert!(text(&told.stdout).contains("ENG-1"), "{}", text(&told.stderr));
}

/// A run was begun with a trusted server, and then its project says another.
#[test]
fn a_project_that_changes_its_mind_gets_no_token_by_what_is_asked_of_a_run() {
    let (_home, _stand_in, good) = linear();
    let config = |url: &str| {
        format!(
            "[tracker]\nkind = \"linear\"\n[linear]\nteam = \"ENG\"\nurl = \"{url}\"\n[agent]\ncommand = \"/bin/false\"\n\
             on_error = \"abort\"\n"
        )
    };
    let dir = project(&config(&good));
    let env = [("LINEAR_API_KEY", LINEAR_KEY)];
    assert_eq!(ralph(dir.path(), &["trust", "--yes"], &env).status.code(), Some(0));
    let ran = ralph(dir.path(), &["run", "--iteration-delay", "0"], &env);
    assert_eq!(ran.status.code(), Some(1), "{}{}", text(&ran.stdout), text(&ran.stderr));

    let thief = TcpListener::bind("127.0.0.1:0").unwrap();
    thief.set_nonblocking(true).unwrap();
    let bad = format!("http://127.0.0.1:{}/graphql", thief.local_addr().unwrap().port());
    fs::write(dir.path().join(".ralph/config.toml"), config(&bad)).unwrap();
    for args in [&["skip", "--task", "ENG-2"][..], &["stop"], &["resume"], &["run", "--new"]] {
        ralph(dir.path(), args, &env);
        assert!(thief.accept().is_err(), "{args:?}: the key was sent");
    }
}
