//! What is remembered, in three layers: lines with ids, the notes around one, and notes as a whole.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use jiff::Timestamp;
use ralph_core::assignment::Assignment;
use ralph_core::id::NoteId;
use ralph_core::note::{Note, Origin, Scope};
use ralph_engine::{doubt_outdated, near, rests_on_code};
use ralph_memory::{Context, Meaning, Query, Ranking, Shelves, Visible, catch_up, recall_all, understand};
use ralph_store::{Notes, SqliteStore};

use super::{Library, shown, told};
use crate::inquiry::{Get, Search, Timeline};

const LABEL: &str = "memory";
const NOTHING: &str = "Nothing that is remembered fits.";
/// No answer is longer, however much is asked for.
const MOST: usize = 50;
const FEW: usize = 10;
/// As much of a note as stands in a line, in characters.
const LINE: usize = 140;
const REACH: u32 = 3;
const FARTHEST: u32 = 20;
/// How long an agent waits for what a question means, whatever is configured: others wait behind it.
const MEASURED: Duration = Duration::from_secs(30);

impl Library {
    pub(super) async fn search(&self, task: Option<&Assignment>, search: &Search) -> Result<String, String> {
        let global = self.global()?;
        let Some(shelves) = self.shelves(global.as_ref()) else { return Ok(NOTHING.to_owned()) };
        let (meaning, trouble) = self.meaning(&shelves, &search.query).await?;
        let files = self.all_below(&search.files)?;
        let near = self.near(&files, &search.symbols);
        let most = search.limit.unwrap_or(FEW).clamp(1, MOST);
        let query = Query {
            // One of them may be kept back.
            limit: most + 1,
            kinds: search.kinds.clone(),
            visible: task.map_or(Visible::Shared, |task| Visible::Task(task.remembered_as())),
            context: Context { files, symbols: search.symbols.clone(), near },
            meaning,
            ..Query::new(&search.query)
        };
        let found = recall_all(&shelves, &query, &Ranking::default(), Timestamp::now()).await;
        let found = found.map_err(|error| told(&error))?.into_iter().map(|one| one.note);
        let mut found: Vec<Note> = found.filter(|note| is_visible(note, task)).take(most).collect();
        if found.is_empty() {
            return Ok(NOTHING.to_owned() + &trouble);
        }
        self.beside_code(&mut found);
        let lines: String = found.iter().map(line).collect();
        let before = "The best first. `memory_get` shows notes as a whole, `memory_timeline` what was put down around one.";
        Ok(shown(&(before.to_owned() + &trouble), LABEL, &lines))
    }

    /// What the graph says is near what is at hand; nothing where there is no graph.
    fn near(&self, files: &[String], symbols: &[String]) -> BTreeMap<String, f64> {
        if files.is_empty() && symbols.is_empty() {
            return BTreeMap::new();
        }
        self.code.ask(|graph| Ok(near(graph, &self.root, files, symbols))).unwrap_or_default()
    }

    /// Notes about code that is another by now are shown as a brief would show them; where there is no graph, as they are.
    fn beside_code(&self, notes: &mut [Note]) {
        if notes.iter().any(rests_on_code) {
            let _looked = self.code.ask(|graph| {
                doubt_outdated(graph, notes);
                Ok(())
            });
        }
    }

    /// What the question means, and a sentence if that is not known.
    async fn meaning(
        &self,
        shelves: &Shelves<'_, SqliteStore>,
        text: &str,
    ) -> Result<(Option<Meaning>, String), String> {
        let Some(measure) = &self.measure else { return Ok((None, String::new())) };
        // An agent has no use for the reason, and it may name what is not its business.
        let without = " They were looked for by their words, for vectors cannot be had.".to_owned();
        let understanding = understand(shelves, &**measure, text, &self.redactor);
        // A table that is read for the first time goes on being read, and a later question has it.
        let Ok(understood) = tokio::time::timeout(MEASURED, understanding).await else {
            return Ok((None, without));
        };
        let understood = understood.map_err(|error| told(&error))?;
        let trouble = understood.trouble.map_or_else(String::new, |_| without);
        Ok((understood.meaning, trouble))
    }

    pub(super) async fn timeline(
        &self,
        task: Option<&Assignment>,
        timeline: &Timeline,
    ) -> Result<String, String> {
        let id = parsed(&timeline.id)?;
        let global = self.global()?;
        for store in self.project.as_deref().into_iter().chain(global.as_ref()) {
            let Some(notes) = around(store, &id, timeline.reach.unwrap_or(REACH).min(FARTHEST)).await? else {
                continue;
            };
            if !notes.iter().any(|note| note.id == id && is_visible(note, task)) {
                continue;
            }
            let mut visible: Vec<Note> = notes.into_iter().filter(|note| is_visible(note, task)).collect();
            self.beside_code(&mut visible);
            let lines: String = visible
                .iter()
                .map(|note| format!("{} {}", if note.id == id { ">" } else { " " }, line(note)))
                .collect();
            let before = "The notes of the same session or run, in the order in which they were put down.";
            return Ok(shown(before, LABEL, &lines));
        }
        Err(unknown(&id))
    }

    pub(super) async fn get(&self, task: Option<&Assignment>, get: &Get) -> Result<String, String> {
        if get.ids.is_empty() {
            return Err("no ids are named; `memory_search` finds them".to_owned());
        }
        let global = self.global()?;
        let mut notes = Vec::new();
        for id in get.ids.iter().take(MOST) {
            let id = parsed(id)?;
            let mut found = None;
            for store in self.project.as_deref().into_iter().chain(global.as_ref()) {
                catch_up(store).await.map_err(|error| told(&error))?;
                let note = store.note(&id).await.map_err(|error| told(&error))?;
                found = found.or(note.filter(|note| is_visible(note, task)));
            }
            notes.push(found.ok_or_else(|| unknown(&id))?);
        }
        self.beside_code(&mut notes);
        let text: String = notes.iter().map(whole).collect();
        Ok(shown("Check a [HYPOTHESIS] before you rely on it.", LABEL, &text))
    }
}

/// None where the note is not.
async fn around(store: &SqliteStore, id: &NoteId, reach: u32) -> Result<Option<Vec<Note>>, String> {
    let all = async {
        catch_up(store).await?;
        let numbers = store.note_numbers(vec![id.clone()]).await?;
        let Some((_, number)) = numbers.first() else { return Ok(None) };
        let mut placed = store.around(vec![*number], reach).await?;
        placed.sort_by_key(|one| one.place);
        let notes = store.numbered_notes(placed.iter().map(|one| one.no).collect()).await?;
        Ok(Some(notes.into_iter().map(|(_, note)| note).collect()))
    };
    all.await.map_err(|error| told(&error))
}

/// What another task has put down for itself is nobody else's; and what a brief does without, its agent does without.
fn is_visible(note: &Note, task: Option<&Assignment>) -> bool {
    if task.is_some_and(|task| task.withholds(&note.id)) {
        return false;
    }
    match &note.said.scope {
        Scope::Task { task: whose } => task.is_some_and(|task| task.remembered_as() == *whose),
        Scope::Project | Scope::Global => true,
    }
}

fn parsed(id: &str) -> Result<NoteId, String> {
    NoteId::parse(id.trim()).map_err(|error| format!("{error}; `memory_search` shows ids"))
}

fn unknown(id: &NoteId) -> String {
    format!("there is no note {id} that you can see; `memory_search` finds those that are there")
}

fn line(note: &Note) -> String {
    let headline: String = note.headline().chars().take(LINE).collect();
    let files = note.said.files.iter().take(3).map(|file| format!(" {file}")).collect::<String>();
    format!("{} {}{}: {headline}{files}\n", note.id, note.said.kind.name().as_str(), mark(note))
}

fn mark(note: &Note) -> &'static str {
    if note.is_hypothesis() { " [HYPOTHESIS]" } else { "" }
}

fn whole(note: &Note) -> String {
    let said = &note.said;
    let now = Timestamp::now();
    let mut text = format!(
        "{} {}{}, {}, confidence {}\n",
        note.id,
        said.kind.name().as_str(),
        mark(note),
        said.scope.name(),
        note.confidence_at(now)
    );
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            // Writing to a string cannot fail.
            let _written = writeln!(text, "{name}: {value}");
        }
    };
    fact("title", said.title.clone());
    fact("content", said.content.clone());
    fact(
        "more",
        said.kind.texts().into_iter().filter(|more| *more != said.content).collect::<Vec<_>>().join("\n"),
    );
    fact("files", said.files.join(", "));
    fact("symbols", said.symbols.join(", "));
    fact("rests on", said.citations.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    fact("from", source(note));
    if !note.is_active() {
        fact("standing", "superseded: no longer so".to_owned());
    }
    text + "\n"
}

fn source(note: &Note) -> String {
    let source = &note.said.source;
    let who = match note.said.origin {
        Origin::Person => "a person",
        Origin::Rule => "ralph, by rule",
        Origin::Agent => "an agent",
        Origin::Tool => "the output of a tool",
    };
    let parts = [
        Some(who.to_owned()),
        source.run.as_ref().map(|run| format!("run {run}")),
        source.task.as_ref().map(|task| format!("task {task}")),
        source.iteration.map(|iteration| format!("iteration {iteration}")),
        source.commit.as_ref().map(|commit| format!("commit {commit}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
