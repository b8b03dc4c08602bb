//! Whatever comes in, no host is harmed: never exit 2, never a block, never a panic, and one line that says why.

use serde_json::{Value, json};

use super::{Session, project, told};

type Case = (String, Vec<u8>);

fn own(cases: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Vec<Vec<u8>> {
    cases.into_iter().map(Into::into).collect()
}

fn with(whole: &Value, field: &str, values: Vec<Value>) -> Vec<Vec<u8>> {
    let set = |value: Value| {
        let mut event = whole.clone();
        event[field] = value;
        event.to_string().into_bytes()
    };
    values.into_iter().map(set).collect()
}

fn texts(values: &[&str]) -> Vec<Value> {
    values.iter().map(|text| json!(text)).collect()
}

/// Each class, with cases that differ in kind.
fn classes(whole: &Value) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let text = whole.to_string();
    let without = |field: &str| {
        let mut event = whole.clone();
        event.as_object_mut().unwrap().remove(field);
        event.to_string().into_bytes()
    };
    let others =
        || vec![json!(null), json!(7), json!(true), json!([]), json!({}), json!([["x"]]), json!(1.5)];
    let long = "x".repeat(1 << 20);
    vec![
        ("nothing", own(["", " ", "\n", "\t\r\n", "\u{feff}"])),
        ("not JSON", own(["hello", "{", "}", "{]", "'{}'", "<xml/>", "NaN", "undefined", "{\"a\":}"])),
        ("another kind of value", own(["[]", "null", "7", "\"text\"", "true", "-1", "[{}]"])),
        (
            "not text",
            own([&b"\xff\xfe{"[..], b"\x00", b"\x80\x81", b"{\"a\":\"\xc3\"}", b"\xed\xa0\x80", b"\x1b[2J"]),
        ),
        ("cut off", (1..8).map(|part| text.as_bytes()[..text.len() * part / 8].to_vec()).collect()),
        (
            "something behind",
            own([
                format!("{text}x"),
                format!("{text}{text}"),
                format!("{text},"),
                format!("{text}]"),
                format!("{text}\0"),
            ]),
        ),
        (
            "too deep",
            own([
                "[".repeat(100_000),
                "{\"a\":".repeat(50_000),
                format!("{}{}", "[".repeat(200), "]".repeat(200)),
                format!("{{\"a\":{}1{}}}", "[".repeat(500), "]".repeat(500)),
                "[[{\"a\":".repeat(20_000),
            ]),
        ),
        (
            "fields missing",
            own([
                without("session_id"),
                without("hook_event_name"),
                without("cwd"),
                b"{}".to_vec(),
                b"{\"session_id\":\"a\"}".to_vec(),
            ]),
        ),
        ("session of another type", with(whole, "session_id", others())),
        ("event of another type", with(whole, "hook_event_name", others())),
        ("directory of another type", with(whole, "cwd", others())),
        (
            "empty session",
            with(whole, "session_id", texts(&["", " ", "\t", "\n", "\u{a0}", "null", "undefined"])),
        ),
        (
            "session as a path",
            with(
                whole,
                "session_id",
                texts(&["..", ".", "../x", "a/../../b", "/etc/passwd", "~/x", "a\\b", "C:\\x", "//h/s"]),
            ),
        ),
        (
            "session with control characters",
            with(whole, "session_id", texts(&["a\0b", "a\nb", "\u{1b}[2J", "a\u{7f}", "a\rb"])),
        ),
        (
            "session in other letters",
            with(whole, "session_id", texts(&["ses_é", "ses_１", "\u{202e}1", "s\u{200b}1", "ѕes"])),
        ),
        (
            "session too long",
            with(
                whole,
                "session_id",
                [65, 128, 255, 4097, 1 << 20].map(|length| json!("x".repeat(length))).to_vec(),
            ),
        ),
        (
            "session as code",
            with(
                whole,
                "session_id",
                texts(&["$(id)", "`id`", "' OR 1=1 --", "a;b", "*", "%2e%2e", "${X}", "{{x}}"]),
            ),
        ),
        (
            "unknown event",
            with(
                whole,
                "hook_event_name",
                texts(&[
                    "",
                    "stop",
                    "STOP",
                    "Exploded",
                    "AfterAgent",
                    "Stop ",
                    "PreToolUse",
                    "\u{1b}[2JStop",
                    &long,
                ]),
            ),
        ),
        (
            "directory that is none",
            with(whole, "cwd", texts(&["", "relative", "./x", "~", "a\0b", "file:///x", "C:\\x", "../.."])),
        ),
        (
            "directory that is not there",
            with(
                whole,
                "cwd",
                texts(&["/no/such/place", "/dev/null/x", "/proc/self/fd/99/x", "/no\nline", "/no\u{202e}"]),
            ),
        ),
    ]
}

/// Fields that a prompt or a turn may have in any shape: answered or not, but never with harm.
fn odd(session: &Session<'_>) -> Vec<Case> {
    let shapes = || {
        let long = json!("x".repeat(1 << 20));
        let deep =
            serde_json::from_str::<Value>(&format!("{}1{}", "[".repeat(100), "]".repeat(100))).unwrap();
        vec![
            json!(null),
            json!(7),
            json!(""),
            json!([]),
            json!({}),
            json!("\0\u{1b}[2J"),
            long,
            deep,
            json!("/"),
            json!("//"),
        ]
    };
    let mut cases = Vec::new();
    for event in ["Stop", "SubagentStop", "PreCompact", "PostToolUse"] {
        let fields = [
            "last_assistant_message",
            "transcript_path",
            "tool_name",
            "agent_id",
            "timestamp",
            "stop_hook_active",
            "trigger",
            "effort",
        ];
        for field in fields {
            for shape in shapes() {
                let told = session.event(event, json!({ field: shape })).to_string();
                cases.push((format!("{event}.{field}"), told.into_bytes()));
            }
        }
    }
    for path in ["/dev/zero", "/dev/stdin", "/proc/self/mem", "/", "/etc/shadow", "/dev/tty"] {
        let told = session.event("Stop", json!({ "transcript_path": path })).to_string();
        cases.push(("transcript".to_owned(), told.into_bytes()));
    }
    cases
}

#[test]
fn five_hundred_malformed_events_harm_nobody() {
    let project = project();
    let living = Session::of(&project, "ses-1");
    living.types("/ralph fix it --max-iterations 100000");
    let event = living.event("Stop", json!({ "last_assistant_message": "x" }));
    let classes = classes(&event);
    assert!(classes.len() >= 15);
    let mut tried = 0;
    for (class, cases) in classes {
        assert!(cases.len() >= 5, "{class}");
        for case in cases {
            let out = told(project.command(&["hook", "claude", "--within", "60"]), &case);
            let shown = String::from_utf8_lossy(&case[..case.len().min(120)]).into_owned();
            assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(1), &b""[..]), "{class}: {shown}");
            let why = String::from_utf8_lossy(&out.stderr).into_owned();
            assert_eq!(
                (why.lines().count(), why.contains("panicked")),
                (1, false),
                "{class}: {shown}: {why}"
            );
            assert!(why.len() < 1_000 && !why.contains('\u{1b}'), "{class}: {why}");
            tried += 1;
        }
    }
    assert_eq!(living.stands(), (1, "running".to_owned()), "no malformed event moved the loop");
    // Of a session without a loop, so that none of it can be right.
    for (class, case) in odd(&Session::of(&project, "ses-2")) {
        let out = told(project.command(&["hook", "claude", "--within", "60"]), &case);
        assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(0), &b""[..]), "{class}");
        tried += 1;
    }
    assert!(tried >= 450, "{tried}");
    assert_eq!(living.stands(), (1, "running".to_owned()));
    for (class, case) in odd(&living) {
        let out = told(project.command(&["hook", "claude", "--within", "60"]), &case);
        assert_eq!(out.status.code(), Some(0), "{class}: {}", String::from_utf8_lossy(&out.stderr));
        assert!(!String::from_utf8_lossy(&out.stderr).contains("panicked"), "{class}");
        tried += 1;
    }
    assert!(tried >= 500, "{tried}");
}

#[test]
fn every_host_is_let_go_in_the_same_way() {
    let project = project();
    for host in ["claude", "codex", "gemini", "qwen"] {
        for input in
            ["", "{}", "[]", "{\"session_id\":\"../x\",\"hook_event_name\":\"SessionStart\",\"cwd\":\"/\"}"]
        {
            let out = told(project.command(&["hook", host]), input.as_bytes());
            assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(1), &b""[..]), "{host}: {input}");
            assert_eq!(String::from_utf8_lossy(&out.stderr).lines().count(), 1, "{host}: {input}");
        }
    }
    for rest in [&["--within"][..], &["--within", "x"], &["--within", "-1"], &["what", "--else"]] {
        let args: Vec<&str> = ["hook", "claude"].into_iter().chain(rest.iter().copied()).collect();
        assert_eq!(told(project.command(&args), b"{}").status.code(), Some(1), "{rest:?}");
    }
}

#[test]
fn a_store_that_cannot_be_read_stops_no_host() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    std::fs::write(project.database(), "not a database at all, but longer than a header of one would be")
        .unwrap();
    for event in ["Stop", "UserPromptSubmit", "SessionStart", "PostToolUse", "SessionEnd"] {
        let event = session.event(event, json!({ "prompt": "x" })).to_string();
        let out = told(project.command(&["hook", "claude"]), event.as_bytes());
        assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(1), &b""[..]));
        assert_eq!(String::from_utf8_lossy(&out.stderr).lines().count(), 1);
    }
}
