//! How a rollback is told.

use std::io::IsTerminal;

use ralph_core::id::RunId;
use ralph_engine::output::printable;
use ralph_snapshot::{Change, ChangeKind, Report};
use serde::Serialize;

use crate::problem::{Problem, Problems};
use crate::words::{confirmed, counted};

/// How many paths are named.
const NAMED: usize = 60;

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct RollbackShown {
    run: RunId,
    /// As it was when this iteration began.
    iteration: Option<u32>,
    dry_run: bool,
    snapshot: String,
    /// The snapshot of the tree as it was before; none where nothing was changed.
    undo: Option<String>,
    changes: Vec<ChangeShown>,
    /// What is not in the snapshot and was not deleted.
    kept: Vec<String>,
    problems: Vec<ProblemShown>,
    /// Where git's HEAD has moved since then; it is left alone.
    head_moved: Option<HeadMoved>,
}

#[derive(Debug, Serialize)]
struct ChangeShown {
    path: String,
    /// What is done to it.
    action: &'static str,
}

#[derive(Debug, Serialize)]
struct ProblemShown {
    path: String,
    why: String,
}

impl RollbackShown {
    pub(crate) fn new(
        run: &RunId,
        iteration: Option<u32>,
        report: &Report,
        dry_run: bool,
        head_moved: Option<HeadMoved>,
    ) -> RollbackShown {
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let is_done = !dry_run && !report.changes.is_empty();
        RollbackShown {
            run: run.clone(),
            iteration,
            dry_run,
            snapshot: report.target.to_string(),
            undo: is_done.then(|| report.before.to_string()),
            changes: report
                .changes
                .iter()
                .map(|change| ChangeShown { path: text(&change.path), action: action(change.kind) })
                .collect(),
            kept: report.kept.iter().map(|path| text(path)).collect(),
            problems: report
                .problems
                .iter()
                .map(|problem| ProblemShown { path: text(&problem.path), why: problem.why.clone() })
                .collect(),
            head_moved,
        }
    }
}

/// The command that takes the last rollback back. A run in a session of a host is not meant unless it is named.
pub(crate) fn undoing(in_session: Option<&RunId>) -> String {
    let named = in_session.map_or(String::new(), |run| format!(" --run {run}"));
    format!("`ralph rollback --undo{named}`")
}

/// Whether files may be put back: said beforehand, or answered at the terminal. Where nobody can answer it is refused.
pub(crate) fn agreed(yes: bool, json: bool, question: &str, hint: &str) -> Result<bool, Problems> {
    if yes {
        return Ok(true);
    }
    if json || !std::io::stdin().is_terminal() {
        return Err(Problem::new("files would be changed, and there is nobody to ask").next(hint).into());
    }
    confirmed(question)
}

/// What was done, or is to be done.
pub(crate) fn told(report: &Report, ahead: bool) -> String {
    let mut text = String::new();
    if ahead {
        text += &report.changes.iter().take(NAMED).map(line).collect::<String>();
        if report.changes.len() > NAMED {
            text += &format!("  and {} more\n", report.changes.len() - NAMED);
        }
        text += &listed("not deleted, because it is ignored or holds what is", &report.kept);
        return text + &format!("{}\n", counts(report));
    }
    for problem in report.problems.iter().take(NAMED) {
        let path = printable(&problem.path.to_string_lossy()).replace('\n', " ");
        text += &format!("  not put back: {path}: {}\n", printable(&problem.why));
    }
    text + &format!("done: {}\n", counts(report))
}

fn listed(what: &str, paths: &[std::path::PathBuf]) -> String {
    let names = paths
        .iter()
        .take(NAMED)
        .map(|path| format!("  {what}: {}\n", printable(&path.to_string_lossy()).replace('\n', " ")));
    names.collect()
}

fn line(change: &Change) -> String {
    let what = action(change.kind).replace('_', " ");
    format!("  {what:<10}  {}\n", printable(&change.path.to_string_lossy()).replace('\n', " "))
}

fn action(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "bring_back",
        ChangeKind::Removed => "delete",
        ChangeKind::Modified => "change",
        ChangeKind::Mode => "set_mode",
        ChangeKind::Type => "replace",
    }
}

/// `2 changed, 1 brought back, 3 deleted`.
fn counts(report: &Report) -> String {
    let of = |kinds: &[ChangeKind]| {
        report.changes.iter().filter(|change| kinds.contains(&change.kind)).count() as u64
    };
    let parts = [
        (of(&[ChangeKind::Modified, ChangeKind::Mode, ChangeKind::Type]), "changed"),
        (of(&[ChangeKind::Added]), "brought back"),
        (of(&[ChangeKind::Removed]), "deleted"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if parts.is_empty() { counted(0, "change") } else { parts.join(", ") }
}

/// A HEAD that has moved since; ralph leaves it alone.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct HeadMoved {
    then: String,
    now: Option<String>,
    /// What moves it back, and the index, and no file; none where there was no commit then.
    command: Option<String>,
}

impl HeadMoved {
    pub(crate) fn between(then: Option<&str>, now: Option<&str>) -> Option<HeadMoved> {
        let then = then.filter(|then| now != Some(*then))?;
        let command = is_commit(then).then(|| format!("git reset {then}"));
        Some(HeadMoved { then: then.to_owned(), now: now.map(str::to_owned), command })
    }

    pub(crate) fn told(&self) -> String {
        let Some(command) = &self.command else {
            return "git's HEAD has moved since then and is left alone; there was no commit then\n"
                .to_owned();
        };
        let now = self.now.as_deref().filter(|now| is_commit(now));
        let now = now.map_or(String::new(), |now| format!(" (it is at {now})"));
        format!(
            "git's HEAD has moved since then{now} and is left alone, as is the index; to move them, and no file:\n  {command}\n"
        )
    }
}

/// The file that it was read from is the agent's as much as anybody's.
fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::HeadMoved;

    fn head_moved(then: Option<&str>, now: Option<&str>) -> Option<String> {
        HeadMoved::between(then, now).map(|moved| moved.told())
    }

    #[test]
    fn only_a_commit_is_put_into_a_command() {
        let (one, other) = ("a".repeat(40), "b".repeat(40));
        assert_eq!(head_moved(Some(&one), Some(&one)), None);
        assert_eq!(head_moved(None, Some(&one)), None);
        let told = head_moved(Some(&one), Some(&other)).unwrap_or_default();
        assert!(told.contains(&format!("git reset {one}\n")), "{told}");
        for planted in ["refs/heads/main", "$(touch /tmp/x)", &"a;".repeat(20)] {
            let told = head_moved(Some(planted), Some(&one)).unwrap_or_default();
            assert!(told.contains("left alone") && !told.contains("git reset"), "{told}");
        }
    }
}
