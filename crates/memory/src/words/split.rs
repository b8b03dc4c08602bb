//! Where words begin and end, in sentences and inside of names.

/// Letters and digits in a row, with underscores between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run<'a> {
    pub(super) text: &'a str,
    /// Not the first of a sentence, whose capital says nothing.
    pub(super) is_inside: bool,
}

pub(super) fn runs(text: &str) -> impl Iterator<Item = Run<'_>> {
    let mut rest = text;
    let mut is_inside = false;
    std::iter::from_fn(move || {
        let begin = rest.find(is_of_a_word)?;
        let between = &rest[..begin];
        is_inside = is_inside && !between.contains(['.', '?', '!', '\n']);
        let from_here = &rest[begin..];
        let end = from_here.find(|c| !is_of_a_word(c)).unwrap_or(from_here.len());
        let (text, after) = from_here.split_at(end);
        rest = without_ending(after);
        let run = Run { text, is_inside };
        is_inside = true;
        Some(run)
    })
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Without what follows an apostrophe: a genitive, or the rest of `isn't`.
fn without_ending(after: &str) -> &str {
    let Some(ending) = after.strip_prefix(['\'', '’']) else { return after };
    let letters = ending.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(ending.len());
    if (1..=2).contains(&letters) { &ending[letters..] } else { after }
}

/// The words that a name is made of; a plain word is its only part.
pub(super) fn parts(run: &str) -> Vec<&str> {
    if run.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return vec![run];
    }
    let pieces = run.split('_').filter(|piece| !piece.is_empty());
    let pieces = pieces.flat_map(of_one_script);
    pieces
        .flat_map(|piece| match piece.chars().next() {
            Some(first) if has_no_spaces(first) => pairs(piece),
            _ if piece.is_ascii() => humps(piece),
            _ => vec![piece],
        })
        .collect()
}

/// Cut wherever a script that puts no spaces between words begins or ends, as in `ポート5432で`.
fn of_one_script(piece: &str) -> Vec<&str> {
    let (mut found, mut begin) = (Vec::new(), 0);
    let mut before = None;
    for (at, c) in piece.char_indices() {
        let now = has_no_spaces(c);
        if before.is_some_and(|before| before != now) {
            found.push(&piece[begin..at]);
            begin = at;
        }
        before = Some(now);
    }
    found.push(&piece[begin..]);
    found
}

/// `parseConfigFile` and `HTTPServer`; digits stay with their letters.
fn humps(piece: &str) -> Vec<&str> {
    let bytes = piece.as_bytes();
    let mut found = Vec::new();
    let mut begin = 0;
    for at in 1..bytes.len() {
        let follows_small = bytes[at].is_ascii_uppercase() && !bytes[at - 1].is_ascii_uppercase();
        let ends_capitals = bytes[at].is_ascii_uppercase()
            && bytes[at - 1].is_ascii_uppercase()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        // A capital after a digit belongs to a code, as in `3D` or `E2E`.
        if (follows_small && !bytes[at - 1].is_ascii_digit()) || ends_capitals {
            found.push(&piece[begin..at]);
            begin = at;
        }
    }
    found.push(&piece[begin..]);
    found
}

/// Scripts that put no spaces between words are taken two letters at a time.
fn pairs(piece: &str) -> Vec<&str> {
    let marks: Vec<usize> = piece.char_indices().map(|(at, _)| at).collect();
    if marks.len() < 3 {
        return vec![piece];
    }
    let end = |at: usize| marks.get(at + 2).map_or(piece.len(), |end| *end);
    (0..marks.len() - 1).map(|at| &piece[marks[at]..end(at)]).collect()
}

fn has_no_spaces(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
