//! Fills the templates of `kinds.txt`, the same way at every run.

/// One secret: what it is called, the text it stands in, and the part of it that nobody may see.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) secret: String,
}

pub(crate) fn samples() -> Vec<Sample> {
    let lines = include_str!("kinds.txt").lines().filter(|line| !line.starts_with('#'));
    lines.zip(1..).map(|(line, seed)| sample(line, seed)).collect()
}

fn sample(line: &'static str, seed: u64) -> Sample {
    let (kind, template) = line.split_once('\t').expect("a kind and a template");
    let filled = fill(template, seed);
    let secret = filled.split_once('«').and_then(|(_, rest)| rest.split_once('»')).map(|(secret, _)| secret);
    let secret = secret.unwrap_or(&filled).to_owned();
    Sample { kind, text: filled.replace(['«', '»'], ""), secret }
}

fn fill(template: &str, seed: u64) -> String {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (field, after) = after.split_once('}').expect("a closed field");
        filled.push_str(before);
        filled.push_str(&one(field, &mut random));
        rest = after;
    }
    filled.push_str(rest);
    filled.replace("\\n", "\n")
}

fn one(field: &str, random: &mut u64) -> String {
    let (class, length) = field.split_at(1);
    match class {
        "-" => "-".repeat(5),
        "g" => {
            let hex = |length, random: &mut u64| drawn("0123456789abcdef", length, random);
            let parts = [
                hex(8, random),
                hex(4, random),
                format!("4{}", hex(3, random)),
                format!("8{}", hex(3, random)),
            ];
            format!("{}-{}", parts.join("-"), hex(12, random))
        }
        _ => drawn(alphabet(class), length.parse().expect("a length"), random),
    }
}

fn alphabet(class: &str) -> &'static str {
    match class {
        "a" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "L" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "l" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "U" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "d" => "123456789",
        "h" => "0123456789abcdef",
        "H" => "0123456789ABCDEF",
        "b" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
        "w" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
        "t" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        "s" => "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
        "S" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        other => panic!("no class {other}"),
    }
}

/// Letters and digits take turns often enough, and neither end is a dash that an edge would not count as a word.
fn drawn(alphabet: &str, length: usize, random: &mut u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut next = |from: &[char]| {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        from[(*random >> 33) as usize % from.len()]
    };
    let digits: Vec<char> = letters.iter().copied().filter(char::is_ascii_digit).collect();
    let words: Vec<char> = letters.iter().copied().filter(char::is_ascii_alphabetic).collect();
    let mut drawn: Vec<char> = (0..length).map(|_| next(&letters)).collect();
    for at in [0, length.saturating_sub(1)] {
        if !words.is_empty() && length > 0 {
            drawn[at] = next(&words);
        }
    }
    if !digits.is_empty() {
        for at in (2..length.saturating_sub(1)).step_by(5) {
            drawn[at] = next(&digits);
        }
    }
    drawn.into_iter().collect()
}
