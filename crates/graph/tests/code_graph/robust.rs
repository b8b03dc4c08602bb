//! Trees that are large, that change under the reader, or that it may not read; and writers that are killed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ralph_graph::{Skipped, Watched, update};

use crate::project::{Project, options};

const FILES: usize = 100_000;

#[test]
fn a_hundred_thousand_files_are_read_and_followed() {
    let project = Project::new(&[]);
    for folder in 0..FILES / 100 {
        let path = project.root().join(format!("d{folder}"));
        fs::create_dir(&path).unwrap();
        for file in 0..100 {
            fs::write(path.join(format!("f{file}.py")), format!("def f{folder}_{file}(): pass\n")).unwrap();
        }
    }
    let (mut watched, report) =
        Watched::new(&project.root(), &project.kept(), options(), &|_, _| {}).unwrap();
    assert_eq!((report.files, report.symbols, report.skipped.len()), (FILES, FILES, 0));
    assert_eq!(watched.unwatched(), None);
    project.write("d500/f50.py", "def changed(): pass\ndef added(): pass\n");
    let changed = watched.update().unwrap();
    assert_eq!((changed.parsed, changed.symbols), (1, FILES + 1));
    assert_eq!(watched.graph().find("changed").len(), 1);
}

#[test]
fn links_that_lead_in_circles_are_not_followed() {
    let project = Project::new(&[("a/b/c.rs", "fn c() {}")]);
    symlink(project.root(), project.root().join("a/b/up")).unwrap();
    symlink("self", project.root().join("self")).unwrap();
    symlink("two", project.root().join("one.rs")).unwrap();
    symlink("one.rs", project.root().join("two")).unwrap();
    assert_eq!(project.update().1.files, 1);
    let (mut watched, _) = Watched::new(&project.root(), &project.kept(), options(), &|_, _| {}).unwrap();
    project.write("a/b/up/a/d.rs", "fn d() {}");
    assert_eq!(watched.update().unwrap().files, 2, "what is written through a link is where it is");
    assert_eq!(watched.graph().fingerprint(), project.built_anew().fingerprint());
}

#[test]
fn pipes_and_sockets_are_not_waited_for() {
    let project = Project::new(&[("a.rs", "fn a() {}")]);
    let status = Command::new("mkfifo").arg(project.root().join("pipe.rs")).status().unwrap();
    assert!(status.success());
    let _socket = std::os::unix::net::UnixListener::bind(project.root().join("socket.rs")).unwrap();
    assert_eq!(project.update().1.files, 1);
}

/// A test that needs a user who may not read everything starts itself as one, if it is root.
fn as_somebody(name: &str, project: &Path) -> bool {
    if !rustix::process::geteuid().is_root() {
        return false;
    }
    let own = std::env::current_exe().unwrap();
    let copy = project.join("test-program");
    fs::copy(&own, &copy).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&copy)
        .args([name, "--exact", "--nocapture"])
        .env("TMPDIR", project)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

#[test]
fn what_may_not_be_read_is_named_and_read_once_it_may() {
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o777)).unwrap();
    if as_somebody("robust::what_may_not_be_read_is_named_and_read_once_it_may", home.path()) {
        return;
    }
    let project = Project::new(&[("a.rs", "fn a() {}"), ("shut/b.rs", "fn b() {}"), ("c.rs", "fn c() {}")]);
    let allow = |path: &str, mode: u32| {
        fs::set_permissions(project.root().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    allow("a.rs", 0o000);
    allow("shut", 0o000);
    let (mut watched, report) =
        Watched::new(&project.root(), &project.kept(), options(), &|_, _| {}).unwrap();
    assert_eq!(report.skipped, [("a.rs".to_owned(), Skipped::Unreadable)]);
    assert_eq!((report.files, report.symbols), (2, 1), "what is behind a shut door is not there");
    allow("a.rs", 0o600);
    allow("shut", 0o700);
    let opened = watched.update().unwrap();
    assert_eq!((opened.skipped.len(), opened.symbols), (0, 3));
    allow("shut", 0o000);
    assert_eq!(watched.update().unwrap().symbols, 2);
    assert_eq!(watched.graph().fingerprint(), project.built_anew().fingerprint());
    allow("shut", 0o700);
}

#[test]
fn files_that_are_rewritten_meanwhile_end_as_they_are() {
    let project = Project::new(&[]);
    let text = |round: usize| format!("fn round_{round}() {{}}\n").repeat(round % 50 + 1);
    let write = |round: usize| {
        for file in 0..20 {
            let path = project.root().join(format!("d{}/f{file}.rs", file % 4));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Half of them in place, half of them as editors do.
            if file % 2 == 0 {
                fs::write(path, text(round)).unwrap();
            } else {
                let beside = path.with_extension("tmp");
                fs::write(&beside, text(round)).unwrap();
                fs::rename(beside, path).unwrap();
            }
        }
    };
    write(0);
    let (mut watched, _) = Watched::new(&project.root(), &project.kept(), options(), &|_, _| {}).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 1;
            while !is_over.load(Ordering::Relaxed) {
                write(round);
                round += 1;
            }
        });
        for _ in 0..25 {
            watched.update().unwrap();
            project.update();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    watched.update().unwrap();
    let anew = project.built_anew().fingerprint();
    assert_eq!(watched.graph().fingerprint(), anew);
    assert_eq!(project.update().0.fingerprint(), anew);
}

/// Not a test of its own: what is killed in the next one.
#[test]
fn a_writer_that_goes_on_until_it_is_killed() {
    let Some(root) = std::env::var_os("RALPH_TEST_WRITER") else { return };
    let root = Path::new(&root);
    let (tree, kept) = (root.join("tree"), root.join("state/graph"));
    for round in 0_u64.. {
        fs::write(tree.join("turn.rs"), format!("fn turn_{round}() {{}}\n")).unwrap();
        update(&tree, &kept, &options(), &|_, _| {}).unwrap();
    }
}

#[test]
fn a_writer_that_is_killed_leaves_the_old_graph_or_the_new_one() {
    let project = Project::new(&[]);
    // Large enough for its writing to take a while.
    for file in 0..60 {
        let text: String =
            (0..200).map(|at| format!("pub fn f{file}_{at}(x: u64) -> u64 {{ x }}\n")).collect();
        project.write(&format!("m{file}.rs"), text);
    }
    project.update();
    let root = project.root().parent().unwrap().to_owned();
    for round in 0..30_u64 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["robust::a_writer_that_goes_on_until_it_is_killed", "--exact"])
            .env("RALPH_TEST_WRITER", &root)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Until it has written at least once, and then into the middle of whatever it does.
        let turn = project.root().join("turn.rs");
        let before = fs::read(&turn).unwrap_or_default();
        let until = Instant::now() + Duration::from_secs(60);
        while fs::read(&turn).unwrap_or_default() == before && Instant::now() < until {
            std::thread::yield_now();
        }
        let struck = Instant::now() + Duration::from_micros(round * 1_700);
        while Instant::now() < struck {
            std::hint::spin_loop();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let (graph, report) = project.update();
        assert_eq!(report.unusable, None, "round {round}");
        assert_eq!(graph.fingerprint(), project.built_anew().fingerprint(), "round {round}");
        // What the killed one left is gone with the next graph that is written.
        project.write("after.rs", format!("fn after_{round}() {{}}\n"));
        project.update();
        assert_eq!(fs::read_dir(project.kept().parent().unwrap()).unwrap().count(), 1, "round {round}");
    }
}
