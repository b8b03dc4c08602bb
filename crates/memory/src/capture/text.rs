//! Pieces of what others have written, cut to a length that a note can have.

use ralph_core::check::{CheckExit, CheckResult, Failure};

const NAME: usize = 160;
/// Of an error that is a part of a name.
const ERROR: usize = 100;

/// The beginning, with a sign that there was more.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// The same on one line: a name cannot begin another.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a failure is known by: its title, or, where that says only how the check ended, the check and its error.
pub(super) fn named(check: &CheckResult, failure: &Failure) -> String {
    let is_bare = match &check.exit {
        CheckExit::Code { code } => failure.title == format!("exit code {code}"),
        CheckExit::Signal { signal } => failure.title == format!("signal {signal}"),
        CheckExit::Timeout | CheckExit::NotStarted { .. } => false,
    };
    if !is_bare {
        return clipped(&one_line(&failure.title), NAME);
    }
    let error = telling(&failure.message).map(|line| clipped(&one_line(line), ERROR));
    format!("{}: {}", clipped(&check.name, NAME), error.unwrap_or_else(|| failure.title.clone()))
}

/// The line of an error that says what is wrong: one that speaks of an error, or else the first with words in it.
pub(super) fn telling(message: &str) -> Option<&str> {
    let lines = || message.lines().map(str::trim).filter(|line| line.contains(char::is_alphanumeric));
    let is_of_an_error = |line: &&str| {
        let line = line.to_lowercase();
        ["error", "fail", "fatal", "panic", "exception", "refused"].iter().any(|word| line.contains(word))
    };
    lines().find(is_of_an_error).or_else(|| lines().next())
}

/// The end, from the beginning of a line if there is one.
pub(super) fn ending(text: &str, most: usize) -> String {
    let text = text.trim_end();
    let skipped = text.chars().count().saturating_sub(most);
    let Some((begin, _)) = text.char_indices().nth(skipped) else { return String::new() };
    let rest = &text[begin..];
    if skipped == 0 {
        return rest.to_owned();
    }
    rest.split_once('\n').map_or(rest, |(_, after)| after).to_owned()
}

/// The first sentence of a message that is one: no heading, no fence, no markup around it.
pub(super) fn first_sentence(message: &str, most: usize) -> Option<String> {
    let mut in_fence = false;
    for line in message.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        let line = line.trim_start_matches(['-', '*', '>', ' ']).trim_matches(['*', '_', ' ']);
        let is_prose = !line.starts_with(['#', '<', '|']) && line.split_whitespace().count() >= 3;
        if in_fence || !is_prose {
            continue;
        }
        let end = [". ", "! ", "? ", ": "].iter().filter_map(|mark| line.find(mark)).min();
        let sentence = end.map_or(line, |end| &line[..end]);
        // What ends after a word or two was no sentence but an exclamation: the line says more.
        let sentence = if sentence.split_whitespace().count() >= 3 { sentence } else { line };
        return Some(clipped(sentence.trim_end_matches(['.', ':', '!']), most));
    }
    None
}

/// As they are named in a sentence: the first few, and how many more.
pub(super) fn listed(names: &[String], most: usize) -> String {
    let shown = names.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(most);
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::{clipped, ending, first_sentence};

    #[test]
    fn what_is_too_long_is_cut_between_letters() {
        assert_eq!(clipped("größer als", 3), "grö…");
        assert_eq!(clipped("kurz", 4), "kurz");
        assert_eq!(ending("a\nbb\ncc", 5), "cc");
        assert_eq!(ending("abc", 5), "abc");
    }

    #[test]
    fn the_first_sentence_is_prose() {
        let said =
            "# Summary\n\n```\ncode here it is\n```\n- **I rewrote the tokenizer by hand. Then** more.";
        assert_eq!(first_sentence(said, 80).as_deref(), Some("I rewrote the tokenizer by hand"));
        assert_eq!(
            first_sentence("Done. I moved the lock into the queue.", 80).as_deref(),
            Some("Done. I moved the lock into the queue")
        );
        assert_eq!(first_sentence("<promise>COMPLETE</promise>", 80), None);
    }
}
