//! `ralph hosts`: the agent programs that ralph can live inside of, and how it stands with each.

use ralph_hosts::hooked::{self, Dialect, State};
use ralph_hosts::{Manner, opencode};
use serde::Serialize;

use super::Outcome;
use super::hosting::{Seat, Where};
use super::install::directory;
use crate::words::{print, print_json};

/// List the agent programs that ralph can live inside of, and what each can do.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ralph hosts --json")]
pub(crate) struct HostsArgs {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// A host, and where ralph is installed in it.
#[derive(Debug, Serialize)]
struct Host {
    name: &'static str,
    installed_for_project: bool,
    installed_for_user: bool,
    /// One of both is to be installed again.
    is_stale: bool,
    /// It was installed for another program, or for checks that take less time.
    stale_for_project: bool,
    stale_for_user: bool,
    /// The version that all of this was seen to be true of.
    verified_version: &'static str,
    /// What becomes of the conversation between iterations.
    strategies: Vec<&'static str>,
    commands: [&'static str; 3],
    /// What it tells ralph of.
    events: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<&'static str>,
}

pub(crate) fn hosts(args: &HostsArgs) -> Outcome {
    let mut hosts = vec![in_opencode()];
    hosts.extend(hooked::ALL.into_iter().map(in_hooks));
    if args.json {
        print_json(&hosts);
        return Ok(0);
    }
    let told: Vec<String> = hosts.iter().map(Host::told).collect();
    print(&told.join("\n"));
    Ok(0)
}

fn in_opencode() -> Host {
    let is_in =
        |user| directory(user).is_ok_and(|(dir, _)| opencode::places(&dir).iter().all(|path| path.is_file()));
    Host {
        name: opencode::NAME,
        installed_for_project: is_in(false),
        installed_for_user: is_in(true),
        is_stale: false,
        stale_for_project: false,
        stale_for_user: false,
        verified_version: opencode::VERIFIED,
        strategies: Manner::default().strategies.iter().map(|strategy| strategy.name()).collect(),
        commands: ["/ralph", "/ralph-loop", "/cancel-ralph"],
        events: vec!["idle", "error", "deleted", "command", "message", "tool", "replaced"],
        remark: None,
    }
}

fn in_hooks(dialect: &'static Dialect) -> Host {
    let state = |place| Seat::of(dialect, &place).map_or(State::Absent, |seat| seat.state());
    let states = [state(Where::Project), state(Where::User)];
    let [stale_for_project, stale_for_user] = states.map(|state| state == State::Stale);
    Host {
        name: dialect.name,
        installed_for_project: states[0] != State::Absent,
        installed_for_user: states[1] != State::Absent,
        is_stale: stale_for_project || stale_for_user,
        stale_for_project,
        stale_for_user,
        verified_version: dialect.verified,
        strategies: dialect.manner().strategies.iter().map(|strategy| strategy.name()).collect(),
        commands: dialect.command_names(),
        events: dialect.events.iter().map(|(name, _)| *name).collect(),
        remark: dialect.remark,
    }
}

impl Host {
    fn told(&self) -> String {
        let name = self.name;
        let place = match (self.installed_for_project, self.installed_for_user) {
            (true, true) => "installed for this project, and for all your projects".to_owned(),
            (true, false) => "installed for this project".to_owned(),
            (false, true) => "installed for all your projects".to_owned(),
            (false, false) => format!("not installed; `ralph install {name}`"),
        };
        let places = [(self.stale_for_project, ""), (self.stale_for_user, " --user")];
        let stale: String = places.into_iter().filter(|(is_stale, _)| *is_stale).map(|(_, flag)| {
            format!(
                "  stale       `ralph install {name}{flag}` again: the program has changed, or more time is needed\n"
            )
        }).collect();
        let remark = self.remark.map_or(String::new(), |remark| format!("  remark      {remark}\n"));
        format!(
            "{name}  {place}\n{stale}  verified    {}\n  commands    {}\n  strategies  {}\n  events      {}\n{remark}",
            self.verified_version,
            self.commands.join(" "),
            self.strategies.join(" "),
            self.events.join(" ")
        )
    }
}
