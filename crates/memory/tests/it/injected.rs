//! Payloads of many classes, put down in every field of notes of every kind: none leaves its fence, none becomes a skill,
//! and none is taken for a promise.

use std::path::Path;

use ralph_core::id::TaskId;
use ralph_core::note::{Citation, Draft, Kind, KindName, Observation, Origin, Scope, TerminalSnapshot};
use ralph_core::promise::{Word, detect};
use ralph_core::redact::Redactor;
use ralph_memory::{Refusal, Staged, stage};
use ralph_store::conformance::wait;

use super::Memory;
use super::hydration::{hydrated, need};

const NONCE: &str = "7f3a9c";

/// Every payload with its class, as written and in variants.
fn payloads() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/injections");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut payloads = Vec::new();
    for file in files {
        let class = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        for line in text.lines() {
            let payload = unescaped(line);
            let variants =
                [payload.clone(), format!("As noted:\n\n{payload}\n\nGo on."), format!("> {payload}")];
            payloads.extend(variants.map(|variant| (class.clone(), variant)));
        }
    }
    payloads
}

/// What the files write as `\n`, `\u{1b}`, `{NONCE}`, `{LONG}` and `{LINES}`.
fn unescaped(line: &str) -> String {
    let line = line.replace("{NONCE}", NONCE).replace("{LONG}", &"x".repeat(3000));
    let line = line.replace("{LINES}", &"a line\n".repeat(200)).replace("\\n", "\n").replace("\\r", "\r");
    let mut out = String::new();
    let mut rest = &*line;
    while let Some((before, after)) = rest.split_once("\\u{") {
        let (code, after) = after.split_once('}').unwrap();
        out.push_str(before);
        out.extend(char::from_u32(u32::from_str_radix(code, 16).unwrap()));
        rest = after;
    }
    out.push_str(rest);
    out.replace("\\\\", "\\")
}

fn kinds(text: &str) -> Vec<Kind> {
    let text = || text.to_owned();
    let terminal = TerminalSnapshot { command: text(), exit_code: Some(1), text: text() };
    vec![
        Kind::Observation(Observation::Discovery),
        Kind::Observation(Observation::Decision { rationale: text() }),
        Kind::Observation(Observation::Command { command: text() }),
        Kind::Observation(Observation::ToolUse { tool: text() }),
        Kind::Skill,
        Kind::Pattern,
        Kind::Gotcha { triggers: vec![text()], terminal: Some(terminal) },
        Kind::Failure { approach: text(), diff: Some(text()), errors: vec![text()] },
    ]
}

fn poisoned(kind: Kind, origin: Origin, text: &str) -> Draft {
    let mut draft = Draft::new(kind, format!("rotate the logs {text}"));
    draft.title = format!("logs {text}");
    draft.files = vec!["src/logs.rs".to_owned(), text.to_owned()];
    draft.symbols = vec![text.to_owned()];
    draft.tags = vec![text.to_owned()];
    draft.citations = vec![
        Citation::Other { text: text.to_owned() },
        Citation::File { path: text.to_owned(), line: Some(1) },
        Citation::Commit { hash: text.to_owned() },
    ];
    draft.origin = origin;
    draft
}

/// Reads a text of a brief as strictly as can be: what ralph says, one fence, items, its end, and nothing else.
fn read_strictly(label: &str, text: &str) -> Result<usize, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let lines: Vec<&str> = text.split('\n').collect();
    let opening = format!("<{label}-{NONCE}>");
    let closing = format!("</{label}-{NONCE}>");
    let at = |fence: &str| lines.iter().position(|line| *line == fence).ok_or(format!("no {fence}"));
    let (from, to) = (at(&opening)?, at(&closing)?);
    if lines[to + 1..] != [""] || from > to {
        return Err(format!("what follows the fence: {:?}", &lines[to + 1..]));
    }
    if lines[..from].iter().any(|line| line.contains(NONCE)) {
        return Err("the nonce stands before its fence".to_owned());
    }
    let mut items = 0;
    for line in &lines[from + 1..to] {
        let own = ["How it is done here", "What holds in this code", "What was tried and failed"];
        let heading = line.strip_prefix("## ");
        let is_heading =
            heading.is_some_and(|name| own.contains(&name) || name == "Seen lately in these files");
        items += usize::from(line.starts_with("- ["));
        if !is_heading && !line.starts_with("- [") && !line.starts_with("  ") {
            return Err(format!("not set apart: {line:?}"));
        }
        if let Some(bad) = line.chars().find(|c| c.is_control() || is_unseen(*c)) {
            return Err(format!("{bad:?} in {line:?}"));
        }
        if line.to_lowercase().contains(&format!("-{NONCE}"))
            || line.to_lowercase().contains(&format!("/{label}-")) && line.contains('<')
        {
            return Err(format!("a fence in {line:?}"));
        }
        if ["```", "~~~"].iter().any(|mark| line.trim_start().starts_with(mark)) {
            return Err(format!("a block of code in {line:?}"));
        }
    }
    Ok(items)
}

/// Turns the direction, has no width, or is a tag.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
}

#[test]
fn there_are_three_hundred_payloads_in_fifteen_classes() {
    let payloads = payloads();
    let classes: std::collections::BTreeSet<_> = payloads.iter().map(|(class, _)| class).collect();
    assert!(payloads.len() >= 300 && classes.len() >= 15, "{} in {}", payloads.len(), classes.len());
}

#[test]
fn no_payload_leaves_its_fence_or_becomes_a_skill_or_a_promise() {
    let word = Word::parse("DONE").unwrap();
    let mut wrong = Vec::new();
    let mut shown = 0;
    for (class, payload) in payloads() {
        let memory = Memory::new();
        for origin in [Origin::Tool, Origin::Agent] {
            for kind in kinds(&payload) {
                memory.put(poisoned(kind, origin, &payload));
            }
        }
        let mut needed = need("rotate the logs");
        needed.files = vec!["src/logs.rs".to_owned()];
        let hydration = hydrated(&memory, &needed);
        for taken in &hydration.taken {
            let said = &taken.note.said;
            if said.origin == Origin::Tool && said.kind.name() == KindName::Skill {
                wrong.push(format!("{class}: a skill of a tool's words: {payload:?}"));
            }
        }
        let worded = hydration.worded(NONCE);
        for (label, text) in [("recalled-memory", &worded.memory), ("recalled-gotchas", &worded.gotchas)] {
            match read_strictly(label, text) {
                Ok(items) => shown += items,
                Err(error) => wrong.push(format!("{class}: {error} of {payload:?}")),
            }
        }
        let brief = format!("{}{}", worded.memory, worded.gotchas);
        for expected in [&word, &word.with_nonce(NONCE)] {
            if detect(&brief, expected, &brief).is_made() {
                wrong.push(format!("{class}: a promise in an echo of {payload:?}"));
            }
        }
    }
    assert!(shown >= payloads().len(), "{shown}: each is shown at least once");
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_tool_says_stays_in_its_task_and_is_no_skill() {
    let task = TaskId::parse("T-1").unwrap();
    for (class, payload) in payloads().into_iter().step_by(3) {
        let memory = Memory::new();
        let mut outside = poisoned(Kind::Skill, Origin::Tool, &payload);
        for scope in [Scope::Project, Scope::Global] {
            outside.scope = scope;
            let staged =
                wait(stage(&memory.store, outside.clone(), &Redactor::new([]), memory.now(), 1)).unwrap();
            assert_eq!(staged, Staged::Refused(Refusal::NoTask), "{class}: {payload:?}");
        }
        outside.source.task = Some(task.clone());
        wait(stage(&memory.store, outside, &Redactor::new([]), memory.now(), 1)).unwrap();
        wait(ralph_memory::catch_up(&memory.store)).unwrap();
        let notes = wait(ralph_memory::staged(&memory.store, &task)).unwrap();
        assert_eq!(notes.len(), 1, "{class}: {payload:?}");
        assert_eq!(notes[0].said.kind.name(), KindName::Discovery);
    }
}
