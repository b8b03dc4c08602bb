//! Private keys in PEM armour: the one secret that goes over several lines, or stands escaped inside one.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::scan::Span;

/// The second is that of PuTTY's files, whose private lines have no footer.
pub(super) const BEGIN: [&[u8]; 2] = [b"-----BEGIN ", b"Private-Lines: "];
pub(super) const KIND: &str = "private-key";

static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    anchored(r"(?:-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: [0-9]{1,4})")
});

// No body has five dashes in a row, so a header repeated without end is never searched twice.
static TO_FOOTER: LazyLock<Regex> = LazyLock::new(|| {
    anchored(r#"(?:-{0,4}[^"'`{};<\n-]){0,}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"#)
});

/// What of a body may follow the header on its own line when the footer does not.
static ESCAPED_BODY: LazyLock<Regex> = LazyLock::new(|| anchored(r"(?:\\{1,4}[nr]|[A-Za-z0-9+/=]{32,}){0,}"));

static NOTHING_MORE: LazyLock<Regex> =
    LazyLock::new(|| anchored(r#"(?:\x1b\[[0-9;]{0,12}[mK]|[ \t\r"'+,\\]){0,8}\n?$"#));

/// Line numbers, quotes, diff marks and colours may stand before the body.
static BODY: LazyLock<Regex> = LazyLock::new(|| {
    anchored(
        r#"(?:\x1b\[[0-9;]{0,12}[mK]|[ \t>|+*#"'0-9:-]){0,24}(?:\xe2\x86\x92)?[ \t"']{0,8}(?:([A-Za-z0-9+/=]{16,256})|[A-Za-z0-9+/=]{1,15}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n]{0,}|)(?:\\{1,4}[nr])?(?:\x1b\[[0-9;]{0,12}[mK]|[ \t\r"'+,\\]){0,8}\n?$"#,
    )
});

/// How far into a key that goes over several lines the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Armour {
    /// Only its header was seen: what follows may be prose about keys.
    Header,
    Body,
}

/// Where the text goes on after (a part of) a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skipped {
    /// Text again, from here.
    To(usize),
    /// The key is not over at the end of this text.
    Within(Armour),
}

pub(super) fn begin_at(text: &[u8], at: usize) -> Option<Span> {
    HEADER.find(&text[at..]).map(|header| Span {
        start: at,
        end: at + header.end(),
        kind: KIND,
        goes_on: true,
    })
}

/// Skips what follows a header that ends at `at`. `text` ends with a whole line, or is cut in an over-long one.
pub(super) fn skip_after_header(text: &[u8], at: usize) -> Skipped {
    let line_end = end_of_line(text, at);
    let rest = &text[at..line_end];
    if let Some(footer) = TO_FOOTER.find(rest) {
        return Skipped::To(at + footer.end());
    }
    let body = ESCAPED_BODY.find(rest).map_or(0, |body| body.end());
    if !NOTHING_MORE.is_match(&rest[body..]) {
        return Skipped::To(at + body);
    }
    let armour = if body > 0 { Armour::Body } else { Armour::Header };
    // The header's own line break stays, so that what follows the key begins a line.
    skip_lines(text, line_end, armour)
}

/// Where a key ends whose header ends at `at`, if `text` is all there is of it.
pub(super) fn end_in(text: &[u8], at: usize) -> usize {
    match skip_after_header(text, at) {
        Skipped::To(end) => end,
        Skipped::Within(_) => text.len(),
    }
}

/// Skips whole lines for as long as they belong to a key.
pub(super) fn skip_lines(text: &[u8], mut at: usize, mut armour: Armour) -> Skipped {
    while at < text.len() {
        let line_end = end_of_line(text, at);
        let line = &text[at..line_end];
        if let Some(footer) = TO_FOOTER.find(line) {
            let rest = &line[footer.end()..];
            let over = matches!(rest, b"\n" | b"\r\n");
            return Skipped::To(at + footer.end() + if over { rest.len() } else { 0 });
        }
        armour = match (BODY.captures(line), armour) {
            (None, _) => return Skipped::To(at),
            (Some(body), _) if body.get(1).is_some() => Armour::Body,
            (Some(_), Armour::Body) => Armour::Body,
            (Some(_), Armour::Header) if is_blank_or_labelled(line) => Armour::Header,
            (Some(_), Armour::Header) => return Skipped::To(at),
        };
        at = line_end;
    }
    Skipped::Within(armour)
}

/// Skips what of a key goes on in the middle of an over-long line.
pub(super) fn skip_escaped(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let skipped = TO_FOOTER.find(rest).or_else(|| ESCAPED_BODY.find(rest));
    skipped.map_or(at, |skipped| at + skipped.end())
}

fn is_blank_or_labelled(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || line.contains(&b':')
}

fn end_of_line(text: &[u8], at: usize) -> usize {
    let newline = text[at..].iter().position(|byte| *byte == b'\n');
    newline.map_or(text.len(), |offset| at + offset + 1)
}

fn anchored(pattern: &str) -> Regex {
    RegexBuilder::new(&format!("^(?:{pattern})"))
        .unicode(false)
        .build()
        .expect("the patterns of this file are constants")
}
