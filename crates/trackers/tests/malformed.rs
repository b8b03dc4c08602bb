//! Files and answers that are no backlog: each is refused with what, where and what next, nothing is written, and none
//! takes long or much.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use ralph_core::id::TaskId;
use ralph_trackers::{Beads, Markdown, Prd, Tracker, TrackerError, Viewer};
use tempfile::TempDir;

const LONGEST: Duration = Duration::from_secs(20);
/// Of this process at its peak, in KiB.
const MOST_MEMORY: u64 = 1 << 20;

/// Whether an error must say where in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    Line,
    File,
}

/// Cases by class.
struct Cases {
    dir: TempDir,
    told: Vec<(&'static str, usize)>,
}

impl Cases {
    fn new() -> Cases {
        Cases { dir: tempfile::tempdir().unwrap(), told: Vec::new() }
    }

    fn count(&mut self, class: &'static str) {
        match self.told.iter_mut().find(|(name, _)| *name == class) {
            Some((_, count)) => *count += 1,
            None => self.told.push((class, 1)),
        }
    }

    fn file(&mut self, class: &'static str, name: &str, bytes: &[u8], whence: Where) {
        let path = self.dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        // As if nobody had written to it lately: it is not read twice.
        let opened = File::options().append(true).open(&path).unwrap();
        opened.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        self.refused(class, &path, whence);
        assert!(fs::read(&path).unwrap() == bytes, "{class}: it was written to");
        fs::remove_file(&path).unwrap();
    }

    fn prd(&mut self, class: &'static str, text: impl AsRef<[u8]>) {
        self.file(class, "prd.json", text.as_ref(), Where::Line);
    }

    fn markdown(&mut self, class: &'static str, text: impl AsRef<[u8]>) {
        self.file(class, "TODO.md", text.as_ref(), Where::Line);
    }

    fn refused(&mut self, class: &'static str, path: &Path, whence: Where) {
        self.count(class);
        let root = path.parent().unwrap();
        let mut tracker: Box<dyn Tracker> = if path.extension().is_some_and(|extension| extension == "md") {
            Box::new(Markdown::new(path.to_owned()))
        } else {
            Box::new(Prd::new(path.to_owned(), root.to_owned()))
        };
        let beside = fs::read_dir(root).unwrap().count();
        let begun = Instant::now();
        let error = tracker.load().map(|backlog| backlog.items().len()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&path.display().to_string()), "{class}: {text}");
        assert!(text.len() < 2_000 && error.hint().len() > 5, "{class}: {text}");
        if whence == Where::Line {
            let TrackerError::Malformed { spot: Some(spot), .. } = &error else {
                panic!("{class}: no line in {text}")
            };
            assert!(spot.line > 0 && spot.column > 0);
        }
        let a = TaskId::parse("a").unwrap();
        tracker.complete(&a, "x").unwrap_err();
        assert!(begun.elapsed() < LONGEST, "{class}: {:?}", begun.elapsed());
        assert_eq!(fs::read_dir(root).unwrap().count(), beside, "{class}: something was left");
    }
}

const GOOD: &str = r#"{"name":"P","userStories":[{"id":"a","title":"A","description":"d","acceptanceCriteria":["x"],"priority":1,"labels":["l"],"dependsOn":[],"passes":false},
{"id":"b","title":"B","passes":true}],"metadata":{"sourcePrd":"p.md"}}"#;

fn of_json(cases: &mut Cases) {
    for end in 1..GOOD.len() {
        cases.prd("cut off", &GOOD[..end]);
    }
    for text in [
        "nul",
        "{,}",
        "[1,]",
        "{'a':1}",
        "{\"a\":1,}",
        "// c\n{}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{} {}",
        "{\"a\":1}x",
        "{\"a\" 1}",
        "{\"a\":tru}",
        "NaN",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\t\"}",
        "{a:1}",
        "<?xml?>",
        "# Plan\n",
    ] {
        cases.prd("bad JSON", text);
    }
    for text in ["[]", "1", "true", "null", "\"text\"", "[{\"userStories\":[]}]", "-0", "1e5"] {
        cases.prd("wrong root", text);
    }
    for bad in ["\\x41", "\\u12", "\\ud800", "\\udc00x", "\\ud800\\u0041", "\\", "\\u{41}", "\\'"] {
        cases.prd("bad escapes", GOOD.replacen("\"A\"", &format!("\"{bad}\""), 1));
    }
    for empty in ["", " ", "\n\n\n", "\t", "\u{feff}", "\u{feff}\n"] {
        cases.prd("empty", empty);
    }
    let keys = [
        ("\"a\"", "id"),
        ("\"A\"", "title"),
        ("\"d\"", "description"),
        ("[\"x\"]", "acceptanceCriteria"),
        ("1", "priority"),
        ("[\"l\"]", "labels"),
        ("[]", "dependsOn"),
        ("false", "passes"),
        ("\"p.md\"", "sourcePrd"),
        ("\"P\"", "name"),
    ];
    for (value, key) in keys {
        let good = format!("\"{key}\":{value}");
        assert!(GOOD.contains(&good), "{good}");
        for wrong in ["{}", "7.5", "[1]", "[[\"x\"]]", "\"\\ud800\"", "{\"a\":[]}"] {
            cases.prd("wrong type", GOOD.replacen(&good, &format!("\"{key}\":{wrong}"), 1));
        }
    }
    for stories in ["{}", "1", "\"x\"", "true", "[1]", "[null]", "[[]]", "[\"a\"]"] {
        cases.prd("wrong stories", format!("{{\"userStories\":{stories}}}"));
    }
    for number in ["1e400", "99999999999999999999", "1.5", "-0.1", "\"1\"", "\"high\"", "1E+2"] {
        cases.prd("bad numbers", GOOD.replacen("\"priority\":1", &format!("\"priority\":{number}"), 1));
    }
}

fn of_stories(cases: &mut Cases) {
    for key in ["\"id\":\"a\",", "\"title\":\"A\",", ",\"passes\":false", "\"id\":\"b\",", ",\"passes\":true"]
    {
        cases.prd("missing keys", GOOD.replacen(key, "", 1));
    }
    for text in
        ["{}", "{\"name\":\"x\"}", "{\"userStories\":null}", "{\"stories\":[]}", "{\"userStories\":[{}]}"]
    {
        cases.prd("missing keys", text);
    }
    for count in 2..12 {
        let stories = vec!["{\"id\":\"a\",\"title\":\"A\",\"passes\":true}"; count].join(",\n");
        cases.prd("duplicate ids", format!("{{\"userStories\":[{stories}]}}"));
    }
    for key in ["id", "title", "passes", "x", "dependsOn", "pass\\u0065s"] {
        let twice = format!("\"{key}\":1,\"{}\":1,\"title\"", key.replace("\\u0065", "e"));
        cases.prd("duplicate keys", GOOD.replacen("\"title\"", &twice, 1));
    }
    let long = "x".repeat(129);
    for id in [
        "",
        " ",
        "..",
        "../x",
        "/abs",
        "-rf",
        "a b",
        "prompt",
        "\\u0000",
        "a\\nb",
        "ä",
        "\\u202ex",
        "a*",
        "a;b",
        "$(x)",
        "a,b",
        "\\\"",
        long.as_str(),
    ] {
        cases.prd("bad ids", GOOD.replacen("\"id\":\"a\"", &format!("\"id\":\"{id}\""), 1));
        cases.prd(
            "bad dependencies",
            GOOD.replacen("\"dependsOn\":[]", &format!("\"dependsOn\":[\"{id}\"]"), 1),
        );
    }
    for text in ["{\"prd\":{\"userStories\":[]}}", "{\"tasks\":[]}", "{\"prd\":1,\"tasks\":2}"] {
        cases.prd("foreign formats", text);
    }
    for key in ["\"status\":\"done\"", "\"subtasks\":[]", "\"status\":null"] {
        cases
            .prd("foreign formats", GOOD.replacen("\"passes\":false", &format!("\"passes\":false,{key}"), 1));
    }
    for title in ["", " ", " \\n ", "\\t", "\\u00a0", "\\u2003\\r"] {
        cases.prd("blank titles", GOOD.replacen("\"A\"", &format!("\"{title}\""), 1));
    }
}

fn of_bytes(cases: &mut Cases) {
    const CHECKLIST: &str = "# Plan\n\n- [ ] a: one\n  text\n- [x] T-2: two\n";
    for (step, bad) in
        [b"\xff".as_slice(), b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\xaf", b"\x80"]
            .iter()
            .enumerate()
    {
        for part in 1..4 {
            let put = |good: &str, at: usize| [&good.as_bytes()[..at], *bad, &good.as_bytes()[at..]].concat();
            cases.prd("invalid UTF-8", put(GOOD, GOOD.len() * part / 4 + step));
            cases.markdown("invalid UTF-8", put(CHECKLIST, CHECKLIST.len() * part / 4));
        }
    }
    for at in [0, 1, 10, 50, 100, GOOD.len()] {
        cases.prd("NUL", [&GOOD.as_bytes()[..at], b"\0", &GOOD.as_bytes()[at..]].concat());
        cases.markdown("NUL", [&CHECKLIST.as_bytes()[..at.min(30)], b"\0", b"\n"].concat());
    }
    for mark in [b"\xff\xfe", b"\xfe\xff"] {
        let bytes = [mark.as_slice(), &GOOD.bytes().flat_map(|byte| [byte, 0]).collect::<Vec<_>>()].concat();
        cases.file("UTF-16", "prd.json", &bytes, Where::File);
        cases.file("UTF-16", "TODO.md", &bytes, Where::File);
        cases.file("UTF-16", "TODO.md", mark, Where::File);
    }
    for depth in [200, 10_000, 1_000_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        cases.prd("depth bombs", &open);
        cases.prd("depth bombs", format!("{open}{close}"));
        cases.prd("depth bombs", "{\"a\":".repeat(depth));
        let inside = format!("\"passes\":false,\"x\":{open}{close}");
        cases.prd("depth bombs", GOOD.replacen("\"passes\":false", &inside, 1));
    }
    let many = vec!["{\"id\":\"a\",\"title\":\"A\",\"passes\":true}"; 200_001].join(",");
    cases.prd("too many", format!("{{\"userStories\":[{many}]}}"));
    cases.markdown("too many", "- [ ] x\n".repeat(200_001));
    // What is kept of them must stay within bounds.
    for (good, key) in [("[\"x\"]", "acceptanceCriteria"), ("[\"l\"]", "labels"), ("[]", "dependsOn")] {
        let many = format!("[{}\"\"]", "\"\",".repeat(1_000_000));
        cases.prd("too many", GOOD.replacen(&format!("\"{key}\":{good}"), &format!("\"{key}\":{many}"), 1));
    }
    let keys: String = (0..200_000).map(|no| format!("\"k{no}\":1,")).collect();
    cases.prd("too many", GOOD.replacen("\"id\":\"a\"", &format!("{keys}\"id\":\"a\""), 1));
    cases.markdown(
        "too many",
        format!("- [ ] x\n  - Acceptance criteria:\n{}", "    - c\n".repeat(1_000_000)),
    );
    cases.markdown("too many", format!("- [ ] x\n  - Labels: {}\n", "a,".repeat(1_000_000)));
}

fn of_markdown(cases: &mut Cases) {
    for first in ["- [ ] **US-1** one", "- [ ] __US-1__ one", "- [ ] one {#US-1}", "1. [x] **US-1:** one"] {
        cases.markdown("duplicate ids", format!("{first}\n\ntext\n\n* [x] **US-1** two\n"));
        cases.markdown("duplicate ids", format!("{first}\n  - [ ] two {{#US-1}}\n"));
    }
    for mark in ["?", ">", "!", "y", "✓", "o", "*", "\t"] {
        cases.markdown("unknown marks", format!("- [x] one\n- [{mark}] two\n"));
    }
    for priority in ["5", "-1", "P9", "very high", "1.5", "", "99999999999999999999"] {
        cases.markdown("bad priorities", format!("- [ ] T-1: one\n  - Priority: {priority}\n"));
    }
    for name in ["the other one", "a b", "-x", "../x", "ä", "prompt", "a;b"] {
        cases.markdown("bad dependencies", format!("- [ ] T-1: one\n  - Depends on: T-2, {name}\n"));
        cases.markdown("bad dependencies", format!("- [ ] T-1: one\n  - Blocks: {name}\n"));
    }
    for (bullet, depth) in [("- [ ] x", 70), ("- x", 70), ("1. x", 70), ("- [ ] x", 1_000), ("* x", 1_000)] {
        let step = " ".repeat(bullet.find(' ').unwrap() + 1);
        let lines = (0..depth).map(|level| format!("{}{bullet}\n", step.repeat(level)));
        cases.markdown("nested too deep", lines.collect::<String>());
    }
}

fn of_files(cases: &mut Cases) {
    for name in ["prd.json", "TODO.md"] {
        let path = cases.dir.path().join(name);
        for size in [100_000_000, (64 << 20) + 1] {
            File::create(&path).unwrap().set_len(size).unwrap();
            cases.refused("too large", &path, Where::File);
        }
        fs::write(&path, vec![b'x'; 100_000_000]).unwrap();
        cases.refused("too large", &path, Where::File);
        fs::remove_file(&path).unwrap();
        cases.refused("no file", &path, Where::File);
        fs::create_dir(&path).unwrap();
        cases.refused("no file", &path, Where::File);
        fs::remove_dir(&path).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
            .unwrap();
        cases.refused("no file", &path, Where::File);
        fs::remove_file(&path).unwrap();
        for target in ["/dev/zero", "nowhere", name] {
            std::os::unix::fs::symlink(target, &path).unwrap();
            cases.refused("no file", &path, Where::File);
            fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn whatever_is_wrong_with_a_file_is_told_and_nothing_is_written() {
    let mut cases = Cases::new();
    of_json(&mut cases);
    of_stories(&mut cases);
    of_bytes(&mut cases);
    of_markdown(&mut cases);
    of_files(&mut cases);
    let all: usize = cases.told.iter().map(|(_, count)| count).sum();
    println!("{all} cases in {} classes: {:?}", cases.told.len(), cases.told);
    let few: Vec<_> = cases.told.iter().filter(|(_, count)| *count < 5).collect();
    assert!(few.is_empty(), "classes with less than five cases: {few:?}");
    assert!(all >= 300 && cases.told.len() >= 15, "{all} cases in {} classes", cases.told.len());
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < MOST_MEMORY, "{peak} KiB at the peak");
}

#[test]
fn whatever_a_program_answers_is_told_by_its_command() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("br");
    let issue = r#"{"id":"a","title":"A","status":"open"}"#;
    let answers = [
        "exit 1",
        "echo oops >&2; exit 3",
        "echo no JSON",
        ":",
        "echo '[1]'",
        "echo '{}'",
        "echo '7'",
        "echo '\"x\"'",
        "echo '{\"issues\":{}}'",
        "echo '[{}]'",
        "echo '[{\"id\":\"a\"}]'",
        "echo '[{\"id\":\"-rf\",\"title\":\"x\",\"status\":\"open\"}]'",
        "echo '[{\"id\":\"a\",\"title\":\"x\",\"status\":\"open\",\"priority\":\"high\"}]'",
        "echo '[{\"id\":\"a\",\"title\":\"x\",\"status\":\"open\",\"dependencies\":[1]}]'",
        "kill -9 $$",
        "printf '\\377'",
        "echo '[' ; exit 0",
        "head -c 80000000 /dev/zero",
    ];
    let twice = format!("echo '[{issue},{issue}]'");
    for answer in answers.into_iter().chain([twice.as_str()]) {
        fs::write(&path, format!("#!/bin/sh\n{answer}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let mut tracker = Beads::new(dir.path().to_owned(), path.clone(), Viewer::NotAsked);
        let error = tracker.load().map(|backlog| backlog.items().len()).unwrap_err();
        assert!(error.to_string().starts_with("`br list --json --all --limit 0` "), "{answer}: {error}");
        assert!(!error.hint().is_empty());
    }
}
