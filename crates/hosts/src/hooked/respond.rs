//! What a host that starts a command at each event is answered.

use std::time::{Duration, Instant};

use ralph_core::in_session::Turn;
use ralph_core::sessions::Mode;
use ralph_engine::loops::{LoopError, Loops};
use ralph_engine::mailbox::Heard;
use ralph_engine::session::{Onward, Standing};
use ralph_store::Store;

use super::event::{Event, Told, said};
use super::reply::Reply;
use super::transcript::Final;
use crate::answer::{Happening, answer};
use crate::arguments::Asked;
use crate::ground::Ground;
use crate::wire::{Act, Action};
use crate::words;

/// Of what is longer, hosts show the agent nothing but the beginning.
const LONGEST_CONTEXT: usize = 9_000;
/// The part of a brief that says how to end the loop.
const LAST_SECTION: &str = "# When it is done";
/// What stands above the task in a brief.
const TASK_HEADING: &str = "# Task";
/// How hosts call the beginning after a conversation became a summary.
const COMPACTED: &str = "compact";
/// How long a transcript may lag behind its event.
const LAG: Duration = Duration::from_millis(300);

/// What a hook knows beside its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circumstances {
    /// How long the host still waits for an answer.
    pub within: Duration,
    /// How often in a row it may be told that a turn is not over.
    pub cap: Option<u32>,
    /// How many tools were seen to end in this attempt.
    pub tools: u32,
    /// What the agent said by ralph's own tools in this turn.
    pub said: Heard,
}

/// An error is a failure of ralph's own, by which the host is not harmed.
pub async fn respond<S: Store + 'static>(
    event: &Event,
    circumstances: Circumstances,
    loops: &Loops<S>,
    ground: &impl Ground<S>,
) -> Result<Reply, LoopError> {
    let desk = Desk { event, circumstances, loops, ground };
    match &event.told {
        Told::Command(Ok(Asked::Start(_))) if event.mode == Some(Mode::Plan) => {
            Ok(Reply::Kept(words::PLANS.to_owned()))
        }
        Told::Command(asked) => {
            let task = if let Ok(Asked::Start(start)) = asked { start.prompt.as_str() } else { "" };
            let happening = Happening::Command(asked.clone());
            Ok(to_a_command(task, answer(&event.session, happening, loops, ground).await?))
        }
        Told::Said { text } => desk.said(text).await,
        Told::Stopped { said, mark } => {
            let Some(standing) = desk.standing().await? else { return Ok(Reply::Nothing) };
            if event.mode == Some(Mode::Plan) {
                return desk.planned().await;
            }
            let transcript = event.transcript.as_deref();
            let last = transcript.map(|path| read(path, said.as_deref())).unwrap_or_default();
            let turn = turn(said.as_deref(), mark.as_deref(), &last, &desk.circumstances);
            match desk.stopped(&turn, &last, transcript).await? {
                Reply::Nothing if !standing.is_paused && !standing.asks => desk.stands_still().await,
                reply => Ok(reply),
            }
        }
        Told::Broken { what } => {
            let why = format!("the host ended the turn: {what}");
            Ok(desk.held_up(&why).await?.unwrap_or(Reply::Nothing))
        }
        Told::Started { source } => desk.started(source == COMPACTED).await,
        Told::Ended { cleared: true } => desk.over("the conversation was cleared").await,
        Told::Ended { cleared: false } => {
            loops.left(&event.session, "the session ended in the middle of a turn").await?;
            Ok(Reply::Nothing)
        }
        Told::Tool(_) | Told::Other => Ok(Reply::Nothing),
    }
}

/// Hosts write their transcripts on the side.
fn read(path: &std::path::Path, said: Option<&str>) -> Final {
    let begun = Instant::now();
    loop {
        let last = Final::of(path);
        let text = last.text.as_deref().map(str::trim);
        let agrees = said.map_or(text.is_some(), |said| text == Some(said.trim()));
        if agrees {
            return last;
        }
        if begun.elapsed() > LAG {
            // It is of another turn.
            return Final { blocks: last.blocks, waiting: last.waiting, ..Final::default() };
        }
        std::thread::sleep(Duration::from_millis(25));
    }
}

/// The turn that is over. One that nothing names is taken for a new one: hosts tell of each once.
fn turn(said: Option<&str>, mark: Option<&str>, last: &Final, circumstances: &Circumstances) -> Turn {
    let Heard { signals, summary, question } = circumstances.said.clone();
    let named = last.id.clone().or_else(|| mark.map(str::to_owned));
    let message = named.unwrap_or_else(|| format!("at {}", jiff::Timestamp::now()));
    Turn {
        message: Some(message),
        text: said.map(str::to_owned).or_else(|| last.text.clone()).unwrap_or_default(),
        tools: last.tools.max(circumstances.tools),
        signals: signals.into_iter().collect(),
        summary,
        question,
        usage: last.usage,
        duration: last.duration,
        ..Turn::default()
    }
}

/// A command begins no turn of its own here: either its brief goes with it, or it goes no further.
fn to_a_command(task: &str, actions: Vec<Action>) -> Reply {
    let note = actions.iter().find_map(note);
    let prompt = actions.into_iter().find_map(|action| match action.act {
        Act::Prompt { text } => Some(text),
        _ => None,
    });
    match prompt {
        None => Reply::Nothing,
        Some(text) => match words::told(&text) {
            Some(told) => Reply::Kept(told.to_owned()),
            None => Reply::Context { text: whole(text, task), note },
        },
    }
}

/// What waits for the end of a turn would wait for the end of the loop.
fn wants_an_end(waiting: &str) -> Option<&'static str> {
    match said(waiting) {
        Told::Said { .. } => Some("a person took over"),
        Told::Command(Ok(Asked::Stop | Asked::RollBack)) => Some("cancelled"),
        Told::Command(Ok(Asked::Start(start))) if start.replace => Some("replaced"),
        _ => None,
    }
}

/// What a toast says, in a line.
fn note(action: &Action) -> Option<String> {
    match &action.act {
        Act::Toast { title, message, .. } => Some(format!("{title}: {message}")),
        _ => None,
    }
}

/// What a person is told where ralph failed, and its loop stands still. None where nothing is to be said.
pub fn given_up(error: &LoopError) -> Option<Reply> {
    words::let_go(error).first().map(noted)
}

fn noted(action: &Action) -> Reply {
    note(action).map_or(Reply::Nothing, Reply::Tell)
}

struct Desk<'a, S, G> {
    event: &'a Event,
    circumstances: Circumstances,
    loops: &'a Loops<S>,
    ground: &'a G,
}

impl<S: Store + 'static, G: Ground<S>> Desk<'_, S, G> {
    async fn standing(&self) -> Result<Option<Standing>, LoopError> {
        self.loops.standing(&self.event.session).await
    }

    /// Whoever speaks while the agent is at its task has taken over; otherwise the agent learns of its task.
    async fn said(&self, text: &str) -> Result<Reply, LoopError> {
        let Some(standing) = self.standing().await? else { return Ok(Reply::Nothing) };
        // Some hosts give a brief to the agent as if a person had typed it.
        if standing.brief.as_deref().is_some_and(|brief| standing.is_briefed && text.contains(brief.trim())) {
            return Ok(Reply::Nothing);
        }
        if standing.is_briefed && !standing.is_paused {
            return self.over("a person took over").await;
        }
        // Whoever plans with the agent lets the loop wait.
        if self.event.mode == Some(Mode::Plan) {
            return Ok(Reply::Nothing);
        }
        match self.loops.begin(&self.event.session, self.ground).await? {
            Onward::Next(next) if text.contains(standing.prompt.trim()) => {
                Ok(Reply::Context { text: next.instruction.clone(), note: note(&words::iteration(&next)) })
            }
            Onward::Next(next) => Ok(Reply::Context {
                note: note(&words::iteration(&next)),
                text: whole(next.brief, &standing.prompt),
            }),
            Onward::Ended(ended) => Ok(noted(&words::ended(&ended))),
            Onward::Later { .. } | Onward::Due { .. } | Onward::Silence => Ok(Reply::Nothing),
        }
    }

    async fn stopped(
        &self,
        turn: &Turn,
        last: &Final,
        transcript: Option<&std::path::Path>,
    ) -> Result<Reply, LoopError> {
        match self.judged(turn).await? {
            Onward::Next(next) => {
                // Judging takes its time, and people type meanwhile.
                let waiting = transcript.map(|path| Final::of(path).waiting).unwrap_or_default();
                if let Some(why) = last.waiting.iter().chain(&waiting).find_map(|text| wants_an_end(text)) {
                    return self.over(why).await;
                }
                let cap = self.circumstances.cap.filter(|cap| *cap > 0 && last.blocks >= *cap);
                if let Some(cap) = cap {
                    let why = format!("the host lets a turn be prolonged {cap} times in a row and not more");
                    return Ok(self.held_up(&why).await?.unwrap_or(Reply::Nothing));
                }
                let note = note(&words::iteration(&next));
                Ok(Reply::GoOn { brief: next.brief, note })
            }
            Onward::Ended(ended) => Ok(noted(&words::ended(&ended))),
            Onward::Later { .. } => {
                let why = "the directory was in use by another run for too long";
                Ok(self.held_up(why).await?.unwrap_or(Reply::Nothing))
            }
            Onward::Due { .. } | Onward::Silence => Ok(Reply::Nothing),
        }
    }

    /// Whoever waits for a person says so once.
    async fn stands_still(&self) -> Result<Reply, LoopError> {
        let run = self.loops.run_of(&self.event.session).await?;
        Ok(run.as_ref().and_then(words::stands_still).map_or(Reply::Nothing, |told| noted(&told)))
    }

    /// A turn in which the agent could only plan is no attempt: nothing is judged, and the loop stays where it is.
    async fn planned(&self) -> Result<Reply, LoopError> {
        self.loops
            .left(&self.event.session, "the session is in plan mode, so the turn is not judged")
            .await?;
        Ok(Reply::Tell(words::WAITS_FOR_PLAN.to_owned()))
    }

    /// Nobody asks again here, so what has to wait is waited for.
    async fn judged(&self, turn: &Turn) -> Result<Onward, LoopError> {
        let begun = Instant::now();
        loop {
            let onward = self.loops.turn(&self.event.session, turn, self.ground).await?;
            let Onward::Later { after } = onward else { return Ok(onward) };
            if begun.elapsed() + after + after > self.circumstances.within {
                return Ok(onward);
            }
            tokio::time::sleep(after).await;
        }
    }

    async fn started(&self, compacted: bool) -> Result<Reply, LoopError> {
        let Some(standing) = self.standing().await? else { return Ok(Reply::Nothing) };
        let (run, iteration) = (&standing.run, standing.iteration);
        let of = standing.max_iterations.map_or(String::new(), |max| format!(" of {max}"));
        if compacted && standing.is_briefed && !standing.is_paused {
            let brief = standing.brief.as_deref().unwrap_or(&standing.prompt);
            let brief = whole(brief.to_owned(), &standing.prompt);
            let text = format!("A ralph loop goes on in this session. What you were told last:\n\n{brief}");
            return Ok(Reply::Brief(text));
        }
        self.loops.left(&self.event.session, "the session was opened again").await?;
        let how = match standing.is_paused {
            true => format!("But it is paused, and `ralph resume {run}` lets it go on"),
            false => {
                let ralph = self.ground.manner().command;
                format!("It goes on with what the person says next; `{ralph} stop` ends it")
            }
        };
        let text = format!(
            "A ralph loop lives in this session, at iteration {iteration}{of}: {}. {how}.",
            standing.description.trim_end_matches('.')
        );
        Ok(Reply::Context { note: Some(text.clone()), text })
    }

    async fn over(&self, why: &str) -> Result<Reply, LoopError> {
        match self.loops.aborted(&self.event.session, why).await? {
            Some(Onward::Ended(ended)) => Ok(noted(&words::cancelled(ended.iteration, why))),
            Some(Onward::Silence | Onward::Later { .. } | Onward::Due { .. } | Onward::Next(_)) | None => {
                Ok(Reply::Nothing)
            }
        }
    }

    /// The loop stands still until a person wants it to go on.
    async fn held_up(&self, why: &str) -> Result<Option<Reply>, LoopError> {
        let run = self.loops.held_up(&self.event.session, why).await?;
        Ok(run.map(|run| {
            Reply::Tell(format!("ralph: {why}; the loop is paused: `ralph resume {run}` lets it go on"))
        }))
    }
}

/// A brief, with what must not be lost in front where it is long: how to end the loop, then the task.
fn whole(brief: String, task: &str) -> String {
    let last = brief.rfind(LAST_SECTION).filter(|_| brief.len() > LONGEST_CONTEXT);
    let Some((before, last)) = last.map(|at| brief.split_at(at)) else { return brief };
    let task = format!("{TASK_HEADING}\n\n{}\n", task.trim_end());
    // What is remembered stands before the task, and may have headings of the same name.
    let (before, between) = before.rsplit_once(&task).unwrap_or((before, ""));
    format!("{}\n\n{task}\n{before}{}", last.trim_end(), between.trim_start())
}
