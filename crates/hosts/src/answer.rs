//! What a host is to do after something happened in one of its sessions: the same for every host.

use std::time::Duration;

use ralph_core::id::SessionId;
use ralph_core::in_session::{Strategy, Turn};
use ralph_core::report::AgentExit;
use ralph_core::run::Step;
use ralph_engine::boxed;
use ralph_engine::loops::{LoopError, LoopOptions, Loops};
use ralph_engine::session::{Ended, Onward, Presented};
use ralph_store::Store;

use crate::arguments::{Asked, BadArguments, Start};
use crate::ground::Ground;
use crate::wire::{Act, Action};
use crate::words;

/// A wait that is shorter needs no word.
const TOLD: Duration = Duration::from_secs(5);
/// How many sessions that may be gone are asked after at a time.
const ASKED_AFTER: usize = 5;

/// Something that happened in a session, whatever the host calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// The agent is through with a turn.
    Idle(Box<Turn>),
    /// A person ended the turn.
    Aborted,
    Error {
        what: String,
    },
    /// An error that means what it would mean in any other run.
    Refused(AgentExit),
    /// It is time for what was put off.
    Due,
    /// The session does not exist any more.
    Gone,
    /// One of ralph's commands.
    Command(Result<Asked, BadArguments>),
    /// A person says something that the agent has not read yet.
    Message {
        text: String,
        first: bool,
    },
    /// Another session takes the place of this one.
    Replaced {
        by: SessionId,
        summary: Option<String>,
    },
    /// The brief could not be given.
    Undelivered {
        what: String,
    },
    /// Nothing that a loop needs to know.
    Other,
}

/// What the host is to do, in this order. An error is a failure of ralph's own, by which the host is not harmed.
pub async fn answer<S: Store + 'static>(
    session: &SessionId,
    happening: Happening,
    loops: &Loops<S>,
    ground: &impl Ground<S>,
) -> Result<Vec<Action>, LoopError> {
    let seen = loops.look(session).await?;
    let Presented { seen, refused } = loops.presented(session, seen, |run| ground.refusal(run)).await?;
    if let Some(why) = refused {
        return Ok(vec![words::failed(&why)]);
    }
    let desk = Desk { session, loops, ground };
    if seen.here.is_none() {
        return match happening {
            Happening::Command(asked) => boxed(|| desk.command(asked)).await,
            Happening::Message { text, first: true } => boxed(|| desk.first(&text)).await,
            Happening::Idle(_) => Ok(seen.elsewhere.iter().take(ASKED_AFTER).map(ask_after).collect()),
            Happening::Aborted
            | Happening::Error { .. }
            | Happening::Refused(_)
            | Happening::Due
            | Happening::Gone
            | Happening::Message { .. }
            | Happening::Replaced { .. }
            | Happening::Undelivered { .. }
            | Happening::Other => Ok(Vec::new()),
        };
    }
    match happening {
        Happening::Idle(turn) => boxed(|| desk.turned(&turn)).await,
        Happening::Aborted => desk.end("the turn was aborted").await,
        Happening::Error { what } => Ok(erred(&what, loops.stumbled(session, &what).await?)),
        Happening::Refused(exit) => Ok(erred(&exit.to_string(), loops.refused(session, &exit).await?)),
        Happening::Due => Ok(onward(boxed(|| loops.due(session, ground)).await?)),
        Happening::Gone => desk.end("the session is gone").await,
        Happening::Command(asked) => boxed(|| desk.command(asked)).await,
        Happening::Message { .. } => {
            // Told once for each session after the host was started.
            loops.replacement_lost(session).await?;
            boxed(|| desk.instruct()).await
        }
        Happening::Replaced { by, summary } => boxed(|| desk.replaced(by, summary)).await,
        Happening::Undelivered { what } => {
            let mut actions = vec![words::failed(&format!("the brief could not be given: {what}"))];
            actions.extend(onward(boxed(|| loops.undelivered(session, &what, ground)).await?));
            Ok(actions)
        }
        Happening::Other => Ok(Vec::new()),
    }
}

fn erred(what: &str, next: Onward) -> Vec<Action> {
    let told = if let Onward::Later { after } = next { Some(words::waiting(what, after)) } else { None };
    told.into_iter().chain(onward(next)).collect()
}

/// A loop whose session is gone is nobody's; only the host knows.
fn ask_after(session: &SessionId) -> Action {
    Action { session: Some(session.clone()), ..Act::Recheck { only_existence: true }.into() }
}

fn onward(onward: Onward) -> Vec<Action> {
    let ms = |delay: Duration| u64::try_from(delay.as_millis()).ok().filter(|ms| *ms > 0);
    match onward {
        Onward::Silence => Vec::new(),
        Onward::Later { after } => {
            vec![Action { after_ms: ms(after), ..Act::Recheck { only_existence: false }.into() }]
        }
        Onward::Due { after, why } => {
            let told = why.filter(|_| after >= TOLD).map(|why| words::waits(after, &why));
            let due = Action { after_ms: ms(after), ..Act::Due {}.into() };
            told.into_iter().chain([due]).collect()
        }
        Onward::Ended(ended) => vec![words::ended(&ended)],
        Onward::Next(next) => {
            let toast = words::iteration(&next);
            let after_ms = ms(next.delay);
            let title = format!("ralph: iteration {}", next.iteration);
            let begin = Action { after_ms, ..Act::NewSession { title }.into() };
            match next.strategy {
                Strategy::Continue => {
                    let prompt = Action { after_ms, ..Act::Prompt { text: next.brief }.into() };
                    vec![toast, prompt]
                }
                Strategy::Reset => vec![toast, begin],
                Strategy::Compact => vec![toast, Act::Summarise {}.into(), begin],
            }
        }
    }
}

fn not_put_back(why: &str) -> Vec<Action> {
    vec![words::failed(why), words::only_tell(&format!("The files were not put back: {why}."))]
}

/// One event at the desk.
struct Desk<'a, S, G> {
    session: &'a SessionId,
    loops: &'a Loops<S>,
    ground: &'a G,
}

impl<S: Store + 'static, G: Ground<S>> Desk<'_, S, G> {
    async fn command(&self, asked: Result<Asked, BadArguments>) -> Result<Vec<Action>, LoopError> {
        match asked {
            Ok(Asked::Start(start)) => self.start(&start).await,
            Ok(Asked::Stop) => {
                let mut actions = self.end("cancelled").await?;
                let told = match actions.is_empty() {
                    true => {
                        actions.push(words::no_loop());
                        "No ralph loop goes on in this session."
                    }
                    false => "The ralph loop of this session is cancelled.",
                };
                actions.push(words::only_tell(told));
                Ok(actions)
            }
            Ok(Asked::Status) => {
                let told = match self.loops.state(Some(self.session.as_str())).await? {
                    Some(view) => words::status(&view),
                    None => "No ralph loop was started in this session.".to_owned(),
                };
                self.aside(&told).await
            }
            Ok(Asked::RollBack) => self.roll_back().await,
            Err(bad @ BadArguments::AtWork) => Ok(not_put_back(&self.ground.manner().told(&bad))),
            Err(bad) => self.refuse(&self.ground.manner().told(&bad)).await,
        }
    }

    async fn turned(&self, turn: &Turn) -> Result<Vec<Action>, LoopError> {
        let next = self.loops.turn(self.session, turn, self.ground).await?;
        let told = match &next {
            Onward::Ended(_) => self.keep_last_words(&turn.text).await?,
            Onward::Silence => self.stands_still().await?,
            Onward::Later { .. } | Onward::Due { .. } | Onward::Next(_) => None,
        };
        Ok(told.into_iter().chain(onward(next)).collect())
    }

    async fn stands_still(&self) -> Result<Option<Action>, LoopError> {
        Ok(self.loops.run_of(self.session).await?.as_ref().and_then(words::stands_still))
    }

    /// Of the session that a loop ends in, there is no summary but what its agent said last.
    async fn keep_last_words(&self, text: &str) -> Result<Option<Action>, LoopError> {
        let place = self.loops.run_of(self.session).await?.and_then(|run| run.in_session);
        Ok(place.and_then(|place| self.keep(place.summaries.as_deref(), text)))
    }

    /// Nothing, or that it could not be kept.
    fn keep(&self, folder: Option<&str>, summary: &str) -> Option<Action> {
        let folder = folder.filter(|_| !summary.trim().is_empty())?;
        let why = self.ground.keep_summary(folder, self.session, summary).err()?;
        Some(words::failed(&format!("the summary was not kept: {why}")))
    }

    async fn start(&self, start: &Start) -> Result<Vec<Action>, LoopError> {
        let options = match self.ground.options(start).await {
            Ok(options) => options,
            Err(why) => return self.refuse(&why).await,
        };
        match self.enter(&start.prompt, options).await {
            Ok(true) => self.begin().await,
            Ok(false) => {
                let view = self.loops.state(Some(self.session.as_str())).await?;
                let (at, ralph) = (view.map_or(0, |view| view.iteration), self.ground.manner().command);
                let why = format!(
                    "a ralph loop is at iteration {at} in this session; `{ralph} stop` ends it, `--replace` starts over"
                );
                self.refuse(&why).await
            }
            Err(error @ (LoopError::Promise(_) | LoopError::EmptyPrompt | LoopError::Unbounded)) => {
                self.refuse(&error.to_string()).await
            }
            Err(error) => Err(error),
        }
    }

    async fn enter(&self, prompt: &str, options: LoopOptions) -> Result<bool, LoopError> {
        let started = self.loops.start_loop(self.session.as_str(), prompt, options).await?;
        if started && let Some(run) = self.loops.look(self.session).await?.here {
            self.ground.begun(&run).await;
        }
        Ok(started)
    }

    /// The first brief takes the place of what the command says.
    async fn begin(&self) -> Result<Vec<Action>, LoopError> {
        let begun = match self.loops.begin(self.session, self.ground).await {
            Err(LoopError::LetGo { why, .. }) => {
                self.loops.aborted(self.session, &why).await?;
                return self.refuse(&why).await;
            }
            begun => begun?,
        };
        match begun {
            Onward::Next(next) => {
                let toast = self.is_started().await?;
                Ok(std::iter::once(Act::Prompt { text: next.brief }.into()).chain(toast).collect())
            }
            Onward::Ended(ended) => {
                let told = format!("The ralph loop could not begin: {}", ended.stop.evidence);
                Ok(vec![words::ended(&ended), words::only_tell(&told)])
            }
            waits @ Onward::Due { .. } => {
                let mut actions = onward(waits);
                actions.push(words::only_tell("The ralph loop begins in a moment."));
                Ok(actions)
            }
            Onward::Later { .. } | Onward::Silence => {
                if let Some(Act::Toast { title, message, .. }) =
                    self.stands_still().await?.map(|told| told.act)
                {
                    return Ok(vec![words::only_tell(&format!("{title}: {message}"))]);
                }
                self.loops.aborted(self.session, "the directory is in use by another run").await?;
                self.refuse("the directory is in use by another run; `ralph status` shows it").await
            }
        }
    }

    async fn is_started(&self) -> Result<Option<Action>, LoopError> {
        let view = self.loops.state(Some(self.session.as_str())).await?;
        let run = self.loops.run_of(self.session).await?;
        Ok(view.zip(run).map(|(view, run)| words::started(&view, &run.policy.completion.require)))
    }

    async fn refuse(&self, why: &str) -> Result<Vec<Action>, LoopError> {
        let mut actions = vec![words::failed(why)];
        actions.extend(self.aside(&format!("ralph did not start a loop: {why}")).await?);
        Ok(actions)
    }

    /// A turn that is not about the task of a loop that goes on.
    async fn aside(&self, told: &str) -> Result<Vec<Action>, LoopError> {
        if self.ground.commands_begin_turns() {
            self.loops.turn_aside(self.session).await?;
        }
        Ok(vec![words::only_tell(told)])
    }

    async fn end(&self, why: &str) -> Result<Vec<Action>, LoopError> {
        match self.loops.aborted(self.session, why).await? {
            Some(Onward::Ended(Ended { iteration, .. })) => Ok(vec![words::cancelled(iteration, why)]),
            Some(Onward::Silence | Onward::Later { .. } | Onward::Due { .. } | Onward::Next(_)) | None => {
                Ok(Vec::new())
            }
        }
    }

    async fn roll_back(&self) -> Result<Vec<Action>, LoopError> {
        if self.loops.is_at_work(self.session).await? {
            return Ok(not_put_back(&self.ground.manner().told(&BadArguments::AtWork)));
        }
        let mut actions = self.end("rolled back").await?;
        let told = match self.loops.state(Some(self.session.as_str())).await? {
            None => "No ralph loop was started in this session, so there is nothing to roll back.".to_owned(),
            Some(view) => match self.ground.roll_back(&view.run).await {
                Ok(done) => format!("The files are as they were before the ralph loop. {done}"),
                Err(why) => {
                    actions.push(words::failed(&why));
                    format!("The files could not be put back: {why}")
                }
            },
        };
        actions.push(words::only_tell(&told));
        Ok(actions)
    }

    /// The agent learns how to say that it is done.
    async fn instruct(&self) -> Result<Vec<Action>, LoopError> {
        if !self.loops.is_unbriefed(self.session).await? {
            return Ok(Vec::new());
        }
        match self.loops.begin(self.session, self.ground).await? {
            Onward::Next(next) => Ok(vec![Act::Append { text: format!("\n\n{}", next.instruction) }.into()]),
            Onward::Ended(ended) => Ok(vec![words::ended(&ended)]),
            waits @ Onward::Due { .. } => Ok(onward(waits)),
            Onward::Later { .. } | Onward::Silence => Ok(Vec::new()),
        }
    }

    /// Where the original plugin is configured, every session loops from its first message.
    async fn first(&self, text: &str) -> Result<Vec<Action>, LoopError> {
        let Some(original) = self.ground.original() else { return Ok(Vec::new()) };
        if !self.enter(text, original.options()).await? {
            return Ok(Vec::new());
        }
        let mut actions = self.instruct().await?;
        if actions.iter().any(|action| matches!(action.act, Act::Append { .. })) {
            actions.extend(self.is_started().await?);
        }
        Ok(actions)
    }

    async fn replaced(&self, by: SessionId, summary: Option<String>) -> Result<Vec<Action>, LoopError> {
        let Some(run) = self.loops.replaced(self.session, &by).await? else { return Ok(Vec::new()) };
        let Step::Code(_, brief) = &run.step else { return Ok(Vec::new()) };
        let summary = summary.filter(|summary| !summary.trim().is_empty());
        let folder = run.in_session.as_ref().and_then(|place| place.summaries.as_deref());
        let unkept = summary.as_ref().and_then(|summary| self.keep(folder, summary));
        let mut actions: Vec<Action> = unkept.into_iter().collect();
        let told = summary.map(|summary| format!("# What happened so far\n\n{}\n\n", summary.trim()));
        let text = told.unwrap_or_default() + &brief.text;
        actions.push(Action { session: Some(by), ..Act::Prompt { text }.into() });
        Ok(actions)
    }
}
