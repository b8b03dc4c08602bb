//! A backlog written down as issues. Each carries where it came from, so that nothing is made twice by whoever begins
//! again, after a crash or to add what is new.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use ralph_core::backlog::{Backlog, Item, Kind, Status, Wanted};
use ralph_core::id::TaskId;
use serde_json::Value;

use super::{Beads, answer};
use crate::error::TrackerError;
use crate::tracker::{Kept, Tracker};

/// What these programs take: characters of a title and of a reference, bytes of a text, characters of a label.
const LONGEST_TITLE: usize = 500;
const LONGEST_REFERENCE: usize = 200;
const LONGEST_TEXT: usize = 100 << 10;
const LONGEST_LABEL: usize = 50;

/// What came of writing a backlog.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// In the order in which they were written.
    pub issues: Vec<WrittenIssue>,
    /// Labels that these programs do not take as they are, and what was written instead, if anything.
    pub labels: BTreeMap<String, Option<String>>,
    /// What the backlog says and the program did not take, with the reason.
    pub refused: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenIssue {
    pub task: TaskId,
    pub issue: TaskId,
    pub was_there: bool,
}

impl Beads {
    /// Writes every task that is not there yet. Of what is there, titles and descriptions stay; criteria, dependencies
    /// and progress are added where they lack, and nothing is taken away. `source` names the backlog, the same each time.
    pub fn write(&mut self, source: &str, backlog: &Backlog) -> Result<Written, TrackerError> {
        let mut there = BTreeMap::new();
        for item in self.load_items()? {
            if let Some(Value::String(reference)) = item.metadata.get("external_ref") {
                there.entry(reference.clone()).or_insert(item);
            }
        }
        let tasks = in_order(backlog);
        let mut writing = Writing {
            beads: self,
            source,
            there: HashMap::new(),
            made: HashMap::new(),
            written: Written::default(),
        };
        for task in &tasks {
            let found = there.remove(&reference(source, &task.id));
            fits(source, task, found.as_ref())?;
            writing.there.extend(found.map(|found| (&task.id, found)));
        }
        for task in &tasks {
            writing.create(task)?;
        }
        // What waits for others can be neither begun nor closed, nor what holds others that are open: hence progress is
        // told before dependencies, and of what is held before what holds it.
        for task in tasks.iter().rev() {
            writing.advance(task)?;
        }
        for task in backlog.items() {
            let needs = task.depends_on.iter().map(|on| (&task.id, on));
            for (from, on) in needs.chain(task.blocks.iter().map(|to| (to, &task.id))) {
                writing.depend(from, on)?;
            }
        }
        Ok(writing.written)
    }
}

struct Writing<'a> {
    beads: &'a mut Beads,
    source: &'a str,
    there: HashMap<&'a TaskId, Item>,
    made: HashMap<&'a TaskId, TaskId>,
    written: Written,
}

impl<'a> Writing<'a> {
    fn create(&mut self, task: &'a Item) -> Result<(), TrackerError> {
        let found = self.there.get(&task.id).map(|found| found.id.clone());
        let was_there = found.is_some();
        let issue = match found {
            Some(issue) => issue,
            None => self.new_issue(task)?,
        };
        self.made.insert(&task.id, issue.clone());
        self.written.issues.push(WrittenIssue { task: task.id.clone(), issue: issue.clone(), was_there });
        let has_criteria =
            self.there.get(&task.id).is_some_and(|found| !found.acceptance_criteria.is_empty());
        if task.acceptance_criteria.is_empty() || has_criteria {
            return Ok(());
        }
        // Not all of them take criteria where an issue is made.
        let change = format!("--acceptance={}", checklist(task));
        let done = self.beads.update(&issue, &change);
        self.allow(done, || format!("the criteria of {}", task.id))
    }

    fn new_issue(&mut self, task: &Item) -> Result<TaskId, TrackerError> {
        let mut args = vec![
            "create".to_owned(),
            format!("--title={}", plain(task.title.trim())),
            format!("--type={}", kind(task)),
            format!("--priority={}", task.priority),
            format!("--external-ref={}", reference(self.source, &task.id)),
        ];
        if !task.description.trim().is_empty() {
            args.push(format!("--description={}", plain(&task.description)));
        }
        let labels: Vec<String> = task.labels.iter().filter_map(|label| self.label(label)).collect();
        if !labels.is_empty() {
            args.push(format!("--labels={}", labels.join(",")));
        }
        if let Some(parent) = &task.parent {
            match self.made.get(parent) {
                Some(issue) => args.push(format!("--parent={issue}")),
                None => self.refuse(format!("{} is part of {parent}: {}", task.id, self.why_missing(parent))),
            }
        }
        args.push("--json".to_owned());
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let program = &self.beads.program;
        let (answer, asked) = program.ask(&args)?;
        let mut ids = program.understood(&asked, answer::ids(&answer, "created"))?;
        program.understood(&asked, ids.pop().ok_or_else(|| "no id of what was made".to_owned()))
    }

    fn label(&mut self, label: &str) -> Option<String> {
        let written = label_of(label);
        if written.as_deref() != Some(label) {
            self.written.labels.insert(label.to_owned(), written.clone());
        }
        written
    }

    /// Tells how far it is, if it is further here than there.
    fn advance(&mut self, task: &Item) -> Result<(), TrackerError> {
        let now = self.there.get(&task.id).map_or(Status::Open, |found| found.status);
        if stage(task.status) <= stage(now) {
            return Ok(());
        }
        let issue = self.made[&task.id].clone();
        let done = match task.status {
            Status::Completed => self.beads.close(&issue, notes(task)),
            Status::Cancelled => self.beads.close(&issue, Some("cancelled")),
            status => self.beads.set_status(&issue, status).map(|_: Kept| ()),
        };
        self.allow(done, || format!("{} is {}", task.id, task.status.name()))
    }

    fn depend(&mut self, from: &'a TaskId, on: &'a TaskId) -> Result<(), TrackerError> {
        let what = || format!("{from} waits for {on}");
        let (issue, other) = match (self.made.get(from), self.made.get(on)) {
            (Some(issue), Some(other)) => (issue.clone(), other.clone()),
            (None, _) | (_, None) => {
                let missing = if self.made.contains_key(from) { on } else { from };
                self.refuse(format!("{}: {}", what(), self.why_missing(missing)));
                return Ok(());
            }
        };
        if self.there.get(from).is_some_and(|found| found.depends_on.contains(&other)) {
            return Ok(());
        }
        let args = ["dep", "add", issue.as_str(), other.as_str(), "--type=blocks", "--json"];
        let done = self.beads.program.ask(&args).map(|_| ());
        self.allow(done, what)
    }

    /// One thing that a program refuses, such as a cycle, is no reason to leave out the others.
    fn allow(
        &mut self,
        done: Result<(), TrackerError>,
        what: impl FnOnce() -> String,
    ) -> Result<(), TrackerError> {
        match done {
            Err(error @ TrackerError::Program { .. }) => self.refuse(format!("{}: {error}", what())),
            Err(error) => return Err(error),
            Ok(()) => {}
        }
        Ok(())
    }

    fn refuse(&mut self, what: String) {
        if !self.written.refused.contains(&what) {
            self.written.refused.push(what);
        }
    }

    fn why_missing(&self, id: &TaskId) -> String {
        format!("there is no {id} in {}, or it is part of itself", self.source)
    }
}

/// Those that come first in the backlog first, since what nothing else tells apart is worked on in the order of age;
/// but none before what it is part of.
fn in_order(backlog: &Backlog) -> Vec<&Item> {
    let plan = backlog.plan(&Wanted::default());
    let turns = plan.turns.iter().map(|turn| turn.item);
    let (mut order, mut seen) = (Vec::with_capacity(backlog.items().len()), HashSet::new());
    for item in turns.chain(plan.held.iter().map(|held| held.item)) {
        let mut above = Vec::new();
        let mut at = Some(item);
        while let Some(one) = at.filter(|one| seen.insert(&one.id)) {
            above.push(one);
            at = one.parent.as_ref().and_then(|parent| backlog.item(parent));
        }
        order.extend(above.into_iter().rev());
    }
    order
}

/// Whether it can be written at all, which is asked before anything is.
fn fits(source: &str, task: &Item, found: Option<&Item>) -> Result<(), TrackerError> {
    let wrong = |what: String, next: &str| Err(TrackerError::malformed(Path::new(source), None, what, next));
    let (id, title) = (&task.id, plain(task.title.trim()));
    if let Some(found) = found.filter(|found| found.title.trim() != title) {
        let what = format!(
            "{id} is \"{title}\" here, and \"{}\" in {}, which was made of {id} before",
            found.title, found.id
        );
        return wrong(
            what,
            "if this is another backlog, give its file another name; else make the titles the same",
        );
    }
    if title.is_empty() {
        return wrong(format!("{id} has no title"), "give it one");
    }
    let length = title.chars().count();
    if length > LONGEST_TITLE {
        let what = format!("the title of {id} has {length} characters; an issue's may have {LONGEST_TITLE}");
        return wrong(what, "shorten it, and put the rest into its description");
    }
    for (what, length) in [("description", task.description.len()), ("criteria", checklist(task).len())] {
        if length > LONGEST_TEXT {
            let what = format!("{what} of {id}: {length} bytes; an issue takes {LONGEST_TEXT}");
            return wrong(what, "split the task, or put the text into a file of its own and name that");
        }
    }
    Ok(())
}

/// The same for the same task of the same backlog; short, and without spaces.
fn reference(source: &str, id: &TaskId) -> String {
    let plain = format!("{source}#{id}");
    let is_taken =
        plain.len() <= LONGEST_REFERENCE && !plain.chars().any(|c| c.is_whitespace() || c.is_control());
    if is_taken { plain } else { format!("ralph:{}", &blake3::hash(plain.as_bytes()).to_hex()[..32]) }
}

/// No argument can hold a NUL.
fn plain(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// One a line, as they are read again.
fn checklist(task: &Item) -> String {
    let mark = if task.status == Status::Completed { "x" } else { " " };
    let criteria =
        task.acceptance_criteria.iter().map(|one| one.split_whitespace().collect::<Vec<_>>().join(" "));
    plain(&criteria.map(|one| format!("- [{mark}] {one}")).collect::<Vec<_>>().join("\n"))
}

/// The kinds that both programs know.
fn kind(task: &Item) -> &str {
    match (task.kind, task.metadata.get("type").and_then(Value::as_str)) {
        (Kind::Container, _) => "epic",
        (Kind::Work, Some(kind @ ("bug" | "feature" | "chore"))) => kind,
        (Kind::Work, _) => "task",
    }
}

/// Letters and digits of ASCII, `-`, `_` and `:` only.
fn label_of(label: &str) -> Option<String> {
    let is_taken = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let written: String = label.trim().chars().map(|c| if is_taken(c) { c } else { '-' }).collect();
    let written: String = written.trim_matches('-').chars().take(LONGEST_LABEL).collect();
    Some(written).filter(|written| !written.is_empty())
}

fn notes(task: &Item) -> Option<&str> {
    task.metadata.get("completionNotes").and_then(Value::as_str).filter(|notes| !notes.trim().is_empty())
}

fn stage(status: Status) -> u8 {
    match status {
        Status::Open => 0,
        Status::InProgress | Status::Blocked => 1,
        Status::Completed | Status::Cancelled => 2,
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::backlog::{Backlog, Item};
    use ralph_core::id::TaskId;

    use super::{in_order, label_of, reference};

    fn id(text: &str) -> TaskId {
        TaskId::parse(text).unwrap()
    }

    #[test]
    fn a_reference_is_readable_where_it_can_be_and_never_too_long() {
        assert_eq!(reference("tasks/prd.json", &id("US-1")), "tasks/prd.json#US-1");
        for source in ["my tasks.md", &"x".repeat(300)] {
            let (one, other) = (reference(source, &id("1")), reference(source, &id("2")));
            assert!(one != other && one.starts_with("ralph:") && one.len() == 38, "{one}");
            assert_eq!(one, reference(source, &id("1")));
        }
    }

    #[test]
    fn labels_are_what_is_left_of_them() {
        let check =
            |label, expected: Option<&str>| assert_eq!(label_of(label).as_deref(), expected, "{label}");
        check("area:ui_2", Some("area:ui_2"));
        check("-front end,x", Some("front-end-x"));
        check("ü", None);
        check(&"x".repeat(60), Some(&"x".repeat(50)));
    }

    #[test]
    fn none_is_written_before_what_it_is_part_of_and_a_round_of_parents_ends() {
        let item = |name: &str, parent: Option<&str>| {
            let mut item = Item::new(id(name), name);
            item.parent = parent.map(id);
            item
        };
        let all = [item("a", Some("b")), item("b", Some("c")), item("c", None), item("d", Some("gone"))];
        let names = |all: &[Item]| {
            let backlog = Backlog::new(all.to_vec()).unwrap();
            in_order(&backlog).iter().map(|item| item.id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(&all), ["c", "b", "a", "d"]);
        let round = names(&[item("a", Some("b")), item("b", Some("a"))]);
        assert_eq!(round, ["b", "a"]);
    }
}
