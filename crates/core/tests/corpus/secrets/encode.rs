//! How else a text may be written. Each encoding says which part of what it wrote stands for which byte.

/// A text, encoded byte by byte: what stands for each, and what stands for nothing.
pub(crate) struct Encoded {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    /// What of `text` depends on the secret alone.
    pub(crate) secret: String,
    /// So many characters stand for one.
    pub(crate) unit: usize,
}

/// `before`, `secret` and `after` in every encoding.
pub(crate) fn every(before: &str, secret: &str, after: &str) -> Vec<Encoded> {
    let mut all = vec![
        by_byte("percent", before, secret, after, |byte| format!("%{byte:02X}")),
        by_byte("percent, lower case", before, secret, after, |byte| format!("%{byte:02x}")),
        by_byte("JSON", before, secret, after, |byte| format!("\\u{byte:04x}")),
        by_byte("JSON in JSON", before, secret, after, |byte| format!("\\\\u{byte:04X}")),
        by_byte("\\x", before, secret, after, |byte| format!("\\x{byte:02x}")),
        by_byte("HTML", before, secret, after, |byte| format!("&#{byte};")),
        by_byte("HTML, hex", before, secret, after, |byte| format!("&#x{byte:x};")),
        by_byte("hex", before, secret, after, |byte| format!("{byte:02x}")),
        by_byte("HEX", before, secret, after, |byte| format!("{byte:02X}")),
    ];
    for (name, url, padded, width) in [
        ("base64", false, true, 0),
        ("base64 without padding", false, false, 0),
        ("base64url", true, true, 0),
        ("base64url without padding", true, false, 0),
        ("base64 in lines of 64", false, true, 64),
        ("base64 in lines of 76", false, true, 76),
    ] {
        for lead in ["", ":", "k="] {
            let before = format!("{lead}{before}");
            let digits = base64(format!("{before}{secret}{after}").as_bytes(), url, padded);
            let start = (before.len() * 8).div_ceil(6);
            let end = (before.len() + secret.len()) * 8 / 6;
            all.push(Encoded {
                name,
                secret: digits[start..end].to_owned(),
                text: wrapped(&digits, width),
                unit: 1,
            });
        }
    }
    all
}

/// With a colour in it after every seventh character.
pub(crate) fn coloured(before: &str, secret: &str, after: &str) -> Encoded {
    let mut count = 0;
    let secret: String = secret.chars().fold(String::new(), |mut text, letter| {
        if count % 7 == 6 {
            text.push_str(if count % 2 == 0 { "\u{1b}[32m" } else { "\u{1b}[0m" });
        }
        count += 1;
        text.push(letter);
        text
    });
    Encoded { name: "colours", text: format!("{before}{secret}{after}"), secret, unit: 1 }
}

pub(crate) fn wrapped(text: &str, width: usize) -> String {
    if width == 0 {
        return text.to_owned();
    }
    let lines: Vec<&str> =
        text.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).expect("ASCII")).collect();
    lines.join("\n")
}

fn by_byte(
    name: &'static str,
    before: &str,
    secret: &str,
    after: &str,
    one: impl Fn(u8) -> String,
) -> Encoded {
    let all = |text: &str| text.bytes().map(&one).collect::<String>();
    Encoded {
        name,
        text: format!("{}{}{}", all(before), all(secret), all(after)),
        secret: all(secret),
        unit: one(b'k').len(),
    }
}

fn base64(bytes: &[u8], url: bool, padded: bool) -> String {
    let last = if url { "-_" } else { "+/" };
    let alphabet =
        format!("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789{last}").into_bytes();
    let mut digits = String::new();
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for at in 0..4 {
            if at <= group.len() {
                digits.push(char::from(alphabet[(bits >> (18 - 6 * at)) as usize & 63]));
            } else if padded {
                digits.push('=');
            }
        }
    }
    digits
}
