//! Goes through a text sentence by sentence, for whether something has to be there is said around it.

use super::mention::{Mention, MentionKind, Standing};
use super::shape::{Shape, Written, shape};
use super::standing::standing;

/// Everything that is mentioned, in order, as often as it is.
pub(super) fn scan(text: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut sentence: Vec<Piece<'_>> = Vec::new();
    let mut block: Option<&str> = None;
    for line in text.lines() {
        let begins = line.trim_start();
        let fence = ["```", "~~~"].into_iter().find(|fence| begins.starts_with(fence));
        match (block, fence) {
            (Some(open), Some(fence)) if open == fence => block = None,
            (Some(_), _) => found.extend(files_of(begins)),
            (None, Some(fence)) => {
                said(&mut sentence, &mut found);
                block = Some(fence);
            }
            (None, None) => {
                if begins.is_empty()
                    || begins.starts_with(['-', '*', '#', '|', '+', '>'])
                    || is_numbered(begins)
                {
                    said(&mut sentence, &mut found);
                }
                read(begins, &mut sentence, &mut found);
            }
        }
    }
    said(&mut sentence, &mut found);
    found
}

/// A word, or what stands between backticks.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    written: Written,
}

fn read<'a>(line: &'a str, sentence: &mut Vec<Piece<'a>>, found: &mut Vec<Mention>) {
    let mut rest = line;
    while !rest.is_empty() {
        if let Some((code, after)) = code_span(rest) {
            sentence.push(Piece { text: code, written: Written::AsCode });
            rest = after;
            if rest.starts_with(['.', '!', '?', ';']) {
                said(sentence, found);
            }
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || c == '`').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if !word.is_empty() {
            sentence.push(Piece { text: word, written: Written::Plainly });
            if word.ends_with(['.', '!', '?', ';']) && !matches!(word, "e.g." | "(e.g." | "i.e." | "(i.e.") {
                said(sentence, found);
            }
        }
        // A backtick that closes nothing is passed over.
        rest = after.trim_start();
        if rest.len() == after.len() && rest.starts_with('`') && code_span(rest).is_none() {
            rest = rest.trim_start_matches('`');
        }
    }
}

/// What stands between backticks at the beginning, and what comes after it.
fn code_span(text: &str) -> Option<(&str, &str)> {
    let marks = text.len() - text.trim_start_matches('`').len();
    if marks == 0 {
        return None;
    }
    let (open, inside) = text.split_at(marks);
    let end = inside.find(open)?;
    Some((inside[..end].trim(), &inside[end + marks..]))
}

fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['.', ')'])
}

/// A sentence is over: everything around its mentions is known.
fn said(sentence: &mut Vec<Piece<'_>>, found: &mut Vec<Mention>) {
    let words: Vec<String> = sentence.iter().map(|piece| plain(piece.text)).collect();
    for (piece, at) in sentence.iter().zip(0..) {
        let before = &words[..at];
        let after = &words[at + 1..];
        let Some(Shape { mut kind, text, explicit }) = shape(piece.text, piece.written) else { continue };
        let beside = [before.last(), after.first()];
        if kind == MentionKind::Symbol && beside.into_iter().flatten().any(|word| is_test(word)) {
            kind = MentionKind::Test;
        }
        let standing =
            standing(before, after, kind, if explicit { Standing::Explicit } else { Standing::Passing });
        found.push(Mention { kind, text, standing });
    }
    sentence.clear();
}

fn is_test(word: &str) -> bool {
    matches!(word, "test" | "tests")
}

/// A word without what stands around it, for comparing.
fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// In a block of code there are examples, outputs, traces: of those, the files are of interest, and may be anybody's.
fn files_of(line: &str) -> Vec<Mention> {
    let shapes = line.split_whitespace().filter_map(|word| shape(word, Written::Plainly));
    let files = shapes.filter(|shape| shape.kind == MentionKind::File && shape.text.contains('/'));
    files.map(|file| Mention { kind: file.kind, text: file.text, standing: Standing::Passing }).collect()
}
