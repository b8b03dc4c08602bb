//! Templates as the commands meet them: where they are looked for from here, and how what is wrong with them is told.

use std::path::PathBuf;

use ralph_templates::{FOLDER, Lookup, PROMPT, Template, TemplateError, find};
use ralph_trackers::{Detected, TrackerError, open};

use crate::backlog::{TrackerFlags, tracker_problem};
use crate::commands::here;
use crate::problem::{Place, Problem, Problems, Spot};
use crate::settings::{Given, Sources};

/// Whose templates are looked at.
pub(crate) struct Shelf {
    project_root: PathBuf,
    user_dir: Option<PathBuf>,
}

impl Shelf {
    pub(crate) fn here() -> Result<Shelf, Problems> {
        let Sources { project_root, user_dir, .. } = Sources::of_process(&here()?, Given::default())?;
        Ok(Shelf { project_root, user_dir })
    }

    /// The name that was given, or that of the tracker that is found here.
    pub(crate) fn name(given: Option<&str>) -> Result<String, Problems> {
        if let Some(name) = given {
            return Ok(name.to_owned());
        }
        match TrackerFlags::default().detect()? {
            Ok(Detected { place, .. }) => Ok(open(place).kind().name().to_owned()),
            Err(TrackerError::NoBacklog { .. }) => Ok(PROMPT.to_owned()),
            Err(error) => Err(tracker_problem(&error).into()),
        }
    }

    /// The one that would be taken for this tracker.
    pub(crate) fn find(&self, name: &str) -> Result<Template, Problems> {
        let lookup = Lookup {
            project_root: self.project_root.clone(),
            user_dir: self.user_dir.clone(),
            tracker: name.to_owned(),
            ..Lookup::default()
        };
        find(&lookup).map_err(|error| template_problems(&error))
    }

    /// Where a project's own are.
    pub(crate) fn of_project(&self) -> PathBuf {
        self.project_root.join(".ralph").join(FOLDER)
    }

    /// Every place where files are looked for, the first that counts first.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let user = self.user_dir.as_ref().map(|dir| dir.join(FOLDER));
        std::iter::once(self.of_project()).chain(user).collect()
    }
}

pub(crate) fn template_problems(error: &TemplateError) -> Problems {
    let TemplateError::Faulty { label, path, faults } = error else {
        let problem = Problem::new(error.to_string());
        return match error.hint() {
            Some(hint) => problem.next(hint).into(),
            None => problem.into(),
        };
    };
    let problem = |fault: &ralph_templates::Fault| {
        let path = path.clone().unwrap_or_else(|| PathBuf::from(label));
        let spot =
            Spot { line: fault.line, column: fault.column, text: fault.text.clone(), width: fault.width };
        let problem = Problem::new(fault.what.clone()).at(Place { path, spot: Some(spot) });
        match &fault.next {
            Some(next) => problem.next(next),
            None => problem,
        }
    };
    Problems(faults.iter().map(problem).collect())
}
