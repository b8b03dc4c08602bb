//! Commands as lists of words; a shell is never involved here.

use super::Refused;
use super::plain::texts;
use crate::settings::raw::Raw;

const RULE: &str = "a command such as \"my-agent --quiet\" or [\"my-agent\", \"--quiet\"]";

/// A string is split into words the POSIX way.
pub(crate) fn words(raw: &Raw) -> Result<Vec<String>, Refused> {
    let words = match raw {
        Raw::Given(text) | Raw::Text(text) => shell_words::split(text)
            .map_err(|e| Refused::new(format!("cannot be split into words: {e}"), "close the quotation"))?,
        Raw::List(_) => texts(raw, RULE)?,
        Raw::Number(_) | Raw::Bool(_) | Raw::Date | Raw::Table => return Err(Refused::kind(raw, RULE)),
    };
    program(words)
}

/// Something that can be executed: a program and arguments without NUL bytes.
pub(crate) fn program(words: Vec<String>) -> Result<Vec<String>, Refused> {
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(Refused::new("no program is named", format!("write {RULE}")));
    }
    if words.iter().any(|word| word.contains('\0')) {
        return Err(Refused::new("a word contains a NUL byte", format!("write {RULE}")));
    }
    Ok(words)
}
