//! What of foreign text may reach a terminal: no control sequence, nothing that hides or reorders text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

/// More marks than this on one character only serve to paint over its neighbours.
const MARKS: usize = 4;

const ESC: char = '\u{1b}';

/// `text` without escape sequences, finished or not, and with other controls and invisible characters as escapes.
pub fn printable(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(plain) || !text.chars().any(needs_care) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut marks = 0;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        marks = if is_mark(character) { marks + 1 } else { 0 };
        if marks <= MARKS {
            show(character, &mut rest, &mut out);
        }
    }
    Cow::Owned(out)
}

/// As [`printable`], with U+FFFD for bytes that are not text.
pub fn printable_bytes(bytes: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => printable(text),
        Cow::Owned(text) => Cow::Owned(printable(&text).into_owned()),
    }
}

fn show(character: char, rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    match character {
        '\n' | '\t' => out.push(character),
        '\r' if rest.peek() == Some(&'\n') => {}
        '\r' => out.push_str("\\r"),
        ESC => skip_escape(rest),
        '\u{9b}' => skip_csi(rest),
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(rest),
        '\0'..='\u{1f}' | '\u{7f}' => {
            let _ = write!(out, "\\x{:02x}", u32::from(character));
        }
        _ if is_control_or_invisible(character) => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        }
        _ => out.push(character),
    }
}

fn skip_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_csi(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        Some(' '..='~') => {
            while rest.next_if(|next| matches!(next, ' '..='/')).is_some() {}
            rest.next_if(|next| matches!(next, '0'..='~'));
        }
        Some(_) | None => {}
    }
}

/// Parameters, intermediates, one final byte; what cannot belong to it ends it.
fn skip_csi(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|next| matches!(next, ' '..='?')).is_some() {}
    rest.next_if(|next| matches!(next, '@'..='~'));
}

/// Up to its terminator, or to the end of the line: an unfinished one must not swallow the lines after it.
fn skip_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(next) = rest.next_if(|next| *next != '\n' && *next != ESC) {
        if matches!(next, '\u{7}' | '\u{9c}') {
            return;
        }
    }
    // The terminator `ESC \` is left to be skipped as an escape of its own; another sequence ends this one too.
}

fn needs_care(character: char) -> bool {
    is_control_or_invisible(character) && character != '\n' && character != '\t' || is_mark(character)
}

fn is_control_or_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

fn is_mark(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::{printable, printable_bytes};
    use proptest::prelude::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(printable(text), expected, "{text:?}");
    }

    #[test]
    fn sequences_go_and_text_stays() {
        check("plain\ttext\n", "plain\ttext\n");
        check("caf\u{e9} \u{65e5}\u{672c} e\u{301}", "caf\u{e9} \u{65e5}\u{672c} e\u{301}");
        check("\u{1b}[1;31mred\u{1b}[0m", "red");
        check("a\u{1b}[?25lb\u{1b}[2 qc\u{1b}[", "abc");
        check("a\u{1b}]0;title\u{7}b", "ab");
        check("a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\b", "alinkb");
        check("a\u{1b}]52;c;aGk=", "a");
        check("a\u{1b}]0;never ended\nnext", "a\nnext");
        check("a\u{1b}P$q\"p\u{1b}\\b\u{1b}_apc\u{9c}c\u{1b}^pm\u{7}d", "abcd");
        check("a\u{1b}cb\u{1b}(Bc\u{1b}7d\u{1b}", "abcd");
        check("a\u{9b}31mb\u{9d}0;t\u{9c}c\u{85}d", "abc\\u{85}d");
        check("a\u{1b}]0;x\u{1b}[31mb", "ab");
        check("\u{1b}\u{1b}[31mb", "b");
    }

    #[test]
    fn controls_and_invisible_characters_are_shown() {
        check("a\u{7}b\u{8}c\u{7f}d\0", "a\\x07b\\x08c\\x7fd\\x00");
        check("a\r\nb\rc", "a\nb\\rc");
        check("\u{202e}evil\u{2066}\u{200b}\u{feff}", "\\u{202e}evil\\u{2066}\\u{200b}\\u{feff}");
        check(&format!("a{}b", "\u{301}".repeat(200)), &format!("a{}b", "\u{301}".repeat(4)));
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(printable_bytes(b"a\xff\x9b31mb\x1b[0m"), "a\u{fffd}\u{fffd}31mb");
    }

    fn is_clean(text: &str) -> bool {
        !text.chars().any(|character| {
            character.is_control() && character != '\n' && character != '\t'
                || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        })
    }

    proptest! {
        #[test]
        fn no_control_is_left_in_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let shown = printable_bytes(&bytes);
            prop_assert!(is_clean(&shown));
            prop_assert_eq!(printable(&shown), shown.as_ref());
        }

        #[test]
        fn no_control_is_left_in_sequences(
            text in "([\u{1b}\u{9b}\u{9d}\u{90}\u{7}\u{9c}\\[\\]P_X^;0-9a-zA-Z \n\r\\\\\u{202e}\u{200b}\u{301}\u{e9}])*",
        ) {
            let shown = printable(&text);
            prop_assert!(is_clean(&shown));
            prop_assert_eq!(printable(&shown), shown.as_ref());
        }

        #[test]
        fn line_breaks_stay(text in "([\u{1b}\\[\\]a-z;\n])*") {
            let breaks = |text: &str| text.matches('\n').count();
            prop_assert_eq!(breaks(&printable(&text)), breaks(&text));
        }
    }
}
