//! `ralph snapshots`: what was kept, what changed in between, and what was not kept.

use std::os::unix::net::UnixListener;

use ralph_testkit::Project;
use serde_json::Value;

use crate::project;

const AGENT: &str = r#"
cat > /dev/null
case $RALPH_ITERATION in
  1) echo a > added; mkdir -p sub; echo b > sub/b; echo changed > text ;;
  2) rm added ;;
esac
"#;

fn ran() -> Project {
    let project = project().agent(AGENT);
    std::fs::write(project.tree().join("text"), "one\n").unwrap();
    assert_eq!(project.ralph(&["run", "x", "--max-iterations", "2"]).code, Some(3));
    project
}

fn snapshots(project: &Project, args: &[&str]) -> String {
    let ran = project.ralph(&[&["snapshots"], args].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran.out
}

fn json(project: &Project, args: &[&str]) -> Value {
    serde_json::from_str(&snapshots(project, &[args, &["--json"]].concat())).expect("JSON")
}

#[test]
fn each_snapshot_is_listed_with_what_changed_since_the_one_before() {
    let project = ran();
    let value = json(&project, &[]);
    let listed = value["snapshots"].as_array().unwrap();
    let rows: Vec<_> = listed
        .iter()
        .map(|one| {
            let changes = &one["changes"];
            let number = |key: &str| changes[key].as_u64();
            let place = (one["iteration"].as_u64().unwrap(), one["occasion"].as_str().unwrap());
            (
                place,
                [number("added"), number("changed"), number("removed")],
                one["holds"]["files"].as_u64().unwrap(),
            )
        })
        .collect();
    let some = |added, changed, removed| [Some(added), Some(changed), Some(removed)];
    let expected = [
        ((1, "begin"), [None; 3], 1),
        ((1, "end"), some(2, 1, 0), 3),
        ((2, "begin"), some(0, 0, 0), 3),
        ((2, "end"), some(0, 0, 1), 2),
    ];
    assert_eq!(rows, expected);
    assert!(listed[1]["stored"].as_u64() > Some(0), "{value:#}");
    assert_eq!(listed[2]["stored"], 0, "what is there already costs nothing");
    assert_eq!(value["store"]["snapshots"], 3, "the same content is the same snapshot");
    assert!(value["store"]["bytes"].as_u64() > Some(0));
    let told = snapshots(&project, &[]);
    for part in ["before 1 ", "after 1 ", "3 files", "+2 ~1", "as before", "-1\n", "3 snapshots, "] {
        assert!(told.contains(part), "`{part}` in\n{told}");
    }
    let directory = value["store"]["directory"].as_str().unwrap();
    assert!(told.contains(directory) && std::path::Path::new(directory).is_dir());
    let lines = told.lines().filter(|line| !line.contains(directory));
    assert!(lines.clone().all(|line| line.chars().count() <= 80), "{told}");
}

#[test]
fn what_cannot_be_kept_is_named_with_the_reason() {
    let project = project().agent("cat > /dev/null");
    std::fs::create_dir(project.tree().join("s")).unwrap();
    // A path to a socket is short; the directory it is in may not be.
    let _socket = UnixListener::bind(project.tree().join("s/k")).unwrap();
    assert_eq!(project.ralph(&["run", "x", "--max-iterations", "1"]).code, Some(3));
    assert!(snapshots(&project, &[]).contains("    not kept: s/k: a socket\n"));
    let first = &json(&project, &[])["snapshots"][0];
    assert_eq!((&first["uncovered"], &first["left_out"][0]), (&1.into(), &"s/k: a socket".into()));
}

#[test]
fn all_runs_of_the_project_are_listed_and_one_that_expired_is_named_as_such() {
    let project = ran();
    let first = project.run_id().unwrap();
    assert_eq!(project.ralph(&["run", "y", "--max-iterations", "1"]).code, Some(3));
    let listed = |args: &[&str]| json(&project, args)["snapshots"].as_array().unwrap().len();
    assert_eq!((listed(&[]), listed(&[&first]), listed(&["--all"])), (2, 4, 6));
    let told = snapshots(&project, &["--all"]);
    assert!(told.starts_with(&format!("run {first}\n")), "the oldest first:\n{told}");
    let id = json(&project, &[&first])["snapshots"][1]["snapshot"].as_str().unwrap().to_owned();
    std::fs::remove_file(project.state().join("snapshots").join(format!("snapshot-{id}"))).unwrap();
    assert!(snapshots(&project, &[&first]).contains("expired"));
    let gone = project.ralph(&["diff", &first, "1"]);
    assert_eq!(gone.code, Some(1), "{}", gone.out);
    assert!(
        gone.err.contains("it may have expired") && gone.err.contains("ralph snapshots --all"),
        "{}",
        gone.err
    );
}

#[test]
fn a_project_of_which_nothing_is_kept_says_so() {
    let project = project();
    let ran = project.ralph(&["snapshots"]);
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("ralph run"), "{}", ran.err);
}

#[test]
fn what_the_first_checks_left_is_told_from_what_was_there_before() {
    let project = project().agent("cat > /dev/null");
    let args =
        ["run", "x", "--yes", "--max-iterations", "1", "--criteria", "custom=touch left; test -e done"];
    assert_eq!(project.ralph(&args).code, Some(3));
    let told = snapshots(&project, &[]);
    let rows: Vec<&str> = told.lines().skip(1).take(3).collect();
    for (row, part) in rows.iter().zip(["  before   ", "  first checks  ", "  before 1  "]) {
        assert!(row.contains(part), "`{part}` in\n{told}");
    }
}

#[test]
fn a_rollback_to_what_expired_says_what_is_still_there() {
    let project = ran();
    let id = json(&project, &[])["snapshots"][0]["snapshot"].as_str().unwrap().to_owned();
    std::fs::remove_file(project.state().join("snapshots").join(format!("snapshot-{id}"))).unwrap();
    let gone = project.ralph(&["rollback", "--yes"]);
    assert_eq!(gone.code, Some(1), "{}", gone.out);
    assert!(gone.err.contains("ralph snapshots --all"), "{}", gone.err);
}
