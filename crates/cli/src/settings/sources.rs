//! Where settings come from, and the reading of all of it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ralph_agents::catalog::Catalogue;
use ralph_agents::prices::Prices;
use ralph_core::agent_event::Detail;
use ralph_core::check::{Criterion, Judge};
use ralph_core::judge::{ASKINGS, Judging};
use ralph_trackers::Accounts;

use super::check::Wanted;
use super::memory::Memory;
use super::origin::{Layer, Set, Source};
use super::partial::Partial;
use super::raw::Given;
use super::resolved::{Settings, defaults, state_dir};
use super::root::project_root;
use super::trust::{Trust, executable_digest, untrusted};
use super::vectors::Vectors;
use super::{environment, file, tracker};
use crate::problem::{Place, Problem, Problems};

/// All that reading settings depends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    pub(crate) env: BTreeMap<OsString, OsString>,
    /// The directory of the user's `config.toml`.
    pub(crate) user_dir: Option<PathBuf>,
    pub(crate) project_root: PathBuf,
    pub(crate) flags: Given,
}

impl Sources {
    /// Those of this process; the only place where settings meet the process environment.
    pub(crate) fn of_process(start: &Path, flags: Given) -> Result<Sources, Problem> {
        let project_root = project_root(start).map_err(|e| {
            Problem::new(format!("cannot find the project: {e}")).at(Place::from(start.to_owned()))
        })?;
        let env: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        let user_dir = base_dir(&env, "XDG_CONFIG_HOME", ".config");
        Ok(Sources { env, user_dir, project_root, flags })
    }
}

/// `ralph` in one of the XDG base directories; a relative one is to be ignored.
pub(crate) fn base_dir(
    env: &BTreeMap<OsString, OsString>,
    variable: &str,
    below_home: &str,
) -> Option<PathBuf> {
    let base = absolute(env, variable).or_else(|| Some(absolute(env, "HOME")?.join(below_home)))?;
    Some(base.join("ralph"))
}

pub(super) fn absolute(env: &BTreeMap<OsString, OsString>, variable: &str) -> Option<PathBuf> {
    env.get(OsStr::new(variable)).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// What a project's own file sets.
#[derive(Debug, Clone)]
pub(crate) struct ProjectLayer {
    pub(crate) path: PathBuf,
    pub(crate) partial: Partial,
}

/// Every layer, read and merged, with whatever was wrong in any of them.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) project: ProjectLayer,
    pub(crate) merged: Partial,
    pub(crate) problems: Vec<Problem>,
    /// `state_dir` as it is without the project's file.
    own_state_dir: Option<Set<PathBuf>>,
    /// The person's own file, where it says something of agents or prices.
    catalogue: Option<Arc<Source>>,
    env: BTreeMap<OsString, OsString>,
}

impl Loaded {
    pub(crate) fn read(sources: Sources) -> Loaded {
        let mut problems = Vec::new();
        let project_path = sources.project_root.join(".ralph/config.toml");
        let user_given = match &sources.user_dir {
            Some(dir) => file::read(&dir.join("config.toml"), Layer::User, &mut problems),
            None => Given::default(),
        };
        let catalogue = user_given.catalogue.clone();
        let mut partial = |given: &dyn Fn(&mut Vec<Problem>) -> Given| {
            let given = given(&mut problems);
            Partial::read(given, &mut problems)
        };
        let user = partial(&|_| user_given.clone());
        let project = partial(&|p| file::read(&project_path, Layer::Project, p));
        let environment = partial(&|p| environment::read(&sources.env, p));
        let flags = partial(&|_| sources.flags.clone());
        let own = user.over(defaults(&sources.env));
        let person = flags.over(environment);
        let own_state_dir = person.state_dir.clone().or(own.state_dir.clone());
        let merged = person.over(project.clone()).over(own);
        let project = ProjectLayer { path: project_path, partial: project };
        Loaded { project, merged, problems, own_state_dir, catalogue, env: sources.env }
    }

    /// Whether the agent's command was typed, so that a relative path in it is meant from where that was.
    pub(crate) fn command_is_typed(&self) -> bool {
        self.merged.agent.command.as_ref().is_some_and(|set| set.origin.layer() == Layer::Flag)
    }

    /// The agents there are and what they cost: ralph's own and the person's.
    pub(crate) fn agents(&self) -> Result<(Catalogue, Prices), Problem> {
        let Some(source) = &self.catalogue else { return Ok((Catalogue::builtin(), Prices::builtin())) };
        let wrong = |error: &dyn std::error::Error| {
            Problem::new(ralph_engine::chain(error)).at(Place::from(source.path().to_owned()))
        };
        let catalogue = Catalogue::builtin().with_user(source.text()).map_err(|error| wrong(&error))?;
        let prices = Prices::builtin().with_user(source.text()).map_err(|error| wrong(&error))?;
        Ok((catalogue, prices))
    }

    /// How much of an agent's work is shown, where somebody said so. Whatever else is wrong with the settings does not
    /// keep a person from looking at a run.
    pub(crate) fn detail(&self) -> Option<Detail> {
        self.merged.output.detail.as_ref().map(|set| set.value)
    }

    /// How trackers on servers are reached, with the tokens of the environment.
    pub(crate) fn accounts(&self) -> Accounts {
        tracker::accounts(&self.merged, &self.env)
    }

    /// What is remembered, and how much of it is told.
    pub(crate) fn memory(&self) -> Memory {
        self.merged.memory.resolve()
    }

    /// Who says what notes mean; none where nobody does. What is wrong with anything else does not matter here.
    pub(crate) fn vectors(&self) -> Result<Option<Vectors>, Problem> {
        let is_of_it = |problem: &&Problem| {
            problem.what.starts_with("memory.vectors.")
                || problem.what.contains("RALPH_SET_MEMORY__VECTORS__")
        };
        match self.problems.iter().find(is_of_it) {
            Some(problem) => Err(problem.clone()),
            None => self.merged.memory.vectors.resolve(&self.env),
        }
    }

    /// Whether OpenCode's plugin is answered; a setting that cannot be read says no.
    pub(crate) fn answers_opencode(&self) -> bool {
        self.merged.opencode.enabled.as_ref().is_some_and(|set| set.value)
    }

    /// How long judging a turn may take: the checks of the configuration, one check for each criterion that a loop may
    /// ask for beyond them, and the judge.
    pub(crate) fn judging_time(&self) -> Duration {
        let verify = &self.merged.verify;
        let usual = verify.timeout.as_ref().map_or(super::check::TIMEOUT, |set| set.value);
        let checks = &self.merged.checks;
        let own = checks.iter().map(|set| set.value.timeout.unwrap_or(usual)).sum::<Duration>();
        let wanted = verify.criteria.as_ref().map_or(&[][..], |set| &set.value);
        let typed = Criterion::ALL.into_iter().map(|criterion| {
            let is_checked = checks.iter().any(|set| set.value.check.criterion == criterion);
            let is_wanted =
                |one: &&Wanted| one.criterion == criterion && (one.command.is_some() || !is_checked);
            wanted.iter().filter(is_wanted).count().max(usize::from(!is_checked)) as u32
        });
        let judging = verify.judge_timeout.as_ref().map_or(Judging::default().timeout, |set| set.value);
        let judge = verify.judge.as_ref().filter(|set| set.value != Judge::Exit).map(|_| judging * ASKINGS);
        own + usual * typed.sum::<u32>() + judge.unwrap_or_default()
    }

    /// Where ralph's state is kept, grants among it: a project must not be able to bring its own.
    pub(crate) fn state_dir(&self) -> Result<PathBuf, Problem> {
        state_dir(self.own_state_dir.as_ref(), &self.env)
    }

    /// The settings, if nothing is wrong and the project may do what it asks for.
    pub(crate) fn resolve(self, trust: Trust) -> Result<Settings, Problems> {
        let mut problems = self.problems;
        if trust == Trust::Withheld
            && let Some(digest) = executable_digest(&self.project)
        {
            problems.push(untrusted(&self.project, &digest));
        }
        let settings = Settings::resolve(&self.merged, &self.env).map_err(|problem| problems.push(problem));
        match settings {
            Ok(settings) if problems.is_empty() => Ok(settings),
            _ => Err(Problems(problems)),
        }
    }
}
