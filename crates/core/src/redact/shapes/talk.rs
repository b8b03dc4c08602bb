//! Mail, chat, and what is posted to a web address.

use super::{Before, Look, Shape, key, shape, word};

pub(super) static TALK: [Shape; 24] = [
    key(
        "slack",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxc-", "xoxd-"],
        r"xox[a-z]-[A-Za-z0-9%+/=-]{16,}",
    ),
    key("slack", &["xapp-", "xoxe."], r"(?:xapp-[0-9]-[A-Za-z0-9-]{20,}|xoxe\.xox[bp]-[A-Za-z0-9-]{20,})"),
    shape(
        "slack-webhook",
        &[".slack.com/"],
        Before::Bytes(5),
        Look::Any,
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
    word(
        "discord",
        &["MTA", "MTE", "MTI", "MTM", "MTQ"],
        r"MT[AEIMQ][A-Za-z0-9]{21,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
    ),
    key("zapier-webhook", &[".zapier.com/"], r"\.zapier\.com/hooks/catch/([0-9]{5,}/[a-z0-9]{6,})"),
    key(
        "ifttt-webhook",
        &[".ifttt.com/"],
        r"\.ifttt\.com/trigger/[A-Za-z0-9_-]{1,64}/(?:json/)?with/key/([A-Za-z0-9_-]{20,})",
    ),
    shape(
        "mailchimp",
        &["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"],
        Before::Bytes(32),
        Look::Mixed,
        r"[0-9a-f]{32}-us[0-9]{1,2}\b",
    ),
    key("mailersend", &["mlsn."], r"mlsn\.[a-f0-9]{64}"),
    shape("mandrill", &["md-"], Before::WordStart, Look::Random, r"md-[A-Za-z0-9_-]{22}\b"),
    word("klaviyo", &["pk_"], r"pk_[a-f0-9]{34}\b"),
    key("onesignal", &["os_v2_"], r"os_v2_(?:app|org)_[a-z0-9]{60,}"),
    word(
        "meta",
        &["EAAB", "EAAC", "EAAD", "EAAG", "EAAJ", "EAAM", "IGQV"],
        r"(?:EAA[A-Z]|IGQV)[A-Za-z0-9_-]{90,}",
    ),
    word("twitter", &["AAAAAAAAAAAAAAAAAAAA"], r"A{20,24}[A-Za-z0-9]{6,30}[%+/=][A-Za-z0-9%+/=]{30,}"),
    key("linkedin", &["WPL_AP"], r"WPL_AP[0-9]\.[A-Za-z0-9+/=._-]{16,}"),
    key("riot", &["RGAPI-"], r"RGAPI-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    word("typeform", &["tfp_"], r"tfp_[A-Za-z0-9_-]{40,}"),
];
