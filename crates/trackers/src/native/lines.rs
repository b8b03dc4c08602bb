//! A backlog as lines of JSON, a task each, with everything that ralph knows of it.

use std::path::Path;

use ralph_store::NewTask;

use crate::error::{Spot, TrackerError};
use crate::file;

/// One line for each task.
pub fn to_lines(tasks: &[NewTask]) -> String {
    let line = |task: &NewTask| serde_json::to_string(task).expect("a task is JSON") + "\n";
    tasks.iter().map(line).collect()
}

/// The tasks of such a text; the path is for errors. Empty lines count for nothing.
pub fn from_lines(path: &Path, bytes: &[u8]) -> Result<Vec<NewTask>, TrackerError> {
    let (text, begin) = file::text(path, bytes)?;
    let mut tasks = Vec::new();
    let mut at = begin;
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            tasks.push(task(path, bytes, at, line)?);
        }
        at += line.len();
    }
    Ok(tasks)
}

fn task(path: &Path, bytes: &[u8], at: usize, line: &str) -> Result<NewTask, TrackerError> {
    let error = |column: usize, what: String, next: &str| {
        TrackerError::malformed(path, Spot::of(bytes, at + column), what, next)
    };
    let begin = line.len() - line.trim_start().len();
    if !line.trim_start().starts_with('{') {
        let next = "put each task on a line of its own: {\"id\": \"T-1\", \"title\": \"…\"}";
        return Err(error(begin, "this is not a JSON object".to_owned(), next));
    }
    let task: NewTask = serde_json::from_str(line).map_err(|wrong| {
        let message = wrong.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        let next = if message.starts_with("unknown field") {
            "put keys of your own below \"metadata\""
        } else {
            "correct it; each task is an object on one line"
        };
        error(wrong.column().saturating_sub(1), format!("this is not a task: {message}"), next)
    })?;
    if task.title.trim().is_empty() {
        return Err(error(begin, "this task has no title".to_owned(), "add \"title\": \"…\""));
    }
    Ok(task)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{from_lines, to_lines};

    fn refused(text: &str) -> String {
        from_lines(Path::new("a.jsonl"), text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_is() {
        for (text, expected) in [
            ("{\"title\":\"a\"}\n\n{\"title\":7}\n", "a.jsonl:3:"),
            ("{\"title\":\"a\"\n", "a.jsonl:1:"),
            ("{\"title\":\"a\",\"colour\":1}", "unknown field `colour`"),
            ("{\"title\":\" \"}", "has no title"),
            ("{\"title\":\"a\",\"priority\":9}", "9 is not from 0 to 4"),
            ("{\"title\":\"a\",\"id\":\"../x\"}", "is not a task id"),
            ("{\"title\":\"a\",\"status\":\"later\"}", "unknown variant `later`"),
            ("[]", "is not a JSON object"),
            ("\u{0}", "NUL"),
        ] {
            assert!(refused(text).contains(expected), "{text}: {}", refused(text));
        }
        assert!(from_lines(Path::new("a"), b"\xff\xfe").is_err());
    }

    #[test]
    fn a_title_is_enough_and_every_line_is_read_back() {
        let tasks =
            from_lines(Path::new("a"), b"\xef\xbb\xbf{\"title\":\"a\"}\r\n\n {\"id\":\"x\",\"title\":\"b\"}")
                .unwrap();
        assert_eq!(tasks.iter().map(|task| task.title.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(from_lines(Path::new("a"), to_lines(&tasks).as_bytes()).unwrap(), tasks);
    }

    proptest::proptest! {
        /// A line with bytes changed is read or refused, whatever they are, and refused where the file is.
        #[test]
        fn nothing_that_is_read_is_too_strange(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40),
            at in 0_usize..120,
        ) {
            let mut line = br#"{"id":"T-1","title":"a","depends_on":["T-2"],"metadata":{"x":[1,{"y":null}]},"kind":"work"}"#.to_vec();
            let from = at.min(line.len());
            let to = (from + bytes.len()).min(line.len());
            line.splice(from..to, bytes);
            if let Err(error) = from_lines(Path::new("a.jsonl"), &line) {
                proptest::prop_assert!(error.to_string().starts_with("a.jsonl"), "{}", error);
                proptest::prop_assert!(!error.hint().is_empty());
            }
        }
    }
}
