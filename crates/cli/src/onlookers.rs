//! Agents that a run asks beside the one that works: a judge, and whoever says what a task was worth knowing for. They
//! must be there before the run begins.

use ralph_agents::Staff;
use ralph_core::crew::Crew;
use ralph_core::policy::Policy;
use ralph_engine::Place;
use ralph_engine::agent::Roster;

use crate::judge;
use crate::models::Asking;
use crate::problem::{Problem, Problems};
use crate::sandbox::Ground;
use crate::settings::Memory;

/// Each as a crew of its own.
pub(crate) struct Onlookers {
    judge: Option<Crew>,
    extracting: Option<Crew>,
}

impl Onlookers {
    pub(crate) fn check(
        crew: &Crew,
        staff: &Staff,
        policy: &Policy,
        memory: &Memory,
    ) -> Result<Onlookers, Problems> {
        let judge = judge::check(crew, staff, policy)?;
        Ok(Onlookers { judge, extracting: extracting(crew, staff, policy, memory)? })
    }

    /// Their models, the sandbox of the run for them as well, and that a judge's changes can be seen.
    pub(crate) async fn check_surroundings(
        &self,
        place: &Place,
        policy: &Policy,
        ground: Ground<'_>,
        asking: Asking<'_>,
    ) -> Result<(), Problems> {
        judge::check_surroundings(self.judge.as_ref(), place, policy, ground, asking).await?;
        match &self.extracting {
            Some(crew) => judge::can_be_asked(crew, policy, ground, asking).await,
            None => Ok(()),
        }
    }
}

fn extracting(
    crew: &Crew,
    staff: &Staff,
    policy: &Policy,
    memory: &Memory,
) -> Result<Option<Crew>, Problems> {
    let Some((by, _)) = memory.extract.as_ref().filter(|_| memory.enabled) else { return Ok(None) };
    let member = crew.judge(by);
    let name = &member.agent;
    let agent = staff.judge(&member).map_err(|why| {
        Problem::new(format!("agent `{name}` cannot be asked what a task was worth knowing for: {why}"))
            .next("name one that is there as `extract_agent` in [memory]; `ralph agents` shows them")
    })?;
    let limits = &policy.limits;
    if !agent.reports_usage() && (limits.max_tokens.is_some() || limits.max_cost.is_some()) {
        let what = format!(
            "agent `{name}` is to be asked about each task and does not report what it uses, so --max-tokens and \
             --max-cost-usd cannot be kept"
        );
        let next = "name another as `extract_agent` in [memory], or leave out `extract = \"agent\"`";
        return Err(Problem::new(what).next(next).into());
    }
    Ok(Some(Crew::new(member, Vec::new())))
}
