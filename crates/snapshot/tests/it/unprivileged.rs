//! What an ordinary user may not do: everything else here runs as root as well, whom no mode stops.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use ralph_snapshot::{Options, Reason, Restore, Vault};

use crate::place::Place;

const HOME: &str = "RALPH_SNAPSHOT_TEST_USER_HOME";
const DEED: &str = "RALPH_SNAPSHOT_TEST_USER_DEED";
const NOBODY: u32 = 65534;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Works as nobody in a tree whose modes forbid most things. Does nothing unless it is the child.
#[test]
fn child_without_privileges() {
    let Some(home) = std::env::var_os(HOME).map(PathBuf::from) else { return };
    let vault = Vault::open(&home.join("vault"), &home.join("tree"), Options::default()).unwrap();
    let locked = home.join("tree/locked");
    match std::env::var(DEED).unwrap().as_str() {
        "restore" => {
            fs::create_dir_all(locked.join("deeper")).unwrap();
            fs::write(locked.join("deeper/x"), "kept").unwrap();
            fs::write(locked.join("y"), "kept").unwrap();
            fs::write(home.join("tree/secret"), "unreadable").unwrap();
            fs::create_dir(home.join("tree/closed")).unwrap();
            set_mode(&home.join("tree/secret"), 0);
            set_mode(&home.join("tree/closed"), 0);
            set_mode(&locked.join("deeper"), 0o500);
            set_mode(&locked, 0o1555);
            assert!(fs::write(locked.join("z"), "").is_err(), "the mode is in force");
            let taken = vault.take().unwrap();
            let uncovered: Vec<&str> = taken.uncovered.iter().map(|one| one.path.to_str().unwrap()).collect();
            assert_eq!(uncovered, ["closed", "secret"]);
            assert!(taken.uncovered.iter().all(|one| matches!(one.reason, Reason::Unreadable { .. })));
            fs::write(locked.join("deeper/x"), "changed").unwrap();
            fs::write(locked.join("y"), "changed").unwrap();
            fs::write(home.join("taken"), taken.id.to_string()).unwrap();
            let restore =
                Restore { paths: vec!["locked/deeper/x".into(), "locked/y".into()], dry_run: false };
            assert_eq!(vault.restore(taken.id, &restore).unwrap().problems, []);
        }
        "finish" => assert_eq!(vault.finish_restore().unwrap().unwrap().problems, []),
        other => panic!("what is {other}?"),
    }
    let content = |name: &str| fs::read_to_string(locked.join(name)).unwrap();
    assert_eq!((content("deeper/x"), content("y")), ("kept".to_owned(), "kept".to_owned()));
    assert_eq!((mode(&locked), mode(&locked.join("deeper"))), (0o1555, 0o500));
    assert_eq!((mode(&home.join("tree/secret")), mode(&home.join("tree/closed"))), (0, 0));
    assert_eq!(vault.pending_restore().unwrap(), None);
}

/// A place that belongs to nobody, and a program that nobody may run.
fn place_of_nobody() -> Place {
    let place = Place::new();
    for path in [place.home.path(), &place.root] {
        set_mode(path, 0o755);
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    fs::copy(std::env::current_exe().unwrap(), place.home.path().join("program")).unwrap();
    set_mode(&place.home.path().join("program"), 0o755);
    place
}

fn child(place: &Place, deed: &str, failpoints: &str) -> ExitStatus {
    let program = place.home.path().join("program");
    let mut child = if rustix::process::geteuid().is_root() {
        let mut child = Command::new("setpriv");
        child.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
        child
    } else {
        Command::new(program)
    };
    child.args(["unprivileged::child_without_privileges", "--exact", "--test-threads=1"]);
    child.env(HOME, place.home.path()).env(DEED, deed).env("FAILPOINTS", failpoints).current_dir("/");
    child.status().unwrap()
}

#[test]
fn a_restore_goes_into_directories_that_are_read_only_and_leaves_them_so() {
    assert!(child(&place_of_nobody(), "restore", "").success());
}

#[test]
#[cfg(feature = "failpoints")]
fn a_directory_that_was_opened_up_for_a_restore_is_closed_again_after_a_crash() {
    use std::os::unix::process::ExitStatusExt;
    for point in
        ["loosened=return", "loosened=1*off->return", "put=return", "put=1*off->return", "performed=return"]
    {
        let place = place_of_nobody();
        assert_eq!(
            child(&place, "restore", &format!("snapshot.restore.{point}")).signal(),
            Some(9),
            "{point}"
        );
        assert!(child(&place, "finish", "").success(), "after {point}");
    }
}
