//! An answer: the last fenced block of JSON in the final message that is not a piece of the brief.

use serde_json::Value;

const MOST_QUESTIONS: usize = 5;
const LONGEST_QUESTION: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The JSON as the agent wrote it.
    Backlog(String),
    Questions(Vec<String>),
}

/// Why a message is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("the message has no fenced block of JSON with the backlog")]
    Missing,
    #[error("the last fenced block is not JSON: {0}")]
    Broken(String),
    #[error("the JSON object has neither `userStories` nor `questions`")]
    Neither,
}

/// Reads the answer to a brief. What the brief itself says is only repeated.
pub fn read(message: &str, brief: &str) -> Result<Reply, Unreadable> {
    let blocks = blocks(message);
    let own = blocks.into_iter().rev().find(|block| {
        let block = block.trim();
        block.starts_with('{') && !brief.contains(block)
    });
    // Whoever says nothing else may leave out the fence.
    let bare = || Some(message.trim()).filter(|all| all.starts_with('{') && all.ends_with('}'));
    let block = own.or_else(|| bare().map(str::to_owned)).ok_or(Unreadable::Missing)?;
    let value: Value = serde_json::from_str(&block).map_err(|error| Unreadable::Broken(error.to_string()))?;
    if value.get("userStories").is_some() {
        return Ok(Reply::Backlog(block.trim().to_owned()));
    }
    let questions = value.get("questions").and_then(Value::as_array).ok_or(Unreadable::Neither)?;
    let texts = questions.iter().filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let short = |text: &str| text.chars().take(LONGEST_QUESTION).collect::<String>();
    let texts: Vec<String> = texts.take(MOST_QUESTIONS).map(short).collect();
    if texts.is_empty() { Err(Unreadable::Neither) } else { Ok(Reply::Questions(texts)) }
}

/// What stands between fences, the longest fence first come first closed. One that is not closed ends with the message.
fn blocks(message: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for line in message.lines() {
        let bare = line.trim();
        let ticks = bare.len() - bare.trim_start_matches('`').len();
        match &mut open {
            Some((width, _)) if ticks >= *width && bare.len() == ticks => {
                found.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => {
                block.push_str(line);
                block.push('\n');
            }
            None if ticks >= 3 => open = Some((ticks, String::new())),
            None => {}
        }
    }
    found.extend(open.map(|(_, block)| block));
    found
}

#[cfg(test)]
mod tests {
    use super::{Reply, Unreadable, read};

    const BACKLOG: &str = r#"{"name": "n", "userStories": [{"id": "US-001"}]}"#;

    fn fenced(json: &str) -> String {
        format!("Here it is:\n\n```json\n{json}\n```\n")
    }

    #[test]
    fn the_last_block_of_the_message_counts() {
        let backlog = Ok(Reply::Backlog(BACKLOG.to_owned()));
        let first = fenced(r#"{"name": "old", "userStories": []}"#);
        for message in [fenced(BACKLOG), first + &fenced(BACKLOG) + "That is all.\n", BACKLOG.to_owned()] {
            assert_eq!(read(&message, "brief"), backlog, "{message}");
        }
        let asked = fenced(r#"{"questions": ["Which?", "", 7, " Where? "]}"#);
        assert_eq!(read(&asked, ""), Ok(Reply::Questions(vec!["Which?".into(), "Where?".into()])));
    }

    #[test]
    fn what_the_brief_says_is_no_answer() {
        let brief = format!("Build this:\n{}", fenced(BACKLOG));
        assert_eq!(read(&brief, &brief), Err(Unreadable::Missing));
        let other = r#"{"name": "mine", "userStories": []}"#;
        let answered = format!("{brief}\n{}", fenced(other));
        assert_eq!(read(&answered, &brief), Ok(Reply::Backlog(other.to_owned())));
        let before = format!("{}\n{brief}", fenced(other));
        assert_eq!(read(&before, &brief), Ok(Reply::Backlog(other.to_owned())));
    }

    #[test]
    fn what_is_cut_off_or_something_else_is_none() {
        assert_eq!(read("I am done.", ""), Err(Unreadable::Missing));
        assert!(matches!(read("```json\n{\"userStories\": [", ""), Err(Unreadable::Broken(_))));
        assert_eq!(read(&fenced(r#"{"stories": []}"#), ""), Err(Unreadable::Neither));
        assert_eq!(read(&fenced(r#"{"questions": []}"#), ""), Err(Unreadable::Neither));
    }
}
