//! How much failed after each iteration, to be looked at rather than read.

use ralph_core::account::{Account, Pass};

use crate::render::{BAD, CALM, FAINT, GOOD, paint, printable};
use crate::words::{counted, cut};

/// How wide the longest bar is.
pub(crate) const WIDEST: u64 = 24;
/// How many iterations are shown of a long run: the first and the last.
const FIRST: usize = 3;
const LAST: usize = 12;
/// What is left of a line of 80 for words.
const WORDS: usize = 38;

const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A line per iteration: a bar for what fails after it, and what it came to.
pub(crate) fn chart(account: &Account) -> String {
    let most = account.failing().iter().map(|(_, failing)| *failing).max();
    let mut lines = Vec::new();
    if let Some((0, failing)) = account.failing().first() {
        lines.push(line("before", most, Some(*failing), ""));
    }
    for pass in &account.iterations {
        lines.push(line(&pass.iteration.to_string(), most, pass.failing(), &came_to(pass)));
    }
    let hidden = lines.len().saturating_sub(FIRST + LAST);
    if hidden > 1 {
        let note = format!("          … {hidden} more …\n");
        lines.splice(FIRST..FIRST + hidden, [paint(FAINT, &note)]);
    }
    let head = if most.is_some() { paint(FAINT, "  failing after each iteration\n") } else { String::new() };
    head + &lines.concat()
}

fn line(name: &str, most: Option<u64>, failing: Option<u64>, words: &str) -> String {
    let Some(most) = most else { return format!("  {name:>6}  {words}\n") };
    let width = most.to_string().len();
    let bar = failing.map_or(String::new(), |failing| gauge(failing, most));
    let gap = " ".repeat(WIDEST as usize - bar.chars().count());
    let number = failing.map_or("?".to_owned(), |failing| failing.to_string());
    let (bar, number) = (paint(BAD, &bar), format!("{number:>width$}"));
    let number = if failing == Some(0) { paint(GOOD, &number) } else { number };
    format!("  {name:>6}  {bar}{gap}  {number}  {words}").trim_end().to_owned() + "\n"
}

/// A part of something as a bar; what is not zero can be seen.
pub(crate) fn gauge(failing: u64, most: u64) -> String {
    let eighths = share(failing, most, WIDEST * 8);
    let whole = "█".repeat((eighths / 8) as usize);
    let rest = (eighths % 8).checked_sub(1).map(|rest| EIGHTHS[rest as usize]);
    whole + &rest.map_or(String::new(), String::from)
}

fn share(failing: u64, most: u64, of: u64) -> u64 {
    if failing == 0 {
        return 0;
    }
    let share = u128::from(failing) * u128::from(of) / u128::from(most.max(1));
    u64::try_from(share).unwrap_or(of).clamp(1, of)
}

/// `█▅▅▁ 3 → 0`: the same in one line.
pub(crate) fn sparkline(account: &Account) -> Option<String> {
    let failing = account.failing();
    let most = failing.iter().map(|(_, failing)| *failing).max()?;
    let (first, last) = (failing.first()?.1, failing.last()?.1);
    let recent = failing.iter().rev().take(40).rev();
    let levels = recent.map(|(_, failing)| LEVELS[share(*failing, most, 7) as usize]);
    Some(format!("{} {first} → {last}", levels.collect::<String>()))
}

/// What an iteration came to, in a few words.
fn came_to(pass: &Pass) -> String {
    if pass.is_complete() {
        return paint(GOOD, "✔ complete");
    }
    let mut parts = Vec::new();
    if pass.said_done() && pass.verdict.is_some() {
        parts.push("said done, not believed".to_owned());
    }
    if !pass.tampering.is_empty() {
        parts.push("tampered".to_owned());
    }
    if let Some(moved) = &pass.movement {
        parts.extend(moved.again.map(|again| format!("as iteration {again}")));
        if moved.unchanged > 0 {
            parts.push(format!("nothing changed ×{}", moved.unchanged));
        }
    }
    if parts.is_empty() {
        parts.push(match (&pass.verdict, &pass.movement, &pass.ending) {
            (Some(_), Some(moved), _) => counted(moved.files, "file") + " changed",
            (Some(_), None, _) => "not complete".to_owned(),
            (None, _, Some(ending)) => printable(ending),
            (None, _, None) => "at work".to_owned(),
        });
    }
    paint(CALM, &cut(&parts.join(", "), WORDS))
}

#[cfg(test)]
mod tests {
    use super::{WIDEST, gauge};

    #[test]
    fn a_bar_is_as_long_as_what_fails_and_one_failure_of_many_can_be_seen() {
        assert_eq!(gauge(0, 9), "");
        assert_eq!(gauge(9, 9).chars().count() as u64, WIDEST);
        assert_eq!(gauge(1, 1_000_000), "▏");
        assert_eq!(gauge(1, 2).chars().count() as u64, WIDEST / 2);
        assert_eq!(gauge(u64::MAX, u64::MAX).chars().count() as u64, WIDEST);
    }
}
