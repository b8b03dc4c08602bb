//! How numbers and times are said to people, and how text gets out.

use std::io::{BufRead, Write};
use std::time::Duration;

use ralph_core::Timestamp;

use crate::problem::{Problem, Problems};

/// `1.2 s`, `3 min 05 s`, `2 h 10 min`.
pub(crate) fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 if duration.as_millis() < 1_000 => format!("{} ms", duration.as_millis()),
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// `512 bytes`, `1.5 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return counted(bytes, "byte");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

/// `1 iteration`, `3 iterations`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The beginning of a text that is too long.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// To the second, in UTC: the same in every log.
pub(crate) fn moment(at: Timestamp) -> String {
    format!("{at:.0}")
}

pub(crate) fn since(earlier: Timestamp, later: Timestamp) -> Duration {
    Duration::try_from(later.duration_since(earlier)).unwrap_or_default()
}

/// Prints to standard output. A reader that went away (`| head`) is no error.
pub(crate) fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let _reader_went_away = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Asks whoever is at the terminal.
pub(crate) fn confirmed(question: &str) -> Result<bool, Problems> {
    print(question);
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Problem::new(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

pub(crate) fn print_json(value: &impl serde::Serialize) {
    let text = serde_json::to_string_pretty(value).expect("what ralph shows is JSON");
    print(&(text + "\n"));
}

#[cfg(test)]
mod tests {
    use super::{counted, size, span};
    use std::time::Duration;

    #[test]
    fn spans_and_sizes_read_well() {
        let spans = [20, 1_250, 65_000, 7_800_000].map(|ms| span(Duration::from_millis(ms)));
        assert_eq!(spans, ["20 ms", "1.2 s", "1 min 05 s", "2 h 10 min"]);
        assert_eq!(
            [size(1), size(2), size(1_536), size(3 << 30)],
            ["1 byte", "2 bytes", "1.5 KiB", "3.0 GiB"]
        );
        assert_eq!(counted(0, "task"), "0 tasks");
    }
}
