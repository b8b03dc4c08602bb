//! The relay between the engine and an agent: starts it, leads the dialogue, and leaves nothing behind.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use agent_client_protocol::v1::schema::{
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
};
use agent_client_protocol::{Client, Lines, UntypedMessage, on_receive_notification, on_receive_request};
use serde_json::Value;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{oneshot, watch};

use super::dialogue::{Dialogue, Failure, INITIALIZE, PROMPT, Request};
use super::line::{Failed, Line};
use super::permission::Permissions;
use super::wire;
use crate::process::{End, Process};

/// How long an agent may take to end by itself once its input is closed.
const LEAVE: Duration = Duration::from_secs(2);
/// The same after an interruption; the guard that interrupted waits no longer.
const LEAVE_AT_ONCE: Duration = Duration::from_millis(150);
/// How long the last things said may take to reach an agent that no longer reads.
const FLUSH: Duration = Duration::from_millis(100);

/// What the relay has to do.
#[derive(Debug, Clone)]
pub struct Task {
    /// The agent's program and its arguments.
    pub words: Vec<OsString>,
    pub brief: String,
    /// Where the agent is to work, as an absolute path.
    pub dir: PathBuf,
    pub model: Option<String>,
    pub effort: Option<String>,
    /// The session to go on with.
    pub resume: Option<String>,
    pub permissions: Permissions,
    /// What each answer may take before the prompt.
    pub patience: Duration,
}

/// Does the task and answers with the exit code that the relay ends with: the agent's own where that says why there is no
/// result. `tell` takes what is to be printed, in order; `stop` asks for an early end.
pub async fn relay<T, S>(task: Task, tell: T, stop: S) -> u8
where
    T: Fn(Line) + Clone + Send + Sync + 'static,
    S: Future<Output = ()> + Send,
{
    let (process, stdin, stdout) = match Process::start(&task.words, &[]) {
        Ok(started) => started,
        Err(error) => {
            let message = format!("the agent cannot be started: {error}");
            tell(Line::Error(failed("initialize", "not_started", message)));
            return 1;
        }
    };
    let outcome = converse(task, (stdin, stdout), tell.clone(), stop).await;
    let leave = if is_interrupted(&outcome) { LEAVE_AT_ONCE } else { LEAVE };
    let end = process.end(leave).await.unwrap_or(End::Forced);
    conclude(outcome, end, tell)
}

/// Leads the dialogue to its end. When this returns, the agent's input is closed.
async fn converse<T, S>(
    task: Task,
    (stdin, stdout): (ChildStdin, ChildStdout),
    tell: T,
    stop: S,
) -> Result<Value, Failure>
where
    T: Fn(Line) + Clone + Send + Sync + 'static,
    S: Future<Output = ()> + Send,
{
    let Task { brief, dir, model, effort, resume, permissions, patience, .. } = task;
    let request = Request { brief, dir, model, effort, resume, patience };
    let (awaited, now_awaited) = watch::channel(INITIALIZE);
    let last_awaited = now_awaited.clone();
    let (told_update, told_permission) = (tell.clone(), tell.clone());
    let mut stop = std::pin::pin!(stop);
    let (done, outcome) = oneshot::channel();
    let connection = Client
        .v1()
        .name("ralph")
        .on_receive_notification(
            async move |notification: UntypedMessage, _cx| {
                if notification.method == "session/update" && *now_awaited.borrow() == PROMPT {
                    told_update(Line::Update(notification.params));
                }
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |asked: RequestPermissionRequest, responder, _cx| {
                let outcome = permissions.answer(&asked.options);
                told_permission(permission(&asked, permissions, &outcome));
                responder.respond(RequestPermissionResponse::new(outcome))
            },
            on_receive_request!(),
        )
        .connect_with(Lines::new(wire::outgoing(stdin), wire::incoming(stdout, tell.clone())), async |cx| {
            let dialogue = Dialogue { cx, tell: tell.clone(), stop: stop.as_mut(), awaited };
            let _nobody_waits = done.send(dialogue.lead(request).await);
            Ok(())
        });
    let last_words = async {
        let outcome = outcome.await;
        tokio::time::sleep(FLUSH).await;
        outcome
    };
    tokio::pin!(last_words);
    let said = tokio::select! {
        outcome = &mut last_words => outcome,
        // Either it is through, or the pipes broke.
        _ended = connection => last_words.as_mut().await,
    };
    match said {
        Ok(outcome) => outcome,
        Err(_dropped) => Err(Failure::Gone(*last_awaited.borrow())),
    }
}

fn is_interrupted(outcome: &Result<Value, Failure>) -> bool {
    match outcome {
        Ok(result) => result["stopReason"] == "cancelled",
        Err(failure) => *failure == Failure::Stopped,
    }
}

fn permission(
    asked: &RequestPermissionRequest,
    policy: Permissions,
    outcome: &RequestPermissionOutcome,
) -> Line {
    let tool_call = serde_json::to_value(&asked.tool_call).unwrap_or_default();
    let selected = matches!(outcome, RequestPermissionOutcome::Selected(_));
    Line::Permission { tool_call, policy, allowed: selected && policy == Permissions::Allow }
}

fn conclude(outcome: Result<Value, Failure>, end: End, tell: impl Fn(Line)) -> u8 {
    match outcome {
        Ok(result) => {
            tell(Line::Result(result));
            0
        }
        Err(Failure::Stopped) => 130,
        Err(Failure::Refused(failed)) => {
            tell(Line::Error(failed));
            own_code(end)
        }
        Err(Failure::Gone(method)) => {
            let how = match end {
                End::Itself(status) => format!("the agent ended ({status}) before it answered {method}"),
                End::Forced => format!("the agent closed its output before it answered {method}"),
            };
            tell(Line::Error(failed(method, "gone", how)));
            own_code(end)
        }
    }
}

/// The agent's exit code, where it failed by itself.
fn own_code(end: End) -> u8 {
    let code = match end {
        End::Itself(status) => status.code(),
        End::Forced => None,
    };
    code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0).unwrap_or(1)
}

fn failed(method: &'static str, kind: &'static str, message: String) -> Failed {
    Failed { method, kind: Some(kind), code: None, message, data: None }
}
