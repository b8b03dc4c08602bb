//! The state of a loop as its tool wrote it: keys with their values and lines, from a Markdown file's front matter or from
//! a JSON object.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::fault::{Fault, Spot};

const FENCE: &str = "---";
const MEND: &str = "mend the line, or move the file away: it is left as it is";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) path: PathBuf,
    text: String,
    values: BTreeMap<String, Field>,
    /// What follows the front matter.
    pub(crate) body: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    /// None for null, and for nothing at all.
    pub(crate) value: Option<String>,
    pub(crate) line: usize,
}

impl Fields {
    /// `key: value` between two lines of dashes, and a text after them.
    pub(crate) fn of_front_matter(path: &Path, text: &str) -> Result<Fields, Fault> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut fields = Fields::empty(path, text);
        let mut lines = text.lines().map(|line| line.trim_end_matches('\r')).enumerate();
        if lines.next().is_none_or(|(_, line)| line.trim_end() != FENCE) {
            return Err(fields.fault(1, "the file does not begin with `---`"));
        }
        loop {
            let Some((at, line)) = lines.next() else {
                return Err(fields.fault(1, "there is no second `---` that ends what begins here"));
            };
            if line.trim_end() == FENCE {
                break;
            }
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let Some((key, value)) = line.split_once(':') else {
                return Err(fields.fault(at + 1, "this is no `key: value`"));
            };
            let value = scalar(value.trim()).map_err(|what| fields.fault(at + 1, what))?;
            fields.values.insert(key.trim().to_owned(), Field { value, line: at + 1 });
        }
        fields.body = lines.map(|(_, line)| line).collect::<Vec<_>>().join("\n").trim().to_owned();
        Ok(fields)
    }

    /// The keys of an object; those that hold another one are passed over as they are.
    pub(crate) fn of_json(path: &Path, text: &str) -> Result<Fields, Fault> {
        let mut fields = Fields::empty(path, text);
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(text).map_err(|error| {
                let what = error.to_string();
                let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what).to_owned();
                Fault::new(path, what, MEND).at(Spot::of_line(text, error.line(), error.column()))
            })?;
        for (key, value) in object {
            let quoted = serde_json::Value::from(key.as_str()).to_string();
            let at = text.find(&quoted).unwrap_or(0);
            let line = text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1;
            let value = match value {
                serde_json::Value::Null => None,
                serde_json::Value::String(text) => Some(text),
                other => Some(other.to_string()),
            };
            fields.values.insert(key, Field { value, line });
        }
        Ok(fields)
    }

    fn empty(path: &Path, text: &str) -> Fields {
        let (path, text) = (path.to_owned(), text.to_owned());
        Fields { path, text, values: BTreeMap::new(), body: String::new() }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = (&str, &Field)> {
        self.values.iter().map(|(key, field)| (key.as_str(), field))
    }

    /// What is said under this key; an empty text says nothing.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key)?.value.as_deref().filter(|text| !text.trim().is_empty())
    }

    pub(crate) fn number(&self, key: &str) -> Result<Option<u32>, Fault> {
        self.parsed(key, "a whole number, 0 or more", |text| text.parse().ok())
    }

    pub(crate) fn truth(&self, key: &str) -> Result<Option<bool>, Fault> {
        self.parsed(key, "true or false", |text| text.parse().ok())
    }

    fn parsed<T>(
        &self,
        key: &str,
        rule: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(text) = self.text(key) else { return Ok(None) };
        match parse(text.trim()) {
            Some(value) => Ok(Some(value)),
            None => Err(self.wrong(key, format!("`{key}` is {rule}"))),
        }
    }

    /// A fault at the line of this key.
    pub(crate) fn wrong(&self, key: &str, what: impl Into<String>) -> Fault {
        self.fault(self.values.get(key).map_or(1, |field| field.line), what)
    }

    fn fault(&self, line: usize, what: impl Into<String>) -> Fault {
        Fault::new(&self.path, what, MEND).at(Spot::of_line(&self.text, line, 1))
    }
}

/// A value as YAML writes it: plain, or in either kind of quotes. None for nothing.
fn scalar(text: &str) -> Result<Option<String>, &'static str> {
    const OPEN: &str = "a quotation mark is missing at the end of this value";
    if let Some(rest) = text.strip_prefix('"') {
        let inner = rest.strip_suffix('"').filter(|inner| !is_escaped(inner)).ok_or(OPEN)?;
        // What JSON cannot read either is taken as it stands: some tools escape nothing.
        let read = serde_json::from_str::<String>(&format!("\"{inner}\""));
        return Ok(Some(read.unwrap_or_else(|_| inner.to_owned())));
    }
    if let Some(rest) = text.strip_prefix('\'') {
        return Ok(Some(rest.strip_suffix('\'').ok_or(OPEN)?.replace("''", "'")));
    }
    Ok((!matches!(text, "" | "null" | "~")).then(|| text.to_owned()))
}

/// Whether the quotation mark after this text belongs to the text.
fn is_escaped(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::{Fields, scalar};
    use std::path::Path;

    #[test]
    fn values_are_plain_or_quoted() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(scalar(text), Ok(expected.map(str::to_owned)), "{text}");
        };
        check("DONE", Some("DONE"));
        check("\"ALL DONE\"", Some("ALL DONE"));
        check(r#""a \"b\" c""#, Some("a \"b\" c"));
        check(r#""c:\dir""#, Some(r"c:\dir"));
        check("'it''s'", Some("it's"));
        check("null", None);
        check("~", None);
        check("", None);
        check("\"\"", Some(""));
        for open in ["\"DONE", "'DONE", r#""DONE\""#, "\""] {
            assert!(scalar(open).is_err(), "{open}");
        }
    }

    #[test]
    fn front_matter_ends_and_what_follows_is_the_text() {
        let read = |text: &str| Fields::of_front_matter(Path::new("f"), text);
        let fields = read(
            "\u{feff}---\r\nactive: true\r\n# note\r\n\r\niteration: 3\r\n---\r\n\r\nDo it:\r\n--- now\r\n",
        )
        .unwrap();
        assert_eq!((fields.truth("active"), fields.number("iteration")), (Ok(Some(true)), Ok(Some(3))));
        assert_eq!(fields.body, "Do it:\n--- now");
        let line = |text: &str| read(text).unwrap_err().spot.unwrap().line;
        assert_eq!(line("active: true\n"), 1);
        assert_eq!(line("---\nactive: true\n"), 1);
        assert_eq!(line("---\nactive: true\nwhat\n---\nx"), 3);
        assert_eq!(line("---\na: \"x\n---\nx"), 2);
        let wrong =
            read("---\nactive: true\niteration: many\n---\nx").unwrap().number("iteration").unwrap_err();
        assert_eq!(
            (wrong.spot.unwrap().line, wrong.what.as_str()),
            (3, "`iteration` is a whole number, 0 or more")
        );
    }

    #[test]
    fn keys_of_an_object_have_their_lines() {
        let text = "{\n \"active\": true,\n \"iteration\": -1,\n \"more\": {\"x\": 1},\n \"prompt\": null\n}";
        let fields = Fields::of_json(Path::new("f"), text).unwrap();
        assert_eq!((fields.truth("active"), fields.text("prompt")), (Ok(Some(true)), None));
        assert_eq!(fields.number("iteration").unwrap_err().spot.unwrap().line, 3);
        let broken = Fields::of_json(Path::new("f"), "{\n \"active\": tru }").unwrap_err();
        assert_eq!(broken.spot.unwrap().line, 2);
        assert!(Fields::of_json(Path::new("f"), "[]").is_err());
    }
}
