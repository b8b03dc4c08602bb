//! Foreign text in a line of a file that people read.

use std::time::Duration;

/// In one line, without control characters, and short enough. An HTML comment in it is none any more, so that it can
/// neither hide what is around it nor pass for a mark of ralph's.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // Enough to know that it must be cut; a long text is not copied whole.
        if line.len() > most.saturating_mul(4) {
            break;
        }
    }
    cut(&line.replace("<!--", "<! --").replace("-->", "-- >"), most)
}

/// At most that many characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// `4m 12s`.
pub(crate) fn took(duration: Duration) -> String {
    let precise = duration < Duration::from_secs(1);
    let shown = if precise {
        Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    } else {
        Duration::from_secs(duration.as_secs())
    };
    match jiff::SignedDuration::try_from(shown) {
        Ok(shown) => format!("{shown:#}"),
        Err(_) => format!("{}s", duration.as_secs()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{one_line, took};

    #[test]
    fn foreign_text_stays_in_its_line() {
        assert_eq!(one_line(" a\n\n## b\u{1b}[1m\tc <!-- d -->", 99), "a ## b [1m c <! -- d -- >");
        assert_eq!(one_line("üüüü", 3), "üü…");
        assert_eq!(one_line(&"ab ".repeat(1 << 20), 6), "ab ab…");
    }

    #[test]
    fn durations_are_as_people_say_them() {
        for (millis, said) in [(0, "0s"), (850, "850ms"), (12_400, "12s"), (252_000, "4m 12s")] {
            assert_eq!(took(Duration::from_millis(millis)), said);
        }
    }
}
