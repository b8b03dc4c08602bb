//! Pieces of what others have written, cut to a length that a note can have.

/// The beginning, with a sign that there was more.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// The end, from the beginning of a line if there is one.
pub(super) fn ending(text: &str, most: usize) -> String {
    let text = text.trim_end();
    let skipped = text.chars().count().saturating_sub(most);
    let Some((begin, _)) = text.char_indices().nth(skipped) else { return String::new() };
    let rest = &text[begin..];
    if skipped == 0 {
        return rest.to_owned();
    }
    rest.split_once('\n').map_or(rest, |(_, after)| after).to_owned()
}

/// The first sentence of a message that is one: no heading, no fence, no markup around it.
pub(super) fn first_sentence(message: &str, most: usize) -> Option<String> {
    let mut in_fence = false;
    for line in message.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        let line = line.trim_start_matches(['-', '*', '>', ' ']).trim_matches(['*', '_', ' ']);
        let is_prose = !line.starts_with(['#', '<', '|']) && line.split_whitespace().count() >= 3;
        if in_fence || !is_prose {
            continue;
        }
        let end = [". ", "! ", "? ", ": "].iter().filter_map(|mark| line.find(mark)).min();
        let sentence = end.map_or(line, |end| &line[..end]);
        // What ends after a word or two was no sentence but an exclamation: the line says more.
        let sentence = if sentence.split_whitespace().count() >= 3 { sentence } else { line };
        return Some(clipped(sentence.trim_end_matches(['.', ':', '!']), most));
    }
    None
}

/// As they are named in a sentence: the first few, and how many more.
pub(super) fn listed(names: &[String], most: usize) -> String {
    let shown = names.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(most);
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::{clipped, ending, first_sentence};

    #[test]
    fn what_is_too_long_is_cut_between_letters() {
        assert_eq!(clipped("größer als", 3), "grö…");
        assert_eq!(clipped("kurz", 4), "kurz");
        assert_eq!(ending("a\nbb\ncc", 5), "cc");
        assert_eq!(ending("abc", 5), "abc");
    }

    #[test]
    fn the_first_sentence_is_prose() {
        let said =
            "# Summary\n\n```\ncode here it is\n```\n- **I rewrote the tokenizer by hand. Then** more.";
        assert_eq!(first_sentence(said, 80).as_deref(), Some("I rewrote the tokenizer by hand"));
        assert_eq!(
            first_sentence("Done. I moved the lock into the queue.", 80).as_deref(),
            Some("Done. I moved the lock into the queue")
        );
        assert_eq!(first_sentence("<promise>COMPLETE</promise>", 80), None);
    }
}
