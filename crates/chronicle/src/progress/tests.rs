use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;
use ralph_core::Timestamp;
use ralph_core::id::{AgentName, RunId};
use ralph_core::task::Task;

use super::layout::Layout;
use super::{BEGINNING, Progress, WHOLE_BYTES, patterns, recorded_in};
use crate::iteration::{Iteration, Outcome};

fn iteration(number: u32, outcome: Outcome) -> Iteration {
    let run = RunId::parse("0abcdefghjkm").unwrap();
    let at = Timestamp::from_second(1_800_000_000).unwrap();
    let agent = AgentName::parse("claude").unwrap();
    let mut iteration = Iteration::new(run, number, &Task::prompt("Add login"), agent, outcome, at);
    iteration.duration = Duration::from_secs(252);
    iteration
}

fn complete(number: u32) -> Iteration {
    iteration(number, Outcome::Complete { evidence: "tests pass: 12 of 12".to_owned() })
}

fn recorded(text: &str, iteration: &Iteration) -> String {
    recorded_in(text, iteration, &[], WHOLE_BYTES).0
}

fn progress(text: &str) -> Progress {
    Progress { text: text.to_owned() }
}

#[test]
fn an_entry_says_what_was_done() {
    let mut one = iteration(3, Outcome::Incomplete { findings: vec!["a\nb".to_owned(), "c".to_owned()] });
    one.model = Some("opus".to_owned());
    one.said = "I added\n\n### the form <!-- x -->".to_owned();
    one.files = vec!["src/a.rs".into(), "b\nc".into()];
    one.commit = Some("0123abc".to_owned());
    let text = recorded("", &one);
    let entry = text.strip_prefix(BEGINNING).unwrap();
    let (entry, mark) = entry.split_at(entry.find("<!--").unwrap());
    let wanted = "
### Iteration 3 of 0abcdefghjkm: prompt Add login

- Outcome: not complete
- When: 2027-01-15T08:00:00Z, 4m 12s, claude opus
- Said: I added ### the form <! -- x -- >
- Found: a b
- Found: c
- Files: src/a.rs, b c
- Commit: 0123abc
";
    assert_eq!(entry, wanted);
    assert!(mark.starts_with("<!-- ralph ") && mark.ends_with(" -->\n") && mark.len() == 32, "{mark}");
}

#[test]
fn old_entries_become_a_line_each_and_the_newest_five_stay() {
    let mut text = String::new();
    for number in 1..=40 {
        let mut one = complete(number);
        one.said = "word ".repeat(200);
        one.files = (0..20).map(|file| format!("{}{file}", "directory/".repeat(10)).into()).collect();
        text = recorded(&text, &one);
    }
    assert!(text.starts_with(BEGINNING));
    let whole = text.lines().filter(|line| line.starts_with("### ")).count();
    assert!((6..=14).contains(&whole), "{whole} of them are whole");
    let folded: Vec<&str> = text.lines().filter(|line| line.starts_with("- Iteration ")).collect();
    assert_eq!(folded.len(), 40 - whole);
    assert_eq!(folded[1], "- Iteration 2 of 0abcdefghjkm: prompt Add login: complete (2027-01-15, 4m 12s)");
    assert!(text.contains(&format!("\n{}\n{}\n", folded[0], folded[1])), "{text}");
    let recent = progress(&text).recent(5, 100_000);
    let numbers: Vec<&str> = recent.lines().filter(|line| line.starts_with("### ")).collect();
    assert_eq!(numbers.len(), 5);
    assert!(numbers[4].starts_with("### Iteration 40 "), "{numbers:?}");
    assert!(!recent.contains("<!--"), "{recent}");
}

#[test]
fn what_does_not_fit_into_the_brief_is_given_in_short() {
    let mut text = String::new();
    for number in 1..=3 {
        let mut one = complete(number);
        one.said = "x".repeat(400);
        text = recorded(&text, &one);
    }
    let recent = progress(&text).recent(5, 800);
    assert!(recent.chars().count() <= 800);
    let begins: Vec<&str> = recent.split("\n\n").map(|part| &part[..14]).collect();
    assert_eq!(begins, ["- Iteration 1 ", "- Iteration 2 ", "### Iteration ", "- Outcome: com"], "{recent}");
    let tiny = progress(&text).recent(5, 20);
    assert_eq!(tiny, "- Iteration 3 of 0a…");
    assert_eq!(progress("").recent(5, 20), "");
}

#[test]
fn an_iteration_has_one_entry_unless_somebody_edited_it() {
    let once = recorded("", &complete(1));
    let again = iteration(1, Outcome::Failed { why: "it died".to_owned() });
    let twice = recorded(&once, &again);
    assert_eq!(twice.matches("### Iteration 1 ").count(), 1);
    assert!(twice.contains("- Outcome: failed: it died\n"), "{twice}");
    let edited = once.replace("12 of 12", "11 of 12");
    assert!(progress(&edited).recent(5, 999).ends_with("claude"), "{edited}");
    let both = recorded(&edited, &again);
    assert_eq!(both.matches("### Iteration 1 ").count(), 2);
    assert!(both.contains("11 of 12"));
    let dos = recorded(&once.replace('\n', "\r\n"), &again);
    assert_eq!(dos.matches("### Iteration 1 ").count(), 1);
    assert_eq!(dos.replace("\r\n", "\n"), twice);
}

#[test]
fn entries_come_behind_the_others_and_before_what_a_person_has_behind_them() {
    let text = recorded("", &complete(1)) + "\n## Notes\n\nmine";
    let text = recorded(&text, &complete(2));
    let (first, second) = (text.find("Iteration 1 ").unwrap(), text.find("Iteration 2 ").unwrap());
    assert!(first < second && text.ends_with(" -->\n\n## Notes\n\nmine"), "{text}");
    // What looks like a heading in code is none.
    let fenced = text.replace("\n## Notes", "```sh\n# not a heading\n```\n\n## Notes");
    assert!(recorded(&fenced, &complete(3)).contains("```sh\n# not a heading\n```\n\n### Iteration 3 "));
    // A heading that somebody removed is put back over the entries.
    let bare = recorded(&text.replace("## Iterations\n", ""), &complete(3));
    assert!(bare.find("## Iterations\n").unwrap() < bare.find("### Iteration 1 ").unwrap(), "{bare}");
}

#[test]
fn patterns_are_what_stands_in_the_section() {
    for (file, wanted) in [
        (BEGINNING, ""),
        (
            "# x\n## Codebase Patterns (Study These First)\n\n*Add reusable patterns discovered during development here.*\n\n---\n",
            "",
        ),
        (
            "## codebase patterns\n- a\n### more\n- b\n\n---\n\n## 2026-01-01 - T-1\n- c\n",
            "- a\n### more\n- b",
        ),
        ("\u{feff}# Codebase patterns:\r\n\r\n- a\r\n- b\r\n", "- a\n- b"),
        (
            "## Codebase patterns\n```sh\n# a\n```\n- b\n## Other\n- c\n## Codebase patterns\n- d\n",
            "```sh\n# a\n```\n- b\n- d",
        ),
        ("## Codebase patterns\n<!-- a\nb --> c <!-- d\n", "c <!-- d"),
        ("## Patterns\n- a\n", ""),
    ] {
        assert_eq!(progress(file).patterns(), wanted, "{file:?}");
    }
    let long = format!("## Codebase patterns\n{}", "- the same\n".repeat(9_000));
    let patterns = progress(&long).patterns();
    assert!(
        patterns.chars().count() < 24_100
            && patterns.ends_with("same\n(there are more in .ralph/progress.md)")
    );
}

#[test]
fn stated_patterns_are_added_once() {
    let message = "Done.\n\n- **Pattern:** Use `sqlx`.\nPattern: use   `sqlx`\nPattern: … \nPattern:\n```\nPattern: code\n```\n\
        > Pattern: quoted\nmy Pattern: none\npattern: b -->\n";
    let stated = super::stated(message);
    assert_eq!(stated, ["Use `sqlx`.", "b -- >"]);
    let (text, recorded) = patterns::with(BEGINNING, &stated);
    assert_eq!((recorded.added.len(), recorded.left_out), (2, 0));
    assert_eq!(progress(&text).patterns(), "- Use `sqlx`.\n- b -- >");
    assert!(text.contains(" -->\n\n- Use `sqlx`.\n- b -- >\n\n## Iterations\n"), "{text}");
    let (again, recorded) = patterns::with(&text, &["use `sqlx`".to_owned(), "c".to_owned()]);
    assert_eq!(recorded.added, ["c"]);
    assert!(again.contains("- b -- >\n- c\n\n## Iterations\n"), "{again}");
    // Where there is no such section, it is made.
    let (made, _) = patterns::with("mine\n## Iterations\n", &["a".to_owned()]);
    assert_eq!(made, "mine\n\n## Codebase patterns\n\n- a\n\n## Iterations\n");
    let many: Vec<String> = (0..200).map(|one| format!("{one} {}", "x".repeat(290))).collect();
    let (_, recorded) = patterns::with(BEGINNING, &many);
    assert!(recorded.added.len() > 100 && recorded.left_out == 200 - recorded.added.len());
    assert_eq!(super::stated(&"Pattern: a\nPattern: b\n".repeat(50)).len(), 2);
}

#[test]
fn the_documented_example_is_understood() {
    let docs = include_str!("../../../../docs/progress.md");
    let (_, example) = docs.split_once("```markdown\n").unwrap();
    let (example, _) = example.split_once("```\n").unwrap();
    assert_eq!(progress(example).patterns(), "- Every query goes through `db::run`.");
    let layout = Layout::of(example);
    let [entry] = layout.entries.as_slice() else { panic!("{layout:?}") };
    let unmarked = entry.body(example).split("<!--").next().unwrap();
    assert!(entry.intact.is_some(), "{}", super::entry::mark(unmarked));
}

/// What happens to a file in its life.
#[derive(Debug, Clone)]
enum Life {
    Append {
        number: u32,
        said: String,
        patterns: Vec<String>,
    },
    /// A person adds a line.
    Insert {
        at: Index,
        line: String,
    },
    /// A person adds to a line that is there.
    Extend {
        at: Index,
        text: String,
    },
    /// A person removes a line.
    Remove {
        at: Index,
    },
    /// A person puts a line a second time.
    Copy {
        from: Index,
        to: Index,
    },
    /// An editor changes how lines end.
    Dos,
}

/// Beginnings of lines that mean something here.
fn beginning() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just(""),
        Just("- "),
        Just("# "),
        Just("## "),
        Just("### "),
        Just("### Iteration 7 of 0abcdefghjkm: "),
        Just("## Iterations"),
        Just("## Codebase patterns"),
        Just("```"),
        Just("<!-- "),
        Just("<!-- ralph 0123456789abcdef -->"),
        Just("--> "),
        Just("---"),
        Just("- Outcome: "),
        Just("Pattern: "),
    ]
}

fn life() -> impl Strategy<Value = Life> {
    let words = "[a-zü#`<>!\\-\n ]{0,30}";
    prop_oneof![
        4 => (1u32..30, words, prop::collection::vec("[a-z]{1,3}", 0..3)).prop_map(|(number, said, patterns)| {
            Life::Append { number, said, patterns }
        }),
        3 => (any::<Index>(), beginning()).prop_map(|(at, begins)| Life::Insert { at, line: begins.to_owned() }),
        1 => (any::<Index>(), "[a-z ]{1,5}").prop_map(|(at, text)| Life::Extend { at, text }),
        1 => any::<Index>().prop_map(|at| Life::Remove { at }),
        1 => (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Life::Copy { from, to }),
        1 => Just(Life::Dos),
    ]
}

/// Every line that a person wrote says so.
const HUMAN: &str = " by-hand-";

fn live(text: &str, life: &Life, moment: usize) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    match life {
        Life::Append { number, said, patterns } => {
            let mut one = complete(*number);
            one.said.clone_from(said);
            return recorded_in(text, &one, patterns, 0).0;
        }
        Life::Insert { at, line } => {
            lines.insert(at.index(lines.len() + 1), format!("{line}{HUMAN}{moment}"));
        }
        Life::Extend { at, text } => {
            let at = at.index(lines.len());
            lines[at] += &format!("{text}{HUMAN}{moment}");
        }
        Life::Remove { at } => {
            let at = at.index(lines.len());
            lines.remove(at);
        }
        Life::Copy { from, to } => {
            let line = lines[from.index(lines.len())].clone();
            lines.insert(to.index(lines.len() + 1), line);
        }
        Life::Dos => return text.replace("\r\n", "\n").replace('\n', "\r\n"),
    }
    lines.join("\n")
}

fn by_hand(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).filter(|line| line.contains(HUMAN)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn no_line_that_a_person_wrote_and_no_pattern_is_ever_lost(lives in prop::collection::vec(life(), 1..60)) {
        let mut text = String::new();
        for (moment, life) in lives.iter().enumerate() {
            let before = text;
            text = live(&before, life, moment);
            if let Life::Append { number, .. } = life {
                prop_assert_eq!(by_hand(&before), by_hand(&text));
                let patterns = progress(&text).patterns();
                for line in progress(&before).patterns().lines() {
                    prop_assert!(patterns.lines().any(|kept| kept == line), "{:?} in {:?}", line, patterns);
                }
                let heading = format!("### Iteration {number} of 0abcdefghjkm: prompt Add login");
                prop_assert!(text.lines().any(|line| line.trim_end() == heading), "{}", text);
            }
        }
    }
}
