//! The notes of another tool, taken over by `ralph migrate`.

use serde_json::{Value, json};

use super::{Place, said};

fn theirs() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrate/tests/fixtures/ralph_mem.db")
}

fn migrate(place: &Place, args: &[&str]) -> (Option<i32>, Value) {
    let mut command = place.command(&[&["migrate", "ralph-mem", "--json"], args].concat());
    let out = command.output().unwrap();
    (
        out.status.code(),
        serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{}", said(&out.stderr))),
    )
}

#[test]
fn notes_come_in_once_as_a_tools_words_and_theirs_stay_as_they_are() {
    let place = Place::new();
    let dir = place.root.path().join(".ralph-mem");
    std::fs::create_dir(&dir).unwrap();
    std::fs::copy(theirs(), dir.join("memory.db")).unwrap();
    let count = |taken: &Value| (taken[0]["notes"]["taken"].clone(), taken[0]["notes"]["known"].clone());
    let (code, planned) = migrate(&place, &["--dry-run"]);
    assert_eq!((code, count(&planned)), (Some(0), (json!(5), json!(0))), "{planned:#}");
    assert_eq!(place.run(&["list"]).status.code(), Some(4), "nothing was written");
    assert_eq!(count(&migrate(&place, &[]).1), (json!(5), json!(0)));
    assert_eq!(count(&migrate(&place, &[]).1), (json!(0), json!(5)));
    let found = place.json(&["search", "frozen clock login"]);
    let results = found["results"].as_array().unwrap();
    let is_it = |one: &&Value| one["note"]["content"] == "The login test needs a frozen clock.";
    let note = &results.iter().find(is_it).unwrap_or_else(|| panic!("{found:#}"))["note"];
    assert_eq!(
        (&note["origin"], &note["scope"], &note["confidence"]),
        (&json!("tool"), &json!("project"), &json!(0.5))
    );
    assert_eq!(
        (&note["source"]["session"], &note["tags"]),
        (&json!("sess-Ab_c-123456x"), &json!(["ralph-mem", "note"]))
    );
    assert_eq!(note["valid_from"], "2026-01-05T10:01:02Z");
    let all = place.json(&["list"]).to_string();
    assert!(all.contains("The login was made stable.") && all.contains("cargo test --test login"), "{all}");
    assert!(!all.contains("hunter2"), "{all}");
    assert_eq!(std::fs::read(dir.join("memory.db")).unwrap(), std::fs::read(theirs()).unwrap());
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1, "nothing was put beside it");
}

#[test]
fn a_database_that_is_damaged_or_not_known_is_told_and_left() {
    let whole = std::fs::read(theirs()).unwrap();
    let mut broken = whole.clone();
    broken[1024..3072].fill(0xa5);
    for (bytes, what) in [
        (&whole[..1000], "SQLite"),
        (&broken[..], "SQLite"),
        (b"hello".as_slice(), "SQLite"),
        (b"".as_slice(), "no table"),
    ] {
        let place = Place::new();
        let dir = place.root.path().join(".ralph-mem");
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("memory.db"), bytes).unwrap();
        let (code, told) = migrate(&place, &[]);
        assert_eq!(code, Some(1), "{told:#}");
        let problem = told[0]["problems"][0]["what"].as_str().unwrap();
        assert!(problem.contains(what) && problem.contains("not taken over"), "{problem}");
        assert_eq!(std::fs::read(dir.join("memory.db")).unwrap(), bytes, "it is as it was");
        assert_eq!(place.run(&["list"]).status.code(), Some(4));
    }
    let place = Place::new();
    let dir = place.root.path().join(".ralph-mem");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("memory.db"), &whole).unwrap();
    std::fs::write(dir.join("memory.db-wal"), b"x").unwrap();
    let (code, told) = migrate(&place, &[]);
    assert_eq!(code, Some(1));
    assert!(told.to_string().contains("still to be written"), "{told:#}");
}
