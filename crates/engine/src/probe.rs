//! Whether the agent that is to work answers again, after another took over: a trivial prompt and a few seconds.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::crew::Member;
use ralph_core::event::Stream;
use ralph_core::id::TaskId;
use ralph_core::promise::Word;
use ralph_core::report::{AgentExit, Response};
use ralph_core::task::Task;
use ralph_store::Store;
use tokio::io::AsyncReadExt;

use crate::agent::{Agent, Equipment, Heard, Listener};
use crate::attempt::{Reach, assemble};
use crate::custody::{Child, Custody, CustodyError, Ending, GuardOptions, Launch, Status};
use crate::drive::Drive;
use crate::environment::Variables;
use crate::error::{EngineError, chain};
use crate::output::Tail;

const PATIENCE: Duration = Duration::from_secs(5);
const QUESTION: &str = "Answer with the one word: ready. Do nothing else.";

impl<S: Store + 'static> Drive<S> {
    /// Asks the agent that is to work next, where that is worth it, and lets it go on if it answers.
    pub(crate) async fn probe(&mut self, task: &Task) -> Result<(), EngineError> {
        let Some(member) = self.run.to_probe(task, self.now()) else { return Ok(()) };
        let answered = match self.parts.roster.agent(&member) {
            Ok(agent) => self.answers(&*agent, &member).await?,
            Err(_) => false,
        };
        self.run.after_probe(task, answered, self.now());
        Ok(())
    }

    async fn answers(&mut self, agent: &dyn Agent, member: &Member) -> Result<bool, EngineError> {
        let attempt = Attempt {
            iteration: self.run.tally.iterations,
            number: 0,
            task: self.run.task.id.clone(),
            agent: member.agent.clone(),
            promise: self.run.policy.completion.promise.word.clone(),
        };
        let brief = Brief { text: QUESTION.to_owned() };
        let (launch, stdin) = self.launch(agent, &attempt, &brief, None, (Reach::Work, None))?;
        let custody = Custody::open(self.parts.guard.options(&self.run.id)?).await?;
        let said = converse(custody, &launch, stdin, agent.listen(&attempt, &brief), PATIENCE).await?;
        Ok(matches!(said.answer, Answer::Ended(exit) if exit.response() == Response::Verify))
    }
}

/// What a question came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Ended(AgentExit),
    /// It took longer than it might, and was ended.
    Late,
}

/// What an agent said when it was asked something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) answer: Answer,
    /// Its final message and what it asked, where it has ways of its own to tell them.
    pub(crate) message: Option<String>,
    pub(crate) question: Option<String>,
    /// The end of all that it printed.
    pub(crate) printed: String,
}

/// Asks an agent one small question, outside of any run, and says how long it took.
pub async fn preflight(
    agent: &dyn Agent,
    options: GuardOptions,
    environment: Variables,
    dir: PathBuf,
    patience: Duration,
) -> Result<(Answer, Duration), EngineError> {
    let brief = Brief { text: QUESTION.to_owned() };
    let begun = Instant::now();
    let said = outside(agent, options, (environment, dir), (&brief, None), patience).await?;
    Ok((said.answer, begun.elapsed()))
}

/// Asks outside of any run. `file` holds the brief too, for an agent that cannot be given so much.
pub(crate) async fn outside(
    agent: &dyn Agent,
    options: GuardOptions,
    place: (Variables, PathBuf),
    (brief, file): (&Brief, Option<&Path>),
    patience: Duration,
) -> Result<Said, EngineError> {
    let attempt = Attempt {
        iteration: 0,
        number: 0,
        task: TaskId::prompt(),
        agent: agent.name().clone(),
        promise: Word::parse("READY").expect("a word"),
    };
    let assembled = assemble(agent, &attempt, brief, place, (file, Equipment::default()))?;
    let custody = Custody::open(options).await?;
    let listener = agent.listen(&attempt, brief);
    converse(custody, &assembled.launch, assembled.stdin, listener, patience).await
}

async fn converse(
    mut custody: Custody,
    launch: &Launch,
    stdin: File,
    listener: Box<dyn Listener>,
    patience: Duration,
) -> Result<Said, EngineError> {
    let nothing = |answer| Said { answer, message: None, question: None, printed: String::new() };
    let heard = match custody.spawn(launch, stdin).await {
        Ok(child) => listen(&mut custody, child, listener, patience).await,
        Err(error) => Ok(nothing(Answer::Ended(AgentExit::NotStarted { why: chain(&error) }))),
    };
    let _nothing_left_either_way = custody.close().await;
    match heard {
        Err(CustodyError::GuardLost(_)) => Ok(nothing(Answer::Late)),
        other => Ok(other?),
    }
}

async fn listen(
    custody: &mut Custody,
    mut child: Child,
    mut listener: Box<dyn Listener>,
    patience: Duration,
) -> Result<Said, CustodyError> {
    let deadline = tokio::time::Instant::now() + patience;
    let mut overdue = false;
    let (mut out, mut err) = ([0_u8; 8192], [0_u8; 8192]);
    let mut open = (true, true);
    let mut printed = Tail::default();
    loop {
        tokio::select! {
            biased;
            exit = custody.exited() => {
                let code = match exit?.status {
                    Status::Code(code) => AgentExit::Code { code },
                    Status::Signal(signal) => AgentExit::Signal { signal },
                };
                while let Ok(read @ 1..) = child.stdout.read(&mut out).await {
                    printed.push(&out[..read]);
                    listener.hear(Stream::Out, &out[..read], &mut |_| {});
                }
                while let Ok(read @ 1..) = child.stderr.read(&mut err).await {
                    listener.hear(Stream::Err, &err[..read], &mut |_| {});
                }
                let Heard { exit, message, question, .. } = listener.conclude(&code);
                let answer = if overdue { Answer::Late } else { Answer::Ended(exit.unwrap_or(code)) };
                return Ok(Said { answer, message, question, printed: printed.text() });
            }
            () = tokio::time::sleep_until(deadline), if !overdue => {
                overdue = true;
                custody.end(Ending::AtOnce).await?;
            }
            read = child.stdout.read(&mut out), if open.0 => match read {
                Ok(read @ 1..) => {
                    printed.push(&out[..read]);
                    listener.hear(Stream::Out, &out[..read], &mut |_| {});
                }
                Ok(_) | Err(_) => open.0 = false,
            },
            read = child.stderr.read(&mut err), if open.1 => match read {
                Ok(read @ 1..) => listener.hear(Stream::Err, &err[..read], &mut |_| {}),
                Ok(_) | Err(_) => open.1 = false,
            },
        }
    }
}
