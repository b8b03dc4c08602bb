//! Secrets in base64 and hexadecimal digits: what begins one, encoded, is looked for like any other beginning; only
//! where it stands is the run around it decoded.

use super::beginnings::SHORTEST;
use super::forms::{base64_inside, hex_digits};
use super::view::{Places, View};

/// How much before a beginning is decoded with it, to see what it follows; at least what a shape looks back.
const BEHIND: usize = 96;

/// So many characters of the encoding stand after or before what begins a secret; hardly a word is as long.
const AROUND: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// So many characters before the first that depends on the secret alone does a group of four begin.
    Base64 {
        lead: u8,
    },
    Hex,
}

/// How `beginning` begins when it is encoded, wherever it stands in what is encoded with it.
pub(super) fn beginnings(beginning: &[u8], mut found: impl FnMut(&[u8], Coding)) {
    let mut form = Vec::with_capacity(beginning.len() * 2);
    let mut tell = |form: &[u8], coding| {
        if form.len() >= SHORTEST {
            found(form, coding);
        }
    };
    for (offset, lead) in [(0, 0), (1, 2), (2, 3)] {
        form.clear();
        form.extend(base64_inside(beginning, offset));
        tell(&form, Coding::Base64 { lead });
        if form.iter().any(|byte| of_address(*byte) != *byte) {
            form.iter_mut().for_each(|byte| *byte = of_address(*byte));
            tell(&form, Coding::Base64 { lead });
        }
    }
    form.clear();
    form.extend(hex_digits(beginning));
    tell(&form, Coding::Hex);
    if form.iter().any(u8::is_ascii_lowercase) {
        form.make_ascii_uppercase();
        tell(&form, Coding::Hex);
    }
}

/// Up to where the runs of a text are decoded already, so that none is decoded at every beginning in it.
#[derive(Debug, Default)]
pub(super) struct Runs {
    base64: [usize; 4],
    hex: [usize; 2],
}

impl Runs {
    /// The run around `at`, decoded, unless it was before.
    pub(super) fn decoded(&mut self, text: &[u8], at: usize, coding: Coding) -> Option<View> {
        match coding {
            Coding::Base64 { lead } => {
                let group = at.checked_sub(lead.into())?;
                let seen = &mut self.base64[group % 4];
                let digits = |part: &[u8]| part.iter().all(|byte| sextet(*byte).is_some());
                if group < *seen || !digits(&text[group..at]) || !long_enough(text, at, digits) {
                    return None;
                }
                let start = run_start(text, group, 4, |byte| sextet(byte).is_some());
                let (bytes, end) = base64(text, start);
                *seen = end;
                Some(View { bytes, places: Places::Base64 { start } })
            }
            Coding::Hex => {
                let seen = &mut self.hex[at % 2];
                let digits = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
                if at < *seen || !long_enough(text, at, digits) {
                    return None;
                }
                let start = run_start(text, at, 2, |byte| byte.is_ascii_hexdigit());
                let (bytes, end) = hex(text, start);
                *seen = end;
                Some(View { bytes, places: Places::Hex { start } })
            }
        }
    }
}

fn long_enough(text: &[u8], at: usize, digits: impl Fn(&[u8]) -> bool) -> bool {
    text.get(at..at + AROUND).is_some_and(&digits) || at >= AROUND && digits(&text[at - AROUND..at])
}

fn run_start(text: &[u8], at: usize, group: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let mut start = at;
    while start >= group && at - start < BEHIND * 2 {
        if !text[start - group..start].iter().all(|byte| belongs(*byte)) {
            break;
        }
        start -= group;
    }
    start
}

fn base64(text: &[u8], start: usize) -> (Vec<u8>, usize) {
    let mut bytes = Vec::with_capacity(64);
    let mut bits = 0_u32;
    let mut at = start;
    while let Some(six) = text.get(at).and_then(|byte| sextet(*byte)) {
        bits = bits << 6 | u32::from(six);
        match (at - start) % 4 {
            1 => bytes.push((bits >> 4) as u8),
            2 => bytes.push((bits >> 2) as u8),
            3 => bytes.push(bits as u8),
            _ => {}
        }
        at += 1;
    }
    (bytes, at)
}

fn hex(text: &[u8], start: usize) -> (Vec<u8>, usize) {
    let pairs = text[start..].chunks_exact(2);
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let bytes: Vec<u8> =
        pairs.map_while(|pair| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)).collect();
    let end = start + bytes.len() * 2;
    (bytes, end)
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

fn of_address(byte: u8) -> u8 {
    match byte {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    }
}
