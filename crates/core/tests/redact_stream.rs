//! Chunks cut anywhere give the bytes of the whole, and an environment's secret is in none of them.

use proptest::prelude::*;
use ralph_core::redact::Redactor;

const CANARY: &str = "cAn4ry/\"Va+lue\\7~\u{e9}x";

fn redactor() -> Redactor {
    Redactor::new([
        ("MY_API_KEY".to_owned(), CANARY.to_owned()),
        ("TWO_LINES_SECRET".to_owned(), "first-l1ne-secret\nsecond-l1ne-secret".to_owned()),
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
    ])
}

fn redact(redactor: &Redactor, chunks: &[&[u8]]) -> Vec<u8> {
    let mut stream = redactor.stream();
    let mut out = Vec::new();
    for chunk in chunks {
        stream.push(chunk, &mut out);
    }
    stream.finish(&mut out);
    out
}

fn in_steps(redactor: &Redactor, bytes: &[u8], step: usize) -> Vec<u8> {
    redact(redactor, &bytes.chunks(step).collect::<Vec<_>>())
}

fn cut<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.extend([0, bytes.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

fn fake_key() -> String {
    format!("{}{}", "ghp_", "a8Kd03LmQz7Xw1Rt5Yb9Hc2Vn6Jp4Gs0Fe8U")
}

fn fake_private_key() -> String {
    let line = "a8Kd03LmQz7Xw1Rt5Yb9Hc2Vn6Jp4Gs0Fe8Ud3Ik7Oo1Aa5Ss9Dd2Ff6Gg4Hh0Jj8";
    let dashes = "-----";
    format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{line}\n{line}\n{dashes}END PRIVATE KEY{dashes}\n")
}

fn part() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..40),
        4 => "[a-zA-Z0-9_ =:/@\\-\"]{0,40}".prop_map(String::into_bytes),
        3 => Just(b"\n".to_vec()),
        2 => Just(b" ".to_vec()),
        2 => Just(CANARY.as_bytes().to_vec()),
        1 => Just(b"second-l1ne-secret".to_vec()),
        2 => Just(fake_key().into_bytes()),
        1 => Just(fake_private_key().into_bytes()),
        1 => Just(b"-----BEGIN PRIVATE KEY-----".to_vec()),
        1 => Just(b"https://user:pass-word@host/".to_vec()),
        1 => (1usize..140_000).prop_map(|length| b"0123456789abcdef ".iter().copied().cycle().take(length).collect()),
        1 => (1usize..140_000).prop_map(|length| vec![b'x'; length]),
    ]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(part(), 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_chunking_gives_the_bytes_of_the_whole(
        bytes in text(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let redactor = redactor();
        let whole = redact(&redactor, &[&bytes]);
        prop_assert!(redact(&redactor, &cut(&bytes, &cuts)) == whole);
        prop_assert!(in_steps(&redactor, &bytes, 4093) == whole);
        prop_assert!(!contains(&whole, CANARY));
        prop_assert!(!contains(&whole, &fake_key()));
    }

    #[test]
    fn redacting_again_changes_nothing(bytes in text()) {
        let redactor = redactor();
        let once = redact(&redactor, &[&bytes]);
        let twice = redact(&redactor, &[&once]);
        prop_assert!(twice == once, "{}", String::from_utf8_lossy(&twice));
    }

    #[test]
    fn text_and_stream_agree(text in "(?s).{0,200}", at in any::<prop::sample::Index>()) {
        let mut text = text;
        let at = text.floor_char_boundary(at.index(text.len() + 1));
        text.insert_str(at, CANARY);
        let redactor = redactor();
        let redacted = redactor.text(&text);
        prop_assert_eq!(redacted.as_bytes(), redact(&redactor, &[text.as_bytes()]));
        prop_assert!(!redacted.contains(CANARY));
    }
}

#[test]
fn every_cut_of_a_secret_hides_it() {
    let redactor = redactor();
    let text = format!("a {CANARY} b {} c\n{}d", fake_key(), fake_private_key());
    let expected = "a [redacted:env] b [redacted:github] c\n[redacted:private-key]\nd";
    for first in 0..=text.len() {
        let (left, right) = text.as_bytes().split_at(first);
        assert_eq!(String::from_utf8_lossy(&redact(&redactor, &[left, right])), expected);
    }
    assert_eq!(in_steps(&redactor, text.as_bytes(), 1), expected.as_bytes());
}

#[test]
fn the_other_spellings_of_a_value_are_hidden() {
    let redactor = redactor();
    let json = serde_json::to_string(&format!("x{CANARY}y")).expect("text is JSON");
    let twice = serde_json::to_string(&json).expect("text is JSON");
    assert_eq!(redactor.text(&json), "\"x[redacted:env]y\"");
    assert_eq!(redactor.text(&twice), "\"\\\"x[redacted:env]y\\\"\"");
    assert_eq!(redactor.text("?k=cAn4ry%2F%22Va%2Blue%5C7~%C3%A9x&"), "?k=[redacted:env]&");
    // base64 of the value, and of `user:` before it.
    for encoded in ["Y0FuNHJ5LyJWYStsdWVcN37DqXg=", "dXNlcjpjQW40cnkvIlZhK2x1ZVw3fsOpeA=="] {
        let redacted = redactor.text(encoded).into_owned();
        assert!(redacted.contains("[redacted:env]"), "{encoded}: {redacted}");
        assert!(redacted.len() < 26, "{encoded}: {redacted}");
    }
}

#[test]
fn a_secret_anywhere_in_an_overlong_line_is_hidden() {
    let redactor = redactor();
    let key = fake_key();
    for at in (50_000..70_000).step_by(37).chain([56 * 1024, 64 * 1024 - 20, 120_000]) {
        let line = format!("{} {key} {}", "x".repeat(at), "y".repeat(80_000));
        let out = in_steps(&redactor, line.as_bytes(), 30_011);
        let expected = format!("{} [redacted:github] {}", "x".repeat(at), "y".repeat(80_000));
        assert!(out == expected.as_bytes(), "at {at}");
    }
}

#[test]
fn a_secret_longer_than_a_window_is_hidden_to_its_end() {
    let redactor = redactor();
    let line = format!("{} ghp_{} end", "x".repeat(50_000), "a1B2".repeat(50_000));
    let expected = format!("{} [redacted:github] end", "x".repeat(50_000));
    assert!(in_steps(&redactor, line.as_bytes(), 8192) == expected.as_bytes());
}

#[test]
fn whole_lines_are_not_held_back() {
    let mut stream = redactor().stream();
    let mut out = Vec::new();
    stream.push(b"one\ntw", &mut out);
    assert_eq!(out, b"one\n");
    stream.push(b"o\n", &mut out);
    assert_eq!(out, b"one\ntwo\n");
}

#[test]
fn a_long_value_is_hidden_piece_by_piece() {
    let value: String = (0..3000).map(|number| format!("{number}-")).collect();
    let redactor = Redactor::new([("LONG_SECRET".to_owned(), value.clone())]);
    let redacted = redactor.text(&value).into_owned();
    assert_eq!(redacted.replace("[redacted:env]", ""), "");
}

#[test]
fn a_value_that_is_part_of_a_replacement_does_not_grow() {
    let redactor = Redactor::new([("A_TOKEN".to_owned(), "[redacted:".to_owned())]);
    assert_eq!(redactor.text("[redacted:env]"), "[redacted:env]");
}
