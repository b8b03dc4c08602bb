//! Which layer wins, and that nothing anyone writes makes ralph panic.

use std::time::Duration;

use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use ralph_core::policy::{Cost, Kind};

use super::Written;
use crate::settings::environment::variable;
use crate::settings::origin::Layer;
use crate::settings::{ShowStyle, show};

#[test]
fn each_layer_wins_over_the_ones_below() {
    let all = Written {
        user: "[limits]\nmax_iterations = 1\nmax_tokens = 1\nmax_cost_usd = 1\nmax_duration = \"1m\"\n"
            .to_owned(),
        project: "[limits]\nmax_iterations = 2\nmax_tokens = 2\nmax_cost_usd = 2\n".to_owned(),
        env: Written::env(&[
            ("RALPH_SET_LIMITS__MAX_ITERATIONS", "3"),
            ("RALPH_SET_LIMITS__MAX_TOKENS", "3"),
        ])
        .env,
        args: Written::args(&["--max-iterations=4"]).args,
    };
    let limits = all.settings().unwrap().limits(Kind::Prompt);
    assert_eq!(limits.max_iterations.map(u32::from), Some(4));
    assert_eq!(limits.max_tokens.map(u64::from), Some(3));
    assert_eq!(limits.max_cost, Some(Cost(2_000_000)));
    assert_eq!(limits.max_duration, Some(Duration::from_secs(60)));
    let sources = show(&all.load().unwrap().merged, ShowStyle::Toml, true);
    for (key, source) in [
        ("max_iterations = 4", "flag --max-iterations"),
        ("max_tokens = 3", "environment RALPH_SET_LIMITS__MAX_TOKENS"),
        ("max_cost_usd = \"2.00\"", "/.ralph/config.toml:4"),
        ("max_duration = \"1m\"", "/user/config.toml:5"),
        ("silence_timeout = \"30m\"", "default"),
    ] {
        let line = sources.lines().find(|line| line.starts_with(key)).unwrap_or_default();
        assert!(line.ends_with(source), "{key}: {line}");
    }
}

#[test]
fn nothing_set_comes_to_the_defaults() {
    let settings = Written::default().settings().unwrap();
    let policy = settings.policy(Vec::new(), None);
    assert_eq!(policy.limits, ralph_core::policy::Limits::defaults(Kind::Prompt));
    assert_eq!(policy.deadlines.silence, Some(Duration::from_secs(1800)));
    assert_eq!((policy.deadlines.start, policy.deadlines.total), (None, None));
    assert_eq!(policy.retry, ralph_core::policy::Retry::default());
    assert_eq!(policy.completion.promise.word.as_str(), "DONE");
    assert!(policy.completion.promise.nonce);
    assert_eq!(settings.state_dir, std::path::Path::new("/home/ralph/.local/state/ralph"));
}

#[test]
fn the_state_directory_follows_home_and_xdg() {
    let at = |env: &[(&str, &str)], file: &str| {
        let written = Written { project: file.to_owned(), ..Written::env(env) };
        written.settings().map(|settings| settings.state_dir.display().to_string()).ok()
    };
    assert_eq!(at(&[("XDG_STATE_HOME", "/x")], "").as_deref(), Some("/x/ralph"));
    assert_eq!(at(&[("XDG_STATE_HOME", "x")], "").as_deref(), Some("/home/ralph/.local/state/ralph"));
    assert_eq!(at(&[], "state_dir = \"~/s\"").as_deref(), Some("/home/ralph/s"));
    assert_eq!(at(&[("RALPH_SET_STATE_DIR", "/e")], "state_dir = \"/s\"").as_deref(), Some("/e"));
    assert_eq!(at(&[], "state_dir = \"s\""), None);
    assert_eq!(at(&[("HOME", "")], ""), None);
}

#[test]
fn commands_are_split_without_a_shell() {
    let command = |written: Written| written.settings().ok().and_then(|settings| settings.agent.command);
    let words = Some(vec!["my agent".to_owned(), "$HOME".to_owned(), ";".to_owned()]);
    assert_eq!(command(Written::args(&["--agent-command", "'my agent' $HOME ;"])), words);
    assert_eq!(command(Written::project("[agent]\ncommand = [\"my agent\", \"$HOME\", \";\"]")), words);
    for wrong in ["", "  ", "'unclosed", "''"] {
        assert_eq!(command(Written::args(&["--agent-command", wrong])), None, "{wrong:?}");
    }
}

#[test]
fn the_promise_is_a_word_by_every_way_in() {
    let word = |written: Written| {
        written
            .settings()
            .map(|settings| settings.policy(Vec::new(), None).completion.promise.word.as_str().to_owned())
    };
    for flag in ["--promise", "--completion-promise"] {
        assert_eq!(word(Written::args(&[flag, "SHIPPED"])).unwrap(), "SHIPPED");
        assert!(Written::args(&[flag, "--no-nonce"]).load().is_err(), "{flag} swallows no flag");
    }
    for wrong in ["", " ", "<promise>DONE</promise>", "a\u{200b}b", "two\nlines"] {
        let file = format!("[promise]\nword = {}", toml::Value::from(wrong));
        for written in [
            Written::args(&["--promise", wrong]),
            Written::env(&[("RALPH_SET_PROMISE__WORD", wrong)]),
            Written::project(&file),
        ] {
            let refused = word(written).expect_err(wrong);
            assert!(!refused.0[0].next.is_empty(), "{refused}");
        }
    }
}

#[test]
fn hooks_add_up_and_a_name_replaces() {
    let hook = |name: &str, line: &str| {
        format!("[[hook]]\nname = \"{name}\"\non = [\"run_stopped\"]\ncommand = \"{line}\"\n")
    };
    let both = Written {
        user: hook("a", "user a") + &hook("b", "user b"),
        project: hook("b", "project b") + &hook("c", "project c"),
        ..Written::default()
    };
    let commands: Vec<String> =
        both.settings().unwrap().hooks.iter().map(|hook| hook.action.words().join(" ")).collect();
    assert_eq!(commands, ["sh -c user a", "sh -c project b", "sh -c project c"]);
}

#[test]
fn the_routes_of_the_highest_layer_stand_as_a_whole() {
    let route = |model: &str| format!("[[route]]\niteration = \">=2\"\nmodel = \"{model}\"\n");
    let user = Written { user: route("a") + &route("b"), ..Written::default() };
    let models = |written: &Written| -> Vec<String> {
        let routes = written.settings().unwrap().routes;
        routes.into_iter().filter_map(|route| route.model).collect()
    };
    assert_eq!(models(&user), ["a", "b"]);
    assert_eq!(models(&Written { project: route("c"), ..user }), ["c"]);
}

#[test]
fn what_is_shown_can_be_fed_back() {
    let written = Written {
        args: Written::args(&[
            "--max-cost-usd=0.125",
            "--promise",
            "SHIPPED",
            "--no-nonce",
            "--iteration-delay=0.5",
        ])
        .args,
        ..Written::project(
            "[agent]\ncommand = \"a 'b c'\"\nenv_exclude = [\"A\"]\non_error = \"abort\"\nmax_retries = 7\nsession = \"continue\"\n\
             [[route]]\nlabels = [\"a\", \"b\"]\npriority = \"0-2\"\niteration = \">=4\"\nagent = \"x\"\nmodel = \"m\"\neffort = \"e\"\n\
             [[route]]\npriority = 3\nmodel = \"m\"\n[[route]]\nwhen = \"circular\"\neffort = \"e\"\n\
             [[route]]\nwhen = [\"no_progress\", \"circular\"]\nmodel = \"m\"\n[[hook]]\nname = \"n\"\non = [\"verdict\"]\n\
             command = ['a', \"\\u0000\", \"l\\nm \\u007f \\\" \\\\\"]\n",
        )
    };
    let nul = written.settings().unwrap_err().to_string();
    assert!(nul.contains("NUL"), "{nul}");
    let written = Written { project: written.project.replace("\"\\u0000\"", "'b'"), ..written };
    let again = Written::project(&written.shown());
    assert_eq!(again.settings().unwrap(), written.settings().unwrap());
    assert_eq!(again.shown(), written.shown());
    for sources in [true, false] {
        let json = show(&written.load().unwrap().merged, ShowStyle::Json, sources);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let cost =
            if sources { &json["limits"]["max_cost_usd"]["value"] } else { &json["limits"]["max_cost_usd"] };
        assert_eq!(cost, "0.125");
    }
}

#[test]
fn an_unreadable_file_is_an_error_and_a_missing_one_is_not() {
    let big = Written::project(&"#".repeat(1024 * 1024 + 1)).settings().unwrap_err().to_string();
    assert!(big.contains("larger than 1 MiB"), "{big}");
    assert!(Written::project(&"#".repeat(1024 * 1024)).settings().is_ok());
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("config.toml");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut problems = Vec::new();
    for path in [&pipe, dir.path(), &dir.path().join("missing"), &pipe.join("below")] {
        crate::settings::file::read(path, Layer::User, &mut problems);
    }
    assert_eq!(problems.len(), 2, "{problems:?}");
    let deep = format!("a = {}", "[".repeat(500_000));
    assert!(Written::project(&deep).settings().is_err());
}

/// A valid value of some keys.
fn values() -> Vec<(&'static str, &'static str, [&'static str; 2])> {
    vec![
        ("limits", "max_iterations", ["7", "8"]),
        ("limits", "max_tokens", ["7", "8"]),
        ("promise", "nonce", ["true", "false"]),
        ("limits", "max_consecutive_failures", ["1", "9"]),
        ("limits", "max_cost_usd", ["0.5", "1"]),
    ]
}

/// For every key, which of the three text layers sets it and to which of its values.
fn choices() -> impl Strategy<Value = Vec<[Option<usize>; 3]>> {
    let one = || prop_oneof![Just(None), Just(Some(0)), Just(Some(1))];
    proptest::collection::vec([one(), one(), one()], values().len())
}

fn written(choices: &[[Option<usize>; 3]]) -> Written {
    let mut written = Written::default();
    for ((section, key, values), [user, project, env]) in values().into_iter().zip(choices) {
        let line = |choice: usize| format!("{section}.{key} = {}\n", values[choice]);
        written.user += &user.map(line).unwrap_or_default();
        written.project += &project.map(line).unwrap_or_default();
        written.env.extend(env.map(|choice| (variable(section, key), values[choice].to_owned())));
    }
    written
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_highest_layer_that_sets_a_key_wins(choices in choices()) {
        let shown = written(&choices).shown();
        for ((_, key, values), [user, project, env]) in values().into_iter().zip(&choices) {
            let expected = env.or(*project).or(*user).map(|choice| values[choice]);
            let line = shown.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")));
            match expected {
                Some(value) if key == "max_cost_usd" => prop_assert_eq!(line, Some(if value == "1" { "\"1.00\"" } else { "\"0.50\"" })),
                Some(value) => prop_assert_eq!(line, Some(value)),
                None if key == "nonce" => prop_assert_eq!(line, Some("true")),
                None => prop_assert_eq!(line, None),
            }
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        never_panics(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_toml_like_text_never_panics(text in r#"([a-z_\[\]."'={}\n#, é0-9-]|limits|hook|max_iterations|\[\[hook\]\]){0,120}"#) {
        never_panics(&text);
    }

    #[test]
    fn arbitrary_values_never_panic_and_never_unbind(value in "\\PC{0,20}") {
        for (section, key, _) in values() {
            let one = Written::env(&[(&variable(section, key), &value)]);
            if let Ok(settings) = one.settings() {
                prop_assert!(settings.limits(Kind::Prompt).max_iterations.is_some());
            }
        }
    }
}

fn never_panics(text: &str) {
    let path = std::path::Path::new("config.toml");
    let mut problems = Vec::new();
    let given = crate::settings::file::parse(path, Layer::User, text.to_owned(), &mut problems);
    let partial = crate::settings::partial::Partial::read(given, &mut problems);
    show(&partial, ShowStyle::Toml, true);
    assert!(crate::problem::Problems(problems).to_string().len() < 100_000);
}
