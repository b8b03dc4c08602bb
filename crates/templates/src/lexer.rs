//! A template's text, cut into text and tags.

use std::ops::Range;

use crate::error::Flaw;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// Where it stands in the source.
    Text(Range<usize>),
    Tag(Tag),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    /// With its braces.
    pub(crate) place: Range<usize>,
    pub(crate) sort: Sort,
    /// What is between the braces, without marks and without blanks around it.
    pub(crate) inner: Range<usize>,
    /// Whether the blanks before it, and those after it, go.
    pub(crate) strips: (bool, bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Comment,
    Value,
    Open,
    Else,
    Close,
}

pub(crate) fn tokens(source: &str) -> Result<Vec<Token>, Flaw> {
    let mut found = Vec::new();
    let mut text = 0;
    let mut from = 0;
    while let Some(at) = source[from..].find("{{").map(|at| from + at) {
        let slashes = source[text..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        // As in Handlebars: one backslash before a tag makes it text, two are one and the tag stays a tag.
        if slashes > 0 {
            push_text(&mut found, text..at - 1);
            text = at;
            if slashes == 1 {
                from = at + 2;
                continue;
            }
        }
        push_text(&mut found, text..at);
        let tag = tag(source, at)?;
        (text, from) = (tag.place.end, tag.place.end);
        found.push(Token::Tag(tag));
    }
    push_text(&mut found, text..source.len());
    Ok(found)
}

fn push_text(found: &mut Vec<Token>, range: Range<usize>) {
    if !range.is_empty() {
        found.push(Token::Text(range));
    }
}

fn tag(source: &str, at: usize) -> Result<Tag, Flaw> {
    let rest = &source[at..];
    if rest.starts_with("{{{{") {
        let what = "raw blocks (four braces) are not understood";
        return Err(Flaw::new(at..at + 4, what).next("write `\\{{` where braces are meant as text"));
    }
    let strip_left = rest[2..].starts_with('~');
    let mark = at + 2 + usize::from(strip_left);
    let after = &source[mark..];
    if after.starts_with('!') {
        return comment(source, at, mark, strip_left);
    }
    let (closing, begin) = if after.starts_with('{') { ("}}}", mark + 1) } else { ("}}", mark) };
    let end = source[begin..].find(closing).map(|end| begin + end);
    // A tag that goes on over the next one was meant to end before it.
    let Some(end) = end.filter(|end| !source[begin..*end].contains("{{")) else {
        let what = format!("this tag is not closed: its `{closing}` is missing");
        return Err(Flaw::new(at..at + 2, what));
    };
    let strip_right = closing == "}}" && source[begin..end].ends_with('~');
    let inner = trimmed(source, begin..end - usize::from(strip_right));
    let place = at..end + closing.len();
    let triple = closing == "}}}";
    let (sort, inner) = sort(source, inner, triple, &place)?;
    Ok(Tag { place, sort, inner, strips: (strip_left, strip_right) })
}

/// `{{! … }}`, or `{{!-- … --}}` where it has braces in it.
fn comment(source: &str, at: usize, mark: usize, strip_left: bool) -> Result<Tag, Flaw> {
    let (dashes, begin) = if source[mark..].starts_with("!--") { ("--", mark + 3) } else { ("", mark + 1) };
    let mut from = begin;
    while let Some(end) = source[from..].find("}}").map(|end| from + end) {
        let inner = &source[begin..end];
        let strips_right = inner.ends_with('~');
        let inner = inner.strip_suffix('~').unwrap_or(inner);
        if let Some(inner) = inner.strip_suffix(dashes) {
            let strips = (strip_left, strips_right);
            let inner = begin..begin + inner.len();
            return Ok(Tag { place: at..end + 2, sort: Sort::Comment, inner, strips });
        }
        from = end + 1;
    }
    Err(Flaw::new(at..at + 2, format!("this comment is not closed: its `{dashes}}}}}` is missing")))
}

fn sort(
    source: &str,
    inner: Range<usize>,
    triple: bool,
    place: &Range<usize>,
) -> Result<(Sort, Range<usize>), Flaw> {
    let text = &source[inner.clone()];
    let without_mark = || trimmed(source, inner.start + 1..inner.end);
    let flaw = |what: &str| Err(Flaw::new(place.clone(), what));
    if text.is_empty() {
        return flaw("this tag is empty");
    }
    if triple {
        return Ok((Sort::Value, inner));
    }
    match text.as_bytes()[0] {
        b'#' if text[1..].starts_with(['>', '*']) => flaw("partials and decorators are not understood"),
        b'#' => Ok((Sort::Open, without_mark())),
        b'/' => Ok((Sort::Close, without_mark())),
        b'&' => Ok((Sort::Value, without_mark())),
        b'>' => flaw("partials are not understood: a template is one file"),
        b'*' => flaw("decorators are not understood"),
        b'^' if text.len() == 1 => Ok((Sort::Else, without_mark())),
        b'^' => flaw("`{{^` before a name is not understood: write `{{#unless NAME}}`"),
        _ => match text.strip_prefix("else") {
            Some(rest) if rest.is_empty() || rest.starts_with(char::is_whitespace) => {
                Ok((Sort::Else, trimmed(source, inner.start + 4..inner.end)))
            }
            _ => Ok((Sort::Value, inner)),
        },
    }
}

/// Without the blanks at both ends.
fn trimmed(source: &str, range: Range<usize>) -> Range<usize> {
    let text = &source[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    start..(start + text.trim().len())
}
