//! What must hold whatever an agent prints.

use std::sync::{Arc, LazyLock};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ralph_agents::catalog::{Catalogue, Entry};
use ralph_agents::limit::{Evidence, Reset, recognise};
use ralph_agents::prices::Prices;
use ralph_agents::stream::{Conclusion, Format, Hearing, Outcome};
use ralph_core::agent_event::AgentEvent;
use ralph_core::promise::Word;
use ralph_core::report::{AgentExit, Usage};

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::builtin);

/// Cuts the bytes in two and reads them whole and in pieces: the same events, the same conclusion.
pub fn read(format: Format, bytes: &[u8]) {
    let (stdout, stderr) = match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[][..]),
    };
    let whole = heard(format, stdout, stderr, usize::MAX);
    assert_eq!(heard(format, stdout, stderr, 3), whole);
    assert!(whole.0.iter().all(|event| format!("{event:?}").len() < 200_000));
    assert!(whole.1.malformed <= stdout.len() as u64);
}

fn heard(format: Format, stdout: &[u8], stderr: &[u8], piece: usize) -> (Vec<AgentEvent>, Conclusion) {
    // The relay's format is that of no program; what it carries is some program's.
    let is_its = |entry: &&Entry| entry.format == format || (format == Format::Acp && entry.acp.is_some());
    let entry = CATALOGUE.names().filter_map(|name| CATALOGUE.get(name.as_str())).find(is_its);
    let mut parser = format.parser(Hearing {
        promise: Word::parse("COMPLETE").expect("a word"),
        brief: "Do it.".to_owned(),
        model: Some("gpt-5".to_owned()),
        counter: Usage::default(),
        manners: Arc::clone(&entry.expect("an entry").manners),
        prices: Arc::new(Prices::default()),
    });
    let mut events = Vec::new();
    stdout.chunks(piece).for_each(|bytes| parser.push(bytes, &mut |event| events.push(event)));
    stderr.chunks(piece).for_each(|bytes| parser.overhear(bytes, &mut |event| events.push(event)));
    let exit = AgentExit::Code { code: i32::from(stdout.first().copied().unwrap_or(0)) };
    let conclusion = parser.conclude(&exit, &String::from_utf8_lossy(stderr));
    if let Outcome::Limited { reset: Some(reset), .. } = &conclusion.outcome {
        bounded(reset);
    }
    (events, conclusion)
}

/// Any text as an agent's message, on every channel of every agent.
pub fn limit(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    [Reset::in_message(&text), Reset::from_retry_after(&text)].iter().flatten().for_each(bounded);
    if let Ok(number) = text.trim().parse::<f64>() {
        Reset::from_epoch(number).iter().for_each(bounded);
    }
    for entry in CATALOGUE.names().filter_map(|name| CATALOGUE.get(name.as_str())) {
        let evidence = Evidence {
            message: Some(&text),
            kind: Some(&text),
            stderr: &text,
            last_line: Some(&text),
            ..Evidence::default()
        };
        recognise(&entry.manners.rules, &evidence);
    }
}

/// Nobody waits for the past or longer than a month.
fn bounded(reset: &Reset) {
    let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("now");
    let moment = reset.resolve(now, &TimeZone::UTC);
    assert!(moment >= now && moment <= "2026-12-16T12:00:00Z".parse().expect("a month later"));
}
