//! How an agent shows what went wrong, as data of its catalogue entry.

use serde::{Deserialize, Serialize};

use super::{Class, Pattern};

/// Any one of the signs is enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub means: Class,
    /// HTTP status, where the agent has a field for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<u16>,
    /// The agent's own name for the error, where it has a field for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kind: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exit: Vec<i32>,
    /// The message of its error event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message: Vec<Pattern>,
    /// A line of its standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<Pattern>,
    /// The last line of its standard output, for those that print plain text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_line: Vec<Pattern>,
    /// What a person can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What an agent that failed said as itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Evidence<'a> {
    pub status: Option<u16>,
    pub kind: Option<&'a str>,
    pub message: Option<&'a str>,
    pub exit: Option<i32>,
    pub stderr: &'a str,
    pub last_line: Option<&'a str>,
}

/// A rule that applies, and the words it applies to, where it goes by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'a> {
    pub rule: &'a Rule,
    pub words: Option<&'a str>,
}

/// One way to look: the words that the rule applies to, if it applies.
type Rank = for<'e> fn(&Rule, &Evidence<'e>) -> Option<Option<&'e str>>;

/// The first rule that applies. What the agent says in a field of its own outranks its messages, those outrank its exit
/// code, and lines of standard error, which others may write to as well, come last; but the one that a conversation is
/// gone says more than the exit code of every wrong argument.
pub fn recognise<'a>(rules: &'a [Rule], evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let ranks: [Rank; 7] = [by_kind, by_message, by_status, by_last_line, by_gone, by_exit, by_stderr];
    ranks.iter().find_map(|rank| {
        rules.iter().find_map(|rule| rank(rule, evidence).map(|words| Found { rule, words }))
    })
}

fn by_kind<'a>(rule: &Rule, evidence: &Evidence<'a>) -> Option<Option<&'a str>> {
    let kind = evidence.kind?;
    rule.kind.iter().any(|known| known == kind).then_some(evidence.message)
}

fn by_message<'a>(rule: &Rule, evidence: &Evidence<'a>) -> Option<Option<&'a str>> {
    let message = evidence.message?;
    any(&rule.message, message).then_some(Some(message))
}

fn by_status<'a>(rule: &Rule, evidence: &Evidence<'a>) -> Option<Option<&'a str>> {
    rule.status.contains(&evidence.status?).then_some(evidence.message)
}

fn by_last_line<'a>(rule: &Rule, evidence: &Evidence<'a>) -> Option<Option<&'a str>> {
    let line = evidence.last_line?;
    any(&rule.last_line, line).then_some(Some(line))
}

fn by_exit<'a>(rule: &Rule, evidence: &Evidence<'a>) -> Option<Option<&'a str>> {
    rule.exit.contains(&evidence.exit?).then_some(evidence.message)
}

fn by_gone<'a>(rule: &Rule, evidence: &Evidence<'a>) -> Option<Option<&'a str>> {
    if rule.means == Class::SessionGone { by_stderr(rule, evidence) } else { None }
}

fn by_stderr<'a>(rule: &Rule, evidence: &Evidence<'a>) -> Option<Option<&'a str>> {
    evidence.stderr.lines().rev().find(|line| any(&rule.stderr, line)).map(Some)
}

fn any(patterns: &[Pattern], text: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(text))
}

#[cfg(test)]
mod tests {
    use super::{Class, Evidence, Rule, recognise};

    fn rules() -> Vec<Rule> {
        #[derive(serde::Deserialize)]
        struct Rules {
            rules: Vec<Rule>,
        }
        toml::from_str::<Rules>(
            r#"rules = [
                { means = "overloaded", status = [500], exit = [244] },
                { means = "limited", status = [429], kind = ["rate_limit"], stderr = ["limit: *"] },
            ]"#,
        )
        .expect("rules")
        .rules
    }

    fn check(evidence: &Evidence<'_>, expected: Option<Class>) {
        assert_eq!(recognise(&rules(), evidence).map(|found| found.rule.means), expected);
    }

    #[test]
    fn a_field_outranks_an_exit_code_and_that_outranks_standard_error() {
        check(
            &Evidence { kind: Some("rate_limit"), exit: Some(244), ..Evidence::default() },
            Some(Class::Limited),
        );
        check(
            &Evidence { exit: Some(244), stderr: "x\nlimit: 3\n", ..Evidence::default() },
            Some(Class::Overloaded),
        );
        check(
            &Evidence { exit: Some(1), stderr: "x\nlimit: 3\ny", ..Evidence::default() },
            Some(Class::Limited),
        );
        check(&Evidence { exit: Some(1), stderr: "the limit: 3", ..Evidence::default() }, None);
    }
}
