//! The known shapes of keys, as one table: what starts one, what may stand before it, and what the whole looks like.
//!
//! A pattern is tried only where one of its triggers stands, anchored there, so it never searches. No pattern may match
//! a line break, a quotation mark or a bracket: a hidden secret must leave the JSON around it whole, and a replacement
//! must never be taken for a secret again.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

/// What may stand before a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// The trigger is telling enough wherever it stands.
    Anything,
    /// The trigger must begin a word: `sk-` but not `task-`.
    WordStart,
    /// The secret begins with the digits before the trigger.
    Digits,
    /// The secret begins this many bytes before the trigger.
    Bytes(usize),
}

/// What the matched text must be besides fitting the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Any,
    /// Letters and digits both: not a word, not a number.
    Mixed,
    /// Not words and numbers joined by dashes, and not a call.
    Random,
}

#[derive(Debug)]
pub(super) struct Shape {
    pub(super) kind: &'static str,
    pub(super) triggers: &'static [&'static str],
    pub(super) before: Before,
    pub(super) look: Look,
    pattern: &'static str,
    compiled: OnceLock<Regex>,
}

impl Shape {
    /// Compiled at the first trigger: most runs never see most shapes.
    pub(super) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            RegexBuilder::new(&format!("^(?:{})", self.pattern))
                .unicode(false)
                .build()
                .expect("the pattern of a shape is a constant and compiles in a test")
        })
    }
}

const fn shape(
    kind: &'static str,
    triggers: &'static [&'static str],
    before: Before,
    look: Look,
    pattern: &'static str,
) -> Shape {
    Shape { kind, triggers, before, look, pattern, compiled: OnceLock::new() }
}

/// Distinctive enough wherever it stands.
const fn key(kind: &'static str, triggers: &'static [&'static str], pattern: &'static str) -> Shape {
    shape(kind, triggers, Before::Anything, Look::Any, pattern)
}

/// A prefix that also ends ordinary words, or that random base64 may contain.
const fn word(kind: &'static str, triggers: &'static [&'static str], pattern: &'static str) -> Shape {
    shape(kind, triggers, Before::WordStart, Look::Mixed, pattern)
}

const QUOTED_ASSIGNMENT: &str = r#"(?i:api[_-]?key|api[_-]?secret|access[_-]?key|account[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|session[_-]?token|bot[_-]?token|signing[_-]?key|encryption[_-]?key|client[_-]?secret|secret(?:[_-]?(?:access)?[_-]?key|[_-]?token)?|password|passwd|_token|_authToken)[\\"']{0,4}[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}[\\"']{0,4}([A-Za-z0-9_+/=.~!@#%^*-]{16,})"#;

pub(super) static SHAPES: [Shape; 84] = [
    // Models
    key("anthropic", &["sk-ant-"], r"sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_-]{32,}"),
    key(
        "openai",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        r"sk-[a-zA-Z]{4,8}-[A-Za-z0-9_-]{32,}",
    ),
    key("openrouter", &["sk-or-v1-"], r"sk-or-v1-[0-9a-f]{48,}"),
    key("langsmith", &["lsv2_"], r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    word("openai", &["sk-"], r"sk-[A-Za-z0-9]{32,}"),
    word("huggingface", &["hf_", "api_org_"], r"(?:hf_|api_org_)[A-Za-z0-9]{30,}"),
    word("groq", &["gsk_"], r"gsk_[A-Za-z0-9]{40,}"),
    word("xai", &["xai-"], r"xai-[A-Za-z0-9]{60,}"),
    word("perplexity", &["pplx-"], r"pplx-[A-Za-z0-9]{40,}"),
    word("replicate", &["r8_"], r"r8_[A-Za-z0-9]{32,}"),
    word("fireworks", &["fw_"], r"fw_[A-Za-z0-9]{22,}"),
    word("nvidia", &["nvapi-"], r"nvapi-[A-Za-z0-9_-]{48,}"),
    word("tavily", &["tvly-"], r"tvly-(?:[a-z]{2,5}-)?[A-Za-z0-9]{24,}"),
    word("cerebras", &["csk-"], r"csk-[a-z0-9]{40,}"),
    // Code hosts
    key("github", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9]{36,}"),
    key("github", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{36,}"),
    key(
        "gitlab",
        &[
            "glpat-", "gloas-", "gldt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-",
            "glffct-",
        ],
        r"gl[a-z]{2,5}-[A-Za-z0-9_.-]{20,}",
    ),
    word("gitlab", &["glrt-", "GR1348941"], r"(?:glrt-|GR1348941)[A-Za-z0-9_-]{20,}"),
    word("bitbucket", &["ATBB"], r"ATBB[A-Za-z0-9]{24,}(?:[0-9A-F]{8})?"),
    key("atlassian", &["ATATT3", "ATCTT3"], r"AT[AC]TT3[A-Za-z0-9_=-]{60,}"),
    word("sourcegraph", &["sgp_"], r"sgp_(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40}"),
    // Clouds
    word("aws", &["AKIA", "ASIA", "ABIA", "ACCA"], r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}\b"),
    key("aws", &["ABSKQmVkcm9ja0FQSUtleS"], r"ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/=]{20,}"),
    word("google", &["AIza"], r"AIza[A-Za-z0-9_-]{35}"),
    key("google", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    word("google", &["ya29."], r"ya29\.[A-Za-z0-9_-]{20,}"),
    shape(
        "azure",
        &["0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"],
        Before::Bytes(3),
        Look::Mixed,
        r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}",
    ),
    key("digitalocean", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[a-f0-9]{64}"),
    key("heroku", &["HRKU-"], r"HRKU-[A-Za-z0-9_-]{32,}"),
    word("cloudflare", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    word("alibaba", &["LTAI"], r"LTAI[A-Za-z0-9]{17,21}\b"),
    key("flyio", &["FlyV1 ", "fo1_"], r"(?:fo1_[A-Za-z0-9_-]{43}|FlyV1 fm[12][a-z]?_[A-Za-z0-9+/=,_-]{60,})"),
    key("vercel", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], r"vc[piark]_[A-Za-z0-9]{24,}"),
    word("netlify", &["nfp_"], r"nfp_[A-Za-z0-9]{36,}"),
    word("render", &["rnd_"], r"rnd_[A-Za-z0-9]{28,}"),
    key("supabase", &["sbp_", "sb_secret_"], r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})"),
    key(
        "planetscale",
        &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        r"pscale_[a-z]{2,5}_[A-Za-z0-9_=.-]{32,}",
    ),
    word("databricks", &["dapi"], r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    key("terraform", &[".atlasv1."], r"\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    word("vault", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    word("pulumi", &["pul-"], r"pul-[a-f0-9]{40}"),
    key(
        "doppler",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."],
        r"dp\.(?:pt|st|ct|sa)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}",
    ),
    word("infracost", &["ico-"], r"ico-[A-Za-z0-9]{32}\b"),
    key("1password", &["ops_eyJ"], r"ops_eyJ[A-Za-z0-9+/=_-]{100,}"),
    word(
        "1password",
        &["A3-"],
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
    ),
    key("age", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    key("tailscale", &["tskey-"], r"tskey-[a-z]{2,8}-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{16,})?"),
    // Packages and builds
    word("npm", &["npm_"], r"npm_[A-Za-z0-9]{36}"),
    key("pypi", &["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    key("rubygems", &["rubygems_"], r"rubygems_[a-f0-9]{48}"),
    word("cratesio", &["cio"], r"cio[A-Za-z0-9]{32}\b"),
    key("clojars", &["CLOJARS_"], r"CLOJARS_[a-z0-9]{60}"),
    key("dockerhub", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{27,}"),
    word("buildkite", &["bkua_"], r"bkua_[a-z0-9]{40}"),
    word("circleci", &["CCIPAT_"], r"CCIPAT_[A-Za-z0-9]{16,}_[a-f0-9]{40}"),
    key("sonar", &["sqp_", "squ_", "sqa_"], r"sq[pua]_[a-f0-9]{40}"),
    word("artifactory", &["AKCp"], r"AKCp[A-Za-z0-9]{69}"),
    // Talking
    key(
        "slack",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxc-", "xoxd-"],
        r"xox[a-z]-[A-Za-z0-9%+/=-]{16,}",
    ),
    key("slack", &["xapp-", "xoxe."], r"(?:xapp-[0-9]-[A-Za-z0-9-]{20,}|xoxe\.xox[bp]-[A-Za-z0-9-]{20,})"),
    key(
        "slack-webhook",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_+/-]{20,})",
    ),
    key("discord-webhook", &["/api/webhooks/"], r"/api/webhooks/([0-9]{16,20}/[A-Za-z0-9_-]{60,})"),
    key(
        "teams-webhook",
        &[".webhook.office.com/"],
        r"\.webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,})",
    ),
    shape("telegram", &[":AA"], Before::Digits, Look::Any, r"[0-9]{8,12}:AA[A-Za-z0-9_-]{32,33}"),
    word(
        "twilio",
        &[
            "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd",
            "SKe", "SKf", "AC0", "AC1", "AC2", "AC3", "AC4", "AC5", "AC6", "AC7", "AC8", "AC9", "ACa", "ACb",
            "ACc", "ACd", "ACe", "ACf",
        ],
        r"(?:SK|AC)[0-9a-f]{32}\b",
    ),
    key("sendgrid", &["SG."], r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    word("mailgun", &["key-"], r"key-[0-9a-f]{32}\b"),
    key("brevo", &["xkeysib-", "xsmtpsib-"], r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    word("resend", &["re_"], r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}"),
    // Money and work
    key(
        "stripe",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"],
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}",
    ),
    word("stripe", &["whsec_"], r"whsec_[A-Za-z0-9+/=]{24,}"),
    word("square", &["EAAAE", "EAAAl"], r"EAAA[El][A-Za-z0-9_-]{59}\b"),
    key("square", &["sq0csp-", "sq0atp-"], r"sq0(?:csp|atp)-[A-Za-z0-9_-]{22,43}"),
    key("shopify", &["shpat_", "shpca_", "shppa_", "shpss_"], r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    key("linear", &["lin_api_", "lin_oauth_"], r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    word("notion", &["ntn_", "secret_"], r"(?:ntn_[0-9]{6,}[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{43})"),
    word("figma", &["figd_", "figo_"], r"fig[do]_[A-Za-z0-9_-]{36,}"),
    word("postman", &["PMAK-"], r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    key("newrelic", &["NRAK-", "NRII-", "NRJS-"], r"NR(?:AK|II|JS)-[A-Za-z0-9_-]{19,}"),
    key(
        "grafana",
        &["glc_eyJ", "glsa_"],
        r"(?:glc_eyJ[A-Za-z0-9+/=]{30,}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})",
    ),
    word("sentry", &["sntrys_", "sntryu_"], r"sntry(?:s_eyJ[A-Za-z0-9+/=_]{60,}|u_[a-f0-9]{64})"),
    // Whatever the provider
    key("jwt", &["eyJ"], r"eyJ[A-Za-z0-9_-]{14,}\.eyJ[A-Za-z0-9_-]{14,}\.[A-Za-z0-9_-]{0,}"),
    shape(
        "authorization",
        &["uthorization", "UTHORIZATION", "earer ", "EARER "],
        Before::Anything,
        Look::Mixed,
        r#"(?i:uthorization[\\"']{0,4}[ \t]{0,4}[:=][ \t]{0,4}[\\"']{0,4}(?:bearer|basic|token|bot)[ \t]{1,4}([A-Za-z0-9._~+/=-]{8,})|earer[ ]{1,4}([A-Za-z0-9._~+/=-]{20,}))"#,
    ),
    shape(
        "password",
        &["://"],
        Before::Anything,
        Look::Any,
        r#"://(?:[^\s/:@"'`<>\[\]{}$\\(),;]{0,128}:([^\s/@"'`<>\[\]{}$\\(),;]{3,256})@|([A-Za-z0-9_-]{24,})@)"#,
    ),
    shape(
        "assigned",
        &[
            "api_key",
            "api-key",
            "apikey",
            "apiKey",
            "ApiKey",
            "Api-Key",
            "API_KEY",
            "API-KEY",
            "APIKEY",
            "api_secret",
            "API_SECRET",
            "apiSecret",
            "access_key",
            "accessKey",
            "AccessKey",
            "ACCESS_KEY",
            "AccountKey",
            "access_token",
            "accessToken",
            "auth_token",
            "authToken",
            "refresh_token",
            "refreshToken",
            "session_token",
            "sessionToken",
            "bot_token",
            "botToken",
            "signing_key",
            "SIGNING_KEY",
            "encryption_key",
            "ENCRYPTION_KEY",
            "secret",
            "Secret",
            "SECRET",
            "password",
            "Password",
            "PASSWORD",
            "passwd",
            "PASSWD",
            "_TOKEN",
            "_token",
        ],
        Before::Anything,
        Look::Random,
        QUOTED_ASSIGNMENT,
    ),
];

#[cfg(test)]
mod tests {
    use super::SHAPES;

    #[test]
    fn every_pattern_compiles_and_every_trigger_is_long_enough() {
        for shape in &SHAPES {
            assert!(shape.regex().as_str().starts_with('^'), "{}", shape.kind);
            let long_enough = |trigger: &&str| trigger.len() >= super::super::beginnings::SHORTEST;
            assert!(shape.triggers.iter().all(long_enough), "{}", shape.kind);
        }
    }
}
