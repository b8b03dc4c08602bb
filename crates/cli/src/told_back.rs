//! How a loop that is rolled back inside a session is told there: in a few sentences, from what `ralph rollback --json`
//! says.

use ralph_core::id::RunId;
use serde::Deserialize;

use crate::render::printable;
use crate::restoring::undoing;
use crate::words::counted;

/// How many paths are named: a person reads them in an answer, not in a list.
const NAMED: usize = 10;

#[derive(Debug, Deserialize)]
pub(crate) struct ToldBack {
    changes: Vec<Change>,
    problems: Vec<Trouble>,
    head_moved: Option<HeadMoved>,
}

#[derive(Debug, Deserialize)]
struct Change {
    path: String,
    action: String,
}

#[derive(Debug, Deserialize)]
struct Trouble {
    path: String,
    why: String,
}

#[derive(Debug, Deserialize)]
struct HeadMoved {
    command: Option<String>,
}

impl ToldBack {
    /// None where it is no such account.
    pub(crate) fn read(printed: &[u8]) -> Option<ToldBack> {
        serde_json::from_slice(printed).ok()
    }

    /// What was done, or what could not be.
    pub(crate) fn told(&self, run: &RunId) -> Result<String, String> {
        let mut parts = vec![self.counts(), self.deleted()];
        parts.push(self.head_moved.as_ref().map(HeadMoved::told).unwrap_or_default());
        if !self.changes.is_empty() {
            parts.push(format!("{} takes this back.", undoing(Some(run))));
        }
        let done = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        match self.problems.is_empty() {
            true => Ok(done),
            false => Err(format!("{}. {done}", self.troubles())),
        }
    }

    fn counts(&self) -> String {
        let of = |is_meant: &dyn Fn(&str) -> bool| {
            self.changes.iter().filter(|change| is_meant(&change.action)).count() as u64
        };
        let (back, deleted) = (of(&|action| action == BROUGHT_BACK), of(&|action| action == DELETED));
        let changed = self.changes.len() as u64 - back - deleted;
        let parts = [(changed, "changed"), (back, "brought back"), (deleted, "deleted")];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{} {what}", counted(*count, "path")))
            .collect();
        match parts.is_empty() {
            true => "They were so already.".to_owned(),
            false => format!("{}.", parts.join(", ")),
        }
    }

    /// Whatever was not there before the loop goes, and somebody else may have made it.
    fn deleted(&self) -> String {
        let deleted = self.changes.iter().filter(|change| change.action == DELETED);
        let names: Vec<String> = deleted.map(|change| printable(&change.path)).collect();
        if names.is_empty() { String::new() } else { format!("Deleted: {}.", some(&names)) }
    }

    fn troubles(&self) -> String {
        let told = |one: &Trouble| format!("{}: {}", printable(&one.path), printable(&one.why));
        some(&self.problems.iter().map(told).collect::<Vec<_>>())
    }
}

const BROUGHT_BACK: &str = "bring_back";
const DELETED: &str = "delete";

impl HeadMoved {
    fn told(&self) -> String {
        let next =
            self.command.as_ref().map_or(String::new(), |command| format!(": `{command}` moves it back"));
        format!("git's HEAD has moved since then and is left alone{next}.")
    }
}

fn some(names: &[String]) -> String {
    let named = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(NAMED).filter(|more| *more > 0) {
        Some(more) => format!("{named} and {more} more"),
        None => named,
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::id::RunId;
    use serde_json::json;

    use super::ToldBack;

    fn told(changes: &[(&str, &str)], problems: serde_json::Value) -> Result<String, String> {
        let changes: Vec<_> =
            changes.iter().map(|(path, action)| json!({ "path": path, "action": action })).collect();
        let printed = json!({ "changes": changes, "problems": problems, "head_moved": null }).to_string();
        ToldBack::read(printed.as_bytes()).unwrap().told(&RunId::parse("1nfp5fwmjrxv").unwrap())
    }

    #[test]
    fn what_is_deleted_is_named_and_not_without_end() {
        assert_eq!(told(&[], json!([])).unwrap(), "They were so already.");
        assert_eq!(
            told(&[("a", "change"), ("my\nnotes", "delete"), ("b", "replace")], json!([])).unwrap(),
            "2 paths changed, 1 path deleted. Deleted: my notes. `ralph rollback --undo --run 1nfp5fwmjrxv` takes this back."
        );
        let many: Vec<String> = (0..12).map(|number| format!("f{number}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "delete")).collect();
        let told_of = told(&many, json!([])).unwrap();
        assert!(told_of.contains("f9 and 2 more.") && !told_of.contains("f10"), "{told_of}");
    }

    #[test]
    fn what_could_not_be_put_back_is_said_first() {
        let problems = json!([{ "path": "b", "why": "permission denied" }]);
        let told = told(&[("a", "bring_back")], problems).unwrap_err();
        assert!(told.starts_with("b: permission denied. 1 path brought back. `ralph rollback"), "{told}");
    }
}
