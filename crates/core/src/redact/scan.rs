//! Finds what is to be hidden in one piece of text: a pass over all beginnings, then a look at each hit.

use std::collections::BTreeSet;
use std::ops::Range;

use super::beginnings::Beginnings;
use super::encoded::{self, Coding, Runs};
use super::shapes::{self, Before, Look, Shape};
use super::view::View;
use super::{escapes, folded, pem};

/// How far before a trigger a secret may begin, and how far back a word's start is judged.
pub(super) const LOOK_BEHIND: usize = 96;

pub(super) const ENVIRONMENT: &str = "env";

/// Something to hide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
    /// Whether it is hidden from `start` on for as long as a private key goes.
    pub(super) goes_on: bool,
}

/// What is looked for, by what it begins with.
#[derive(Debug)]
struct Rule {
    /// Where its beginning stands in [`Scanner::spelt`].
    beginning: Range<u32>,
    finds: Finds,
}

#[derive(Debug, Clone, Copy)]
enum Finds {
    Literal,
    Shape(&'static Shape),
    PrivateKey,
    Encoded(Coding),
    Escape,
}

/// Whether what is encoded is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Inside,
    Surface,
}

#[derive(Debug)]
pub(super) struct Scanner {
    beginnings: Beginnings,
    rules: Vec<Rule>,
    /// All beginnings, one after the other: there are thousands.
    spelt: Vec<u8>,
}

impl Scanner {
    pub(super) fn new(literals: &[Vec<u8>]) -> Scanner {
        let mut rules = Rules { rules: Vec::with_capacity(RULES), spelt: Vec::with_capacity(RULES * 8) };
        literals.iter().for_each(|literal| rules.add(literal, Finds::Literal));
        for shape in shapes::all() {
            shape.triggers.iter().for_each(|trigger| rules.add(trigger.as_bytes(), Finds::Shape(shape)));
        }
        pem::BEGIN.iter().for_each(|beginning| rules.add(beginning, Finds::PrivateKey));
        for trigger in encoded_triggers() {
            encoded::beginnings(trigger, |form, coding| rules.add(form, Finds::Encoded(coding)));
        }
        escapes::beginnings(|three| rules.add(three, Finds::Escape));
        let Rules { rules, spelt } = rules;
        let beginnings = Beginnings::new(rules.iter().map(|rule| rule.beginning(&spelt)));
        Scanner { beginnings, rules, spelt }
    }

    /// What is to be hidden in `text[from..]`, in order; what stands before `from` is only looked at.
    pub(super) fn spans(&self, text: &[u8], from: usize, spans: &mut Vec<Span>) {
        spans.clear();
        let escapes = self.pass(text, from, Depth::Inside, spans);
        for line in escapes::lines(text, from.saturating_sub(LOOK_BEHIND), &escapes) {
            self.see(&escapes::undone(text, line), Depth::Inside, spans);
        }
        for block in folded::blocks(text, from) {
            self.see(&block, Depth::Inside, spans);
        }
        spans.retain(|span| span.start >= from);
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    }

    /// Adds what is found in `text[from..]`, and returns where escapes stand in it.
    fn pass(&self, text: &[u8], from: usize, depth: Depth, spans: &mut Vec<Span>) -> Vec<usize> {
        let mut escapes = Vec::new();
        let mut runs = Runs::default();
        self.beginnings.each(text, from, |at, index| {
            let rule = &self.rules[index];
            let beginning = rule.beginning(&self.spelt);
            if !text[at..].starts_with(beginning) {
                return;
            }
            let span = match rule.finds {
                Finds::Literal => Some(literal_span(beginning, at)),
                Finds::Shape(shape) if is_covered(shape.kind, text, from..at, spans) => None,
                Finds::Shape(shape) => shape_at(shape, text, at, spans),
                Finds::PrivateKey => pem::begin_at(text, at),
                Finds::Encoded(coding) => {
                    let run = (depth == Depth::Inside).then(|| runs.decoded(text, at, coding)).flatten();
                    if let Some(run) = run {
                        self.see(&run, Depth::Surface, spans);
                    }
                    None
                }
                Finds::Escape => {
                    escapes.push(at);
                    None
                }
            };
            spans.extend(span);
        });
        escapes
    }

    /// Adds what is found in `view`, as it stands in the text that the view was made of.
    fn see(&self, view: &View, depth: Depth, spans: &mut Vec<Span>) {
        let mut seen = Vec::new();
        self.pass(&view.bytes, 0, depth, &mut seen);
        for span in seen {
            let end = if span.goes_on { pem::end_in(&view.bytes, span.end) } else { span.end };
            // What is no text once it is decoded was not encoded text: a picture has every three bytes somewhere.
            let text = view.bytes[span.start..span.end].iter().all(|byte| (b' '..0x7f).contains(byte));
            if text || span.kind == ENVIRONMENT {
                let place = view.place(span.start..end);
                spans.push(Span { start: place.start, end: place.end, kind: span.kind, goes_on: false });
            }
        }
    }
}

/// About as many as there are without literals.
const RULES: usize = 3000;

/// Rules while they are gathered.
#[derive(Debug)]
struct Rules {
    rules: Vec<Rule>,
    spelt: Vec<u8>,
}

impl Rules {
    fn add(&mut self, beginning: &[u8], finds: Finds) {
        let start = self.spelt.len() as u32;
        self.spelt.extend_from_slice(beginning);
        self.rules.push(Rule { beginning: start..self.spelt.len() as u32, finds });
    }
}

impl Rule {
    fn beginning<'a>(&self, spelt: &'a [u8]) -> &'a [u8] {
        &spelt[self.beginning.start as usize..self.beginning.end as usize]
    }
}

/// What is looked for where it is encoded, each once: the first bytes of what begins a secret, which in an encoding are
/// telling enough, and which many have in common.
fn encoded_triggers() -> Vec<&'static [u8]> {
    let triggers = shapes::all().flat_map(|shape| shape.triggers.iter().map(|trigger| trigger.as_bytes()));
    let firsts = triggers.chain(pem::BEGIN).map(|trigger| &trigger[..trigger.len().min(TELLING)]);
    let mut firsts: Vec<(u64, &[u8])> = firsts.map(|first| (number(first), first)).collect();
    firsts.sort_unstable_by_key(|(number, _)| *number);
    firsts.dedup_by(|(_, longer), (_, shorter)| longer.starts_with(shorter));
    firsts.into_iter().map(|(_, first)| first).collect()
}

/// At most eight bytes are a number, which is quickly compared: every process that keeps anything does this.
const TELLING: usize = 6;

/// In the order of the bytes.
fn number(bytes: &[u8]) -> u64 {
    let padded = bytes.iter().copied().chain(std::iter::repeat(0));
    padded.take(8).fold(0, |all, byte| all << 8 | u64::from(byte))
}

/// Everything that may stand for something hidden.
pub(super) fn replacements() -> Vec<String> {
    let kinds: BTreeSet<&str> =
        shapes::all().map(|shape| shape.kind).chain([ENVIRONMENT, pem::KIND]).collect();
    kinds.into_iter().map(|kind| format!("[redacted:{kind}]")).collect()
}

/// Whether hiding `literal` would hide what stands for something hidden.
pub(super) fn stands_in_one(replacements: &[String], literal: &[u8]) -> bool {
    replacements.iter().any(|replacement| memchr::memmem::find(replacement.as_bytes(), literal).is_some())
}

fn literal_span(literal: &[u8], at: usize) -> Span {
    Span { start: at, end: at + literal.len(), kind: ENVIRONMENT, goes_on: false }
}

fn shape_at(shape: &Shape, text: &[u8], at: usize, found: &[Span]) -> Option<Span> {
    let start = match shape.before {
        Before::Anything => at,
        Before::WordStart if starts_word(&text[..at]) || follows_hidden(found, at) => at,
        Before::WordStart => return None,
        Before::Digits => at - digits_before(&text[..at]),
        Before::Bytes(count) => at.checked_sub(count)?,
    };
    let secret = matched(shape, &text[start..])?;
    let after = text.get(start + secret.end).copied();
    looks(shape.look, &text[start..][secret.clone()], after).then(|| Span {
        start: start + secret.start,
        end: start + secret.end,
        kind: shape.kind,
        goes_on: false,
    })
}

/// The range of the secret: the group that took part, or the whole match.
fn matched(shape: &Shape, text: &[u8]) -> Option<Range<usize>> {
    let regex = shape.regex();
    if regex.captures_len() == 1 {
        return regex.find(text).map(|found| found.range());
    }
    // Most hits are no match, and that is cheaper to learn without the groups.
    if !regex.is_match(text) {
        return None;
    }
    let captures = regex.captures(text)?;
    captures.iter().skip(1).flatten().next().map(|group| group.range())
}

/// Whether a word may start after `before`, which may end in an escape (`\n`), a percent code or a colour.
fn starts_word(before: &[u8]) -> bool {
    match before {
        [] => true,
        [.., last] if !last.is_ascii_alphanumeric() && *last != b'_' && *last != b'-' => true,
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [rest @ .., b'm' | b'K'] => {
            let parameters = rest
                .iter()
                .rev()
                .take(LOOK_BEHIND - 8)
                .take_while(|byte| byte.is_ascii_digit() || **byte == b';');
            let count = parameters.count();
            rest[..rest.len() - count].ends_with(b"[")
        }
        [..] => false,
    }
}

fn follows_hidden(found: &[Span], at: usize) -> bool {
    found.iter().rev().take(LOOK_BEHIND).any(|span| span.end == at)
}

/// Whether what begins at the end of `looked_at` is within something that is hidden as the same kind, and up to the end
/// of its token, so that nothing would come of it. What stands near that end may lead out of it (`_token: …`), and what
/// begins before `looked_at` is not hidden here.
fn is_covered(kind: &str, text: &[u8], looked_at: Range<usize>, found: &[Span]) -> bool {
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_+/=.~%".contains(byte);
    found.iter().rev().take(LOOK_BEHIND).any(|span| {
        looked_at.contains(&span.start)
            && looked_at.end + LOOK_BEHIND <= span.end
            && span.kind == kind
            && !text.get(span.end).is_some_and(goes_on)
    })
}

fn digits_before(before: &[u8]) -> usize {
    let digits = before.iter().rev().take(LOOK_BEHIND - 1);
    digits.take_while(|byte| byte.is_ascii_digit()).count()
}

fn looks(look: Look, secret: &[u8], after: Option<u8>) -> bool {
    match look {
        Look::Any => true,
        Look::Mixed => is_mixed(secret) || secret.ends_with(b"="),
        Look::Random => {
            let code = matches!(after, Some(b'(' | b'[' | b'{' | b'<' | b'$'));
            !code && is_random(secret)
        }
    }
}

fn is_mixed(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit) && text.iter().any(u8::is_ascii_alphabetic)
}

/// Some stretch between separators has letters and digits changing places three times, as hardly an identifier does.
fn is_random(text: &[u8]) -> bool {
    text.split(|byte| b"-_./=:@".contains(byte)).any(|part| {
        let changes = part.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
        part.len() >= 6 && changes.count() >= 3
    })
}
