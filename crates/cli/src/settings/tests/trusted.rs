//! What needs a grant, and what asks for it again.

use std::path::Path;

use super::Written;
use crate::settings::trust::{Digest, Trust, executable_digest};

fn digest(project: &str) -> Option<Digest> {
    let loaded = Written::project(project).load().unwrap();
    assert_eq!(loaded.problems, []);
    executable_digest(&loaded.project)
}

fn hash(project: &str) -> String {
    digest(project).expect("there is something to allow").hash
}

const HOOK: &str = "[[hook]]\nname = \"n\"\non = [\"verdict\"]\ncommand = \"make lint\"\n";

#[test]
fn limits_and_words_need_no_grant() {
    let harmless = "[limits]\nmax_iterations = 3\nunlimited = false\n[verify]\nallow_tampering = false\nred_first = true\nprotect = [\"a\"]\n[promise]\nnonce = true\n[output]\nkeep_head = \"1MiB\"\n[tracker]\nkind = \"prd\"\n\
                    [[route]]\niteration = 2\nmodel = \"opus\"\n";
    assert_eq!(digest(harmless), None);
    assert!(Written::project(harmless).load().unwrap().resolve(Trust::Withheld).is_ok());
}

#[test]
fn whatever_runs_or_loosens_needs_a_grant() {
    for text in [
        "state_dir = \"/tmp/x\"",
        "[limits]\nunlimited = true\nmax_duration = \"1h\"",
        "[verify]\nallow_tampering = true",
        "[verify]\nred_first = false",
        "[verify]\njudge = \"exit\"",
        "[verify]\njudge_model = \"small\"",
        "[verify]\ncriteria = []",
        "[completion]\nrequire = [\"promise\"]",
        "[promise]\nword = \"X\"",
        "[promise]\nnonce = false",
        "[agent]\nname = \"claude\"",
        "[[route]]\niteration = \">=2\"\nagent = \"claude\"",
        "[agent]\ncommand = \"evil\"",
        "[agent]\nenv_exclude = []",
        "[agent]\ncustody = \"subreaper\"",
        "[sandbox]\nmode = \"off\"",
        "[sandbox]\nnetwork = true",
        "[sandbox]\nwrite = [\"/\"]",
        "[tracker]\nkind = \"linear\"",
        "[linear]\nteam = \"ENG\"",
        "[linear]\nproject = \"x\"",
        "[linear]\nurl = \"https://evil.example\"",
        "[jira]\nurl = \"https://evil.example\"",
        "[jira]\nemail = \"a@b\"",
        "[jira]\nproject = \"P\"",
        "[jira]\njql = \"labels = x\"",
        HOOK,
    ] {
        let loaded = Written::project(text).load().unwrap();
        let refused = loaded.resolve(Trust::Withheld).expect_err(text);
        assert_eq!(refused.exit(), 2);
        assert!(refused.to_string().contains("`ralph trust`"), "{refused}");
        assert!(Written::project(text).settings().is_ok(), "{text}");
        let user = Written { user: text.to_owned(), ..Written::default() };
        assert!(
            user.load().unwrap().resolve(Trust::Withheld).is_ok(),
            "a user's own file needs none: {text}"
        );
    }
}

#[test]
fn a_grant_outlives_limits_and_comments_only() {
    let granted = hash(HOOK);
    assert_eq!(hash(&format!("# a comment\n[limits]\nmax_iterations = 7\n{HOOK}")), granted);
    for changed in [
        HOOK.replace("make lint", "make lint; curl evil"),
        HOOK.replace("\"make lint\"", "[\"make lint\"]"),
        HOOK.replace("verdict", "run_stopped"),
        format!("{HOOK}veto = true\n"),
        format!("{HOOK}timeout = \"1h\"\n"),
        format!("[agent]\nname = \"x\"\n{HOOK}"),
        format!("[limits]\nunlimited = true\n{HOOK}"),
        format!("{HOOK}{}", HOOK.replace("\"n\"", "\"m\"")),
    ] {
        assert_ne!(hash(&changed), granted, "{changed}");
    }
    assert_eq!(hash("[agent]\ncommand = \"a 'b c'\""), hash("[agent]\ncommand = [\"a\", \"b c\"]"));
    assert_ne!(hash("[agent]\ncommand = [\"a\", \"b c\"]"), hash("[agent]\ncommand = [\"a b\", \"c\"]"));
}

#[test]
fn a_project_cannot_bring_its_own_grants() {
    let project = Written::project("state_dir = \"~/project/state\"");
    assert_eq!(project.load().unwrap().state_dir().unwrap(), Path::new("/home/ralph/.local/state/ralph"));
    let user = Written { user: "state_dir = \"/u\"".to_owned(), ..project };
    assert_eq!(user.load().unwrap().state_dir().unwrap(), Path::new("/u"));
}

#[test]
fn a_command_cannot_hide_from_the_listing() {
    let listing = digest(&HOOK.replace("make lint", "x\\u001b[1A\\u001b[2K\\nruns nothing")).unwrap().listing;
    assert!(listing.len() == 1 && listing[0].ends_with("\\nruns nothing'"), "{listing:?}");
    assert!(!listing[0].contains(char::is_control), "{listing:?}");
}

#[test]
fn the_listing_says_what_would_run() {
    let text = format!(
        "state_dir = \"/x\"\n[limits]\nunlimited = true\nmax_tokens = 9\n[agent]\nname = \"claude\"\ncommand = \"a 'b c'\"\n\
         env_exclude = [\"A\", \"B\"]\ncustody = \"subreaper\"\n{HOOK}veto = true\n"
    );
    insta::assert_snapshot!(digest(&text).unwrap().listing.join("\n"));
}

#[test]
fn a_project_protects_more_than_the_person_and_never_less() {
    let written = |project: &str| Written {
        user: "[verify]\nprotect = [\"tests/**\"]\n".to_owned(),
        ..Written::project(project)
    };
    for (project, expected) in [
        ("[verify]\nprotect = []\n", &["tests/**"][..]),
        ("[verify]\nprotect = [\"ci/**\", \"tests/**\"]\n", &["ci/**", "tests/**"]),
    ] {
        let settings = written(project).settings().unwrap();
        assert_eq!(settings.policy(Vec::new(), None).verification.protect, expected, "{project}");
    }
}
