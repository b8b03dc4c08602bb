//! An agent in a sandbox writes where it may and nowhere else, reaches nothing of ralph's, and is as well kept as outside.

use std::time::Duration;

use ralph_testkit::{PATIENCE, Project, survivors, until};

use crate::agents::{DONE, begun};
use crate::project;

const MODES: [&str; 2] = ["landlock", "bubblewrap"];

/// Tries each thing and writes down in the tree whether it could.
const EXPLORER: &str = r#"
exec 2>/dev/null
try() { name=$1; shift; if "$@"; then echo "$name yes" >> found; else echo "$name no" >> found; fi; }
cat > /dev/null
echo tampered >> /proc/$$/fd/0
try tree touch made
try nested mkdir -p a/b
try temporary touch "$TMPDIR/made"
try null sh -c 'echo x > /dev/null'
try read cat "$BASE/outside/there"
try outside touch "$BASE/outside/made"
try append sh -c 'echo x >> "$BASE/outside/there"'
try truncate sh -c ': > "$BASE/outside/there"'
try remove rm "$BASE/outside/there"
try rename mv "$BASE/outside/there" taken
try link ln "$BASE/outside/there" linked
try chosen touch "$BASE/chosen/made"
try state touch "$BASE/state/ralph/made"
try database sh -c 'cat "$BASE"/state/ralph/projects/*/ralph.db > copied'
try parent kill -0 "$PPID"
echo "<promise>$RALPH_PROMISE</promise>"
"#;

const FOUND: &str = "tree yes\nnested yes\ntemporary yes\nnull yes\nread yes\noutside no\nappend no\ntruncate no\n\
                     remove no\nrename no\nlink no\nchosen yes\nstate no\ndatabase no\n";

/// With a temporary directory that is not around ralph's state.
fn ground(script: &str) -> Project {
    let project = project().agent(script);
    let within = |path: &str| project.base().join(path).to_string_lossy().into_owned();
    let (base, temporary, chosen) = (within(""), within("tmp"), within("chosen"));
    for path in ["tmp", "outside", "chosen"] {
        std::fs::create_dir(project.base().join(path)).unwrap();
    }
    std::fs::write(project.base().join("outside/there"), "precious").unwrap();
    project.with("BASE", &base).with("TMPDIR", &temporary).with("RALPH_SET_SANDBOX__WRITE", &chosen)
}

fn started(project: &Project) -> serde_json::Value {
    project.journal().into_iter().find(|entry| entry["type"] == "run_started").unwrap()
}

#[test]
fn inside_an_agent_writes_where_it_may_and_nowhere_else() {
    for mode in MODES {
        let project = ground(EXPLORER);
        let ran = project.ralph(&["run", "explore", &format!("--sandbox={mode}")]);
        assert_eq!(ran.code, Some(0), "{mode}: {}{}", ran.out, ran.err);
        let found = std::fs::read_to_string(project.tree().join("found")).unwrap();
        // Inside a process namespace the agent has no parent to see.
        let parent = if mode == "landlock" { "parent no\n" } else { "" };
        let found = if parent.is_empty() { found.split("parent").next().unwrap() } else { &found };
        assert_eq!(found, format!("{FOUND}{parent}"), "{mode}");
        let there = std::fs::read_to_string(project.base().join("outside/there")).unwrap();
        assert_eq!(there, "precious", "{mode}");
        assert!(!project.base().join("outside/made").exists(), "{mode}");
        assert!(!project.brief(1, 1).contains("tampered"), "{mode}: what it was told is not its to change");
        assert!(ran.out.contains(&format!("sandbox {mode}")), "{}", ran.out);
        assert_eq!(started(&project)["sandbox"]["mode"], mode);
        assert_eq!(project.status().unwrap()["sandbox"]["mode"], mode);
        assert!(project.ralph(&["status"]).out.contains(&format!("sandbox   {mode}")), "{mode}");
    }
}

#[test]
fn outside_people_see_that_the_sandbox_is_off() {
    let project = ground(EXPLORER);
    let ran = project.ralph(&["run", "explore"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("sandbox off"), "{}", ran.out);
    assert!(project.ralph(&["status"]).out.contains("sandbox   off"));
    assert!(project.base().join("outside/made").exists(), "the explorer can do what it tries");
}

#[test]
fn a_sandbox_that_cannot_be_had_is_refused_before_the_first_attempt() {
    let check = |project: &Project, args: &[&str], expected: &[&str]| {
        let ran = project.ralph(&[&["run", "do it"], args].concat());
        assert_eq!(ran.code, Some(2), "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("the sandbox that is asked for cannot be had"), "{}", ran.err);
        for text in expected {
            assert!(ran.err.contains(text), "{text} in {}", ran.err);
        }
        assert!(!project.tree().join("begun").exists(), "{args:?}: the agent was started");
    };
    let begins = format!("touch begun\n{DONE}");
    let bare = ground(&begins).with("PATH", "/nonexistent");
    check(&bare, &["--sandbox=bubblewrap"], &["no program `bwrap`", "install bubblewrap"]);
    let broken = ground(&begins);
    broken.script("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1");
    let path = format!("{}:/usr/bin:/bin", broken.base().display());
    let broken = broken.with("PATH", &path);
    check(&broken, &["--sandbox=bubblewrap"], &["No permissions to create new namespace", "user namespaces"]);
    check(&broken, &["--sandbox=landlock", "--no-network"], &["landlock cannot take the network away"]);
    check(&broken, &["--sandbox", "--no-network"], &["landlock cannot take", "No permissions"]);
    let around = ground(&begins);
    let base = around.base().to_string_lossy().into_owned();
    let around = around.with("TMPDIR", &base);
    check(&around, &["--sandbox=landlock"], &["cannot shut off ralph's state", "--sandbox=bubblewrap"]);
    let ran = ground(&begins).ralph(&["run", "do it", "--no-network"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("the sandbox is off"), "{}", ran.err);
}

#[test]
fn auto_takes_the_first_that_can_keep_the_bounds() {
    let project = ground(EXPLORER);
    let base = project.base().to_string_lossy().into_owned();
    assert_eq!(project.ralph(&["run", "explore", "--sandbox"]).code, Some(0));
    assert_eq!(started(&project)["sandbox"]["mode"], "landlock");
    let around = ground(EXPLORER).with("TMPDIR", &base);
    assert_eq!(around.ralph(&["run", "explore", "--sandbox"]).code, Some(0));
    assert_eq!(started(&around)["sandbox"]["mode"], "landlock", "another project's state is no concern");
    let own = ground(EXPLORER);
    let base = own.base().to_string_lossy().into_owned();
    let own = own.with("TMPDIR", &base);
    let ran = own.ralph(&["run", "explore", "--sandbox"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(started(&own)["sandbox"]["mode"], "bubblewrap");
    let found = std::fs::read_to_string(own.tree().join("found")).unwrap();
    assert!(
        found.contains("outside yes") && found.contains("state no") && found.contains("database no"),
        "{found}"
    );
}

#[test]
fn without_network_nothing_is_reached() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let connects = format!(
        "cat > /dev/null\npython3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 2)' 2> /dev/null \
         && echo yes > reached || echo no > reached\n{DONE}"
    );
    for (args, expected) in
        [(&["--sandbox=bubblewrap"][..], "yes\n"), (&["--sandbox", "--no-network"], "no\n")]
    {
        let project = ground(&connects);
        let ran = project.ralph(&[&["run", "connect"], args].concat());
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        assert_eq!(std::fs::read_to_string(project.tree().join("reached")).unwrap(), expected, "{args:?}");
    }
}

#[test]
fn a_resumed_run_is_in_the_sandbox_it_was_started_in() {
    let held = r#"
        cat > /dev/null
        touch "$BASE/outside/made" 2> /dev/null && echo yes >> found || echo no >> found
        touch "begun-$RALPH_ITERATION-$RALPH_ATTEMPT"
        while [ ! -e go ]; do sleep 0.02; done
        echo "<promise>$RALPH_PROMISE</promise>"
    "#;
    for mode in MODES {
        let project = ground(held);
        let mut live = project.start(&["run", "do it", &format!("--sandbox={mode}")]);
        begun(&project, 1, 1);
        live.kill();
        live.end(PATIENCE);
        std::fs::write(project.tree().join("go"), "").unwrap();
        let ran = project.ralph(&["resume", "--keep-tree"]);
        assert_eq!(ran.code, Some(0), "{mode}: {}{}", ran.out, ran.err);
        let found = std::fs::read_to_string(project.tree().join("found")).unwrap();
        assert_eq!(found, "no\nno\n", "{mode}");
        assert_eq!(project.status().unwrap()["sandbox"]["mode"], mode);
    }
}

#[test]
fn an_agent_commits_also_where_the_repository_lies_outside_the_tree() {
    let commit = format!(
        "cat > /dev/null; echo x > made; git add made; git -c user.name=a -c user.email=a@example.com commit -qm made\n\
         touch \"$BASE/main/escaped\"; git log -1 --format=%s > /dev/null && {DONE}"
    );
    for mode in MODES {
        let project = ground(&commit);
        let git = |args: &[&str]| {
            let mut git = std::process::Command::new("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
            let out = git.current_dir(project.base()).output().unwrap();
            assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
            String::from_utf8(out.stdout).unwrap()
        };
        git(&["init", "-q", "main"]);
        git(&["-C", "main", "commit", "-q", "--allow-empty", "-m", "first"]);
        std::fs::remove_dir(project.tree()).unwrap();
        git(&["-C", "main", "worktree", "add", "-q", "../tree"]);
        let ran = project.ralph(&["run", "commit", "--max-iterations", "1", &format!("--sandbox={mode}")]);
        assert_eq!(ran.code, Some(0), "{mode}: {}{}", ran.out, ran.err);
        assert_eq!(git(&["-C", "tree", "log", "-1", "--format=%s"]), "made\n", "{mode}");
        assert!(!project.base().join("main/escaped").exists(), "{mode}: the other tree is not its own");
    }
}

#[test]
fn what_an_agent_leaves_behind_in_a_sandbox_is_ended_too() {
    let daemon = r#"
        cat > /dev/null
        setsid sh -c 'trap "" TERM INT HUP; touch left; while :; do sleep 0.1; done' &
        while [ ! -e left ]; do sleep 0.02; done
        touch "begun-$RALPH_ITERATION-$RALPH_ATTEMPT"
        while [ -e hold ]; do sleep 0.02; done
    "#;
    for mode in MODES {
        let project = ground(&format!("{daemon}{DONE}"));
        std::fs::write(project.tree().join("hold"), "").unwrap();
        let sandbox = format!("--sandbox={mode}");
        let mut live = project.start(&["run", "do it", &sandbox]);
        begun(&project, 1, 1);
        let id = until(PATIENCE, "a run", || project.run_id());
        assert!(!survivors(&id).is_empty(), "{mode}: the agent is there");
        let asked = std::time::Instant::now();
        assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
        assert_eq!(live.end(PATIENCE).code, Some(130), "{mode}");
        assert!(asked.elapsed() < Duration::from_secs(8), "{mode}: {:?}", asked.elapsed());
        assert!(survivors(&id).is_empty(), "{mode}: {:?}", survivors(&id));
        std::fs::remove_file(project.tree().join("hold")).unwrap();
        std::fs::remove_file(project.tree().join("left")).unwrap();
        let ran = project.ralph(&["run", "do it", &sandbox, "--new"]);
        assert_eq!(ran.code, Some(0), "{mode}: {}{}", ran.out, ran.err);
        let id = project.run_id().unwrap();
        assert!(survivors(&id).is_empty(), "{mode}: {:?}", survivors(&id));
    }
}

#[test]
fn the_doctor_says_which_sandboxes_there_are() {
    let told = |project: &Project| {
        let ran = project.ralph(&["doctor", "--json"]);
        let findings: Vec<serde_json::Value> = serde_json::from_str(&ran.out).unwrap();
        findings.into_iter().find(|finding| finding["name"] == "sandbox").unwrap()
    };
    let all = told(&ground(DONE));
    assert_eq!(
        (all["state"].as_str(), all["finding"].as_str()),
        (Some("good"), Some("landlock and bubblewrap"))
    );
    let some = told(&ground(DONE).with("PATH", "/nonexistent"));
    assert_eq!(some["state"], "reduced");
    assert!(some["finding"].as_str().unwrap().contains("no program `bwrap`"), "{some}");
}

/// What a check tries: what the agent wrote is run by it.
const CHECKED: &str = r#"
exec 2>/dev/null
try() { name=$1; shift; if "$@"; then echo "$name yes" >> found; else echo "$name no" >> found; fi; }
try tree touch made
try temporary touch "$TMPDIR/made"
try read cat "$BASE/outside/there"
try outside touch "$BASE/outside/made"
try append sh -c 'echo x >> "$BASE/outside/there"'
try chosen touch "$BASE/chosen/made"
try state touch "$BASE/state/ralph/made"
try database sh -c 'cat "$BASE"/state/ralph/projects/*/ralph.db > copied'
"#;

#[test]
fn what_a_check_runs_is_kept_inside_as_the_agent_is() {
    let agent = format!("cp \"$BASE/checked\" check.sh\n{DONE}");
    for mode in MODES {
        let project = ground(&agent);
        std::fs::write(project.base().join("checked"), CHECKED).unwrap();
        let sandbox = format!("--sandbox={mode}");
        let check =
            ["--yes", "--criteria", "custom=test -e check.sh && . ./check.sh", "--max-iterations", "1"];
        let ran = project.ralph(&[&["run", "explore", &sandbox], &check[..]].concat());
        assert_eq!(ran.code, Some(0), "{mode}: {}{}", ran.out, ran.err);
        let found = std::fs::read_to_string(project.tree().join("found")).unwrap();
        let wanted =
            "tree yes\ntemporary yes\nread yes\noutside no\nappend no\nchosen yes\nstate no\ndatabase no\n";
        assert_eq!(found, wanted, "{mode}");
        let there = std::fs::read_to_string(project.base().join("outside/there")).unwrap();
        assert_eq!(there, "precious", "{mode}");
        assert!(!project.base().join("outside/made").exists(), "{mode}");
    }
}

#[test]
fn a_check_that_is_refused_something_says_where_it_was_run() {
    let project = ground(&format!("touch made\n{DONE}"));
    let check = ["--yes", "--criteria", "custom=touch \"$BASE/outside/made\"", "--max-iterations", "1"];
    let run = |sandbox: &str| project.ralph(&[&["run", "do it", "--new", sandbox], &check[..]].concat());
    for mode in MODES {
        let ran = run(&format!("--sandbox={mode}"));
        assert_eq!(ran.code, Some(3), "{mode}: {}{}", ran.out, ran.err);
        let told = format!("checks are run in the run's sandbox too ({mode})");
        assert!(ran.out.contains(&told), "{mode}: {}", ran.out);
        let journal = project.journal();
        let checked = journal.iter().rfind(|entry| entry["type"] == "checked").unwrap();
        assert!(checked["checks"][0]["tail"].as_str().unwrap().contains(&told), "{mode}: {checked}");
    }
    assert_eq!(run("--sandbox=off").code, Some(0), "outside it can");
}

#[test]
fn without_network_a_check_reaches_nothing_either() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let connects = format!(
        "custom=test -e made && python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 2)'"
    );
    for (more, expected) in [(&[][..], Some(0)), (&["--no-network"], Some(3))] {
        let project = ground(&format!("touch made\n{DONE}"));
        let args = [
            "run",
            "do it",
            "--yes",
            "--sandbox=bubblewrap",
            "--max-iterations",
            "1",
            "--criteria",
            &connects,
        ];
        let ran = project.ralph(&[&args[..], more].concat());
        assert_eq!(ran.code, expected, "{more:?}: {}{}", ran.out, ran.err);
    }
}
