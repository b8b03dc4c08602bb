//! Whether a final message does nothing but ask.
//!
//! Structure comes first: an agent with a question tool never gets here. A message counts only if it is short, has a
//! question that is not just "shall I go on?", ends with it or with the choices that belong to it, and says little else.
//! What was missed costs one iteration without an answer; what was taken wrongly for a question costs a wait.

/// A report of work done is longer than this.
const LONGEST: usize = 1_500;
/// Sentences that lead up to a question.
const MOST_STATEMENTS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sentence {
    Asks,
    /// "Shall I continue?": the answer is always yes.
    AsksLeave,
    /// A choice, a lead-in with a colon, "let me know": belongs to a question.
    Belongs,
    States,
    /// Tells of work that was done.
    Reports,
}

/// The message, if it does nothing but ask.
pub fn only_asks(message: &str) -> Option<String> {
    let message = message.trim();
    if message.is_empty() || message.chars().count() > LONGEST {
        return None;
    }
    let sentences = sentences(message);
    let count = |kind| sentences.iter().filter(|sentence| **sentence == kind).count();
    let ends_asking = sentences
        .iter()
        .rev()
        .find(|sentence| **sentence != Sentence::Belongs)
        .is_some_and(|last| *last == Sentence::Asks);
    let asks = ends_asking && count(Sentence::Reports) == 0 && count(Sentence::States) <= MOST_STATEMENTS;
    asks.then(|| message.to_owned())
}

fn sentences(message: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in message.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && !line.is_empty() && !line.starts_with('>') {
            line_of(line, &mut found);
        }
    }
    found
}

fn line_of(line: &str, found: &mut Vec<Sentence>) {
    match item(line) {
        Some(text) if text.trim_end_matches(CLOSING).ends_with('?') => found.push(asking(text)),
        Some(_) => found.push(Sentence::Belongs),
        None => found.extend(pieces(line).map(sentence)),
    }
}

/// What may stand behind the sign that ends a sentence.
const CLOSING: [char; 5] = ['*', '_', '"', ')', '`'];

/// The text of a list's item or a heading.
fn item(line: &str) -> Option<&str> {
    let marker = line.trim_start_matches(['-', '*', '•', '#']);
    if marker.len() < line.len() && marker.starts_with(' ') {
        return Some(marker.trim());
    }
    let label = line.trim_start_matches('(');
    let (label, text) = label.split_once(['.', ')'])?;
    let is_label = !label.is_empty() && label.len() <= 2 && label.chars().all(char::is_alphanumeric);
    (is_label && text.starts_with(' ')).then(|| text.trim())
}

/// Sentences end with their sign and a space; a dot inside a name ends nothing.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .find(|(at, c)| {
                let behind = rest[at + c.len_utf8()..].trim_start_matches(CLOSING);
                matches!(c, '.' | '!' | '?') && (behind.is_empty() || behind.starts_with(' '))
            })
            .map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (piece, after) = rest.split_at(end);
        rest = after.trim_start_matches(CLOSING);
        Some(piece)
    })
}

fn sentence(text: &str) -> Sentence {
    let text = text.trim_end_matches(CLOSING);
    if text.ends_with('?') {
        return asking(text);
    }
    let lower = text.to_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    if text.ends_with(':')
        || begins(&["let me know", "please ", "tell me", "once you ", "i'll wait", "i will wait"])
    {
        Sentence::Belongs
    } else if reports(&lower) {
        Sentence::Reports
    } else {
        Sentence::States
    }
}

/// "I've added", "I fixed", "All tests pass": somebody worked.
fn reports(lower: &str) -> bool {
    const LOOKED: [&str; 9] =
        ["looked", "read", "checked", "reviewed", "searched", "found", "noticed", "examined", "explored"];
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').collect();
    let done = |word: &str| word.ends_with("ed") && word.len() > 3 && !LOOKED.contains(&word);
    let by_me = words.windows(2).any(|pair| matches!(pair[0], "i've" | "i" | "we've") && done(pair[1]));
    let have_done = words.windows(3).any(|three| three[0] == "i" && three[1] == "have" && done(three[2]));
    by_me
        || have_done
        || lower.contains("tests pass")
        || lower.contains("is complete")
        || lower.contains("is done")
}

fn asking(text: &str) -> Sentence {
    const LEAVE: [&str; 7] = ["continue", "proceed", "go on", "go ahead", "keep going", "start", "next"];
    let lower = text.to_lowercase();
    let leave = text.split_whitespace().count() <= 7 && LEAVE.iter().any(|word| lower.contains(word));
    if leave { Sentence::AsksLeave } else { Sentence::Asks }
}

#[cfg(test)]
mod tests {
    use super::only_asks;

    #[test]
    fn a_message_that_only_asks() {
        let asking = [
            "Which database should I use?",
            "Before I start: should the API be public or internal?",
            "I looked at the code. There are two parsers. Which one do you mean?",
            "I need more information:\n\n1. Which port should the server listen on?\n2. Is TLS needed?",
            "Which of these do you prefer?\n\n- Postgres\n- SQLite\n\nLet me know.",
            "**Should the old endpoint be kept?**",
            "The spec in `docs/v1.md` contradicts the tests. Which is right? Please tell me before I go on.",
            "Do you want (a) a new crate or (b) a module? ",
        ];
        for message in asking {
            assert!(only_asks(message).is_some(), "{message:?}");
        }
    }

    #[test]
    fn a_message_that_does_more_or_less_than_ask() {
        let working = [
            "",
            "Done.",
            "I've added the parser and fixed the tests. Which file is next?",
            "I fixed two of five tests. Should I use another approach for the rest?",
            "Shall I continue?",
            "Would you like me to proceed?",
            "Why did it fail? The lock was never released.",
            "All tests pass. Anything else you want changed?",
            "```\nWhich one?\n```",
            "> Which one?\nI will take the first.",
            "One. Two. Three. Four. Which one is it?",
            "Is this right? I am not sure. I will look further.",
        ];
        for message in working {
            assert_eq!(only_asks(message), None, "{message:?}");
        }
        assert_eq!(only_asks(&format!("{} Which?", "word ".repeat(400))), None);
    }

    #[test]
    fn any_text_is_taken() {
        for text in ["?", "(", ".)", "1", "a)", "ü) ?", "- ?", "*", "###", "?)\"*", "\u{feff}?"] {
            let _either_way = only_asks(text);
        }
    }
}
