//! What a person types after `/ralph`. It never passes through a shell.

use ralph_core::in_session::Strategy;

use crate::elsewhere;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Start(Box<Start>),
    Stop,
    Status,
    RollBack,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    pub prompt: String,
    pub criteria: Vec<String>,
    pub max_iterations: Option<String>,
    pub promise: Option<String>,
    pub strategy: Option<Strategy>,
    pub bare_word: bool,
    pub replace: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadArguments {
    #[error("there is no task")]
    NoTask,
    #[error("{flag} needs a value: `{flag} VALUE`")]
    NoValue { flag: String },
    #[error("{flag} takes no value")]
    SurplusValue { flag: String },
    #[error("{flag} is given twice")]
    Twice { flag: String },
    #[error("`{given}` is not a flag; did you mean `{near}`? (after `--`, everything is the task)")]
    Unknown { given: String, near: &'static str },
    #[error("{flag} is not for a loop in a session: {instead} (after `--`, everything is the task)")]
    Elsewhere { flag: String, instead: &'static str },
    #[error("the quotation after {flag} has no end")]
    Unclosed { flag: String },
    #[error("`{given}` is not a strategy")]
    Strategy { given: String },
    #[error("the agent is at work on these files")]
    AtWork,
}

const VALUED: [&str; 5] =
    ["--criteria", "--max-iterations", "--completion-promise", "--promise", "--strategy"];
const PLAIN: [&str; 2] = ["--no-nonce", "--replace"];
/// So many letters in common make a flag one of these, misspelt.
const ALIKE: usize = 5;

/// The commands there are, in both spellings: whether it is one of ralph's, and what it asks for.
pub fn parse(command: &str, arguments: &str) -> Option<Result<Asked, BadArguments>> {
    let given = arguments.trim();
    match command {
        "cancel-ralph" | "ralph-cancel" => Some(Ok(Asked::Stop)),
        "ralph" | "ralph-loop" => Some(match given {
            "stop" | "cancel" => Ok(Asked::Stop),
            "status" => Ok(Asked::Status),
            "rollback" => Ok(Asked::RollBack),
            _ => start(match given.strip_prefix("start") {
                Some(task) if task.is_empty() || task.starts_with(char::is_whitespace) => task,
                Some(_) | None => given,
            }),
        }),
        _ => None,
    }
}

/// Takes the flags out of a text and leaves the rest as it was typed.
fn start(text: &str) -> Result<Asked, BadArguments> {
    let mut start = Start::default();
    let mut kept = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let spaces = rest.len() - rest.trim_start().len();
        let (between, word) = rest.split_at(spaces);
        if word == "--" || word.starts_with("-- ") || word.starts_with("--\n") {
            kept.push_str(between);
            kept.push_str(&word[2..]);
            break;
        }
        match flag(word)? {
            Some((name, value, after)) => {
                let name = name.to_owned();
                rest = start.take(&name, value, after)?;
            }
            None => {
                let end = word_end(word);
                kept.push_str(between);
                kept.push_str(&word[..end]);
                rest = &word[end..];
            }
        }
    }
    start.prompt = unquoted(kept.trim()).trim().to_owned();
    if start.prompt.is_empty() { Err(BadArguments::NoTask) } else { Ok(Asked::Start(Box::new(start))) }
}

/// A flag's name, the value that is tied to it, and what follows.
type Flag<'a> = (&'a str, Option<&'a str>, &'a str);

/// None for a word of the task.
fn flag(word: &str) -> Result<Option<Flag<'_>>, BadArguments> {
    if !word.starts_with("--") {
        return Ok(None);
    }
    let end = word.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(word.len());
    let (name, after) = word.split_at(end);
    if VALUED.contains(&name) || PLAIN.contains(&name) {
        let Some(tied) = after.strip_prefix('=') else { return Ok(Some((name, None, after))) };
        let end = word_end(tied);
        return Ok(Some((name, Some(&tied[..end]), &tied[end..])));
    }
    if let Some(instead) = elsewhere::instead(name) {
        return Err(BadArguments::Elsewhere { flag: name.to_owned(), instead });
    }
    // A task may speak of flags; one that begins like ours is a slip.
    let known = VALUED.into_iter().chain(PLAIN).chain(elsewhere::limits());
    match known.into_iter().find(|known| begins_like(name, known)) {
        Some(near) => Err(BadArguments::Unknown { given: name.to_owned(), near }),
        None => Ok(None),
    }
}

fn begins_like(given: &str, ours: &str) -> bool {
    let letters =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let (given, ours) = (letters(given), letters(ours));
    let shared = given.chars().zip(ours.chars()).take_while(|(one, other)| one == other).count();
    shared >= ALIKE || (shared == given.len() && shared >= 3)
}

/// Where a word ends. A quotation that opens it, or comes after an equals sign, is part of it.
fn word_end(text: &str) -> usize {
    word(text).0
}

/// Where a word ends, and whether a quotation in it has no end.
fn word(text: &str) -> (usize, bool) {
    let mut before = '=';
    let (mut at, mut is_open) = (0, false);
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        let opens = before == '=' && matches!(c, '"' | '\'');
        let close = if opens { text[next..].find(c) } else { None };
        is_open |= opens && close.is_none();
        match close {
            Some(close) => at = next + close + 1,
            None if c.is_whitespace() => break,
            None => at = next,
        }
        before = c;
    }
    (at, is_open)
}

/// `name='a value'` as it is meant.
fn meant(value: &str) -> String {
    match value.split_once('=') {
        Some((name, given)) if !name.contains(['"', '\'']) => format!("{name}={}", unquoted(given)),
        _ => unquoted(value).to_owned(),
    }
}

fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        let inside = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
        if let Some(inside) = inside.filter(|inside| !inside.contains(quote)) {
            return inside;
        }
    }
    text
}

impl Start {
    /// Takes a flag up, with the value that follows it, and gives back what comes after.
    fn take<'a>(
        &mut self,
        name: &str,
        tied: Option<&'a str>,
        after: &'a str,
    ) -> Result<&'a str, BadArguments> {
        let flag = || name.to_owned();
        if PLAIN.contains(&name) {
            let field = if name == "--replace" { &mut self.replace } else { &mut self.bare_word };
            if tied.is_some() {
                return Err(BadArguments::SurplusValue { flag: flag() });
            }
            *field = true;
            return Ok(after);
        }
        let (value, after) = match tied {
            Some(value) => (value, after),
            None => {
                let text = after.trim_start();
                let end = word_end(text);
                (&text[..end], &text[end..])
            }
        };
        if word(value).1 {
            return Err(BadArguments::Unclosed { flag: flag() });
        }
        let value = meant(value);
        if value.is_empty() || (tied.is_none() && value.starts_with("--")) {
            return Err(BadArguments::NoValue { flag: flag() });
        }
        let once = |field: &mut Option<String>| match field.replace(value.clone()) {
            None => Ok(()),
            Some(_) => Err(BadArguments::Twice { flag: flag() }),
        };
        match name {
            "--criteria" => self.criteria.push(value),
            "--max-iterations" => once(&mut self.max_iterations)?,
            "--strategy" => {
                let known = Strategy::parse(&value);
                let strategy = known.ok_or(BadArguments::Strategy { given: value })?;
                if self.strategy.replace(strategy).is_some() {
                    return Err(BadArguments::Twice { flag: flag() });
                }
            }
            _ => once(&mut self.promise)?,
        }
        Ok(after)
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, BadArguments, Start, parse};
    use ralph_core::in_session::Strategy;

    fn start(arguments: &str) -> Start {
        match parse("ralph", arguments) {
            Some(Ok(Asked::Start(start))) => *start,
            other => panic!("{arguments}: {other:?}"),
        }
    }

    fn refused(arguments: &str) -> BadArguments {
        parse("ralph", arguments).expect("one of ralph's").expect_err(arguments)
    }

    #[test]
    fn flags_are_taken_out_in_both_spellings_and_the_task_stays_as_typed() {
        let expected = Start {
            prompt: "fix  the \"parser\"; $(rm -rf /) `x`".to_owned(),
            criteria: vec!["test_pass".to_owned(), "custom=make check".to_owned()],
            max_iterations: Some("3".to_owned()),
            promise: Some("ALL FIXED".to_owned()),
            strategy: Some(Strategy::Compact),
            bare_word: true,
            replace: true,
        };
        for flags in [
            "--criteria test_pass --criteria \"custom=make check\" --max-iterations 3 --strategy compact \
             --completion-promise 'ALL FIXED' --no-nonce --replace",
            "--criteria=test_pass --criteria=custom='make check' --max-iterations=3 --strategy=compact \
             --promise='ALL FIXED' --no-nonce --replace",
        ] {
            let task = "fix  the \"parser\"; $(rm -rf /) `x`";
            assert_eq!(start(&format!("{task} {flags}")), expected, "after");
            assert_eq!(start(&format!("{flags} {task}")), expected, "before");
            assert_eq!(start(&format!("start {flags} {task}")), expected, "start");
        }
    }

    #[test]
    fn only_a_word_alone_is_another_command() {
        let asked = |command: &str, arguments: &str| parse(command, arguments).map(Result::unwrap);
        for command in ["ralph", "ralph-loop"] {
            assert_eq!(asked(command, " stop "), Some(Asked::Stop));
            assert_eq!(asked(command, "status"), Some(Asked::Status));
            assert_eq!(asked(command, "rollback"), Some(Asked::RollBack));
        }
        assert_eq!(asked("cancel-ralph", "whatever"), Some(Asked::Stop));
        assert_eq!(asked("review", "x"), None);
        assert_eq!(start("stop the server from crashing").prompt, "stop the server from crashing");
        assert_eq!(start("\"quoted task\"").prompt, "quoted task");
        assert_eq!(start("don't break it's tests").prompt, "don't break it's tests");
        assert_eq!(start("add --verbose to the tool").prompt, "add --verbose to the tool");
        assert_eq!(
            start("say \"--replace\" -- --max-iterations=9").prompt,
            "say \"--replace\"  --max-iterations=9"
        );
    }

    #[test]
    fn a_slip_is_refused_and_never_a_limit_that_is_lost() {
        assert_eq!(refused(""), BadArguments::NoTask);
        assert_eq!(refused(" start "), BadArguments::NoTask);
        assert_eq!(refused("start --replace"), BadArguments::NoTask);
        assert_eq!(start("started too early").prompt, "started too early");
        assert_eq!(refused("--max-iterations=3"), BadArguments::NoTask);
        let no_value = |flag: &str| BadArguments::NoValue { flag: flag.to_owned() };
        assert_eq!(refused("x --max-iterations"), no_value("--max-iterations"));
        assert_eq!(refused("x --max-iterations="), no_value("--max-iterations"));
        assert_eq!(refused("x --max-iterations --replace"), no_value("--max-iterations"));
        assert!(matches!(
            refused("x --max-iteration 3"),
            BadArguments::Unknown { near: "--max-iterations", .. }
        ));
        assert!(matches!(refused("x --strategy fresh"), BadArguments::Strategy { .. }));
        assert!(matches!(refused("x --replace=no"), BadArguments::SurplusValue { .. }));
        let twice = BadArguments::Twice { flag: "--max-iterations".to_owned() };
        assert_eq!(refused("x --max-iterations 3 --max-iterations=4"), twice);
    }

    #[test]
    fn what_only_a_run_takes_is_refused_by_name_and_never_part_of_the_task() {
        for given in ["--unlimited", "--max-duration 1h", "--max-cost-usd=5", "--require criteria", "--new"] {
            let name = given.split([' ', '=']).next().unwrap();
            for typed in [format!("do the thing {given}"), format!("{given} do the thing")] {
                let bad = refused(&typed);
                assert!(matches!(&bad, BadArguments::Elsewhere { flag, .. } if flag == name), "{bad:?}");
            }
            let whole = format!("say what  {given} does");
            assert_eq!(start(&format!("-- {whole}")).prompt, whole);
        }
        let told = refused("x --agent codex").to_string();
        assert!(told.starts_with("--agent is not for a loop in a session: the agent is that of the host"));
        assert!(refused("x --max-duration 1h").to_string().contains("`--max-iterations N`"));
        assert!(matches!(refused("x --max-cost 5"), BadArguments::Unknown { near: "--max-cost-usd", .. }));
        for task in ["add --verbose and --json", "a --max-width of 80", "mend `git push --force`", "--foo"] {
            assert_eq!(start(task).prompt, task);
        }
    }

    #[test]
    fn a_quotation_without_an_end_is_no_word() {
        let unclosed = |flag: &str| BadArguments::Unclosed { flag: flag.to_owned() };
        let promise = "--completion-promise";
        assert_eq!(refused("--completion-promise \"ALL DONE fix things"), unclosed(promise));
        assert_eq!(refused("fix things --completion-promise='ALL DONE"), unclosed(promise));
        assert_eq!(refused("x --criteria custom=\"make check"), unclosed("--criteria"));
        assert_eq!(start("don't --promise DON'T \"x").promise.as_deref(), Some("DON'T"));
    }
}
