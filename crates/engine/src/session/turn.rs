//! What a host tells of a session, taken in by the loop that lives there.

use std::time::Duration;

use ralph_core::check::Verification;
use ralph_core::id::{RunId, SessionId};
use ralph_core::in_session::{RECOVERY, Turn, TurnEnding};
use ralph_core::judge::ASKINGS;
use ralph_core::machine::{Heard, Why};
use ralph_core::moment::Moment;
use ralph_core::run::{Run, Step};
use ralph_memory::stated_before;
use ralph_store::{Store, StoreError};

use super::onward::{Onward, Waiting, go_on};
use super::told::moment;
use crate::drive::Parts;
use crate::error::{EngineError, chain};
use crate::hooks;
use crate::loops::{LoopError, Loops};

/// What everything but checks, judges and hooks may take.
const MARGIN: Duration = Duration::from_secs(30);
/// How soon a session is looked at again whose tree somebody else has.
const BUSY: Duration = Duration::from_secs(5);

/// Who provides what a turn is judged with.
pub trait Provide<S> {
    /// The parts for this run. None while somebody else has its tree.
    fn parts(&self, run: &Run) -> impl Future<Output = Result<Option<Parts<S>>, String>>;

    /// How long judging may take, without the user's hooks.
    fn deadline(&self, run: &Run) -> Duration {
        judging_time(&run.policy.verification)
    }

    /// How long the host still waits at most, whatever judging and the user's hooks may take.
    fn within(&self) -> Option<Duration> {
        None
    }

    /// Judging begins, and is given up after this long. Whoever can see to it from outside does.
    fn expect(&self, _within: Duration) {}

    /// How the host waits until an agent may be told something.
    fn waiting(&self) -> Waiting {
        Waiting::HoldsBack
    }
}

fn judging_time(verification: &Verification) -> Duration {
    let checks: Duration = verification.checks.iter().map(|check| check.timeout).sum();
    let judge = verification.asks_an_agent().then_some(verification.judging.timeout * ASKINGS);
    checks + judge.unwrap_or_default() + MARGIN
}

/// With the notes that the run's own end of the message leaves out.
fn hear(run: &mut Run, turn: &Turn, now: Moment) -> Heard {
    let heard = run.hear(turn, now);
    if let (Heard::Taken, Step::Verify(_, report)) = (&heard, &mut run.step) {
        report.stated = stated_before(&turn.text, &report.tail);
    }
    heard
}

impl<S: Store + 'static> Loops<S> {
    /// The agent of a session is through with a turn. The same turn is answered once, whoever tells it how often.
    pub async fn turn(
        &self,
        session: &SessionId,
        turn: &Turn,
        provide: &impl Provide<S>,
    ) -> Result<Onward, LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(Onward::Silence) };
        // Most of what is told needs nothing but a look.
        let Some(mut seen) = self.store.run(&id).await? else { return Ok(Onward::Silence) };
        let turn = self.without_secrets(turn);
        if let Heard::Nothing(why) = seen.hear(&turn, moment(&seen)) {
            return Ok(self.nothing(why));
        }
        self.judge(&id, Some(&turn), provide).await
    }

    /// What an agent says is kept, in the run and in its journal.
    fn without_secrets(&self, turn: &Turn) -> Turn {
        let clean = |text: &str| self.redactor.text(text).into_owned();
        let ending = match &turn.ending {
            TurnEnding::Failed { what } => TurnEnding::Failed { what: clean(what) },
            ending @ (TurnEnding::Well | TurnEnding::Aborted | TurnEnding::Recognised { .. }) => {
                ending.clone()
            }
        };
        let [question, summary] = [&turn.question, &turn.summary].map(|said| said.as_deref().map(clean));
        Turn { text: clean(&turn.text), ending, question, summary, ..turn.clone() }
    }

    fn nothing(&self, why: Why) -> Onward {
        match why {
            Why::Recovering => Onward::Later { after: RECOVERY },
            Why::NoLoop | Why::Ended | Why::Replacing | Why::Known => Onward::Silence,
        }
    }

    /// Goes on with a loop that was started and has no brief yet.
    pub async fn begin(&self, session: &SessionId, provide: &impl Provide<S>) -> Result<Onward, LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(Onward::Silence) };
        self.judge(&id, None, provide).await
    }

    /// The time has come that [`Onward::Due`] spoke of.
    pub async fn due(&self, session: &SessionId, provide: &impl Provide<S>) -> Result<Onward, LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(Onward::Silence) };
        let seen = self.store.run(&id).await?;
        match seen.is_some_and(|run| run.is_due(moment(&run))) {
            true => self.judge(&id, None, provide).await,
            false => Ok(Onward::Silence),
        }
    }

    async fn judge(
        &self,
        id: &RunId,
        turn: Option<&Turn>,
        provide: &impl Provide<S>,
    ) -> Result<Onward, LoopError> {
        let Some(seen) = self.store.run(id).await? else { return Ok(Onward::Silence) };
        if seen.awaits_a_person(moment(&seen).at) && self.stands_still(id, turn).await? {
            return Ok(Onward::Silence);
        }
        let parts = match provide.parts(&seen).await {
            Ok(Some(parts)) => parts,
            Ok(None) => return Ok(Onward::Later { after: BUSY }),
            Err(why) => return self.let_go(id, &why).await,
        };
        // Whoever takes it last goes on with it; everybody else is refused when they write.
        let Some(mut run) = self.store.take_run(id).await? else { return Ok(Onward::Silence) };
        for (no, control) in self.store.waiting_controls(id, run.controls_seen).await? {
            let now = moment(&run);
            run.apply(no, &control, now);
        }
        let now = moment(&run);
        match turn.map(|turn| hear(&mut run, turn, now)) {
            Some(Heard::Nothing(why)) => return Ok(self.nothing(why)),
            // Another process was quicker, and has told the agent.
            None if run.is_briefed() => return Ok(Onward::Silence),
            Some(Heard::Unbriefed | Heard::Taken | Heard::Behind) | None => {}
        }
        let wanted = provide.deadline(&run) + hooks::allowance(&parts.hooks);
        let deadline = provide.within().map_or(wanted, |within| wanted.min(within));
        provide.expect(deadline);
        match tokio::time::timeout(deadline, go_on(parts, run, provide.waiting())).await {
            Ok(Ok(onward)) => Ok(onward),
            // Another process has it: that one answers.
            Ok(Err(EngineError::Store(StoreError::Fenced { .. }))) => Ok(Onward::Silence),
            Ok(Err(error)) => self.let_go(id, &chain(&error)).await,
            Err(_) => {
                let more = match wanted > deadline + MARGIN {
                    true => format!(
                        ", all that the host had left, and it may take {} s: install ralph's hooks again, with these checks \
                         in the configuration, and let no other run have the directory",
                        wanted.as_secs()
                    ),
                    false => String::new(),
                };
                let why = format!("judging the turn took longer than {} s{more}", deadline.as_secs());
                self.let_go(id, &why).await
            }
        }
    }

    /// Whether nobody lets a loop go on that is paused or has asked something. It does nothing in the tree, so it is not
    /// to wait for it.
    async fn stands_still(&self, id: &RunId, turn: Option<&Turn>) -> Result<bool, LoopError> {
        let heard = self.amend(id, |run, now| {
            if let Some(turn) = turn.filter(|_| run.awaits_a_person(now.at)) {
                hear(run, turn, now);
            }
        });
        Ok(heard.await?.is_some_and(|run| run.awaits_a_person(moment(&run).at)))
    }

    /// The host goes on without ralph, and the loop stands still until a person wants it to go on.
    async fn let_go(&self, id: &RunId, why: &str) -> Result<Onward, LoopError> {
        let why = self.redactor.text(why).into_owned();
        let text = format!("{why}; the loop is paused: `ralph resume {id}` goes on with the next turn");
        let run = self.amend(id, |run, now| run.let_go(&text, now)).await?;
        let is_paused = run.is_some_and(|run| run.is_paused());
        Err(LoopError::LetGo { why, run: id.clone(), is_paused })
    }

    /// What the host was to do with the brief failed: so has the attempt.
    pub async fn undelivered(
        &self,
        session: &SessionId,
        what: &str,
        provide: &impl Provide<S>,
    ) -> Result<Onward, LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(Onward::Silence) };
        let what = self.redactor.text(what).into_owned();
        self.amend(&id, |run, now| run.undelivered(&what, now)).await?;
        self.judge(&id, None, provide).await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ralph_core::check::{Judge, Verification};
    use ralph_core::judge::Judging;

    use super::{hooks, judging_time};
    use crate::hooks::Hook;

    #[test]
    fn judging_may_take_as_long_as_everything_that_is_part_of_it() {
        let s = Duration::from_secs;
        let none = Verification::default();
        assert_eq!(judging_time(&none), s(30));
        let judging = Judging { timeout: s(100), ..Judging::default() };
        let judged = Verification { judge: Judge::Both, judging, ..none };
        assert_eq!(judging_time(&judged), s(230));
        let hook = |on: &[&str], veto| Hook {
            name: "own".to_owned(),
            on: on.iter().map(|&name| name.to_owned()).collect(),
            program: "true".into(),
            args: Vec::new(),
            timeout: s(7),
            veto,
        };
        assert_eq!(hooks::allowance(&[]), s(0));
        assert_eq!(hooks::allowance(&[hook(&["verdict"], false)]), s(24));
        assert_eq!(hooks::allowance(&[hook(&["verdict", "iteration_started"], true)]), s(38));
    }
}
