//! What the commits of a run say: a template, which is checked before the run begins.

use std::path::PathBuf;

use jiff::Timestamp;
use ralph_core::agenda::Commits;
use ralph_core::run::Run;
use ralph_engine::{Chronicling, Messages, Place, Told};
use ralph_templates::{Origin, Surroundings, Template, Vars};

use crate::own;
use crate::problem::Problems;
use crate::templates::template_problems;

/// Where the template is written, as people are told.
const SETTING: &str = "commit.message";

/// Whether a message could be made of the template.
pub(crate) fn check(commits: Option<&Commits>) -> Result<(), Problems> {
    commits.map_or(Ok(()), |commits| compile(commits).map(|_| ()))
}

fn compile(commits: &Commits) -> Result<Template, Problems> {
    let origin = Origin::Given(PathBuf::from(SETTING));
    Template::compile(origin, &commits.message).map_err(|error| template_problems(&error))
}

/// What the engine needs to keep the chronicle of a run.
pub(crate) fn chronicling(run: &Run, place: &Place) -> Result<Chronicling, Problems> {
    let commits = run.agenda.as_ref().and_then(|agenda| agenda.commits.as_ref());
    let template = commits.map(compile).transpose()?;
    let cwd = place.root.to_string_lossy().into_owned();
    let messages = template.map(|template| -> Box<dyn Messages> { Box::new(Message { template, cwd }) });
    Ok(Chronicling { own: own::paths(place), messages })
}

#[derive(Debug)]
struct Message {
    template: Template,
    cwd: String,
}

impl Messages for Message {
    fn message(&mut self, told: &Told<'_>) -> Result<String, String> {
        let surroundings = Surroundings {
            tracker: told.run.agenda.as_ref().map(|agenda| agenda.source.tracker.clone()),
            item: told.item.cloned(),
            epic: told.epic.cloned(),
            auto_commit: true,
            ..Surroundings::new(self.cwd.clone(), Timestamp::now())
        };
        let vars = Vars::of(told.run, told.attempt, &surroundings);
        let rendered = self.template.render(&vars).map_err(|error| error.to_string())?;
        Ok(rendered.text.trim().to_owned())
    }
}
