//! Every spelling of every limit by every way in. The worst incident of the field was a bound that got
//! lost between a flag and a loop.

use std::num::NonZeroU32;

use ralph_core::policy::{Kind, Limits};

use super::Written;
use crate::settings::environment::variable;

struct Limit {
    key: &'static str,
    valid: &'static [&'static str],
    /// Above its bound.
    huge: &'static [&'static str],
    /// Whether it stands unquoted in a file.
    is_number: bool,
}

const LIMITS: [Limit; 6] = [
    Limit {
        key: "max_iterations",
        valid: &["1", "3", "1_000", "1000000"],
        huge: &["1000001", "4294967296"],
        is_number: true,
    },
    Limit {
        key: "max_duration",
        valid: &["30m", "1h30m", "500ms", "90s", "30d"],
        huge: &["31d", "721h"],
        is_number: false,
    },
    Limit { key: "max_tokens", valid: &["1", "2_000_000"], huge: &["1000000000001"], is_number: true },
    Limit {
        key: "max_cost_usd",
        valid: &["5", "5.00", "0.000001"],
        huge: &["1000001", "1000000.000001"],
        is_number: true,
    },
    Limit {
        key: "max_consecutive_failures",
        valid: &["1", "1000"],
        huge: &["1001", "4294967297"],
        is_number: true,
    },
    Limit { key: "iteration_delay", valid: &["0s", "500ms", "2s"], huge: &["2d", "25h"], is_number: false },
];

/// Wrong for every limit, delays included.
const WRONG: [&str; 39] = [
    "-1",
    "-0",
    "-3",
    "+3",
    "-30m",
    "",
    " ",
    " 3",
    "3 ",
    "3\n",
    "\t",
    "none",
    "None",
    "null",
    "nil",
    "inf",
    "-inf",
    "+inf",
    "infinity",
    "infinite",
    "unlimited",
    "never",
    "nan",
    "NaN",
    "∞",
    "1e9",
    "1E3",
    "0x10",
    "0b11",
    "0o7",
    "three",
    "3,000",
    "1__0",
    "_1",
    "٣",
    "99999999999999999999999",
    "18446744073709551616",
    "true",
    "--unlimited",
];

/// Zero is a limit nowhere; as a delay it means none.
const ZERO: [&str; 4] = ["0", "00", "0.0", "0ms"];

const KINDS: [Kind; 5] = [
    Kind::Prompt,
    Kind::PromptWithCriteria,
    Kind::Backlog { open_tasks: NonZeroU32::MIN, criteria: true },
    Kind::InSession { criteria: false },
    Kind::InSession { criteria: true },
];

fn is_bounded(limits: &Limits) -> bool {
    let Limits { max_iterations, max_duration, max_tokens, max_cost, .. } = limits;
    max_iterations.is_some() || max_duration.is_some() || max_tokens.is_some() || max_cost.is_some()
}

/// The ways of setting a key to a text, in a file both bare and in quotes.
fn ways(key: &str, value: &str) -> Vec<(&'static str, Written)> {
    let flag = format!("--{}", key.replace('_', "-"));
    let joined = format!("{flag}={value}");
    let quoted = toml::Value::from(value).to_string();
    vec![
        ("flag", Written::args(&[&flag, value])),
        ("flag=", Written::args(&[&joined])),
        ("environment", Written::env(&[(&variable("limits", key), value)])),
        ("file", Written::project(&format!("[limits]\n{key} = {value}\n"))),
        ("file, quoted", Written::project(&format!("[limits]\n{key} = {quoted}\n"))),
    ]
}

/// Loading must fail, and say what to do.
fn refused(way: &str, written: &Written) {
    let loaded = match written.load() {
        Ok(loaded) => loaded,
        Err(clap) => return assert_eq!(clap.exit_code(), 2, "{way} {written:?}"),
    };
    let problems =
        loaded.resolve(super::Trust::Granted).expect_err(&format!("{way}: {written:?} is refused"));
    assert_eq!(problems.exit(), 2);
    for problem in &problems.0 {
        assert!(!problem.next.is_empty(), "{way}: {written:?} has a hint: {problem}");
    }
}

fn accepted(way: &str, written: &Written) -> Vec<Limits> {
    let settings = written.settings().unwrap_or_else(|problems| panic!("{way} {written:?}: {problems}"));
    let limits: Vec<Limits> = KINDS.into_iter().map(|kind| settings.limits(kind)).collect();
    assert!(limits.iter().all(is_bounded), "{way} {written:?}");
    limits
}

#[test]
fn no_spelling_of_any_limit_makes_a_run_unbounded() {
    let mut refusals = 0;
    let mut acceptances = 0;
    for limit in &LIMITS {
        let is_delay = limit.key == "iteration_delay";
        let zeros = ZERO.iter().filter(|_| !is_delay);
        for value in WRONG.iter().chain(limit.huge).chain(zeros) {
            for (way, written) in ways(limit.key, value) {
                // Whitespace around a bare value is TOML's own business, not part of the value.
                let is_bare = way == "file" && *value != value.trim() && !value.trim().is_empty();
                if !is_bare {
                    refused(way, &written);
                    refusals += 1;
                }
            }
        }
        for value in limit.valid {
            let by_way: Vec<Vec<Limits>> = ways(limit.key, value)
                .iter()
                .filter(|(way, _)| !way.starts_with("file") || (*way == "file") == limit.is_number)
                .map(|(way, written)| accepted(way, written))
                .collect();
            assert!(
                by_way.windows(2).all(|pair| pair[0] == pair[1]),
                "{} = {value} means one thing",
                limit.key
            );
            assert_ne!(by_way[0], accepted("nothing", &Written::default()), "{} = {value} counts", limit.key);
            acceptances += by_way.len();
        }
    }
    println!("{refusals} wrong spellings refused, {acceptances} right ones taken");
    assert!(refusals > 1000 && acceptances > 60);
}

#[test]
fn a_repeated_flag_is_refused() {
    for limit in &LIMITS {
        let flag = format!("--{}", limit.key.replace('_', "-"));
        let written = Written::args(&[&flag, limit.valid[0], &flag, limit.valid[1]]);
        assert_eq!(written.load().unwrap_err().exit_code(), 2, "{flag}");
    }
    assert!(Written::args(&["--unlimited", "--unlimited"]).load().is_err());
}

#[test]
fn a_flag_never_ends_up_in_the_prompt() {
    for args in [["--max-iterations=3", "mend it"], ["mend it", "--max-iterations=3"]] {
        let limits = accepted("flag", &Written::args(&args));
        assert_eq!(limits[0].max_iterations, NonZeroU32::new(3));
    }
    refused("swallowed flag", &Written::args(&["--max-iterations", "--unlimited"]));
    refused("swallowed prompt", &Written::args(&["--max-iterations", "mend it"]));
}

#[test]
fn unlimited_needs_another_limit_by_every_way_in() {
    let alone =
        ["[limits]\nunlimited = true\n", "[limits]\nunlimited = true\nmax_consecutive_failures = 3\n"];
    for text in alone {
        refused("file", &Written::project(text));
    }
    refused("flag", &Written::args(&["--unlimited"]));
    refused("environment", &Written::env(&[("RALPH_SET_LIMITS__UNLIMITED", "true")]));
    for wrong in ["1", "yes", "TRUE", "", "on"] {
        refused("environment", &Written::env(&[("RALPH_SET_LIMITS__UNLIMITED", wrong)]));
    }
    for flag in ["--max-duration=2h", "--max-tokens=1000", "--max-cost-usd=5"] {
        let limits = accepted("flag", &Written::args(&["--unlimited", flag]));
        assert!(limits.iter().all(|l| l.max_iterations.is_none()), "{flag}");
        assert!(
            limits.iter().all(|l| l.max_duration.is_some() == flag.starts_with("--max-duration")),
            "{flag}"
        );
    }
    let elsewhere =
        Written { user: "[limits]\nmax_tokens = 9\n".to_owned(), ..Written::args(&["--unlimited"]) };
    assert_eq!(accepted("two layers", &elsewhere)[0].max_iterations, None);
}

#[test]
fn unlimited_and_a_limit_of_the_same_or_a_higher_layer_contradict_each_other() {
    refused("flags", &Written::args(&["--unlimited", "--max-tokens=9", "--max-iterations=3"]));
    refused("file", &Written::project("[limits]\nunlimited = true\nmax_tokens = 9\nmax_iterations = 3\n"));
    let file = "[limits]\nunlimited = true\nmax_tokens = 9\n".to_owned();
    refused("higher", &Written { project: file.clone(), ..Written::args(&["--max-iterations=3"]) });
    let lower =
        Written { user: "[limits]\nmax_iterations = 3\n".to_owned(), project: file, ..Written::default() };
    assert_eq!(accepted("lower", &lower)[0].max_iterations, None);
    let off = Written { env: Written::env(&[("RALPH_SET_LIMITS__UNLIMITED", "false")]).env, ..lower };
    assert_eq!(accepted("turned off again", &off)[0].max_iterations, NonZeroU32::new(3));
}
