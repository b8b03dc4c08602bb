//! JSON as people write it into configurations: with comments, and a comma after the last thing.

/// The same text as plain JSON. What is in strings stays as it is.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let end = string_end(rest);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with("/*") {
            rest = rest[2..].find("*/").map_or("", |end| &rest[end + 4..]);
        } else {
            if matches!(c, '}' | ']') {
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
            }
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn comments_and_last_commas_go_and_strings_stay() {
        let text = "\u{feff}{ // one\n \"a\": \"// no \\\" /* */ ,}\", /* two\n */ \"b\": [1, 2,],\n}";
        let value: serde_json::Value = serde_json::from_str(&plain(text)).expect("plain JSON");
        assert_eq!(value, serde_json::json!({"a": "// no \" /* */ ,}", "b": [1, 2]}));
        assert_eq!(plain("\"open"), "\"open");
        assert_eq!(plain("/* open"), "");
    }
}
