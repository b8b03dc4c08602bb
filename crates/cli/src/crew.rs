//! Which agents a run has, from what the settings say.

use std::collections::BTreeSet;
use std::sync::Arc;

use ralph_agents::Staff;
use ralph_agents::catalog::Catalogue;
use ralph_core::crew::{Crew, Member, Protocol, Sessions};
use ralph_core::id::AgentName;
use ralph_core::policy::{Limits, Signal};
use ralph_core::redact::Redactor;
use ralph_engine::agent::{Agent, Roster};

use crate::agents::{how_to_get_one, installed};
use crate::problem::{Problem, Problems};
use crate::settings::Settings;

/// The agents in order of preference. The first must be there; each must be known.
pub(crate) fn crew(settings: &Settings, staff: &Staff, redactor: &Redactor) -> Result<Crew, Problems> {
    let served = |member: Member| {
        let server = settings.opencode.attach.as_ref().filter(|_| staff.is_served(&member));
        member.at(server.map(|address| address.url.clone()))
    };
    let primary = served(primary(settings, redactor)?);
    let session = settings.opencode.session_mode.filter(|_| staff.is_served(&primary));
    let fallback = settings.agent.fallback.iter().map(|name| served(Member::new(name.clone(), Vec::new())));
    let crew = Crew::new(primary, fallback.collect());
    Ok(crew.with(settings.routes.clone(), session.unwrap_or(settings.agent.session)))
}

fn primary(settings: &Settings, redactor: &Redactor) -> Result<Member, Problems> {
    let agent = &settings.agent;
    let is_generic = |name: &&AgentName| [COMMAND, ACP].contains(&name.as_str());
    let named = agent.name.as_ref().filter(|name| !is_generic(name));
    let is_acp = agent.protocol == Protocol::Acp || agent.name.as_ref().is_some_and(|n| n.as_str() == ACP);
    let member = match (named, &agent.command) {
        (Some(name), _) => Member::new(name.clone(), Vec::new()),
        (None, Some(words)) => {
            let name = if is_acp { ACP } else { COMMAND };
            Member::new(AgentName::parse(name).expect("a legal name"), checked(words, redactor)?)
        }
        (None, None) if agent.name.is_some() => return Err(no_command().into()),
        (None, None) => return Err(nobody().into()),
    };
    let protocol = if is_acp { Protocol::Acp } else { Protocol::Own };
    Ok(member.with(agent.model.clone(), agent.effort.clone()).speaking(protocol))
}

/// What an agent that is given as a command is called: one that prints, and one that speaks a protocol.
const COMMAND: &str = "command";
const ACP: &str = "acp";

fn no_command() -> Problem {
    Problem::new("the agent is to be a command, and none is given")
        .next("say which: `--agent-command 'PROGRAM ARGS'`, or `command` in [agent] of the configuration")
}

/// The command is stored with the run, so a secret in it is refused.
fn checked(words: &[String], redactor: &Redactor) -> Result<Vec<String>, Problems> {
    no_secret(words, redactor, "the agent's command", "the agent")?;
    Ok(words.to_vec())
}

/// Whether what would be stored with the run holds a secret; `whose` names it, and `reader` who needs it.
pub(crate) fn no_secret<T: AsRef<str>>(
    texts: &[T],
    redactor: &Redactor,
    whose: &str,
    reader: &str,
) -> Result<(), Problem> {
    if texts.iter().all(|text| redactor.text(text.as_ref()) == text.as_ref()) {
        return Ok(());
    }
    let what = format!("{whose} contains what looks like a secret, and it would be stored with the run");
    Err(Problem::new(what).next(format!("put the secret into an environment variable that {reader} reads")))
}

fn nobody() -> Problem {
    let problem = Problem::new("no agent is given");
    let there = installed();
    match there.first() {
        Some(first) => problem
            .next(format!("these are installed: {}", there.join(", ")))
            .next(format!("name one: `--agent {first}`, or `name` in [agent] of the configuration")),
        None => problem
            .next("none of the agents that ralph knows is installed")
            .next(how_to_get_one(&Catalogue::builtin()))
            .exit(5),
    }
}

/// Every agent must be there before the first attempt, and able to keep the limits that were asked for.
///
/// A person's choice goes before all others; of the others, none may be there any more by then.
pub(crate) fn check(
    crew: &Crew,
    staff: &Staff,
    limits: &Limits,
    require: &BTreeSet<Signal>,
) -> Result<(), Problems> {
    let candidates = crew.asked().map_or_else(|| crew.candidates(), |asked| vec![asked.clone()]);
    candidates.iter().try_for_each(|member| {
        let agent = usable(member, staff)?;
        keeps(&*agent, limits)?;
        goes_on(&*agent, crew.sessions())?;
        Ok(shows(&*agent, staff, require)?)
    })
}

fn usable(member: &Member, staff: &Staff) -> Result<Arc<dyn Agent>, Problem> {
    let name = &member.agent;
    staff.agent(member).map_err(|why| {
        let problem = Problem::new(format!("agent `{name}` cannot be used: {why}"));
        problem.next("`ralph agents` shows what is there; or check --agent-command")
    })
}

fn keeps(agent: &dyn Agent, limits: &Limits) -> Result<(), Problem> {
    let name = agent.name();
    if !agent.reports_usage() && (limits.max_tokens.is_some() || limits.max_cost.is_some()) {
        let what = format!(
            "agent `{name}` does not report what it uses, so --max-tokens and --max-cost-usd cannot be kept"
        );
        return Err(Problem::new(what).next("use --max-iterations or --max-duration with this agent"));
    }
    Ok(())
}

fn goes_on(agent: &dyn Agent, sessions: Sessions) -> Result<(), Problem> {
    let name = agent.name();
    let (can, what) = match sessions {
        Sessions::Fresh => return Ok(()),
        Sessions::Continue => (agent.can_continue(), "go on with a session of its own"),
        Sessions::Compact => (agent.can_compact(), "go on with a summary of its session"),
    };
    if can {
        return Ok(());
    }
    let next = "leave `session` in [agent] at \"fresh\", which is `--session fresh`, or take another agent";
    Err(Problem::new(format!("agent `{name}` cannot {what}")).next(next))
}

fn shows(agent: &dyn Agent, staff: &Staff, require: &BTreeSet<Signal>) -> Result<(), Problem> {
    let Some(signal) = require.iter().find(|signal| !agent.shows(**signal)) else { return Ok(()) };
    let able: Vec<&str> = staff.able_to_show(*signal).map(AgentName::as_str).collect();
    let signal = signal.name();
    let what =
        format!("agent `{}` has no means to show `{signal}`, so nothing would ever be done", agent.name());
    let next =
        format!("leave `{signal}` out of --require, or take an agent that has them: {}", able.join(", "));
    Err(Problem::new(what).next(next))
}
