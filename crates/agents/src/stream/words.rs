//! Texts out of JSON, borrowed where they can be and cut to what people read.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// What a message in an event has at most, in bytes.
const MESSAGE: usize = 16 * 1024;
/// What a summary has at most, in characters.
const SUMMARY: usize = 200;
/// A summary never needs more of a JSON string than this.
const PREFIX: usize = 4096;

/// A string that is only copied when JSON escapes in it demand that.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// An owned copy of an optional text.
pub(super) fn owned(text: Option<&Text<'_>>) -> Option<String> {
    text.map(|text| text.to_string())
}

/// A message for an event.
pub(super) fn message(text: &str) -> String {
    if text.len() <= MESSAGE {
        return text.to_owned();
    }
    let end = (0..=MESSAGE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", &text[..end])
}

/// One line of at most so many characters.
pub(super) fn summary(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        for character in word.chars() {
            if length >= SUMMARY {
                line.push('…');
                return line;
            }
            line.push(character);
            length += 1;
        }
    }
    line
}

/// What a tool works on: the member that says it best, or the JSON itself.
pub(super) fn input(raw: Option<&RawValue>) -> String {
    let Some(json) = raw.map(RawValue::get) else { return String::new() };
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Input<'a> {
        #[serde(borrow)]
        command: Option<&'a RawValue>,
        #[serde(borrow, alias = "filePath", alias = "path", alias = "notebook_path")]
        file_path: Option<&'a RawValue>,
        #[serde(borrow)]
        pattern: Option<&'a RawValue>,
        #[serde(borrow)]
        url: Option<&'a RawValue>,
        #[serde(borrow)]
        query: Option<&'a RawValue>,
        #[serde(borrow)]
        description: Option<&'a RawValue>,
        #[serde(borrow)]
        prompt: Option<&'a RawValue>,
    }
    let known = serde_json::from_str::<Input<'_>>(json).unwrap_or_default();
    let best = [
        known.command,
        known.file_path,
        known.pattern,
        known.url,
        known.query,
        known.description,
        known.prompt,
    ];
    let best = best.into_iter().flatten().find(|value| value.get().starts_with('"'));
    match best {
        Some(value) => result(Some(value)),
        None if json == "{}" => String::new(),
        None => summary(prefix(json)),
    }
}

/// What a tool gave back: a string, or blocks of which the first text counts.
pub(super) fn result(raw: Option<&RawValue>) -> String {
    let Some(json) = raw.map(RawValue::get) else { return String::new() };
    if json.starts_with('"') {
        return summary(&string(json));
    }
    #[derive(Deserialize)]
    struct Block<'a> {
        #[serde(borrow)]
        text: Option<&'a RawValue>,
    }
    let blocks = serde_json::from_str::<Vec<Block<'_>>>(json).unwrap_or_default();
    match blocks.iter().find_map(|block| block.text) {
        Some(text) => summary(&string(text.get())),
        None => summary(prefix(json)),
    }
}

/// Which sub-agent is to do what.
pub(super) fn assignment(raw: Option<&RawValue>) -> (String, String) {
    #[derive(Deserialize, Default)]
    struct Input<'a> {
        #[serde(borrow, alias = "agent_name", alias = "agent")]
        subagent_type: Option<Text<'a>>,
        #[serde(borrow)]
        description: Option<Text<'a>>,
        #[serde(borrow)]
        prompt: Option<Text<'a>>,
    }
    let input = raw.and_then(|raw| serde_json::from_str::<Input<'_>>(raw.get()).ok()).unwrap_or_default();
    let name = input.subagent_type.as_deref().unwrap_or("agent");
    let task = input.description.or(input.prompt);
    (summary(name), summary(task.as_deref().unwrap_or_default()))
}

/// What a tool that asks a person asks.
pub(super) fn question(raw: Option<&RawValue>) -> String {
    #[derive(Deserialize)]
    struct One<'a> {
        #[serde(borrow)]
        question: Text<'a>,
    }
    #[derive(Deserialize)]
    struct Many<'a> {
        #[serde(borrow)]
        questions: Vec<One<'a>>,
    }
    let Some(json) = raw.map(RawValue::get) else { return String::new() };
    if let Ok(many) = serde_json::from_str::<Many<'_>>(json) {
        return message(&many.questions.iter().map(|one| &*one.question).collect::<Vec<_>>().join("\n"));
    }
    serde_json::from_str::<One<'_>>(json).map_or_else(|_| input(raw), |one| message(&one.question))
}

/// The beginning of a JSON string, without unescaping all of a long one.
fn string(json: &str) -> Cow<'_, str> {
    if json.len() <= PREFIX {
        return serde_json::from_str::<Text<'_>>(json).map_or(Cow::Borrowed(json), |text| text.0);
    }
    // The cut may fall into an escape; the longest is a pair of surrogates with twelve characters.
    let start = prefix(json);
    (0..12)
        .filter_map(|less| start.get(..start.len() - less))
        .find_map(|text| serde_json::from_str::<String>(&format!("{text}\"")).ok())
        .map_or(Cow::Borrowed(start), Cow::Owned)
}

fn prefix(json: &str) -> &str {
    let end = (0..=PREFIX.min(json.len())).rev().find(|at| json.is_char_boundary(*at)).unwrap_or(0);
    &json[..end]
}

#[cfg(test)]
mod tests {
    use super::{input, message, result, summary};
    use serde_json::value::RawValue;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).expect("json")
    }

    #[test]
    fn a_summary_is_one_short_line() {
        assert_eq!(summary("  one\n\ttwo\u{7}three "), "one two three");
        assert_eq!(summary(&"é".repeat(300)).chars().count(), 201);
        assert_eq!(message(&"é".repeat(20_000)).len(), 16 * 1024 + "…".len());
    }

    #[test]
    fn a_tool_s_input_is_told_by_its_best_member() {
        let check = |json: &str, expected: &str| assert_eq!(input(Some(&raw(json))), expected);
        check(r#"{"description":"d","command":"ls -l\nwc"}"#, "ls -l wc");
        check(r#"{"filePath":"/a"}"#, "/a");
        check(r#"{"command":["ls"],"other":1}"#, r#"{"command":["ls"],"other":1}"#);
        check("{}", "");
        check("[1]", "[1]");
        assert_eq!(input(None), "");
    }

    #[test]
    fn a_long_result_is_cut_wherever_its_escapes_are() {
        for shift in 0..12 {
            let json = format!("\"{}{}\"", "x".repeat(shift), r"\ud83d\ude00 ".repeat(2000));
            assert!(result(Some(&raw(&json))).contains('😀'), "{shift}");
        }
        assert_eq!(result(Some(&raw(r#"[{"type":"image"},{"type":"text","text":"hi"}]"#))), "hi");
    }
}
