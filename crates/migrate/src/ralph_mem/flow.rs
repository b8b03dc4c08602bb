//! YAML that is written like JSON, `{a: 1, b: [{c: 2}]}`, as the lines that say the same.

/// Nobody nests settings of a loop deeper.
const DEEPEST: usize = 8;

/// Every `key: value` of a line, with what is nested behind the key that it belongs to. None where the notation is not
/// understood: it goes on in the next line, or is none.
pub(super) fn entries(said: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    flatten(without_remark(said).trim(), DEEPEST, &mut found)?;
    Some(found)
}

/// A remark begins behind a space, and not within quotation marks.
pub(super) fn without_remark(said: &str) -> &str {
    let mut quotes = Quotes::default();
    let mut before = ' ';
    for (at, c) in said.char_indices() {
        if !quotes.hold(c) && c == '#' && before.is_whitespace() {
            return &said[..at];
        }
        before = c;
    }
    said
}

fn flatten<'t>(said: &'t str, depth: usize, found: &mut Vec<&'t str>) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let said = said.strip_prefix("- ").map_or(said, str::trim_start);
    if said.starts_with(['{', '[']) {
        let inside = within(said)?;
        return pieces(inside)?.into_iter().try_for_each(|piece| flatten(piece, depth, found));
    }
    let value_at = said.find(':').map(|colon| colon + 1);
    let value = value_at.map_or("", |at| said[at..].trim());
    if !value.starts_with(['{', '[']) {
        found.push(said);
        return Some(());
    }
    found.push(said[..said.len() - value.len()].trim());
    flatten(value, depth, found)
}

/// What is between the brackets that begin and end a text.
fn within(said: &str) -> Option<&str> {
    let close = if said.starts_with('{') { '}' } else { ']' };
    said.get(1..)?.strip_suffix(close)
}

/// What stands between the commas that are in no bracket.
fn pieces(inside: &str) -> Option<Vec<&str>> {
    let mut quotes = Quotes::default();
    let (mut open, mut begun, mut found) = (Vec::new(), 0, Vec::new());
    for (at, c) in inside.char_indices() {
        if quotes.hold(c) {
            continue;
        }
        match c {
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' if open.pop() != Some(c) => return None,
            ',' if open.is_empty() => {
                found.push(inside[begun..at].trim());
                begun = at + 1;
            }
            _ => {}
        }
    }
    if !open.is_empty() || quotes.are_open() {
        return None;
    }
    found.push(inside[begun..].trim());
    found.retain(|piece| !piece.is_empty());
    Some(found)
}

/// Whether what is read stands in quotation marks.
#[derive(Default)]
struct Quotes {
    open: Option<char>,
    is_escaped: bool,
}

impl Quotes {
    /// Takes the next character: true where it is quoted, or a quotation mark.
    fn hold(&mut self, c: char) -> bool {
        let Some(mark) = self.open else {
            self.open = Some(c).filter(|c| matches!(c, '"' | '\''));
            return self.are_open();
        };
        if std::mem::take(&mut self.is_escaped) {
            return true;
        }
        self.is_escaped = mark == '"' && c == '\\';
        self.open = self.open.filter(|mark| *mark != c);
        true
    }

    fn are_open(&self) -> bool {
        self.open.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn what_is_nested_stands_behind_its_key() {
        let check =
            |said: &str, expected: &[&str]| assert_eq!(entries(said).as_deref(), Some(expected), "{said}");
        check("max_iterations: 7  # enough", &["max_iterations: 7"]);
        check("{max_iterations: 7, max_duration_ms: 9,}", &["max_iterations: 7", "max_duration_ms: 9"]);
        check("{ \"a\": 'x, {y', b: \"#}\\\"\" } # no", &["\"a\": 'x, {y'", "b: \"#}\\\"\""]);
        check("{a: [{type: x}, {type: y, c: z}]}", &["a:", "type: x", "type: y", "c: z"]);
        check("a: [{type: x}]", &["a:", "type: x"]);
        check("- {type: x}", &["type: x"]);
        check("- type: x", &["type: x"]);
        check("{}", &[]);
        for other in ["{a: 1", "{a: [1}]", "{a: \"1}", "a: {b: 1", "[", &"[".repeat(1_000)] {
            assert_eq!(entries(other), None, "{other}");
        }
    }
}
