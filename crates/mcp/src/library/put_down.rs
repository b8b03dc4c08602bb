//! What an agent remembers: for its own task alone, with where it comes from, and never more than a bounded amount.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use jiff::Timestamp;
use ralph_core::assignment::Assignment;
use ralph_core::note::{Citation, Draft, Kind, KindName, Observation, Origin, Scope, Source};
use ralph_engine::{anchors, entropy};
use ralph_memory::{Staged, failed_like, stage, staged};
use ralph_store::SqliteStore;

use super::{Library, told};
use crate::inquiry::Remember;

/// In characters: a note is a few sentences.
const LONGEST: usize = 4_000;

impl Library {
    pub(super) async fn remember(
        &self,
        task: Option<&Assignment>,
        note: &Remember,
    ) -> Result<String, String> {
        let task = task.ok_or("there is no task of ralph here, and what an agent remembers is its task's")?;
        let store = self.project.as_deref().ok_or("there is no project of ralph here")?;
        let mut draft = self.draft(task, note)?;
        if !draft.symbols.is_empty() {
            // What cannot be looked at now is remembered all the same.
            draft.anchors = self.code.ask(|graph| Ok(anchors(graph, &draft))).unwrap_or_default();
        }
        let own = staged(store, &task.remembered_as()).await.map_err(|error| told(&error))?;
        // Its words were redacted when they were put down, so these are as well before they are compared.
        let content = self.redactor.text(&draft.content).into_owned();
        if let Some(known) = own.iter().find(|known| known.said.content == content) {
            return Ok(format!("It is remembered already, as {}.", known.id));
        }
        let warning = self.warning(store, task, note).await?;
        let put = stage(store, draft, &self.redactor, Timestamp::now(), entropy()).await;
        match put.map_err(|error| told(&error))? {
            Staged::Kept(id) => Ok(format!(
                "It is remembered as {id}, for this task until ralph has checked the work.{}{warning}",
                left_out(note)
            )),
            Staged::Refused(why) => Err(why.to_string()),
        }
    }

    /// Who decides how to go about something hears if that was tried and failed.
    async fn warning(
        &self,
        store: &SqliteStore,
        task: &Assignment,
        note: &Remember,
    ) -> Result<String, String> {
        if note.kind != KindName::Decision {
            return Ok(String::new());
        }
        let failed = failed_like(store, &note.content, &task.remembered_as(), Timestamp::now()).await;
        let failed = failed.map_err(|error| told(&error))?;
        let failed = failed.filter(|id| !task.withholds(id));
        Ok(failed.map_or_else(String::new, |id| {
            format!(" Careful: an approach like this one failed before; `memory_get` with {id} tells how.")
        }))
    }

    fn draft(&self, task: &Assignment, note: &Remember) -> Result<Draft, String> {
        if note.kind == KindName::ToolUse {
            return Err(
                "which tools are used ralph sees itself; say what came of it, as a discovery".to_owned()
            );
        }
        let mut draft = Draft::new(kind(note), note.content.trim());
        draft.title = note.title.trim().to_owned();
        draft.files = self.all_below(&note.files)?;
        draft.symbols.clone_from(&note.symbols);
        draft.tags.clone_from(&note.tags);
        draft.citations = note.cites.iter().map(|cited| self.cited(cited)).collect::<Result<_, _>>()?;
        draft.scope = Scope::Task { task: task.remembered_as() };
        draft.origin = Origin::Agent;
        draft.source = Source {
            run: Some(task.run.clone()),
            task: Some(task.remembered_as()),
            iteration: Some(task.iteration),
            ..Source::default()
        };
        let length: usize = draft.texts_mut().iter().map(|text| text.chars().count()).sum();
        if length > LONGEST {
            return Err(format!("the note is longer than {LONGEST} characters"));
        }
        Ok(draft)
    }

    /// A citation is something that others can look at.
    fn cited(&self, cited: &str) -> Result<Citation, String> {
        let numbered = cited.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
        let (path, line) = numbered.map_or((cited, None), |(path, line)| (path, Some(line)));
        let path = self.below(path)?;
        let file = self.root.join(&path);
        if !file.is_file() {
            return Err(format!(
                "there is no file {path} to cite; name files of the project as PATH or PATH:LINE"
            ));
        }
        if line.is_some_and(|line| !has_line(&file, line)) {
            return Err(format!("{path} has no such line to cite as in {cited}"));
        }
        Ok(Citation::File { path, line })
    }
}

/// Counted from 1, and no further than to it.
fn has_line(file: &Path, line: u32) -> bool {
    let Ok(file) = File::open(file) else { return false };
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    line > 0 && lines.take(line as usize).count() == line as usize
}

/// What of a note has no place in its kind, in sentences.
fn left_out(note: &Remember) -> String {
    let kind = note.kind.as_str();
    let because = (note.because.is_some() && note.kind != KindName::Decision)
        .then(|| format!(" `because` was left out: it is for a decision, and this is a {kind}."));
    let triggers = (!note.triggers.is_empty() && note.kind != KindName::Gotcha)
        .then(|| format!(" `triggers` were left out: they are for a gotcha, and this is a {kind}."));
    let skill = (note.kind == KindName::Skill)
        .then(|| " It is a discovery for now: only what was seen to work becomes a skill.".to_owned());
    [because, triggers, skill].into_iter().flatten().collect()
}

fn kind(note: &Remember) -> Kind {
    let content = || note.content.trim().to_owned();
    match note.kind {
        KindName::Discovery => Kind::Observation(Observation::Discovery),
        KindName::Decision => {
            let rationale = note.because.clone().unwrap_or_default();
            Kind::Observation(Observation::Decision { rationale })
        }
        KindName::Command => Kind::Observation(Observation::Command { command: content() }),
        KindName::ToolUse => Kind::Observation(Observation::ToolUse { tool: String::new() }),
        KindName::Skill => Kind::Skill,
        KindName::Pattern => Kind::Pattern,
        KindName::Gotcha => Kind::Gotcha { triggers: note.triggers.clone(), terminal: None },
        KindName::Failure => Kind::Failure { approach: content(), diff: None, errors: Vec::new() },
    }
}
