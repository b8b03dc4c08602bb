//! A text as the claims that are in it, each as the words that it is made of.

use crate::contradict::tables::{canonical, is_filler};
use crate::words::Words;

/// Claims of one text that are compared.
const MOST: usize = 12;
/// Longer than this it is no claim but a listing.
const WORDS: usize = 60;

/// One sentence, or one part of it that could be one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clause {
    pub(super) words: Vec<Word>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// In small letters, without marks around it.
    pub(super) text: String,
    /// What it counts as; nothing for words that every text has.
    pub(super) stem: Option<String>,
    /// It stood between backticks, as a whole.
    pub(super) is_quoted: bool,
    /// A comma, a dash or a bracket stands before it.
    pub(super) is_set_off: bool,
    /// It was written with a capital, a digit, or signs that prose does not have.
    pub(super) is_name: bool,
}

/// The claims of a text, in its order.
pub(crate) fn clauses(text: &str) -> Vec<Clause> {
    let stems = Words::new();
    let mut found = Vec::new();
    let mut current = Clause::default();
    let mut set_off = false;
    let mut rest = text;
    while let Some((piece, is_quoted, after)) = next_piece(rest) {
        rest = after;
        if is_quoted {
            current.words.push(Word::quoted(piece, set_off));
            (set_off, rest) = after_mark(rest);
        } else {
            let bare = piece.trim_matches(is_mark);
            if !bare.is_empty() {
                let opened = piece.starts_with(['(', '[', '—', '–']);
                let is_first = current.words.is_empty();
                current.words.push(Word::bare(bare, set_off || opened, is_first, &stems));
            }
            set_off = piece.ends_with([',', ':', '—', '–', '('])
                || (bare.is_empty() && piece.starts_with(['-', '—', '–']));
        }
        let ends = piece.ends_with(['.', '!', '?', ';']) && !is_quoted
            || rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
            || (is_quoted
                && rest.starts_with(['.', ';'])
                && !rest[1..].starts_with(|c: char| c.is_alphanumeric()));
        if ends {
            found.push(std::mem::take(&mut current));
            set_off = false;
        }
    }
    found.push(current);
    found.retain(|clause| (2..=WORDS).contains(&clause.words.len()));
    found.truncate(MOST);
    found
}

/// The next word, or what stands between two backticks, and what follows.
fn next_piece(text: &str) -> Option<(&str, bool, &str)> {
    let text = text.trim_start();
    if let Some(quoted) = text.strip_prefix('`')
        && let Some(end) = quoted.find('`')
        && end > 0
        && !quoted[..end].contains('\n')
    {
        return Some((&quoted[..end], true, &quoted[end + 1..]));
    }
    let begin = text.chars().next()?.len_utf8();
    let end = text[begin..].find(|c: char| c.is_whitespace() || c == '`').map_or(text.len(), |at| begin + at);
    Some((&text[..end], false, &text[end..]))
}

/// A comma after a quotation sets off what follows it.
fn after_mark(rest: &str) -> (bool, &str) {
    match rest.strip_prefix([',', ':', ')']) {
        Some(after) => (!rest.starts_with(')'), after),
        None => (false, rest),
    }
}

fn is_mark(c: char) -> bool {
    matches!(
        c,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '"'
            | '\''
            | '*'
            | '“'
            | '”'
            | '’'
            | '`'
            | '-'
            | '—'
            | '–'
    )
}

impl Word {
    fn quoted(text: &str, is_set_off: bool) -> Word {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Word { stem: Some(text.to_lowercase()), text, is_quoted: true, is_set_off, is_name: true }
    }

    fn bare(text: &str, is_set_off: bool, is_first: bool, stems: &Words) -> Word {
        let lower = text.to_lowercase().replace('’', "'");
        let has_capital = text.chars().any(char::is_uppercase)
            && !(is_first && !text.chars().skip(1).any(char::is_uppercase));
        let is_name = has_capital || text.contains(|c: char| c.is_ascii_digit() || "_/.=@:".contains(c));
        let plain = lower.trim_end_matches("'s");
        let stem = if is_filler(plain) {
            None
        } else if let Some(known) = canonical(plain) {
            Some(known.to_owned())
        } else if plain.contains(|c: char| c.is_ascii_digit() || "_/.=@:".contains(c)) {
            Some(plain.to_owned())
        } else {
            stems
                .of(plain)
                .pop()
                .map(|token| canonical(&token.text).map_or(token.text.clone(), str::to_owned))
        };
        Word { text: lower, stem, is_quoted: false, is_set_off, is_name }
    }
}

impl Clause {
    /// What it is about, in its order, and which of it are names.
    pub(crate) fn stems(&self) -> impl Iterator<Item = (&str, bool)> {
        self.words.iter().filter_map(|word| Some((word.stem.as_deref()?, word.is_name)))
    }

    /// How often it says no.
    pub(crate) fn denials(&self) -> usize {
        self.words.iter().filter(|word| super::tables::denies(&word.text)).count()
    }
}
