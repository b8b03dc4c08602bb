//! Every way in which a tag was, or could be, taken for a promise by mistake, and the ways in which it must count.

use proptest::prelude::*;
use ralph_core::promise::{Claim, Scanner, Word, contains_literal_tag, detect, instruction};
use serde::Deserialize;
use std::path::Path;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Class {
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// `made`, `none` or the refusal's name as it is stored.
    expect: String,
    #[serde(default)]
    message: String,
    /// Fed one after the other instead of `message`.
    #[serde(default)]
    chunks: Vec<String>,
    #[serde(default)]
    brief: String,
    #[serde(default = "usual_word")]
    word: String,
    /// Stands before the message, `times` times.
    #[serde(default)]
    repeat: String,
    #[serde(default)]
    times: usize,
}

fn usual_word() -> String {
    "DONE-7f3a".to_owned()
}

fn word(text: &str) -> Word {
    Word::parse(text).expect("a valid word")
}

impl Case {
    fn claim(&self) -> Claim {
        let mut scanner = Scanner::new(&word(&self.word), &self.brief);
        if !self.repeat.is_empty() {
            scanner.feed(&self.repeat.repeat(self.times));
        }
        for chunk in self.chunks.iter().chain([&self.message]) {
            scanner.feed(chunk);
        }
        scanner.finish()
    }
}

fn name_of(claim: &Claim) -> String {
    match claim {
        Claim::None => "none".to_owned(),
        Claim::Made { .. } => "made".to_owned(),
        Claim::Refused { why, .. } => {
            let stored = serde_json::to_value(why).expect("a refusal is stored");
            stored["reason"].as_str().expect("a refusal has a name").to_owned()
        }
    }
}

fn classes() -> Vec<(String, Class)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/promise");
    let mut classes: Vec<_> = std::fs::read_dir(&folder)
        .expect("the corpus folder")
        .map(|entry| {
            let path = entry.expect("a folder entry").path();
            let name = path.file_stem().expect("a file name").to_string_lossy().into_owned();
            #[expect(clippy::disallowed_methods, reason = "the corpus is files; the core itself reads none")]
            let text = std::fs::read_to_string(&path).expect("a readable class");
            let class = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, class)
        })
        .collect();
    classes.sort_by(|a, b| a.0.cmp(&b.0));
    classes
}

#[test]
fn every_case_of_the_corpus_is_decided_as_written() {
    let classes = classes();
    let cases: usize = classes.iter().map(|(_, class)| class.case.len()).sum();
    println!("{} classes, {cases} cases", classes.len());
    let mut mismatches = Vec::new();
    for (class, Class { case }) in &classes {
        assert!(case.len() >= 5, "{class} has only {} cases", case.len());
        for case in case {
            let found = case.claim();
            if name_of(&found) != case.expect {
                mismatches.push(format!("{class}/{}: expected {}, found {found:?}", case.name, case.expect));
            }
        }
    }
    assert!(mismatches.is_empty(), "{} mismatches:\n{}", mismatches.len(), mismatches.join("\n"));
    assert!(classes.len() >= 25 && cases >= 200, "the corpus has shrunk");
}

#[test]
fn every_case_is_decided_the_same_character_by_character() {
    for (class, Class { case }) in classes() {
        for case in case.iter().filter(|case| case.repeat.is_empty()) {
            let whole = case.chunks.concat() + &case.message;
            let mut scanner = Scanner::new(&word(&case.word), &case.brief);
            let mut bytes = [0; 4];
            for c in whole.chars() {
                scanner.feed(c.encode_utf8(&mut bytes));
            }
            assert_eq!(
                scanner.finish(),
                detect(&whole, &word(&case.word), &case.brief),
                "{class}/{}",
                case.name
            );
        }
    }
}

#[test]
fn no_refusal_shown_in_a_brief_writes_the_tag() {
    for (_, Class { case }) in classes() {
        for case in case.iter().filter(|case| case.repeat.is_empty()) {
            if let Claim::Refused { why, .. } = case.claim() {
                assert!(!contains_literal_tag(&why.to_string()), "{why}");
            }
        }
    }
}

#[test]
fn the_line_of_a_claim_counts_from_one_and_names_where_the_tag_opens() {
    let expected = word("DONE-7f3a");
    let claim = detect("Done.\n\n<promise>\nDONE-7f3a\n</promise>\nBye.", &expected, "");
    assert_eq!(claim, Claim::Made { line: 3 });
}

/// Text from the pieces that matter to the rules, in any order.
fn scraps() -> impl Strategy<Value = String> {
    let pieces = [
        "<promise>",
        "</promise>",
        "<PROMISE>",
        "DONE-7f3a",
        "<promise>DONE-7f3a</promise>",
        "DONE",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "```",
        "~~~",
        "`",
        "``",
        "\"",
        "'",
        "“",
        "”",
        "> ",
        "- ",
        "# ",
        "    ",
        "**",
        "not ",
        "would ",
        ". ",
        ": ",
        "<!--",
        "-->",
        "<pre>",
        "</pre>",
        "é",
        "word ",
        "Done.",
        "<promise a>",
        "\\",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

/// Sentences that all end, without code and quotation marks, even where they negate.
fn finished_text() -> impl Strategy<Value = String> {
    let words = [
        "not", "will", "print", "when", "I", "foo.rs", "tests", "pass", "never", "(ok)", "1.2", "e-mail",
        "ça",
    ];
    let sentence =
        prop::collection::vec(prop::sample::select(words.to_vec()), 1..9).prop_map(|w| w.join(" "));
    let end = prop::sample::select(vec![".", "!", "?"]);
    let gap = prop::sample::select(vec![" ", "\n", "\n\n", "\n- ", "\n\n## ", "\n1. "]);
    let sentences = prop::collection::vec((sentence, end, gap), 0..12);
    sentences.prop_map(|all| all.into_iter().map(|(s, end, gap)| format!("{gap}{s}{end}")).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_without_the_nonce_never_completes(text in scraps(), noise in ".{0,200}", brief in scraps()) {
        let message = format!("{text}{noise}{text}").replace("7f3a", "").replace("7F3A", "");
        let claim = detect(&message, &word("DONE-7f3a"), &brief);
        prop_assert!(!matches!(claim, Claim::Made { .. }), "{:?}", message);
    }

    #[test]
    fn chunking_never_matters(text in scraps(), brief in scraps(), long in 0usize..9000, cuts in prop::collection::vec(0usize..20_000, 0..12)) {
        let message = format!("{text}{}{text}", "aé ".repeat(long / 4));
        let expected = word("DONE-7f3a");
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| message.floor_char_boundary(cut)).collect();
        cuts.extend([0, message.len()]);
        cuts.sort_unstable();
        let mut scanner = Scanner::new(&expected, &brief);
        for cut in cuts.windows(2) {
            scanner.feed(&message[cut[0]..cut[1]]);
        }
        prop_assert_eq!(scanner.finish(), detect(&message, &expected, &brief));
    }

    #[test]
    fn an_echoed_instruction_never_completes(prefix in scraps(), chosen in "[A-Za-z`'\".*+ ]{1,20}") {
        let prefix = prefix.replace("<promise>DONE-7f3a</promise>", "");
        let Ok(expected) = Word::parse(&chosen) else { return Ok(()) };
        for expected in [expected.with_nonce("7f3a"), expected, word("DONE-7f3a")] {
            let instruction = instruction(&expected);
            prop_assert!(!contains_literal_tag(&instruction));
            for message in [instruction.clone(), format!("{prefix}{instruction}"), format!("{prefix}\n{instruction}")] {
                // A prefix that claims by itself is no echo of the instruction.
                if !matches!(detect(&prefix, &expected, ""), Claim::Made { .. }) {
                    let claim = detect(&message, &expected, "");
                    prop_assert!(!matches!(claim, Claim::Made { .. }), "{:?}", message);
                }
            }
        }
    }

    #[test]
    fn a_correct_tag_alone_on_the_last_line_after_finished_text_completes(text in finished_text(), end in "[ \t\r\n]{0,4}") {
        let message = format!("{text}\n<promise>DONE-7f3a</promise>{end}");
        let claim = detect(&message, &word("DONE-7f3a"), "Do the task.");
        prop_assert!(matches!(claim, Claim::Made { .. }), "{claim:?} in {message:?}");
    }
}
