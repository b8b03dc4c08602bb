//! Secrets of every kind, encoded and cut anywhere, are hidden; what only looks like one stays as it is.

#![expect(clippy::disallowed_methods, reason = "the project's own files are what is tried")]

#[path = "corpus/secrets/encode.rs"]
mod encode;
#[path = "corpus/secrets/fill.rs"]
mod fill;

use std::collections::BTreeSet;

use encode::Encoded;
use fill::{Sample, samples};
use ralph_core::redact::Redactor;

/// So much of a secret in a row would be a part of it that somebody can use.
const TELLING: usize = 12;

fn redact(redactor: &Redactor, text: &str, step: usize) -> String {
    let mut stream = redactor.stream();
    let mut out = Vec::new();
    for chunk in text.as_bytes().chunks(step) {
        stream.push(chunk, &mut out);
    }
    stream.finish(&mut out);
    String::from_utf8(out).expect("text stays text")
}

/// What is left of `secret` in `text`, if it is enough to tell anything.
fn left<'a>(secret: &'a str, text: &str, unit: usize) -> Option<&'a str> {
    let ends = secret.char_indices().map(|(at, _)| at).chain([secret.len()]).collect::<Vec<_>>();
    let parts = ends.windows(TELLING * unit + 1).map(|ends| &secret[ends[0]..ends[TELLING * unit]]);
    parts.filter(|part| !part.starts_with("-----") && !part.contains('\n')).find(|part| text.contains(part))
}

fn parts(sample: &Sample) -> (&str, &str, &str) {
    let at = sample.text.find(&sample.secret).expect("the secret stands in its text");
    (&sample.text[..at], &sample.secret, &sample.text[at + sample.secret.len()..])
}

#[test]
fn there_are_more_than_a_hundred_kinds() {
    let kinds: BTreeSet<_> = samples().iter().map(|sample| sample.kind).collect();
    assert!(kinds.len() >= 150, "{}", kinds.len());
}

#[test]
fn every_kind_is_hidden_wherever_it_is_cut() {
    let redactor = Redactor::new([]);
    let mut wrong = Vec::new();
    for sample in samples() {
        let text = format!("before {} after\n", sample.text);
        let whole = redactor.text(&text).into_owned();
        let named = whole.contains(&format!("[redacted:{}]", sample.kind));
        if left(&sample.secret, &whole, 1).is_some() || !named {
            wrong.push(format!("{}: {whole}", sample.kind));
        }
        for cut in 0..=text.len() {
            let mut stream = redactor.stream();
            let mut out = Vec::new();
            stream.push(&text.as_bytes()[..cut], &mut out);
            stream.push(&text.as_bytes()[cut..], &mut out);
            stream.finish(&mut out);
            assert_eq!(String::from_utf8_lossy(&out), whole, "{} cut at {cut}", sample.kind);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(redactor: &Redactor, kind: &str, encoded: &Encoded, wrong: &mut Vec<String>) {
    for (before, after) in [("", ""), ("log: ", " end"), ("{\"a\":\"", "\"}")] {
        // Lines that a token was broken into have nothing else in them.
        if encoded.text.contains('\n') && !before.is_empty() {
            continue;
        }
        let text = format!("{before}{}{after}\n", encoded.text);
        let whole = redact(redactor, &text, text.len());
        if let Some(part) = left(&encoded.secret, &whole.replace('\n', ""), encoded.unit) {
            wrong.push(format!("{kind} in {}: {part} in {whole}", encoded.name));
        }
        for step in [1, 7, 64] {
            assert_eq!(redact(redactor, &text, step), whole, "{kind} in {} by {step}", encoded.name);
        }
    }
}

#[test]
fn every_kind_is_hidden_in_every_encoding() {
    let redactor = Redactor::new([]);
    let mut wrong = Vec::new();
    let mut count = 0;
    for sample in samples() {
        let (before, secret, after) = parts(&sample);
        for encoded in encode::every(before, secret, after) {
            check(&redactor, sample.kind, &encoded, &mut wrong);
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn colours_and_line_breaks_in_a_secret_do_not_show_it() {
    let redactor = Redactor::new([]);
    let mut wrong = Vec::new();
    for sample in samples().iter().filter(|sample| sample.kind != "private-key") {
        let (before, secret, after) = parts(sample);
        check(&redactor, sample.kind, &encode::coloured(before, secret, after), &mut wrong);
        // Lines with blanks or quotation marks in them are not taken for pieces of one token.
        for width in [64, 76] {
            if !sample.text.contains([' ', '"']) {
                for lead in (0..width).step_by(3) {
                    let all = format!("{}.{}", "x".repeat(lead), sample.text);
                    let text = encode::wrapped(&all, width);
                    let out = redact(&redactor, &text, 33).replace('\n', "");
                    wrong.extend(
                        left(secret, &out, 1).map(|part| format!("{} after {lead}: {part}", sample.kind)),
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_value_of_a_variable_is_hidden_in_every_encoding() {
    let value = format!("zL9{}", "-4tQ/8vW+1xK~3mR");
    let redactor = Redactor::new([("MY_TOKEN".to_owned(), value.clone())]);
    let mut wrong = Vec::new();
    for encoded in encode::every("is ", &value, " so").iter().chain([&encode::coloured("is ", &value, " so")])
    {
        check(&redactor, "env", encoded, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn innocent_text_stays_as_it_is() {
    let redactor = Redactor::new([]);
    let corpus = include_str!("corpus/secrets/innocent.txt");
    for line in corpus.lines() {
        assert_eq!(redactor.text(line), line);
    }
    assert_eq!(redactor.text(corpus), corpus);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for file in
        ["Cargo.lock", "ARCHITECTURE.md", "docs/config.md", "docs/events.md", "docs/schema/config.json"]
    {
        let text = std::fs::read_to_string(format!("{root}/{file}")).expect(file);
        assert_eq!(redactor.text(&text), text, "{file}");
    }
}

#[test]
fn pictures_and_hashes_stay_as_they_are() {
    let redactor = Redactor::new([]);
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let bytes: Vec<u8> = (0..60_000)
        .map(|_| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 40) as u8
        })
        .collect();
    let text = String::from_utf8_lossy(&bytes);
    for encoded in encode::every("", &text, "") {
        let out = redactor.text(&encoded.text).into_owned();
        assert!(out == encoded.text, "{}", encoded.name);
    }
}
