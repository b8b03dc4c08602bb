//! Whoever is to judge a run must be able to before it begins, and there must be something to judge by.

use ralph_agents::Staff;
use ralph_core::check::Judge;
use ralph_core::crew::Crew;
use ralph_core::policy::{Policy, Signal};
use ralph_core::sandbox::Mode;
use ralph_engine::Place;
use ralph_engine::agent::Roster;

use crate::models::{self, Asking};
use crate::problem::{Problem, Problems};
use crate::sandbox::Ground;
use crate::settings::Settings;
use crate::vault;

/// The judge as a crew of its own, where an agent judges.
pub(crate) fn check(crew: &Crew, staff: &Staff, policy: &Policy) -> Result<Option<Crew>, Problems> {
    let verification = &policy.verification;
    if !policy.completion.require.contains(&Signal::Criteria) {
        return Ok(None);
    }
    match (verification.judge, verification.checks.is_empty()) {
        (Judge::Exit, true) => return Err(nothing_to_hold().into()),
        (Judge::Both, true) => return Err(nothing_for_both().into()),
        (Judge::Exit, false) => return Ok(None),
        (Judge::Agent, _) | (Judge::Both, false) => {}
    }
    let member = crew.judge(&verification.judging);
    let name = &member.agent;
    let agent = staff.judge(&member).map_err(|why| {
        Problem::new(format!("agent `{name}` cannot judge: {why}"))
            .next("name one that is there as `judge_agent` in [verify]; `ralph agents` shows them")
    })?;
    let limits = &policy.limits;
    if !agent.reports_usage() && (limits.max_tokens.is_some() || limits.max_cost.is_some()) {
        let what = format!(
            "agent `{name}` is to judge and does not report what it uses, so --max-tokens and --max-cost-usd cannot be kept"
        );
        let next = "name another as `judge_agent` in [verify], or use --max-iterations or --max-duration";
        return Err(Problem::new(what).next(next).into());
    }
    Ok(Some(Crew::new(member, Vec::new())))
}

/// Criteria that somebody typed and that would decide nothing are a mistake.
pub(crate) fn asked_for(settings: &Settings, policy: &Policy) -> Result<(), Problem> {
    if !settings.typed_criteria || policy.completion.require.contains(&Signal::Criteria) {
        return Ok(());
    }
    Err(Problem::new("--criteria is given, and criteria are not among what shows that a task is done")
        .next("require them as well: --require criteria,promise")
        .next("or leave --criteria out; `ralph config` shows where `completion.require` is set"))
}

/// Its model, the sandbox of the run for it as well, and that what it changes can be seen.
pub(crate) async fn check_surroundings(
    judge: Option<&Crew>,
    place: &Place,
    policy: &Policy,
    ground: Ground<'_>,
    asking: Asking<'_>,
) -> Result<(), Problems> {
    let Some(crew) = judge else { return Ok(()) };
    if vault::open(place)?.is_none() {
        return Err(unseen().into());
    }
    can_be_asked(crew, policy, ground, asking).await
}

/// Its model, and the sandbox of the run for it as well.
pub(crate) async fn can_be_asked(
    crew: &Crew,
    policy: &Policy,
    ground: Ground<'_>,
    asking: Asking<'_>,
) -> Result<(), Problems> {
    models::check(crew, ground.state_dir, asking).await?;
    if policy.sandbox.mode != Mode::Off {
        Ground { crew, ..ground }.renew(&policy.sandbox)?;
    }
    Ok(())
}

fn nothing_to_hold() -> Problem {
    Problem::new("criteria are required and there are none")
        .next("name some with --criteria or in [[check]], or let an agent judge: --judge agent")
}

fn unseen() -> Problem {
    Problem::new("an agent is to judge, and the state directory is inside the project: what it changes would not be seen")
        .next("put the state directory elsewhere, or let the checks judge alone: --judge exit")
}

fn nothing_for_both() -> Problem {
    Problem::new("an agent and the checks are to judge, and there are no checks")
        .next("name some with --criteria or in [[check]], or let the agent judge alone: --judge agent")
}
