//! What is taken for a secret and what is not. The keys are put together here, so that no scanner flags this file.

use ralph_core::redact::Redactor;

const ALNUM: &str = "a8Kd03LmQz7Xw1Rt5Yb9Hc2Vn6Jp4Gs0Fe8Ud3Ik7Oo1Aa5Ss9Dd2Ff6Gg4Hh0Jj8Kk3Ll7Zz1Xx5Cc9Vv2Bb6Nn4Mm0Qq8Ww3Ee7Rr1Tt5Yy9Uu2";
const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a089f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a089f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const UPPER: &str = "Q3ZX7PLM2RTY5WKJ4HGF6DSABN7VCXE2QQ3ZX7PLM2RTY5WKJ4HGF6DSABN7VCXE2Q";

fn redactor() -> Redactor {
    Redactor::new([])
}

fn alnum(length: usize) -> &'static str {
    &ALNUM[..length]
}

fn hex(length: usize) -> &'static str {
    &HEX[..length]
}

fn upper(length: usize) -> &'static str {
    &UPPER[..length]
}

/// Every shape: its kind, how it begins, how it goes on.
fn keys() -> Vec<(&'static str, &'static str, String)> {
    let s = |text: &str| text.to_owned();
    vec![
        ("anthropic", "sk-", format!("ant-api03-{}-{}AA", alnum(60), alnum(32))),
        ("anthropic", "sk-", format!("ant-oat01-{}", alnum(90))),
        ("openai", "sk-", format!("proj-{}_{}", alnum(70), alnum(20))),
        ("openai", "sk-", format!("svcacct-{}", alnum(70))),
        ("openai", "sk-", s(alnum(48))),
        ("openrouter", "sk-", format!("or-v1-{}", hex(64))),
        ("langsmith", "lsv2", format!("_pt_{}_{}", hex(32), hex(10))),
        ("huggingface", "hf", format!("_{}", alnum(34))),
        ("groq", "gsk", format!("_{}", alnum(52))),
        ("xai", "xai", format!("-{}", alnum(80))),
        ("perplexity", "pplx", format!("-{}", alnum(48))),
        ("replicate", "r8", format!("_{}", alnum(37))),
        ("nvidia", "nvapi", format!("-{}", alnum(64))),
        ("tavily", "tvly", format!("-dev-{}", alnum(32))),
        ("github", "ghp", format!("_{}", alnum(36))),
        ("github", "gho", format!("_{}", alnum(36))),
        ("github", "ghu", format!("_{}", alnum(36))),
        ("github", "ghs", format!("_{}", alnum(36))),
        ("github", "ghr", format!("_{}", alnum(76))),
        ("github", "github", format!("_pat_{}_{}", alnum(22), alnum(59))),
        ("gitlab", "glpat", format!("-{}", alnum(20))),
        ("gitlab", "gldt", format!("-{}", alnum(20))),
        ("gitlab", "glrt", format!("-{}", alnum(20))),
        ("bitbucket", "ATBB", s(alnum(32))),
        ("atlassian", "ATATT", format!("3xFfGF0{}={}", alnum(100), "1A2B3C4D")),
        ("aws", "AKIA", s(upper(16))),
        ("aws", "ASIA", s(upper(16))),
        ("google", "AIza", format!("Sy{}", alnum(33))),
        ("google", "GOCSPX", format!("-{}", alnum(28))),
        ("google", "ya29", format!(".{}", alnum(60))),
        ("azure", "xY_", format!("8Q~{}", alnum(34))),
        ("digitalocean", "dop", format!("_v1_{}", hex(64))),
        ("heroku", "HRKU", format!("-{}", alnum(40))),
        ("alibaba", "LTAI", s(alnum(20))),
        ("vercel", "vcp", format!("_{}", alnum(24))),
        ("netlify", "nfp", format!("_{}", alnum(36))),
        ("supabase", "sbp", format!("_{}", hex(40))),
        ("planetscale", "pscale", format!("_tkn_{}", alnum(43))),
        ("databricks", "dapi", s(hex(32))),
        ("vault", "hvs", format!(".{}", alnum(90))),
        ("pulumi", "pul", format!("-{}", hex(40))),
        ("doppler", "dp", format!(".pt.{}", alnum(43))),
        (
            "age",
            "AGE-SECRET",
            format!("-KEY-1{}", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"),
        ),
        ("tailscale", "tskey", format!("-auth-{}-{}", alnum(12), alnum(32))),
        ("npm", "npm", format!("_{}", alnum(36))),
        ("pypi", "pypi", format!("-AgEIcHlwaS5vcmc{}", alnum(80))),
        ("rubygems", "rubygems", format!("_{}", hex(48))),
        ("cratesio", "cio", s(alnum(32))),
        ("dockerhub", "dckr", format!("_pat_{}", alnum(27))),
        ("buildkite", "bkua", format!("_{}", hex(40))),
        ("sonar", "sqp", format!("_{}", hex(40))),
        ("slack", "xoxb", format!("-{}-{}-{}", "123456789012", "123456789012", alnum(24))),
        ("slack", "xapp", format!("-1-A0{}-{}", upper(9), hex(64))),
        ("telegram", "123456789", format!(":AA{}", alnum(33))),
        ("twilio", "SK", s(hex(32))),
        ("sendgrid", "SG", format!(".{}.{}", alnum(22), alnum(43))),
        ("mailgun", "key", format!("-{}", hex(32))),
        ("brevo", "xkeysib", format!("-{}-{}", hex(64), alnum(16))),
        ("stripe", "sk", format!("_live_{}", alnum(24))),
        ("stripe", "rk", format!("_test_{}", alnum(24))),
        ("stripe", "whsec", format!("_{}", alnum(32))),
        ("square", "sq0atp", format!("-{}", alnum(22))),
        ("shopify", "shpat", format!("_{}", hex(32))),
        ("linear", "lin", format!("_api_{}", alnum(40))),
        ("notion", "ntn", format!("_123456{}", alnum(40))),
        ("figma", "figd", format!("_{}", alnum(40))),
        ("postman", "PMAK", format!("-{}-{}", hex(24), hex(34))),
        ("newrelic", "NRAK", format!("-{}", upper(27))),
        ("grafana", "glsa", format!("_{}_{}", alnum(32), hex(8))),
        ("sentry", "sntryu", format!("_{}", hex(64))),
        ("jwt", "eyJ", format!("hbGciOiJIUzI1NiJ9x.eyJ{}.{}", alnum(30), alnum(43))),
    ]
}

#[test]
fn every_shape_is_hidden_in_every_carrier() {
    let redactor = redactor();
    for (kind, head, tail) in keys() {
        let key = format!("{head}{tail}");
        let hidden = format!("[redacted:{kind}]");
        for (before, after) in [
            ("", ""),
            ("saw ", ", then"),
            ("X=", "\n"),
            ("{\"content\":\"line\\n", "\\nmore\"}"),
            ("\u{1b}[31m", "\u{1b}[0m"),
            ("+  (", ")"),
            ("https://h/?k%3D", "&x=1"),
            ("\u{e9}'", "'"),
        ] {
            let text = format!("{before}{key}{after}");
            assert_eq!(redactor.text(&text), format!("{before}{hidden}{after}"), "{text}");
        }
    }
}

#[test]
fn at_least_forty_shapes_are_known() {
    let mut kinds: Vec<_> = keys().iter().map(|(kind, _, _)| *kind).collect();
    kinds.dedup();
    assert!(kinds.len() >= 40, "{}", kinds.len());
}

#[test]
fn secrets_in_their_surroundings_are_hidden_and_these_stay() {
    let check = |text: String, expected: &str| assert_eq!(redactor().text(&text), expected);
    let b = "Bearer";
    check(format!("Authorization: {b} {}\n", alnum(24)), "Authorization: Bearer [redacted:authorization]\n");
    check(
        format!("{{\"h\":\"{{\\\"authorization\\\": \\\"Basic {}==\\\"}}\"}}", "dXNlcjpwYXNz"),
        "{\"h\":\"{\\\"authorization\\\": \\\"Basic [redacted:authorization]\\\"}\"}",
    );
    check(format!("-H '{b} {}'", alnum(30)), "-H 'Bearer [redacted:authorization]'");
    check(format!("postgres://me:{}@db:5432/x", "hun-ter2"), "postgres://me:[redacted:password]@db:5432/x");
    check(
        format!("git clone https://{}@github.com/a/b", alnum(40)),
        "git clone https://[redacted:password]@github.com/a/b",
    );
    check(
        format!("aws_secret_access_key = {}/{}", alnum(20), alnum(19)),
        "aws_secret_access_key = [redacted:assigned]",
    );
    check(
        format!("HEROKU_API_KEY=\"{}\"", "3f2b8c1e-9d4a-4f6b-8e7c-1a2b3c4d5e6f"),
        "HEROKU_API_KEY=\"[redacted:assigned]\"",
    );
    check(
        format!("https://hooks.slack.com/services/T{}/B{}/{}", upper(8), upper(8), alnum(24)),
        "https://hooks.slack.com/services/[redacted:slack-webhook]",
    );
}

fn pem(label: &str, break_line: &str) -> String {
    let body = [alnum(64), &alnum(80)[16..], alnum(10)].join(break_line);
    let dashes = "-".repeat(5);
    format!("{dashes}BEGIN {label}{dashes}{break_line}{body}=={break_line}{dashes}END {label}{dashes}")
}

#[test]
fn private_keys_are_hidden_over_lines_and_inside_one() {
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let check = |text: String, expected: &str| assert_eq!(redactor().text(&text), expected);
        check(format!("before\n{}\nafter\n", pem(label, "\n")), "before\n[redacted:private-key]\nafter\n");
        check(
            format!("before\r\n  {}\r\nafter\r\n", pem(label, "\r\n  ")),
            "before\r\n  [redacted:private-key]\nafter\r\n",
        );
        check(
            format!("{{\"private_key\": \"{}\\n\", \"a\": 1}}\n", pem(label, "\\n")),
            "{\"private_key\": \"[redacted:private-key]\\n\", \"a\": 1}\n",
        );
        check(
            format!("{{\"t\":\"     1\u{2192}{}\\n\"}}\n", pem(label, "\\n     7\u{2192}")),
            "{\"t\":\"     1\u{2192}[redacted:private-key]\\n\"}\n",
        );
    }
}

#[test]
fn a_private_key_cut_short_is_hidden_and_prose_about_keys_is_not() {
    let whole = pem("RSA PRIVATE KEY", "\n");
    let cut = whole.lines().take(3).collect::<Vec<_>>().join("\n");
    assert_eq!(
        redactor().text(&format!("{cut}\n(3 lines shown)\n")),
        "[redacted:private-key]\n(3 lines shown)\n"
    );
    let header = whole.lines().next().expect("a header");
    assert_eq!(
        redactor().text(&format!("grep for \"{header}\" in it\nnext\n")),
        "grep for \"[redacted:private-key]\" in it\nnext\n"
    );
    assert_eq!(
        redactor().text(&format!("{header}\nis how it starts\n")),
        "[redacted:private-key]\nis how it starts\n"
    );
    let public = whole.replace("RSA PRIVATE", "PUBLIC");
    assert_eq!(redactor().text(&public), public);
}

#[test]
fn ordinary_text_is_left_alone() {
    let redactor = redactor();
    let uuid = "01234567-89ab-cdef-0123-456789abcdef";
    for text in [
        format!("commit {}", hex(40)),
        format!("sha256:{}", hex(64)),
        format!("sha512-{}==", alnum(86)),
        format!("id {uuid}"),
        format!("task-{} risk-{} disk-{}", hex(32), alnum(40), hex(40)),
        format!("flask-{}", hex(64)),
        format!("cache-key-{}", hex(32)),
        format!("data:image/png;base64,{}", alnum(100)),
        format!("index-{}.js chunk_{}", hex(8), hex(20)),
        format!("https://example.com/a/{}?page=2", hex(40)),
        format!("\"cache_key\": \"{}\"", hex(12)),
        "git@github.com:owner/repo.git ssh://git@github.com/owner/repo.git".to_owned(),
        "http://localhost:3000/users/me@example.com".to_owned(),
        "let password = read_password_from_the_terminal(&mut tty)?;".to_owned(),
        "password: process.env.DATABASE_PASSWORD_FOR_TESTS,".to_owned(),
        "secretName: my-application-tls-secret-2024".to_owned(),
        "\"input_tokens\": 12345678901234567, \"output_tokens\": 2".to_owned(),
        "Authorization: Bearer $ANTHROPIC_API_KEY".to_owned(),
        "Authorization: Bearer <your-token-here>".to_owned(),
        "Authorization: Basic authentication is used".to_owned(),
        "sk-learn sk-SK sk-toggleable-content sk-estimator-doc-link-hover-state".to_owned(),
        "AKIA is a prefix, AKIAIOSFODNN7 too short, ASIAN, FASIAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
        "hf_hub_download hf_transfer npm_config_user_agent npm_lifecycle_event npm_package_json".to_owned(),
        "re_match_object SKIPPED ACTIVE key-value pul-request ico-16".to_owned(),
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 alone is only a header".to_owned(),
        "API_KEY=your-api-key-goes-here-please SECRET_KEY=changemechangemechangeme".to_owned(),
        "const ENCRYPTION_KEY: X509HardwareKeyUsageFlags = 2;".to_owned(),
        "::error::secret not found: MY_SECRET_TOKEN".to_owned(),
    ] {
        assert_eq!(redactor.text(&text), text);
    }
}

#[test]
fn a_secret_full_of_beginnings_is_one_and_what_follows_its_last_is_hidden_too() {
    let redactor = redactor();
    assert_eq!(redactor.text(&"xoxb-".repeat(10_000)), "[redacted:slack]");
    let (long, own) = (alnum(100).repeat(3), alnum(40));
    let text = redactor.text(&format!("secret={long}_token: {own}")).into_owned();
    assert!(!text.contains(own) && !text.contains(&long), "{text}");
    let text = redactor.text(&format!("secret={long}_token={long} {own}")).into_owned();
    assert_eq!(text, format!("secret=[redacted:assigned] {own}"));
    let part = format!("eyJ{long}");
    assert_eq!(redactor.text(&format!("{part}.{part}.{part}.{part} x")), "[redacted:jwt] x");
}
