//! What agents put down and look for, with the paths that they name.

use std::path::Path;
use std::sync::Arc;

use ralph_core::assignment::Assignment;
use ralph_core::id::{NoteId, RunId, TaskId};
use ralph_core::note::KindName;
use ralph_core::redact::Redactor;
use ralph_store::SqliteStore;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Code, Library};
use crate::inquiry::Inquiry;

struct Shelf {
    dir: TempDir,
    library: Library,
}

fn shelf() -> Shelf {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().join("tree");
    std::fs::create_dir_all(root.join("src")).expect("a directory");
    std::fs::write(root.join("src/app.py"), "def port():\n    return 9100\n\nport()\n").expect("a file");
    let library = Library {
        project: Some(Arc::new(SqliteStore::in_memory().expect("a store"))),
        global: dir.path().join("global"),
        code: Arc::new(Code::of(root.clone(), dir.path().join("graph"), None)),
        root,
        redactor: Redactor::new([]),
        measure: None,
    };
    Shelf { dir, library }
}

impl Shelf {
    fn full(&self, path: &str) -> String {
        self.dir.path().join("tree").join(path).to_string_lossy().into_owned()
    }

    fn ask(&self, name: &str, mut arguments: Value) -> Result<String, String> {
        arguments["ask"] = json!(name);
        let inquiry: Inquiry = serde_json::from_value(arguments).expect("an inquiry");
        self.library.reply(Some(&assignment()), &inquiry)
    }

    /// In an attempt whose brief does without this note.
    fn ask_without(&self, withheld: &str, name: &str, mut arguments: Value) -> Result<String, String> {
        arguments["ask"] = json!(name);
        let inquiry: Inquiry = serde_json::from_value(arguments).expect("an inquiry");
        let withheld = Some(NoteId::parse(withheld).expect("an id"));
        self.library.reply(Some(&Assignment { withheld, ..assignment() }), &inquiry)
    }

    fn remember(&self, arguments: Value) -> Result<String, String> {
        self.ask("remember", arguments)
    }
}

fn assignment() -> Assignment {
    Assignment {
        run: RunId::parse("0123456789ab").expect("an id"),
        task: TaskId::parse("T-1").expect("an id"),
        title: "mend it".to_owned(),
        body: "mend it".to_owned(),
        iteration: 1,
        max_iterations: None,
        attempt: 1,
        require: Vec::new(),
        criteria: Vec::new(),
        tried: Vec::new(),
        answers: Vec::new(),
        steering: Vec::new(),
        waits_for_answers: false,
        withheld: None,
    }
}

#[test]
fn a_full_path_means_the_file_of_the_project() {
    let shelf = shelf();
    let app = shelf.full("src/app.py");
    let cites = [format!("{app}:2"), "./src/../src/app.py".to_owned()];
    let note = json!({ "kind": "pattern", "content": "the port is fixed", "files": [app], "cites": cites });
    let told = shelf.remember(note).expect("it is kept");
    let id = id_in(&told);
    let shown = shelf.ask("get", json!({ "ids": [id] })).expect("it is there");
    assert!(shown.contains("files: src/app.py\n"), "{shown}");
    assert!(shown.contains("rests on: src/app.py:2, src/app.py\n"), "{shown}");
    let found = shelf.ask("search", json!({ "query": "something else", "files": [app] })).expect("an answer");
    assert!(found.contains("the port is fixed"), "{found}");
    for (name, asked) in [
        ("refs", json!({ "symbol": format!("{app}:port") })),
        ("impact", json!({ "what": [app] })),
        ("map", json!({ "focus": [shelf.full("src")] })),
        ("symbols", json!({ "inside": shelf.full("src") })),
        ("map", json!({ "focus": [shelf.full("")] })),
    ] {
        let answer = shelf.ask(name, asked);
        assert!(answer.is_ok(), "{name}: {answer:?}");
    }
}

#[test]
fn a_path_that_leads_out_of_the_project_is_refused() {
    let shelf = shelf();
    for path in ["/etc/passwd", "../graph", "src/../../x"] {
        for (name, asked) in [
            ("remember", json!({ "kind": "pattern", "content": "it is there", "files": [path] })),
            ("remember", json!({ "kind": "pattern", "content": "it is there", "cites": [path] })),
            ("search", json!({ "query": "x", "files": [path] })),
            ("symbols", json!({ "inside": path })),
        ] {
            let refused = shelf.ask(name, asked).expect_err("it is refused");
            assert!(refused.contains("in the project"), "{name} {path}: {refused}");
        }
    }
    assert!(shelf.ask("impact", json!({ "what": [Path::new("/etc/passwd")] })).is_err());
}

#[test]
fn a_line_that_is_not_there_cannot_be_cited() {
    let shelf = shelf();
    for (line, is_there) in [("1", true), ("4", true), ("0", false), ("5", false), ("99999", false)] {
        let cites = [format!("src/app.py:{line}")];
        let note = json!({ "kind": "pattern", "content": format!("line {line} matters"), "cites": cites });
        let kept = shelf.remember(note);
        assert_eq!(kept.is_ok(), is_there, "{line}: {kept:?}");
    }
}

#[test]
fn what_has_no_place_in_a_kind_is_told_and_no_kind_is_without_a_bound() {
    let shelf = shelf();
    let kept = |kind: KindName, because: Option<&str>, triggers: &[&str]| {
        let content = format!("{kind:?} {because:?} is known");
        shelf.remember(json!({ "kind": kind, "content": content, "because": because, "triggers": triggers }))
    };
    let plain = kept(KindName::Gotcha, None, &["twice"]).expect("it is kept");
    assert!(plain.ends_with("the work."), "{plain}");
    let told = kept(KindName::Pattern, Some("x"), &["twice"]).expect("it is kept");
    assert!(told.contains("`because` was left out") && told.contains("`triggers` were left out"), "{told}");
    let told = kept(KindName::Skill, None, &[]).expect("it is kept");
    assert!(told.contains("a discovery for now"), "{told}");
    let refused = kept(KindName::ToolUse, None, &[]).expect_err("it is refused");
    assert!(refused.contains("as a discovery"), "{refused}");
}

#[test]
fn a_note_about_code_that_has_changed_is_shown_as_a_hypothesis() {
    let shelf = shelf();
    let note = json!({
        "kind": "pattern", "content": "the exporter listens on 9100",
        "symbols": ["port"], "cites": ["src/app.py:2"],
    });
    let id = id_in(&shelf.remember(note).expect("it is kept"));
    let asked = [
        ("search", json!({ "query": "exporter" })),
        ("get", json!({ "ids": [id] })),
        ("timeline", json!({ "id": id })),
    ];
    let is_marked = || {
        asked.clone().map(|(name, asked)| {
            let told = shelf.ask(name, asked).expect("it is there");
            assert!(told.contains(&id), "{told}");
            told.contains("pattern [HYPOTHESIS]")
        })
    };
    assert_eq!(is_marked(), [false; 3]);
    std::fs::write(shelf.full("src/app.py"), "def port():\n    return 9200\n").expect("a file");
    assert_eq!(is_marked(), [true; 3]);
}

#[test]
fn what_is_near_the_files_at_hand_is_found_before_what_is_not() {
    let shelf = shelf();
    let page = "from app import port\n\ndef page():\n    return port()\n";
    std::fs::write(shelf.full("src/page.py"), page).expect("a file");
    std::fs::write(shelf.full("src/far.py"), "def far():\n    return 1\n").expect("a file");
    for (content, file) in [("it sleeps when asked", "src/page.py"), ("it wakes when asked", "src/far.py")] {
        let note = json!({ "kind": "pattern", "content": content, "files": [file] });
        shelf.remember(note).expect("it is kept");
    }
    let asked = json!({ "query": "asked", "files": ["src/app.py"] });
    let found = shelf.ask("search", asked).expect("an answer");
    let at = |words: &str| found.find(words).expect("it is found");
    assert!(at("it sleeps") < at("it wakes"), "{found}");
}

#[test]
fn what_a_brief_does_without_its_agent_is_not_shown() {
    let shelf = shelf();
    let put = |content: &str| {
        id_in(&shelf.remember(json!({ "kind": "pattern", "content": content })).expect("it is kept"))
    };
    let kept = put("the exporter listens on one port");
    let withheld = put("the exporter listens twice");
    let ask = |name: &str, arguments: Value| shelf.ask_without(&withheld, name, arguments);
    let one = ask("search", json!({ "query": "the exporter listens twice", "limit": 1 })).expect("an answer");
    assert!(one.contains(&kept) && !one.contains(&withheld), "there is room for another: {one}");
    let around = ask("timeline", json!({ "id": kept })).expect("an answer");
    assert!(around.contains(&kept) && !around.contains(&withheld), "{around}");
    for (name, arguments) in [("get", json!({ "ids": [withheld] })), ("timeline", json!({ "id": withheld }))]
    {
        let refused = ask(name, arguments.clone()).expect_err("it is not shown");
        assert!(refused.contains("that you can see"), "{refused}");
        assert!(shelf.ask(name, arguments).is_ok(), "in another attempt it is");
    }
}

fn id_in(told: &str) -> String {
    told.split(&[' ', ','][..]).find(|word| word.len() == 16).expect("an id").to_owned()
}
