//! Whether the agent that is to work answers again, after another took over: a trivial prompt and a few seconds.

use std::time::Duration;

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::crew::Member;
use ralph_core::event::Stream;
use ralph_core::report::{AgentExit, Response};
use ralph_core::task::Task;
use ralph_store::Store;
use tokio::io::AsyncReadExt;

use crate::agent::{Agent, Listener};
use crate::custody::{Child, Custody, CustodyError, Ending, Launch, Status};
use crate::drive::Drive;
use crate::environment;
use crate::error::EngineError;

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
        let invocation = agent.invocation(&attempt);
        let mut env = environment::for_attempt(&self.parts.environment, &self.run.id, &attempt);
        env.extend(invocation.env);
        let dir = self.parts.place.root.clone();
        let launch = Launch { program: invocation.program.into(), args: invocation.args, env, dir };
        let stdin =
            crate::hooks::sealed(QUESTION.as_bytes()).map_err(|source| EngineError::Pipe { source })?;
        let mut custody = Custody::open(self.parts.guard.options(&self.run.id)?).await?;
        let heard = match custody.spawn(&launch, stdin).await {
            Ok(child) => listen(&mut custody, child, agent.listen(&attempt, &brief)).await,
            Err(_) => Ok(false),
        };
        let _nothing_left_either_way = custody.close().await;
        match heard {
            Err(CustodyError::GuardLost(_)) => Ok(false),
            other => Ok(other?),
        }
    }
}

/// Whether it came to a good end in time.
async fn listen(
    custody: &mut Custody,
    mut child: Child,
    mut listener: Box<dyn Listener>,
) -> Result<bool, CustodyError> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let mut overdue = false;
    let (mut out, mut err) = ([0_u8; 8192], [0_u8; 8192]);
    let mut open = (true, true);
    loop {
        tokio::select! {
            biased;
            exit = custody.exited() => {
                let code = match exit?.status {
                    Status::Code(code) => AgentExit::Code { code },
                    Status::Signal(signal) => AgentExit::Signal { signal },
                };
                while let Ok(read @ 1..) = child.stdout.read(&mut out).await {
                    listener.hear(Stream::Out, &out[..read], &mut |_| {});
                }
                let exit = listener.conclude(&code).exit.unwrap_or(code);
                return Ok(!overdue && exit.response() == Response::Verify);
            }
            () = tokio::time::sleep_until(deadline), if !overdue => {
                overdue = true;
                custody.end(Ending::AtOnce).await?;
            }
            read = child.stdout.read(&mut out), if open.0 => match read {
                Ok(read @ 1..) => listener.hear(Stream::Out, &out[..read], &mut |_| {}),
                Ok(_) | Err(_) => open.0 = false,
            },
            read = child.stderr.read(&mut err), if open.1 => match read {
                Ok(read @ 1..) => listener.hear(Stream::Err, &err[..read], &mut |_| {}),
                Ok(_) | Err(_) => open.1 = false,
            },
        }
    }
}
