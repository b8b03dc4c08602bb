//! Whatever comes in, no host is harmed and no file is made by a name that is none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Session, project, told};

/// Each class of malformed ids, with cases that differ in kind.
fn corpus() -> Vec<(&'static str, Vec<String>)> {
    let own = |cases: &[&str]| cases.iter().map(|case| (*case).to_owned()).collect::<Vec<_>>();
    vec![
        ("empty", own(&["", " ", "\t", "\n", "\u{a0}"])),
        ("traversal", own(&["..", ".", "../x", "a/../../b", "..\\x", "ses_1/.."])),
        ("absolute", own(&["/etc/passwd", "//x", "C:\\x", "\\\\host\\share", "~/x"])),
        ("separators", own(&["a/b", "a\\b", "a:b", "a|b", "a;b"])),
        ("control", own(&["a\0b", "a\nb", "a\rb", "\u{1b}[2J", "a\u{7f}"])),
        ("unicode", own(&["ses_é", "ses_１", "\u{202e}1_ses", "ses\u{200b}_1", "ѕes_1"])),
        (
            "length",
            vec!["x".repeat(65), "x".repeat(255), "x".repeat(256), "x".repeat(4097), "x".repeat(1 << 20)],
        ),
        ("devices", own(&["/dev/null", "CON.", "nul.txt", "COM1:", "/proc/self/mem"])),
        ("placeholders", own(&["null", "undefined", "[object Object]", "NaN.", "${SESSION}"])),
        ("encoded", own(&["%2e%2e", "%00", "a%2fb", "&#46;", "\\u002e"])),
        ("shell", own(&["$(id)", "`id`", "a b", "*", "'x'", "a&b"])),
        ("sql", own(&["' OR 1=1 --", "x'; DROP TABLE runs", "\"", "a,b", "(1)"])),
        ("dots", own(&["a.b", ".hidden", "a..b", "ses_1.", "..."])),
    ]
}

fn listing(root: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![root.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            let meta = entry.metadata().unwrap();
            found.insert(entry.path(), if meta.is_file() { meta.len() } else { 0 });
            if meta.is_dir() {
                dirs.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn a_malformed_session_id_reaches_no_file_and_gets_no_answer() {
    let project = project();
    let before = listing(project.base());
    let mut tried = 0;
    for (class, cases) in corpus() {
        assert!(cases.len() >= 5, "{class}");
        for id in cases {
            let session = Session::of(&project, &id);
            let event = session.event("command", json!({ "command": "ralph", "arguments": "fix it" }));
            let out = told(project.command(&["hook", "opencode"]), event.to_string().as_bytes());
            assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(1), &b""[..]), "{class}: {id:?}");
            assert_eq!(String::from_utf8_lossy(&out.stderr).lines().count(), 1, "{class}: {id:?}");
            tried += 1;
        }
    }
    assert!(tried >= 60);
    assert_eq!(listing(project.base()), before);
    let ran = project.ralph(&["loop", "start", "--session", "../x", "--", "fix it"]);
    assert_eq!((ran.code, ran.err.contains("not a session id")), (Some(2), true), "{ran:?}");
    assert_eq!(listing(project.base()), before);
    let session = Session::of(&project, "ses_1");
    session.command("fix it --strategy reset");
    session.idle("m1", "one");
    let event = session.event("replaced", json!({ "replaced_by": "../x" })).to_string();
    let out = told(project.command(&["hook", "opencode"]), event.as_bytes());
    assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(1), &b""[..]));
}

#[test]
fn whatever_is_told_the_host_goes_on() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let whole = session.event("idle", json!({ "message": { "id": "m1", "text": "x" } }));
    let with = |key: &str, value: Value| {
        let mut event = whole.clone();
        event[key] = value;
        event.to_string().into_bytes()
    };
    let cases = [
        Vec::new(),
        b"\xff\xfe{".to_vec(),
        b"[]".to_vec(),
        b"{}".to_vec(),
        b"null".to_vec(),
        whole.to_string().as_bytes()[..40].to_vec(),
        "[".repeat(100_000).into_bytes(),
        with("v", json!(2)),
        with("v", json!("1")),
        with("event", json!("exploded")),
        with("session", json!(7)),
        with("directory", json!("relative")),
        with("directory", json!("/no/such/place")),
        with("directory", json!("")),
        with("message", json!("text")),
        with("todo", json!({})),
    ];
    for case in cases {
        let out = told(project.command(&["hook", "opencode"]), &case);
        let shown = String::from_utf8_lossy(&case[..case.len().min(80)]).into_owned();
        assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(1), &b""[..]), "{shown}");
        assert_eq!(String::from_utf8_lossy(&out.stderr).lines().count(), 1, "{shown}");
    }
    for args in [&["hook"][..], &["hook", "emacs"], &["hook", "opencode", "--what", "else"], &["hook", ""]] {
        let out = told(project.command(args), b"{}");
        assert_eq!(out.status.code(), Some(1), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&out.stderr).lines().count(), 1, "{args:?}");
    }
    assert_eq!(session.stands(), (1, "running".to_owned()));
}

#[test]
fn a_store_that_cannot_be_read_stops_no_host() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    std::fs::write(project.database(), "not a database at all, but longer than a header of one would be")
        .unwrap();
    let event = session.event("idle", json!({ "message": { "id": "m1", "text": "x", "finish": "stop" } }));
    let out = told(project.command(&["hook", "opencode"]), event.to_string().as_bytes());
    assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(1), &b""[..]));
    assert_eq!(String::from_utf8_lossy(&out.stderr).lines().count(), 1);
}
