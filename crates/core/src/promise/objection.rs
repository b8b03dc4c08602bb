//! Whether a sentence negates the tag in it, or only says when it would come.
//!
//! Plain words, no grammar: "no errors remain" passes, "it does not fail any more" is refused although it is meant
//! well, and the agent is told to put the tag on a line of its own.

use super::Refusal;

const NEGATIONS: &[&str] = &[
    "not",
    "cannot",
    "never",
    "nor",
    "neither",
    "unable",
    "refuse",
    "refuses",
    "refused",
    "refusing",
    "decline",
    "declining",
    "withhold",
    "withholding",
    "unfinished",
    "incomplete",
    "premature",
    "prematurely",
    "pretend",
    "cant",
    "dont",
    "wont",
    "isnt",
    "havent",
    "hasnt",
    "didnt",
    "doesnt",
    "couldnt",
    "shouldnt",
    "wouldnt",
    "arent",
    "wasnt",
    "nicht",
    "kein",
    "keine",
    "niemals",
    "pas",
    "jamais",
    "nunca",
];
const NEGATING_PAIRS: &[[&str; 2]] = &[
    ["instead", "of"],
    ["rather", "than"],
    ["yet", "to"],
    ["failed", "to"],
    ["hold", "off"],
    ["holding", "off"],
];
/// Languages that do not set words apart.
const NEGATING_CHARACTERS: &[&str] = &["没", "未", "不", "ない", "ません", "まだ"];

const POSTPONEMENTS: &[&str] = &[
    "until",
    "till",
    "unless",
    "would",
    "i'd",
    "almost",
    "nearly",
    "eventually",
    "tomorrow",
    "sobald",
    "bevor",
    "erst",
    "würde",
    "werde",
];
const CONDITIONS: &[&str] = &["when", "whenever", "once", "if", "after", "soon", "wenn", "nachdem"];
const SPEAKERS: &[&str] = &["i", "i'll", "i'm", "i've", "we", "we'll", "you", "ich", "du"];
const MODALS: &[&str] = &["will", "i'll", "we'll", "shall", "should", "must", "can", "could", "may", "might"];
const SAYING: &[&str] = &["output", "say", "emit", "print", "give", "write", "respond", "reply"];
/// Verbs only after a modal; elsewhere nouns, as in "end to end".
const SAYING_AFTER_MODAL: &[&str] = &["end", "answer", "issue", "declare", "send"];
/// "Print exactly this" is an order repeated, "Output:" a label.
const ORDERED: &[&str] = &["exactly", "only", "the", "this", "it", "with", "just"];

pub(super) fn objection(sentence: &str) -> Option<Refusal> {
    let words = words(sentence);
    if negates(sentence, &words) {
        Some(Refusal::Negated)
    } else if postpones(sentence, &words) {
        Some(Refusal::Postponed)
    } else {
        None
    }
}

fn negates(sentence: &str, words: &[String]) -> bool {
    words.iter().any(|w| has(NEGATIONS, w) || w.ends_with("n't"))
        || words.windows(2).any(|pair| NEGATING_PAIRS.iter().any(|n| n[0] == pair[0] && n[1] == pair[1]))
        || words.last().is_some_and(|last| last == "no" || last == "without")
        || NEGATING_CHARACTERS.iter().any(|n| sentence.contains(n))
}

fn postpones(sentence: &str, words: &[String]) -> bool {
    sentence.trim_start().starts_with("[ ]")
        || words.iter().any(|w| has(POSTPONEMENTS, w))
        || words.windows(2).any(|pair| pair[0] == "before" && has(SPEAKERS, &pair[1]))
        || announces(words)
        || is_conditional(words)
        || is_order(words)
}

/// "will print", "asked to output": the saying follows closely. "I will now print" is said in the act.
fn announces(words: &[String]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let modal = has(MODALS, word);
        let mut soon = words[at + 1..].iter().take(3).take_while(|w| *w != "now");
        (modal || word == "to") && soon.any(|w| has(SAYING, w) || (modal && has(SAYING_AFTER_MODAL, w)))
    })
}

/// "When all is green, I print", "once done, output".
fn is_conditional(words: &[String]) -> bool {
    let Some(condition) = words.iter().position(|w| has(CONDITIONS, w)) else { return false };
    words[condition + 1..].iter().any(|w| has(SPEAKERS, w) || has(SAYING, w))
}

fn is_order(words: &[String]) -> bool {
    matches!(words, [verb, object, ..] if has(SAYING, verb) && has(ORDERED, object))
}

fn has(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

fn words(sentence: &str) -> Vec<String> {
    sentence
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '_'))
        .map(|w| w.trim_matches(['\'', '’', '_']).replace('’', "'").to_lowercase())
        .filter(|w| !w.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Refusal, objection};

    fn check(sentence: &str, expected: Option<&Refusal>) {
        assert_eq!(objection(sentence).as_ref(), expected, "{sentence}");
    }

    #[test]
    fn a_sentence_that_negates_is_told_from_one_that_reports() {
        check("No errors remain: ", None);
        check("All tests pass without errors: ", None);
        check("Renamed not_found and knot: ", None);
        check("It isn’t done: ", Some(&Refusal::Negated));
        check("I DON'T say ", Some(&Refusal::Negated));
        check("Instead of ", Some(&Refusal::Negated));
        check("There is no ", Some(&Refusal::Negated));
        check("Ich bin noch nicht fertig: ", Some(&Refusal::Negated));
    }

    #[test]
    fn a_sentence_about_later_is_told_from_one_said_in_the_act() {
        check("I will now print ", None);
        check("Final output: ", None);
        check("Output: ", None);
        check("All end to end tests pass: ", None);
        check("The issue when parsing is closed in the end: ", None);
        check("I will print ", Some(&Refusal::Postponed));
        check("I'll then respond with ", Some(&Refusal::Postponed));
        check("Once the tests pass, I say ", Some(&Refusal::Postponed));
        check("When done, output ", Some(&Refusal::Postponed));
        check("Print exactly ", Some(&Refusal::Postponed));
        check("[ ] ", Some(&Refusal::Postponed));
        check("[x] ", None);
    }
}
