//! A judge's answer: the last JSON object of its final message, taken only as it was asked for.

use serde::Deserialize;
use serde_json::Value;

use crate::check::{Judgement, Opinion};

/// What the next brief and the journal take of an answer.
const LONGEST_REASON: usize = 1_000;
const LONGEST_SUGGESTION: usize = 500;
const MOST_SUGGESTIONS: usize = 10;
/// How much of the end of a message is read.
const READ: usize = 64 * 1024;

/// Why a message is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("its message has no JSON object")]
    Missing,
    #[error("its message ends in a JSON object that cannot be read")]
    Broken,
    #[error("its JSON object is not what was asked for: {0}")]
    Wrong(String),
    #[error("its message has two answers that contradict each other")]
    Contradictory,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    success: bool,
    reason: String,
    suggestions: Vec<String>,
}

/// Reads the answer, in a fence or not. Whatever is doubtful is none.
pub fn read(message: &str) -> Result<Judgement, Unreadable> {
    let objects = objects(end_of(message))?;
    let last = *objects.last().ok_or(Unreadable::Missing)?;
    let wrong = |error: serde_json::Error| Unreadable::Wrong(error.to_string());
    let answer: Answer = serde_json::from_str(last).map_err(wrong)?;
    if answer.reason.trim().is_empty() {
        return Err(Unreadable::Wrong("`reason` is empty".to_owned()));
    }
    // Whoever quotes an answer that stood in what it was shown has not made up its mind.
    let others = objects.iter().filter_map(|object| serde_json::from_str::<Answer>(object).ok());
    if others.into_iter().any(|other| other.success != answer.success) {
        return Err(Unreadable::Contradictory);
    }
    Ok(Judgement {
        opinion: if answer.success { Opinion::Success } else { Opinion::Failure },
        reason: one_line(&answer.reason, LONGEST_REASON),
        suggestions: suggestions(&answer.suggestions),
    })
}

/// The objects of a text that lie in no other. What begins like one after the last of them and is none, such as an
/// answer that was cut off, is an error.
fn objects(text: &str) -> Result<Vec<&str>, Unreadable> {
    let (mut found, mut broken, mut at) = (Vec::new(), false, 0);
    while let Some(start) = text[at..].find('{').map(|offset| at + offset) {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        at = match values.next() {
            Some(Ok(Value::Object(_))) => {
                let end = start + values.byte_offset();
                found.push(&text[start..end]);
                broken = false;
                end
            }
            _ => {
                broken = true;
                start + 1
            }
        };
    }
    if broken { Err(Unreadable::Broken) } else { Ok(found) }
}

fn end_of(message: &str) -> &str {
    let over = message.len().saturating_sub(READ);
    let start = (over..=message.len()).find(|at| message.is_char_boundary(*at));
    &message[start.unwrap_or(message.len())..]
}

fn suggestions(given: &[String]) -> Vec<String> {
    let lines = given.iter().map(|text| one_line(text, LONGEST_SUGGESTION));
    lines.filter(|line| !line.is_empty()).take(MOST_SUGGESTIONS).collect()
}

/// It becomes a line of a list in the next brief, and must not look like anything else there.
fn one_line(text: &str, longest: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(longest).collect()
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_REASON, MOST_SUGGESTIONS, Unreadable, read};
    use crate::check::{Judgement, Opinion};

    fn judged(opinion: Opinion, reason: &str, suggestions: &[&str]) -> Judgement {
        let suggestions = suggestions.iter().map(|text| (*text).to_owned()).collect();
        Judgement { opinion, reason: reason.to_owned(), suggestions }
    }

    const YES: &str = r#"{"success": true, "reason": "All pass.", "suggestions": []}"#;
    const NO: &str =
        r#"{"success": false, "reason": "One fails.", "suggestions": ["Fix it.", "Look twice."]}"#;

    #[test]
    fn an_answer_is_found_wherever_it_stands() {
        let (yes, no) = (
            judged(Opinion::Success, "All pass.", &[]),
            judged(Opinion::Failure, "One fails.", &["Fix it.", "Look twice."]),
        );
        let check = |message: &str, expected: &Judgement| {
            assert_eq!(read(message).as_ref(), Ok(expected), "{message}");
        };
        check(YES, &yes);
        check(NO, &no);
        check(&format!("I looked.\n\n```json\n{YES}\n```\n"), &yes);
        check(&format!("```\n{NO}\n```\nThat is all."), &no);
        check(&format!("fn main() {{ }} is empty, and {{\"other\": 1}} too. {NO}"), &no);
        check(&format!("{YES}\nAgain: {YES}"), &yes);
        check(&YES.replace(", ", ",\n  "), &yes);
        check(&format!("{}{YES}", "ä".repeat(70_000)), &yes);
    }

    #[test]
    fn what_is_not_exactly_an_answer_is_none() {
        let check = |message: &str, expected: &str| {
            let why = read(message).expect_err(message).to_string();
            assert!(why.contains(expected), "{message}: {why}");
        };
        check("", "no JSON object");
        check("success: true", "no JSON object");
        check("[true]", "no JSON object");
        check(r#"["success", true]"#, "no JSON object");
        check(r#"{"success": true}"#, "missing field `reason`");
        check(r#"{"success": true, "reason": "x"}"#, "missing field `suggestions`");
        check(r#"{"success": "true", "reason": "x", "suggestions": []}"#, "expected a boolean");
        check(r#"{"success": 1, "reason": "x", "suggestions": []}"#, "expected a boolean");
        check(r#"{"success": true, "reason": null, "suggestions": []}"#, "expected a string");
        check(r#"{"success": true, "reason": " ", "suggestions": []}"#, "`reason` is empty");
        check(r#"{"success": true, "reason": "x", "suggestions": "y"}"#, "expected a sequence");
        check(r#"{"success": true, "reason": "x", "suggestions": [1]}"#, "expected a string");
        check(r#"{"success": true, "reason": "x", "suggestions": [], "sure": 1}"#, "unknown field `sure`");
        let twice = r#"{"success": false, "success": true, "reason": "x", "suggestions": []}"#;
        check(twice, "duplicate field `success`");
        check(&format!(r#"{{"answer": {YES}}}"#), "unknown field `answer`");
        check(&format!("{YES}\n{{\"note\": 1}}"), "unknown field `note`");
        check(&YES[..YES.len() - 3], "cannot be read");
        check(&format!("{YES}\nand then {{"), "cannot be read");
    }

    #[test]
    fn the_form_that_was_asked_for_is_no_answer() {
        let brief = crate::judge::compose(&crate::judge::Case::default()).text;
        assert_eq!(read(&brief), Err(Unreadable::Broken));
        assert_eq!(read(&format!("{YES}\n{brief}")), Err(Unreadable::Broken));
    }

    #[test]
    fn two_answers_that_contradict_each_other_are_none() {
        assert_eq!(read(&format!("{NO}\n{YES}")), Err(Unreadable::Contradictory));
        assert_eq!(read(&format!("It says {YES}, but {NO}")), Err(Unreadable::Contradictory));
    }

    #[test]
    fn a_long_answer_is_shortened_to_lines() {
        let suggestions = vec!["a\n# b"; 50];
        let long =
            serde_json::json!({ "success": false, "reason": "x ".repeat(5_000), "suggestions": suggestions });
        let judgement = read(&long.to_string()).unwrap();
        assert_eq!(judgement.reason.len(), LONGEST_REASON);
        assert_eq!(judgement.suggestions, vec!["a # b"; MOST_SUGGESTIONS]);
    }
}
