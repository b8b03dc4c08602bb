//! What is kept of a file when a task in it is completed: everything but the value that says so.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::path::PathBuf;

use proptest::prelude::{Strategy, any, prop, proptest};
use proptest::{prop_assert, prop_assert_eq};
use ralph_core::backlog::{Item, Priority, Status, Wanted};
use ralph_core::id::TaskId;
use ralph_trackers::{Context, Markdown, Prd, Tracker, to_markdown, to_prd};
use tempfile::TempDir;

fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

fn written(name: &str, text: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, text).unwrap();
    (dir, path)
}

fn prd(text: &str) -> (TempDir, PathBuf, Prd) {
    let (dir, path) = written("prd.json", text);
    let tracker = Prd::new(path.clone(), dir.path().to_owned());
    (dir, path, tracker)
}

#[test]
fn a_prd_keeps_its_keys_its_order_and_its_layout() {
    let text = "\u{feff}{\r\n\t\"zeta\" : [1,2 , {\"deep\":null}],\r\n  \"project\":\"P\", \"userStories\":\r\n  [ {\"passes\" : false , \"id\":\"a\",\"title\":\"\\u00e4 \\\"x\\\"\", \"custom\":1e3},\r\n    {\"id\":\"b\",\"title\":\"B\",\"passes\":false,\"completionNotes\":\"old\"} ],\"tail\":true}\r\n\r\n";
    let (_dir, path, mut tracker) = prd(text);
    tracker.complete(&id("a"), "say \"ok\"").unwrap();
    tracker.complete(&id("b"), "new").unwrap();
    let expected = text
        .replace("\"passes\" : false", "\"passes\" : true")
        .replace("\"custom\":1e3", "\"custom\":1e3, \"completionNotes\":\"say \\\"ok\\\"\"")
        .replace(
            "\"passes\":false,\"completionNotes\":\"old\"",
            "\"passes\":true,\"completionNotes\":\"new\"",
        );
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn a_new_key_is_laid_out_as_its_neighbours() {
    let text = "{\n  \"name\": \"P\",\n  \"userStories\": [\n    {\n      \"id\": \"a\",\n      \"title\": \"A\",\n      \"passes\": false\n    }\n  ],\n  \"metadata\": { \"updatedAt\": \"2020-01-01T00:00:00.000Z\", \"version\": \"1\" }\n}";
    let (_dir, path, mut tracker) = prd(text);
    tracker.complete(&id("a"), "done").unwrap();
    let now = fs::read_to_string(&path).unwrap();
    assert!(now.contains("      \"passes\": true,\n      \"completionNotes\": \"done\"\n    }"), "{now}");
    assert!(!now.contains("2020-01-01") && now.contains("\", \"version\": \"1\" }\n}"), "{now}");
    tracker.set_status(&id("a"), Status::Open).unwrap();
    let open = fs::read_to_string(&path).unwrap();
    assert!(open.contains("\"passes\": false,\n      \"completionNotes\": \"\"\n"), "it is not done: {open}");
}

#[test]
fn a_null_is_replaced_and_not_doubled() {
    let (_dir, path, mut tracker) =
        prd("{\"userStories\":[{\"completionNotes\":null,\"id\":\"a\",\"title\":\"A\",\"passes\":false}]}");
    tracker.complete(&id("a"), "x").unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "{\"userStories\":[{\"completionNotes\":\"x\",\"id\":\"a\",\"title\":\"A\",\"passes\":true}]}"
    );
    let (_dir, path, mut tracker) = prd(
        "{\"userStories\":[{\"completion\\u004eotes\":null,\"id\":\"a\",\"title\":\"A\",\"passes\":false}]}",
    );
    tracker.complete(&id("a"), "x").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().matches("otes").count(), 1, "however it is spelt");
}

#[test]
fn stories_beyond_the_scale_of_priorities_keep_their_order() {
    let story = |number: i64| {
        format!("{{\"id\":\"US-{}\",\"title\":\"x\",\"priority\":{number},\"passes\":false}}", 100 - number)
    };
    let stories: Vec<String> = (1..=12).map(story).collect();
    let (_dir, _path, mut tracker) = prd(&format!("{{\"userStories\":[{}]}}", stories.join(",")));
    let backlog = tracker.load().unwrap();
    let order: Vec<&TaskId> =
        backlog.plan(&Wanted::default()).turns.iter().map(|turn| &turn.item.id).collect();
    assert_eq!(order, backlog.items().iter().map(|item| &item.id).collect::<Vec<_>>());
    let (_dir, _path, mut again) = prd(&to_prd(&Context::default(), backlog.items()));
    assert_eq!(again.load().unwrap().items(), backlog.items());
}

#[test]
fn the_files_of_a_tracker_are_the_link_and_what_it_points_at() {
    let (dir, path, _) = prd("{\"userStories\":[]}");
    let link = dir.path().join("link.json");
    std::os::unix::fs::symlink("prd.json", &link).unwrap();
    let files = Prd::new(link.clone(), dir.path().to_owned()).files();
    assert_eq!(files, [link, path.canonicalize().unwrap()]);
}

#[test]
fn what_others_changed_in_between_is_kept() {
    let (_dir, path, mut tracker) =
        prd("{\"userStories\":[{\"id\":\"a\",\"title\":\"A\",\"passes\":false}]}");
    tracker.load().unwrap();
    fs::write(&path, "{\"new\":1,\"userStories\":[{\"id\":\"z\",\"title\":\"Z\",\"passes\":false},{\"id\":\"a\",\"title\":\"A2\",\"passes\":false}]}").unwrap();
    tracker.set_status(&id("a"), Status::Completed).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "{\"new\":1,\"userStories\":[{\"id\":\"z\",\"title\":\"Z\",\"passes\":false},{\"id\":\"a\",\"title\":\"A2\",\"passes\":true}]}"
    );
}

#[test]
fn the_document_behind_a_prd_is_read_only_inside_the_project() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    fs::create_dir_all(root.join("tasks")).unwrap();
    fs::write(dir.path().join("secret.md"), "secret").unwrap();
    fs::write(root.join("prd.md"), "# The plan").unwrap();
    let context = |source: &str| {
        let text =
            format!("{{\"name\":\"N\",\"userStories\":[],\"metadata\":{{\"sourcePrd\":\"{source}\"}}}}");
        fs::write(root.join("tasks/prd.json"), text).unwrap();
        Prd::new(root.join("tasks/prd.json"), root.clone()).context().unwrap().content
    };
    assert_eq!(context("../prd.md"), "# The plan");
    assert_eq!(context("../../secret.md"), "");
    assert_eq!(context(dir.path().join("secret.md").to_str().unwrap()), "");
    fs::write(root.join("long.md"), "ä".repeat(1 << 20)).unwrap();
    let long = context("../long.md");
    assert!(
        long.starts_with("ää") && long.ends_with("ä\n\n[1048576 bytes more in ../long.md]\n"),
        "what is cut is told"
    );
}

const CHECKLIST: &str = "# Plan\r\n\r\nWhat it is *about*.\r\n\r\n- [ ] Build it\r\n    - [ ] US-1: the base\r\n      - Priority: high\r\n\r\n      Some words\r\n      ```sh\r\n      - [ ] not a task\r\n      ```\r\n\t- [x] US-2: the top\r\n\t  - Depends on: US-1\r\n~~~\r\n- [ ] nor this\r\n~~~\r\n<!--\r\n- [ ] nor this\r\n-->\r\n\r\n    - [ ] code\r\n\r\n> - [ ] quoted\r\n\r\n* [ ] Build it\r\n+ [-] dropped\r\n";

#[test]
fn a_checklist_is_read_with_its_nesting_and_without_what_is_no_task() {
    let (_dir, path) = written("TODO.md", CHECKLIST);
    let mut tracker = Markdown::new(path);
    let backlog = tracker.load().unwrap();
    let told: Vec<(&str, Status, Option<&str>, Vec<&str>)> = backlog
        .items()
        .iter()
        .map(|item| {
            let needs = item.depends_on.iter().map(TaskId::as_str).collect();
            (item.id.as_str(), item.status, item.parent.as_ref().map(TaskId::as_str), needs)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("build-it", Status::Open, None, vec!["US-1", "US-2"]),
            ("US-1", Status::Open, Some("build-it"), vec![]),
            ("US-2", Status::Completed, Some("build-it"), vec!["US-1"]),
            ("build-it-2", Status::Open, None, vec![]),
            ("dropped", Status::Cancelled, None, vec![]),
        ]
    );
    let base = backlog.item(&id("US-1")).unwrap();
    assert_eq!(base.description, "Some words\n```sh\n- [ ] not a task\n```");
    assert_eq!(base.priority.get(), 1);
    let context = tracker.context().unwrap();
    assert_eq!((context.name.as_str(), context.description.as_str()), ("Plan", "What it is *about*."));
}

#[test]
fn one_byte_of_a_checklist_changes() {
    let (_dir, path) = written("TODO.md", CHECKLIST);
    let mut tracker = Markdown::new(path.clone());
    tracker.complete(&id("US-1"), "a reason has no place").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), CHECKLIST.replace("[ ] US-1", "[x] US-1"));
    tracker.set_status(&id("US-1"), Status::Open).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), CHECKLIST);
    tracker.complete(&id("build-it-2"), "").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), CHECKLIST.replace("* [ ] Build it", "* [x] Build it"));
}

/// Words with everything in them that means something in either format.
fn texts(most: usize) -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "word",
        "- [ ] x",
        "- Priority: 1",
        "# head",
        "```",
        "~~~",
        "<!-- c",
        "\"q\"",
        "\\",
        "1. [x] y",
        "{#id}",
        "US-9:",
        "ä",
        "a: b",
        "[x]",
        "> q",
    ]);
    let line = prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "));
    prop::collection::vec(line, 1..most).prop_map(|lines| lines.join("\n"))
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    let one =
        (texts(2), texts(6), prop::collection::vec(texts(2), 0..3), 0..5_i64, any::<bool>(), 0..4_usize);
    prop::collection::vec(one, 1..5).prop_map(|all| {
        let items =
            all.into_iter().enumerate().map(|(at, (title, description, criteria, priority, done, need))| {
                let name = if at % 2 == 0 { format!("T-{at}") } else { "n".repeat(at) };
                let mut item = Item::new(id(&name), title);
                item.description = description;
                item.acceptance_criteria = criteria;
                item.priority = Priority::nearest(priority);
                item.status = if done { Status::Completed } else { Status::Open };
                item.labels = vec!["l1".to_owned(), "l 2".to_owned()];
                item.depends_on = if need < at { vec![id("T-0")] } else { Vec::new() };
                item
            });
        items.collect()
    })
}

proptest! {
    #[test]
    fn a_backlog_comes_back_from_a_prd_as_it_was(items in items()) {
        let (_dir, _path, mut tracker) = prd(&to_prd(&Context::default(), &items));
        let read = tracker.load().unwrap();
        prop_assert_eq!(read.items(), items);
    }

    #[test]
    fn no_text_of_a_task_becomes_a_task_of_a_checklist(items in items()) {
        let context = Context { name: "N".to_owned(), description: "d\n- [ ] x".to_owned(), ..Context::default() };
        let (_dir, path) = written("TODO.md", &to_markdown(&context, &items));
        let text = fs::read_to_string(&path).unwrap();
        let read = Markdown::new(path).load().unwrap();
        let key = |item: &Item| (item.id.clone(), item.status, item.priority, item.labels.clone(), item.depends_on.clone(), item.acceptance_criteria.len());
        prop_assert_eq!(read.items().iter().map(key).collect::<Vec<_>>(), items.iter().map(key).collect::<Vec<_>>(), "{}", text);
        for (read, item) in read.items().iter().zip(&items) {
            let words = |text: &str| text.split_whitespace().map(|word| word.trim_start_matches('\\').to_owned()).collect::<String>();
            prop_assert_eq!(words(&read.description), words(&item.description), "{}", text);
            prop_assert!(!read.title.is_empty());
        }
    }
}
