//! The settings as a whole, from text to policy.

mod documents;
mod layers;
mod limits;
mod messages;
mod trusted;
mod vectors;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{create_dir_all, write};

use clap::Parser;

use super::flags::{AgentFlags, LimitFlags, PromiseFlags};
use super::resolved::Settings;
use super::sources::{Loaded, Sources};
use super::trust::Trust;
use super::{Given, ShowStyle, show};
use crate::problem::Problems;

/// A command that has all the flags.
#[derive(Debug, Parser)]
struct Probe {
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    agent: AgentFlags,
    #[command(flatten)]
    promise: PromiseFlags,
    prompt: Option<String>,
}

/// What a person wrote in every layer.
#[derive(Debug, Clone, Default)]
struct Written {
    user: String,
    project: String,
    env: Vec<(String, String)>,
    args: Vec<String>,
}

impl Written {
    fn project(text: &str) -> Written {
        Written { project: text.to_owned(), ..Written::default() }
    }

    fn args(args: &[&str]) -> Written {
        Written { args: args.iter().map(|&arg| arg.to_owned()).collect(), ..Written::default() }
    }

    fn env(pairs: &[(&str, &str)]) -> Written {
        let env = pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        Written { env, ..Written::default() }
    }

    /// `Err` is clap's own refusal.
    fn load(&self) -> Result<Loaded, clap::Error> {
        let probe =
            Probe::try_parse_from(std::iter::once("ralph").chain(self.args.iter().map(String::as_str)))?;
        let mut flags = Given::default();
        probe.limits.add_to(&mut flags);
        probe.agent.add_to(&mut flags);
        probe.promise.add_to(&mut flags);
        let dir = tempfile::tempdir().unwrap();
        let user_dir = dir.path().join("user");
        create_dir_all(dir.path().join(".ralph")).unwrap();
        create_dir_all(&user_dir).unwrap();
        write(dir.path().join(".ralph/config.toml"), &self.project).unwrap();
        write(user_dir.join("config.toml"), &self.user).unwrap();
        let mut env: BTreeMap<OsString, OsString> = BTreeMap::from([("HOME".into(), "/home/ralph".into())]);
        env.extend(self.env.iter().map(|(name, value)| (name.into(), value.into())));
        let project_root = dir.path().to_owned();
        Ok(Loaded::read(Sources { env, user_dir: Some(user_dir), project_root, flags }))
    }

    /// What a trusted project comes to.
    fn settings(&self) -> Result<Settings, Problems> {
        self.load().expect("clap takes the flags").resolve(Trust::Granted)
    }

    fn shown(&self) -> String {
        show(&self.load().unwrap().merged, ShowStyle::Toml, false)
    }
}
