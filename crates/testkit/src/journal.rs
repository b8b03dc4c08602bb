//! A run's journal, told without what differs between any two runs.

use serde_json::Value;

/// What never is the same twice.
const ACCIDENTAL: [&str; 11] =
    ["seq", "at", "run", "pid", "promise", "brief_bytes", "duration_ms", "tail", "until", "no", "stored"];

/// The journal's own lines of `--json`, without the agent's output.
pub fn entries(json: &str) -> Vec<Value> {
    let lines = json.lines().map(|line| serde_json::from_str(line).expect("every line is JSON"));
    lines.filter(|line: &Value| line["type"] != "output").collect()
}

/// What happened, but for accidents: attempts that a crash cut short, the lines of resuming, times, ids.
///
/// The attempts that are left count from 1 in their iteration, so a run that was disturbed reads like one that was not.
pub fn story(entries: &[Value]) -> Vec<Value> {
    let lost: Vec<_> = entries.iter().filter(|entry| is_lost(entry)).map(place).collect();
    let kept = entries.iter().filter(|entry| !(is_of_attempt(entry) && lost.contains(&place(entry))));
    // When a control is taken up is an accident too, and whoever gets no answer asks twice.
    let (mut story, mut asked) = (Vec::new(), Vec::new());
    for entry in kept.filter(|entry| !is_accident(entry)) {
        let mut entry = entry.clone();
        if is_of_attempt(&entry) {
            let before = lost.iter().filter(|(iteration, attempt)| {
                *iteration == entry["iteration"] && attempt.as_u64() < entry["attempt"].as_u64()
            });
            entry["attempt"] = Value::from(entry["attempt"].as_u64().unwrap_or(0) - before.count() as u64);
        }
        forget(&mut entry);
        if entry["type"] != "control_applied" {
            story.push(entry);
        } else if !asked.contains(&entry) {
            asked.push(entry);
        }
    }
    story.extend(asked);
    story
}

/// Attempts that were lost to a crash.
pub fn extra_attempts(entries: &[Value]) -> usize {
    entries.iter().filter(|entry| is_lost(entry)).count()
}

fn is_lost(entry: &Value) -> bool {
    entry["type"] == "attempt_ended"
        && matches!(entry["ending"]["lost"].as_str(), Some("interrupted" | "guard_lost"))
}

fn is_of_attempt(entry: &Value) -> bool {
    entry.get("attempt").is_some()
}

/// What comes of a crash: going on, the wait after a lost attempt, and controls that changed nothing.
fn is_accident(entry: &Value) -> bool {
    match entry["type"].as_str() {
        // Where a crash fell decides whether there is anything to put back.
        Some("run_resumed" | "rolled_back") => true,
        Some("control_applied") => entry["changed"] == false,
        Some("waiting") => entry["why"].as_str().is_some_and(|why| why.contains("failed")),
        _ => false,
    }
}

fn place(entry: &Value) -> (Value, Value) {
    (entry["iteration"].clone(), entry["attempt"].clone())
}

fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !ACCIDENTAL.contains(&name.as_str()));
            fields.values_mut().for_each(forget);
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
