//! The ways in which agents write the time at which a limit ends.

use std::sync::LazyLock;
use std::time::Duration;

use jiff::Timestamp;
use regex::{Captures, Regex};

use super::Reset;
use super::reset::Day;

/// No agent needs more to say it.
const LONGEST_MESSAGE: usize = 4096;

/// Tries the exact forms before the vague ones.
pub(super) fn find(message: &str) -> Option<Reset> {
    let end = (0..=LONGEST_MESSAGE.min(message.len())).rev().find(|at| message.is_char_boundary(*at));
    let message = &message[..end.unwrap_or(0)];
    let forms: [fn(&str) -> Option<Reset>; 5] = [iso, epoch, wait, header, clock];
    forms.iter().find_map(|form| form(message))
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a fixed pattern")
}

fn iso(message: &str) -> Option<Reset> {
    static ISO: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})"));
    ISO.find(message)?.as_str().parse::<Timestamp>().ok().map(Reset::At)
}

/// `limit reached|1794760000`, `"resetsAt": 1794760000`.
fn epoch(message: &str) -> Option<Reset> {
    static EPOCH: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"(?i)(?:\||reset(?:s|_at|s_at|sat)?"?[:=]?\s*(?:at\s*)?)(\d{10,13})\b"#));
    Reset::from_epoch(EPOCH.captures(message)?[1].parse().ok()?)
}

/// `try again in 3h 20m`, `reset after 5 minutes`, `retryDelay: 34s`.
fn wait(message: &str) -> Option<Reset> {
    static WAIT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"(?ix)(?:\b(?:in|after)\s+|retry_?delay"?\s*[:=]\s*"?)
               ((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)\b[,\s]*(?:and\s+)?
               |\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+)"#,
        )
    });
    static PART: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)(\d+(?:\.\d+)?)\s*(ms|mil|s|m|h|d|w)"));
    let total = PART.captures_iter(WAIT.captures(message)?.get(1)?.as_str()).map(|part| seconds(&part)).sum();
    Some(Reset::After(Duration::try_from_secs_f64(total).unwrap_or(Duration::MAX)))
}

fn seconds(part: &Captures<'_>) -> f64 {
    let unit = match part[2].to_ascii_lowercase().as_str() {
        "ms" | "mil" => 0.001,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        "w" => 604_800.0,
        _ => 1.0,
    };
    part[1].parse::<f64>().unwrap_or(0.0) * unit
}

fn header(message: &str) -> Option<Reset> {
    static HEADER: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"(?i)retry-after"?\s*[:=]\s*"?(\d+(?:\.\d+)?)"#));
    Reset::from_retry_after(&HEADER.captures(message)?[1])
}

/// `resets 5pm`, `resets at 17:00 (Europe/Berlin)`, `resets Dec 3, 9am`, `try again at Dec 3rd, 2026 9:00 AM`.
fn clock(message: &str) -> Option<Reset> {
    static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?ix)\b(?:resets?|again|retry|available)\s+(?:at\s+|on\s+)?
              (?:(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?
                 (?:,?\s+(?P<year>\d{4}))?,?\s+(?:at\s+)?)?
              (?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>am|pm)?\b
              (?:\s*\((?P<zone>[A-Za-z0-9_+/-]+)\))?",
        )
    });
    let found = CLOCK.captures(message)?;
    let (hour, minute) = time_of_day(&found)?;
    let zone = found.name("zone").map(|zone| zone.as_str().to_owned());
    Some(Reset::Clock { day: day(&found), hour, minute, zone })
}

fn time_of_day(found: &Captures<'_>) -> Option<(i8, i8)> {
    let hour: i8 = found["hour"].parse().ok()?;
    let minute: Option<i8> = found.name("minute").and_then(|minute| minute.as_str().parse().ok());
    let hour = match found.name("half").map(|half| half.as_str().to_ascii_lowercase()) {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + if half == "pm" { 12 } else { 0 },
        Some(_) => return None,
        // A bare number is not a time.
        None => minute.map(|_| hour)?,
    };
    let minute = minute.unwrap_or(0);
    (hour < 24 && minute < 60).then_some((hour, minute))
}

fn day(found: &Captures<'_>) -> Option<Day> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let name = found.name("month")?.as_str().to_ascii_lowercase();
    let month = MONTHS.iter().position(|month| *month == name)?;
    Some(Day {
        year: found.name("year").and_then(|year| year.as_str().parse().ok()),
        month: i8::try_from(month + 1).ok()?,
        day: found["day"].parse().ok()?,
    })
}
