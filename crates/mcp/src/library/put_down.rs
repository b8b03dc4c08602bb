//! What an agent remembers: for its own task alone, with where it comes from, and never more than a bounded amount.

use jiff::Timestamp;
use ralph_core::assignment::Assignment;
use ralph_core::note::{Citation, Draft, Kind, KindName, Observation, Origin, Scope, Source};
use ralph_engine::{anchors, entropy};
use ralph_memory::{Staged, stage, staged};

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
        let put = stage(store, draft, &self.redactor, Timestamp::now(), entropy()).await;
        match put.map_err(|error| told(&error))? {
            Staged::Kept(id) => {
                Ok(format!("It is remembered as {id}, for this task until ralph has checked the work."))
            }
            Staged::Refused(why) => Err(why.to_string()),
        }
    }

    fn draft(&self, task: &Assignment, note: &Remember) -> Result<Draft, String> {
        let mut draft = Draft::new(kind(note), note.content.trim());
        draft.title = note.title.trim().to_owned();
        draft.files.clone_from(&note.files);
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
        let is_below = std::path::Path::new(path)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
        if !is_below || !self.root.join(path).is_file() {
            return Err(format!(
                "there is no file {path} to cite; name files of the project as PATH or PATH:LINE"
            ));
        }
        Ok(Citation::File { path: path.trim_start_matches("./").to_owned(), line })
    }
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
