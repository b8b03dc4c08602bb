//! What is put in is taken out to the byte, whatever the file looks like.

use proptest::prelude::*;
use serde_json::Value;

use super::{Entry, Hooks, Stripped};
use crate::jsonc;

const OURS: &str = "/opt/ralph hook claude";

fn hooks() -> Hooks {
    let entry = |event| Entry { event, command: OURS.to_owned(), timeout: 60 };
    let entries = ["SessionStart", "Stop", "PreCompact"].map(entry).to_vec();
    Hooks { entries, variable: Some(("THE_CAP", &["907163", "999999"])) }
}

fn is_ours(command: &str) -> bool {
    command == OURS
}

fn value(text: &str) -> Value {
    serde_json::from_str(&jsonc::plain(text)).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Puts the hooks in and takes them out, and says what the file was in between.
fn there_and_back(text: &str) -> String {
    let with = hooks().put_into(text, &is_ours).unwrap_or_else(|error| panic!("{error}: {text}"));
    for event in ["SessionStart", "Stop", "PreCompact"] {
        let groups = value(&with)["hooks"][event].as_array().cloned().unwrap_or_default();
        let last = groups.last().unwrap_or_else(|| panic!("no {event} in {with}"));
        assert_eq!(last["hooks"][0]["command"], OURS, "{with}");
    }
    assert!(value(&with)["env"]["THE_CAP"].is_string(), "{with}");
    assert_eq!(hooks().put_into(&with, &is_ours).as_deref(), Ok(with.as_str()), "twice");
    assert_eq!(hooks().strip(&with, &is_ours), Ok(Stripped::Text(text.to_owned())), "{with}");
    with
}

#[test]
fn files_as_people_have_them_come_back_to_the_byte() {
    let theirs = r#"{"hooks": [{"type": "command", "command": "fmt"}]}"#;
    let shapes = [
        "{}".to_owned(),
        "{}\n".to_owned(),
        "{\n}\n".to_owned(),
        "{ }".to_owned(),
        "{\n  // nothing yet\n}\n".to_owned(),
        "\u{feff}{\r\n\t\"model\": \"opus\"\r\n}\r\n".to_owned(),
        "{\"model\":\"opus\",\"env\":{\"A\":\"b\"}}".to_owned(),
        "{\n    \"env\": {},\n    \"hooks\": {}\n}".to_owned(),
        "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n".to_owned(),
        "{\n  \"hooks\": {\n    \"Stop\": [\n    ],\n  },\n}\n".to_owned(),
        format!("{{\n  \"hooks\": {{\n    \"Stop\": [\n      {theirs} // mine\n    ]\n  }}\n}}\n"),
        format!("{{\n  \"hooks\": {{\n    \"Stop\": [\n      {theirs}, // mine\n    ], /* two */ // three\n  }},\n}}\n"),
        format!("{{\n  \"hooks\": {{ \"Stop\": [{theirs}], \"PreCompact\": [{theirs},{theirs}] }}, // x\r\n  \"env\": {{ \"THE_CAP\": \"20\" }}\n}}"),
        "// a file\n{\n  \"permissions\": { \"allow\": [\"Bash(git *)\"] } // last\n  // \"hooks\": {}\n}\n// end".to_owned(),
    ];
    for shape in shapes {
        there_and_back(&shape);
    }
}

#[test]
fn a_file_that_was_made_for_the_hooks_is_known_to_be_no_ones() {
    let made = hooks().alone();
    assert_eq!(hooks().put_into(&made, &is_ours).as_deref(), Ok(made.as_str()));
    assert_eq!(hooks().strip(&made, &is_ours), Ok(Stripped::Nothing));
    assert_eq!(value(&made)["hooks"]["Stop"][0]["hooks"][0]["timeout"], 60);
    let added = made.replacen("{\n", "{\n  \"model\": \"opus\",\n", 1);
    assert_eq!(
        hooks().strip(&added, &is_ours),
        Ok(Stripped::Text("{\n  \"model\": \"opus\"\n}\n".to_owned()))
    );
}

#[test]
fn a_hook_is_known_again_wherever_a_person_moved_it() {
    let text = format!(
        r#"{{"hooks": {{"Stop": [{{"matcher": "x", "hooks": [{{"type": "command", "command": "fmt"}}, {{"command": "{OURS}"}}]}}]}}}}"#
    );
    let Ok(Stripped::Text(left)) = hooks().strip(&text, &is_ours) else { panic!("{text}") };
    assert_eq!(
        left,
        r#"{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "fmt"}]}]}}"#
    );
}

/// What is left of a file into which a person has written this remark before one of its lines.
fn left_of(made: &str, before: usize, remark: &str) -> String {
    let mut lines: Vec<&str> = made.lines().collect();
    lines.insert(before, remark);
    let text = lines.join("\n");
    let Ok(Stripped::Text(left)) = hooks().strip(&text, &is_ours) else { panic!("nothing left of {text}") };
    assert!(!left.contains(OURS) && value(&left).is_object(), "{left}");
    left
}

#[test]
fn a_remark_that_a_person_wrote_since_stays_wherever_it_is() {
    let remark = "// prettier hook goes here, \"hooks\": see wiki/42";
    for made in [hooks().alone(), hooks().put_into("{\"model\":\"x\"}\n", &is_ours).unwrap()] {
        let is_in_a_hook = |line: &str| line.starts_with("        ") || line.starts_with("      }");
        let lines: Vec<&str> = made.lines().collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| !is_in_a_hook(line)) {
            assert!(left_of(&made, at, remark).contains(remark), "before {line} of {made}");
        }
        assert!(left_of(&made, lines.len(), remark).contains(remark), "behind {made}");
    }
    let note = "  // \"model\": \"opus\",  <- my note";
    assert_eq!(left_of(&hooks().alone(), 1, note), format!("{{\n{note}\n}}"));
    let keyed = hooks().alone().replacen("\"hooks\": {", "\"hooks\": /* mine */ {", 1);
    assert_eq!(
        hooks().strip(&keyed, &is_ours),
        Ok(Stripped::Text("{\n  \"hooks\": /* mine */ {\n  }\n}\n".to_owned()))
    );
}

#[test]
fn a_remark_before_what_is_taken_out_swallows_nothing() {
    let cap = r#""THE_CAP": "907163""#;
    for env in [
        format!("{{ // mine\n {cap}, \"A\": \"b\" }}"),
        format!("{{ \"A\": \"b\", // mine\r\n {cap} }}"),
        format!("{{ \"A\": \"b\", /* one */ // mine\n\t{cap}}}"),
        format!("{{ \"A\": \"b\", // mine\n {cap} // theirs\n, \"C\": \"d\" }}"),
    ] {
        let with = hooks().put_into(&format!("{{\n  \"env\": {env}\n}}\n"), &is_ours).unwrap();
        let Ok(Stripped::Text(left)) = hooks().strip(&with, &is_ours) else { panic!("{with}") };
        let (left, is) = (value(&left), left);
        assert!(left["env"]["THE_CAP"].is_null() && left["env"]["A"] == "b", "{is}");
        assert!(is.contains("// mine") && left["hooks"].is_null(), "{is}");
    }
}

#[test]
fn what_cannot_be_read_is_an_error_with_its_line() {
    let check = |text: &str, line: usize, what: &str| {
        let error = hooks().put_into(text, &is_ours).expect_err(text);
        assert_eq!((error.line, error.what.contains(what)), (line, true), "{text}: {error}");
    };
    check("", 1, "nothing");
    check("{\n  \"a\": 1\n  \"b\": 2\n}", 3, "comma");
    check("{\n  \"a\": tru\n}", 2, "value");
    check("{\n  \"a\": \"x\n}", 2, "no end");
    check("{\n  a: 1\n}", 2, "quotation");
    check("[1]", 1, "object");
    check("{}\n{}", 2, "behind the end");
    check("{\n/* open\n}", 2, "comment");
    check("{\n\n  \"hooks\": []\n}", 3, "`hooks` is not an object");
    check("{\n  \"hooks\": {\n    \"Stop\": {}\n  }\n}", 3, "`hooks.Stop` is not a list");
    check("{\n  \"env\": 3\n}", 2, "`env` is not an object");
    check(&"[".repeat(100_000), 1, "too deeply");
}

/// Whitespace and comments of every kind.
fn trivia() -> impl Strategy<Value = String> {
    let pieces =
        ["", " ", "\n", "\n  ", "\t", "\r\n    ", " // c, }\n", "/* x \" */", "/* a\n b */", " // y\r\n"];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..3).prop_map(|pieces| pieces.concat())
}

fn container(
    open: char,
    close: char,
    item: impl Strategy<Value = String>,
    most: usize,
) -> impl Strategy<Value = String> {
    let items = prop::collection::vec((trivia(), item, trivia()), 0..most);
    (items, any::<bool>(), trivia()).prop_map(move |(items, trailing, end)| {
        let trailing = if trailing && !items.is_empty() { "," } else { "" };
        let items: Vec<String> =
            items.into_iter().map(|(before, item, after)| before + &item + &after).collect();
        format!("{open}{}{trailing}{end}{close}", items.join(","))
    })
}

fn member(key: &'static str, value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    (trivia(), value, trivia()).prop_map(move |(a, value, b)| format!("\"{key}\"{a}:{b}{value}")).boxed()
}

fn document() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(vec!["1", "true", "null", "\"a // b\"", "\"\\\"}\"", "-2.5e3"]);
    let scalar = scalar.prop_map(str::to_owned).boxed();
    let hook = container('{', '}', member("command", Just("\"theirs\"".to_owned()).boxed()), 2).boxed();
    let group = container('{', '}', member("hooks", container('[', ']', hook, 3).boxed()), 2).boxed();
    let groups = container('[', ']', group, 3).boxed();
    let event = prop_oneof![
        member("Stop", groups.clone()),
        member("SessionStart", groups.clone()),
        member("Other", groups)
    ];
    let hooks = container('{', '}', event, 4).boxed();
    let env = prop_oneof![member("A", scalar.clone()), member("THE_CAP", Just("\"3\"".to_owned()).boxed())];
    let env = container('{', '}', env, 3).boxed();
    let top = prop_oneof![member("hooks", hooks), member("env", env), member("model", scalar)];
    (trivia(), container('{', '}', top, 4), trivia()).prop_map(|(a, root, b)| a + &root + &b)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_file_looks_like_it_comes_back(text in document()) {
        there_and_back(&text);
    }

    #[test]
    fn no_text_at_all_brings_the_reader_down(text in "[\\[\\]{}\",:/*\\n a1\\\\]{0,60}") {
        let _whatever_it_says = hooks().put_into(&text, &is_ours);
    }
}
