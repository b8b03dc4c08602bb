//! The classes of malformed events, each with cases written by hand that differ in kind, and cuts made from whole ones.

use serde_json::{Value, json};

/// A host's whole events, and what it calls the fields that none of them is without. `@@` is where text of the agent's
/// or the person's stands.
pub(super) struct Shape {
    pub(super) host: &'static str,
    pub(super) event: Value,
    pub(super) typed: Value,
    pub(super) name: &'static str,
    pub(super) session: &'static str,
    pub(super) directory: &'static str,
}

type Class = (&'static str, Vec<Vec<u8>>);

/// Above what is read of an event.
const HUGE: usize = (64 << 20) + 10;

pub(super) fn classes(shape: &Shape) -> Vec<Class> {
    let mut classes = no_json(shape);
    classes.extend(bad_text(shape));
    classes.extend(bad_fields(shape));
    classes.extend(bad_sessions(shape));
    classes
}

fn own(cases: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Vec<Vec<u8>> {
    cases.into_iter().map(Into::into).collect()
}

fn texts(values: &[&str]) -> Vec<Value> {
    values.iter().map(|text| json!(text)).collect()
}

/// Everything that no name, session or directory can be.
fn others() -> Vec<Value> {
    vec![json!(null), json!(7), json!(true), json!([]), json!({}), json!([["x"]]), json!(1.5), json!(-0.0)]
}

impl Shape {
    fn with(&self, field: &str, values: Vec<Value>) -> Vec<Vec<u8>> {
        let set = |value: Value| {
            let mut event = self.event.clone();
            event[field] = value;
            event.to_string().into_bytes()
        };
        values.into_iter().map(set).collect()
    }

    fn without(&self, fields: &[&str]) -> Vec<u8> {
        let mut event = self.event.clone();
        fields.iter().for_each(|field| drop(event.as_object_mut().unwrap().remove(*field)));
        event.to_string().into_bytes()
    }

    /// The event with these bytes for its text, quotes included.
    fn saying(&self, raw: impl AsRef<[u8]>) -> Vec<u8> {
        put(&self.event.to_string(), raw.as_ref())
    }

    /// The event with a field in front of all others, which has it again.
    fn led_by(&self, field: &str, value: &Value) -> Vec<u8> {
        let text = self.event.to_string();
        format!("{{{field}:{value},{}", &text[1..]).into_bytes()
    }
}

fn put(event: &str, raw: &[u8]) -> Vec<u8> {
    let (before, after) = event.split_once("\"@@\"").unwrap();
    [before.as_bytes(), raw, after.as_bytes()].concat()
}

fn no_json(shape: &Shape) -> Vec<Class> {
    let text = shape.event.to_string();
    let cut = |at: usize| text.as_bytes()[..at].to_vec();
    let within = |part: &str| text.find(part).unwrap() + part.len();
    let mut cuts: Vec<Vec<u8>> = vec![
        cut(1),
        cut(2),
        cut(within(&format!("\"{}", shape.session))),
        cut(within(&format!("\"{}\":", shape.session))),
        cut(within(&format!("\"{}\":\"se", shape.session))),
        cut(within(&format!("\"{}\":\"ses-1\"", shape.session))),
        cut(text.len() - 1),
    ];
    cuts.extend((1..16).map(|part| cut(text.len() * part / 16)));
    // One host is enough for what is longer than anybody reads.
    let most = if shape.host == "claude" { HUGE } else { 1 << 20 };
    let deep = |open: &str, close: &str, times: usize| open.repeat(times) + &close.repeat(times);
    vec![
        ("nothing", own(["", " ", "\n", "\t\r\n", "\u{c}", "\u{a0}"])),
        ("not JSON", own(["hello", "{", "}", "{]", "<xml/>", "NaN", "undefined", "{\"a\":}", "a=b&c=d"])),
        ("another kind of value", own(["[]", "null", "7", "\"text\"", "true", "-1", "[{}]", "[[[]]]"])),
        (
            "almost JSON",
            own([
                text.replace('"', "'"),
                text.replacen('{', "{,", 1),
                text.replacen('{', "{ // an event\n", 1),
                text.replacen('{', "{ /* an event */", 1),
                text.replace("\"}", "\",}"),
                text.replace("\":", "\"="),
                text.replace("\",\"", "\" \""),
                text.replacen('{', "{a: 1,", 1),
                text.replacen('{', "{\"a\": True, \"b\": None,", 1),
            ]),
        ),
        ("cut off", cuts),
        (
            "something behind",
            own([
                format!("{text}x"),
                format!("{text}{text}"),
                format!("{text}\n{text}"),
                format!("{text},"),
                format!("{text}]"),
                format!("{text} null"),
            ]),
        ),
        (
            "too deep",
            own([
                "[".repeat(100_000),
                "{\"a\":".repeat(50_000),
                deep("[", "]", 200),
                format!("{{\"a\":{}}}", deep("[", "]", 500)),
                "[[{\"a\":".repeat(20_000),
                String::from_utf8(shape.saying(deep("[", "]", 3_000))).unwrap(),
            ]),
        ),
        (
            "huge",
            vec![
                vec![b' '; 1 << 20],
                [&text.as_bytes()[..text.len() - 1], &vec![b' '; most][..], b"}}"].concat(),
                shape.with(shape.name, vec![json!("x".repeat(1 << 20))]).remove(0),
                shape.with(shape.session, vec![json!("x".repeat(1 << 20))]).remove(0),
                shape.with(shape.directory, vec![json!(format!("/{}", "x".repeat(1 << 20)))]).remove(0),
            ],
        ),
    ]
}

fn bad_text(shape: &Shape) -> Vec<Class> {
    let text = shape.event.to_string();
    let wide = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let raw = |cases: &[&str]| cases.iter().map(|case| shape.saying(case)).collect::<Vec<_>>();
    vec![
        (
            "not text",
            vec![
                b"\xff\xfe{".to_vec(),
                b"\x80\x81".to_vec(),
                b"\xed\xa0\x80".to_vec(),
                b"\x1b[2J".to_vec(),
                shape.saying(b"\"\xc3\""),
                shape.saying(b"\"\xc0\xaf\""),
                shape.saying(b"\"\xf5\x80\x80\x80\""),
                shape.saying(b"\"\xed\xa0\x80\""),
            ],
        ),
        (
            "zero bytes",
            vec![
                b"\x00".to_vec(),
                [b"\x00", text.as_bytes()].concat(),
                [text.as_bytes(), b"\x00"].concat(),
                shape.saying(b"\"a\x00b\""),
                text.replace(',', ",\0").into_bytes(),
                wide(u16::to_be_bytes),
                wide(u16::to_le_bytes),
            ],
        ),
        (
            "byte order marks",
            vec![
                "\u{feff}".into(),
                format!("\u{feff}{text}").into_bytes(),
                format!("\u{feff}\u{feff}{text}").into_bytes(),
                text.replacen('{', "{\u{feff}", 1).into_bytes(),
                format!("{text}\u{feff}").into_bytes(),
                [b"\xff\xfe".to_vec(), wide(u16::to_le_bytes)].concat(),
                [b"\xfe\xff".to_vec(), wide(u16::to_be_bytes)].concat(),
            ],
        ),
        (
            "half characters that are broken off",
            raw(&[
                r#""\ud8""#,
                r#""\ud83""#,
                r#""\ud8G0""#,
                r#""\ud83d\""#,
                r#""\ud83d\u""#,
                r#""\ud83d\ude""#,
                r#""a\udc0""#,
            ]),
        ),
        (
            "escapes that are none",
            raw(&[
                r#""\x41""#,
                r#""\u12""#,
                r#""\u12G4""#,
                r#""\8""#,
                r#""\""#,
                "\"a\nb\"",
                "\"\t\"",
                r#""\ ""#,
            ]),
        ),
        (
            "numbers that are none",
            raw(&[
                "1e999", "-1e999", "01", "+1", ".5", "1.", "0x10", "1e", "--1", "1_000", "Infinity", "-NaN",
            ]),
        ),
    ]
}

fn bad_fields(shape: &Shape) -> Vec<Class> {
    let long = "x".repeat(1 << 16);
    let typed = |raw: &Value| put(&shape.typed.to_string(), raw.to_string().as_bytes());
    let mut nothing_typed = shape.typed.clone();
    let prompt = if shape.host == "opencode" { "command" } else { "prompt" };
    nothing_typed.as_object_mut().unwrap().remove(prompt);
    let mut untyped: Vec<Vec<u8>> = others().iter().map(typed).collect();
    untyped.push(nothing_typed.to_string().into_bytes());
    vec![
        (
            "fields missing",
            vec![
                shape.without(&[shape.session]),
                shape.without(&[shape.name]),
                shape.without(&[shape.directory]),
                shape.without(&[shape.session, shape.name]),
                shape.without(&[shape.session, shape.name, shape.directory]),
                b"{}".to_vec(),
                format!("{{\"{}\":\"ses-1\"}}", shape.session).into_bytes(),
            ],
        ),
        (
            "a field twice",
            vec![
                shape.led_by(&format!("\"{}\"", shape.session), &json!("ses-2")),
                shape.led_by(&format!("\"{}\"", shape.session), &json!("ses-1")),
                shape.led_by(&format!("\"{}\"", shape.session.replacen('s', "\\u0073", 1)), &json!("ses-2")),
                shape.led_by(&format!("\"{}\"", shape.name), &shape.event[shape.name]),
                shape.led_by(&format!("\"{}\"", shape.directory), &json!("/")),
            ],
        ),
        ("event of another type", shape.with(shape.name, others())),
        ("directory of another type", shape.with(shape.directory, others())),
        ("prompt of another type", untyped),
        (
            "unknown event",
            shape.with(
                shape.name,
                texts(&[
                    "",
                    " ",
                    "STOP",
                    "stop ",
                    "Exploded",
                    "Stop\0",
                    "PreToolUse",
                    "\u{1b}[2JStop",
                    "Ｓtop",
                    "../Stop",
                    "null",
                    &long,
                ]),
            ),
        ),
        (
            "directory that is none",
            shape.with(
                shape.directory,
                texts(&[
                    "",
                    "relative",
                    "./x",
                    "~",
                    "/a\0b",
                    "file:///x",
                    "C:\\x",
                    "../..",
                    "\\\\host\\share",
                ]),
            ),
        ),
        (
            "directory that is not there",
            shape.with(
                shape.directory,
                texts(&[
                    "/no/such/place",
                    "/dev/null/x",
                    "/proc/self/fd/99/x",
                    "/no\nline",
                    "/no\u{202e}",
                    "/no\u{1b}[2J",
                ]),
            ),
        ),
    ]
}

fn bad_sessions(shape: &Shape) -> Vec<Class> {
    let named = |values: &[&str]| shape.with(shape.session, texts(values));
    let long = [65, 66, 128, 255, 4_097].map(|length| json!("x".repeat(length)));
    vec![
        ("session of another type", shape.with(shape.session, others())),
        ("empty session", named(&["", " ", "\t", "\n", "\u{a0}", "null", "undefined"])),
        (
            "session as a path",
            named(&[
                "..",
                ".",
                "../x",
                "a/../../b",
                "/etc/passwd",
                "~/x",
                "a\\b",
                "C:\\x",
                "//h/s",
                "%2e%2e%2f",
            ]),
        ),
        (
            "session with control characters",
            named(&["a\0b", "a\nb", "\u{1b}[2J", "a\u{7f}", "a\rb", "\u{85}"]),
        ),
        (
            "session in other letters",
            named(&["ses_é", "ses_１", "\u{202e}1", "s\u{200b}1", "ѕes", "ses\u{feff}"]),
        ),
        ("session too long", shape.with(shape.session, long.to_vec())),
        (
            "session as code",
            named(&[
                "$(id)",
                "`id`",
                "' OR 1=1 --",
                "a;b",
                "*",
                "%2e%2e",
                "${X}",
                "{{x}}",
                "<x>",
                "a|b",
                "a b",
            ]),
        ),
    ]
}
