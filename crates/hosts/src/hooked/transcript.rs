//! The end of a conversation, as a host keeps it in a file of lines.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use ralph_core::policy::Cost;
use ralph_core::report::Usage;
use serde_json::Value;

use super::event::{Told, said};
use crate::surrogates;

/// As much of the end is read.
const TAIL: u64 = 8 << 20;
/// What a host puts before what a hook said.
const FEEDBACK: &str = "Stop hook feedback:";

/// The last turn, as far as the file tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Final {
    /// What the host calls the agent's last message.
    pub(super) id: Option<String>,
    pub(super) text: Option<String>,
    pub(super) tools: u32,
    pub(super) usage: Usage,
    pub(super) duration: Duration,
    /// How often since a person last spoke the agent was sent back to work.
    pub(super) blocks: u32,
    /// What the person has typed since, which the host gives to the agent once the turn is over.
    pub(super) waiting: Vec<String>,
}

impl Final {
    /// Nothing where there is no such file.
    pub(super) fn of(path: &Path) -> Final {
        let Some(tail) = tail(path) else { return Final::default() };
        let mut last = Final::default();
        let mut counted: Vec<(String, Usage)> = Vec::new();
        let mut begun: Option<Timestamp> = None;
        let mut waiting = Vec::new();
        for entry in tail.lines().filter_map(|line| surrogates::read::<Value>(line.as_bytes()).ok()) {
            if entry["isSidechain"] == true {
                continue;
            }
            let at = entry["timestamp"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
            match entry["type"].as_str() {
                Some("queue-operation") => queue(&mut waiting, &entry),
                Some("user") if !is_result(&entry) => {
                    if is_spoken(&entry) {
                        // What was typed before that has been given to the agent, or never will be.
                        waiting.clear();
                    }
                    let blocks = if is_feedback(&entry) { last.blocks + 1 } else { 0 };
                    last = Final { blocks, ..Final::default() };
                    counted.clear();
                    begun = at;
                }
                Some(speaker @ ("assistant" | "gemini")) => {
                    if speaker == "gemini" {
                        last.take_gemini(&entry, &mut counted);
                    } else {
                        last.take(&entry);
                        count(&mut counted, &entry["message"]);
                    }
                    if let (Some(begun), Some(at)) = (begun, at) {
                        last.duration = Duration::try_from(at.duration_since(begun)).unwrap_or_default();
                    }
                }
                _ => {}
            }
        }
        for (_, usage) in counted {
            last.usage.input_tokens += usage.input_tokens;
            last.usage.cached_tokens += usage.cached_tokens;
            last.usage.output_tokens += usage.output_tokens;
        }
        Final { waiting, ..last }
    }

    fn take(&mut self, entry: &Value) {
        self.id = entry["uuid"].as_str().map(str::to_owned);
        let content = entry["message"]["content"].as_array().map_or(&[][..], Vec::as_slice);
        for part in content {
            match part["type"].as_str() {
                Some("text") => self.text = part["text"].as_str().map(str::to_owned),
                Some("tool_use") => {
                    self.tools += 1;
                    self.text = None;
                }
                _ => {}
            }
        }
    }
}

impl Final {
    /// Gemini writes a message again with each tool that it used.
    fn take_gemini(&mut self, entry: &Value, counted: &mut Vec<(String, Usage)>) {
        let id = entry["id"].as_str().unwrap_or_default().to_owned();
        let calls = entry["toolCalls"].as_array().map_or(0, Vec::len);
        self.tools += u32::try_from(calls).unwrap_or(u32::MAX);
        self.text = entry["content"].as_str().filter(|_| calls == 0).map(str::to_owned);
        let number = |name: &str| entry["tokens"][name].as_u64().unwrap_or(0);
        let usage = Usage {
            input_tokens: number("input"),
            cached_tokens: number("cached"),
            output_tokens: number("output"),
            ..Usage::default()
        };
        counted.retain(|(known, _)| *known != id);
        counted.push((id.clone(), usage));
        self.id = Some(id);
    }
}

/// Only from an ordinary file: whatever else has that name may never end.
fn tail(path: &Path) -> Option<String> {
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut file = File::open(path).ok()?;
    let skipped = found.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(skipped)).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a tool gave is told in the name of the person.
fn is_result(entry: &Value) -> bool {
    let content = if entry["message"].is_object() { &entry["message"]["content"] } else { &entry["content"] };
    let parts = content.as_array().map_or(&[][..], Vec::as_slice);
    parts.iter().any(|part| part["type"] == "tool_result" || part["functionResponse"].is_object())
}

fn is_feedback(entry: &Value) -> bool {
    entry["isMeta"] == true && words(entry).is_some_and(|text| text.starts_with(FEEDBACK))
}

/// Whether a person said it, and not the host in their name.
fn is_spoken(entry: &Value) -> bool {
    let of_person = |text: &str| matches!(said(text), Told::Said { .. } | Told::Command(_));
    entry["isMeta"] != true && words(entry).is_some_and(of_person)
}

fn words(entry: &Value) -> Option<&str> {
    let content = &entry["message"]["content"];
    content.as_str().or_else(|| content[0]["text"].as_str())
}

/// What was typed while the agent was at work stands in a queue.
fn queue(waiting: &mut Vec<String>, entry: &Value) {
    let content = entry["content"].as_str();
    match (entry["operation"].as_str(), content) {
        (Some("enqueue"), Some(content)) => waiting.push(content.to_owned()),
        (Some("popAll"), _) => waiting.clear(),
        (Some("dequeue" | "remove"), content) => {
            let at = waiting.iter().position(|text| content.is_none_or(|content| content == text));
            if let Some(at) = at {
                waiting.remove(at);
            }
        }
        _ => {}
    }
}

/// A message is told in pieces, each with what the whole has used.
fn count(counted: &mut Vec<(String, Usage)>, message: &Value) {
    let id = message["id"].as_str().unwrap_or_default().to_owned();
    let number = |name: &str| message["usage"][name].as_u64().unwrap_or(0);
    let cached = number("cache_read_input_tokens");
    let usage = Usage {
        input_tokens: number("input_tokens") + number("cache_creation_input_tokens") + cached,
        cached_tokens: cached,
        output_tokens: number("output_tokens"),
        cost: Cost::default(),
        cost_is_estimated: false,
    };
    counted.retain(|(known, _)| *known != id);
    counted.push((id, usage));
}

#[cfg(test)]
mod tests {
    use super::Final;

    #[test]
    fn a_line_whose_text_was_cut_inside_a_character_counts_as_any_other() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let line =
            r#"{"type":"assistant","uuid":"m1","message":{"content":[{"type":"text","text":"abc\ud83d"}]}}"#;
        std::fs::write(file.path(), format!("{line}\n")).unwrap();
        let last = Final::of(file.path());
        assert_eq!((last.id.as_deref(), last.text.as_deref()), (Some("m1"), Some("abc\u{fffd}")));
    }
}
