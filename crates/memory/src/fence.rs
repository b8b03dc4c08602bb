//! Between fences stands what others wrote: data, which is never to be taken for what ralph says.

/// A text between two fences that carry a label and a nonce. The nonce is chosen when the brief is, so what was written
/// before cannot name it; and what looks like a fence all the same is altered. Nothing for a text that says nothing.
pub fn fenced(label: &str, text: &str, nonce: &str) -> String {
    let inside = without(&disarmed(text, &[label]), nonce);
    let inside = inside.trim_matches('\n');
    if inside.trim().is_empty() {
        return String::new();
    }
    format!("<{label}-{nonce}>\n{inside}\n</{label}-{nonce}>")
}

/// Stands for what was taken out.
const GONE: &str = "…";

/// A text without what cannot be seen, in which nothing opens or closes a fence of these labels or a block of code.
pub(crate) fn disarmed(text: &str, labels: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    for (line, at) in visible(text).split('\n').zip(0..) {
        if at > 0 {
            out.push('\n');
        }
        disarm(line, labels, &mut out);
    }
    out
}

fn disarm(line: &str, labels: &[&str], out: &mut String) {
    let begins = line.trim_start();
    let mark = begins.chars().next().filter(|mark| matches!(mark, '`' | '~'));
    let marks = mark.map_or(0, |mark| begins.chars().take_while(|c| *c == mark).count());
    let rest = if marks >= 3 {
        // An open block of code would go on behind the fence.
        out.push_str(&line[..line.len() - begins.len()]);
        out.push_str("'''");
        &begins[marks..]
    } else {
        line
    };
    for (at, c) in rest.char_indices() {
        let is_fence = is_bracket(c) && names_a_label(&rest[at + c.len_utf8()..], labels);
        out.push(if is_fence { '(' } else { c });
    }
}

/// Also those that are only drawn like one.
fn is_bracket(c: char) -> bool {
    matches!(c, '<' | '＜' | '﹤' | '‹' | '〈' | '⟨' | '≺' | '˂')
}

fn names_a_label(after: &str, labels: &[&str]) -> bool {
    let name =
        after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '\\' | '／' | '⁄' | '∕'));
    let begins =
        |label: &&str| name.get(..label.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(label));
    labels.iter().any(begins)
}

/// A text without a word that stands by itself, however it is written.
fn without(text: &str, word: &str) -> String {
    if word.is_empty() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word = rest.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
        let follows = out.ends_with(char::is_alphanumeric);
        let goes_on = is_word && rest[word.len()..].starts_with(char::is_alphanumeric);
        let (taken, put) = if is_word && !follows && !goes_on {
            (word.len(), GONE)
        } else {
            (c.len_utf8(), &rest[..c.len_utf8()])
        };
        out.push_str(put);
        rest = &rest[taken..];
    }
    out
}

/// A text as it is seen: no controls, no sequences for terminals, nothing that turns the direction or has no width, in
/// which a text may be hidden.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => out.push('\n'),
            '\t' | '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{b}' | '\u{c}' => out.push(' '),
            '\u{1b}' if chars.next_if_eq(&'[').is_some() => {
                while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
                chars.next_if(|c| matches!(c, '@'..='~'));
            }
            c if c.is_control() || is_invisible(c) => {}
            c => out.push(c),
        }
    }
    out
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}
