//! Which environment variables hold a secret: decided by the name, then by whether the value could be one.

/// Shorter values would hide ordinary words all over the output.
const SHORTEST: usize = 8;

/// A name with one of these anywhere in it says secret.
const TELLING: [&str; 9] = [
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "TOKEN",
    "APIKEY",
    "PRIVATE_KEY",
    "ACCESS_KEY",
];

/// A name with one of these as its last word says secret.
const TELLING_LAST: [&str; 10] =
    ["KEY", "KEYS", "PASS", "PWD", "AUTH", "PAT", "BEARER", "COOKIE", "JWT", "WEBHOOK"];

/// A name with one of these as a word says public, whatever else it says.
const PUBLIC: [&str; 2] = ["PUBLIC", "PUBLISHABLE"];

const WORDS: [&str; 8] =
    ["disabled", "undefined", "localhost", "required", "optional", "password", "changeme", "redacted"];

const ROOTS: [&str; 18] = [
    "./",
    "../",
    "~/",
    "/bin/",
    "/dev/",
    "/etc/",
    "/home/",
    "/mnt/",
    "/nix/",
    "/opt/",
    "/private/",
    "/proc/",
    "/root/",
    "/run/",
    "/tmp/",
    "/usr/",
    "/var/",
    "/Users/",
];

/// The values to hide.
pub(super) fn secrets(environment: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let mut secrets = Vec::new();
    for (name, value) in environment {
        let value = value.trim();
        if says_secret(&name) && could_be_secret(value) {
            secrets.push(value.to_owned());
        } else if let Some(password) = password_in_url(value) {
            secrets.push(password.to_owned());
            secrets.extend(super::forms::percent_decoded(password));
        }
    }
    secrets.retain(|secret| secret.len() >= SHORTEST);
    secrets
}

/// Looked at for every variable of every process, so nothing is copied for it.
fn says_secret(name: &str) -> bool {
    let mut words = name.split(['_', '-']);
    let public = words.clone().any(|word| PUBLIC.iter().any(|public| word.eq_ignore_ascii_case(public)));
    let last = words.next_back().unwrap_or_default();
    // The shell's own PWD and OLDPWD are directories.
    let last_tells =
        TELLING_LAST.iter().any(|word| last.eq_ignore_ascii_case(word)) && !name.eq_ignore_ascii_case("PWD");
    let id_of_key = ends_with(name, "KEY_ID");
    !public && (last_tells || id_of_key || TELLING.iter().any(|word| contains(name, word)))
}

/// In any case, with dashes for underscores.
fn contains(name: &str, word: &str) -> bool {
    name.as_bytes().windows(word.len()).any(|part| is_same(part, word))
}

fn ends_with(name: &str, word: &str) -> bool {
    name.len() >= word.len() && is_same(&name.as_bytes()[name.len() - word.len()..], word)
}

fn is_same(part: &[u8], word: &str) -> bool {
    let plain = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_uppercase() };
    part.iter().zip(word.bytes()).all(|(byte, expected)| plain(*byte) == expected)
}

fn could_be_secret(value: &str) -> bool {
    value.len() >= SHORTEST
        && value.parse::<f64>().is_err()
        && !WORDS.contains(&value.to_ascii_lowercase().as_str())
        && !is_path(value)
        && !is_plain_url(value)
        && value.bytes().any(|byte| byte != value.as_bytes()[0])
}

fn is_path(value: &str) -> bool {
    let under_root = ROOTS.iter().any(|root| value.starts_with(root));
    // Base64 may begin with a slash, but it does not go on in lower-case words.
    let spelled = value.starts_with('/')
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || b"/._-".contains(&byte));
    let drive = value.as_bytes().get(1..3) == Some(b":\\");
    under_root || spelled || drive
}

fn is_plain_url(value: &str) -> bool {
    let web = value.starts_with("http://") || value.starts_with("https://");
    // A web hook's address is its own password, so only short addresses are taken for plain ones.
    web && value.len() < 40 && password_in_url(value).is_none()
}

fn password_in_url(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    (!password.is_empty()).then_some(password)
}

#[cfg(test)]
mod tests {
    use super::secrets;

    fn check(name: &str, value: &str, expected: &[&str]) {
        let found = secrets([(name.to_owned(), value.to_owned())]);
        assert_eq!(found, expected, "{name}={value}");
    }

    #[test]
    fn the_name_decides_and_then_the_value() {
        for name in [
            "ANTHROPIC_API_KEY",
            "github_token",
            "DB_PASSWORD",
            "AWS_ACCESS_KEY_ID",
            "GOOGLE_CREDENTIALS_JSON",
            "npm-auth",
            "MYSQL_PWD",
            "SIGNING_PRIVATE_KEY_1",
        ] {
            check(name, "q8-vN3z.kT", &["q8-vN3z.kT"]);
        }
        for name in ["PATH", "EDITOR", "AUTHOR", "KEYMAP", "NEXT_PUBLIC_STRIPE_KEY", "PWD"] {
            check(name, "q8-vN3z.kT", &[]);
        }
        for value in [
            "true",
            "short",
            "123456789",
            "/etc/ssl/Key1.pem",
            "/keys/signing.pem",
            "~/.ssh/id_1",
            "undefined",
            "aaaaaaaaaa",
            "https://auth.example.com/v1",
        ] {
            check("API_KEY", value, &[]);
        }
    }

    #[test]
    fn the_password_of_an_address_is_hidden_whatever_the_name() {
        check("DATABASE_URL", "postgres://me:pw%40rd-long@db/x", &["pw%40rd-long", "pw@rd-long"]);
        check("DATABASE_URL", "postgres://me@db/x", &[]);
    }
}
