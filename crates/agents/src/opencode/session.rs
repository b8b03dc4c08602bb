//! The session that a prompt goes to: a new one, the one before, or a new one with the summary of the one before.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::{CallError, Client, Page};
use super::left;
use super::line::{Failed, Line};
use super::relay::Task;
use super::wire::{Message, Session};

/// How many messages are asked for at once.
const WINDOW: usize = 32;

/// A session, and what is to be sent to it.
#[derive(Debug, Clone)]
pub(super) struct Ready {
    pub(super) session: String,
    /// What the prompt is known by, so that it can be seen whether the session has it.
    pub(super) prompt: String,
    pub(super) body: Value,
    /// The session that this one takes the place of, once it has the prompt.
    pub(super) replaces: Option<String>,
    /// The list of things to do as it was before the prompt; none where that is not known.
    pub(super) todos: Option<Vec<Value>>,
}

/// What an attempt begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begin {
    Fresh,
    Continue(String),
    /// Summarise this session, and go on with the summary in a new one.
    Compact(String),
}

pub(super) async fn ready<T: Fn(Line)>(task: &Task, client: &Client, tell: &T) -> Result<Ready, Failed> {
    let model = task.model.as_deref().map(split).transpose()?;
    let mut replaces = None;
    let (session, newest, brief) = match &task.begin {
        Begin::Fresh => (create(task, client).await?, None, task.brief.clone()),
        Begin::Continue(id) => {
            let session =
                client.session(id).await.map_err(|error| failed(error, "the session to go on with"))?;
            let newest = newest(client, id).await?;
            (session, newest, task.brief.clone())
        }
        Begin::Compact(id) => {
            let summary = summarise(id, model, client).await?;
            let session = create(task, client).await?;
            let brief = match summary {
                Some(text) => {
                    tell(Line::Summary { of: id.clone(), text: text.clone() });
                    format!("# What was done so far, in short\n\n{text}\n\n{}", task.brief)
                }
                None => task.brief.clone(),
            };
            replaces = Some(id.clone());
            (session, None, brief)
        }
    };
    let todos = match &task.begin {
        Begin::Continue(id) => client.todos(id).await.ok(),
        Begin::Fresh | Begin::Compact(_) => Some(Vec::new()),
    };
    let created = newest.map_or(0, |message| message.info.time.created).max(session.time.created);
    let prompt = message_id(created + 1, ralph_engine::entropy());
    let body = body(&prompt, &brief, model, task);
    Ok(Ready { session: session.id, prompt, body, replaces, todos })
}

async fn create(task: &Task, client: &Client) -> Result<Session, Failed> {
    // Whoever only looks may not, whatever the server's settings say.
    let forbid = |what: &str| json!({ "permission": what, "pattern": "*", "action": "deny" });
    let rules = if task.is_looking { json!([forbid("edit"), forbid("bash")]) } else { json!([]) };
    let metadata = left::metadata(&task.run);
    let created = client.create(&task.title, &rules, &metadata).await;
    let session = created.map_err(|error| failed(error, "a new session"))?;
    if !left::has_metadata(&session, &task.run) {
        // A server that does not take this either has the prompt all the same: the mark is for what goes wrong later.
        let _unmarked = client.rename(&session.id, &left::marked_title(&task.title, &task.run)).await;
    }
    Ok(session)
}

async fn newest(client: &Client, session: &str) -> Result<Option<Message>, Failed> {
    let messages = client.messages(session, 1).await;
    Ok(messages.map_err(|error| failed(error, "the session to go on with"))?.pop())
}

/// What the model says of a session in short; none where nothing was said in it.
async fn summarise(
    session: &str,
    model: Option<(&str, &str)>,
    client: &Client,
) -> Result<Option<String>, Failed> {
    let lost = |error| failed(error, "the session to go on with");
    let messages = client.messages(session, WINDOW).await.map_err(lost)?;
    let last = messages.iter().rev().find(|message| message.info.is_assistant());
    let Some(last) = last else { return Ok(None) };
    let used = last.info.provider.as_deref().zip(last.info.model.as_deref());
    let Some((provider, model)) = model.or(used) else { return Ok(None) };
    client.summarize(session, provider, model).await.map_err(lost)?;
    let messages = client.messages(session, WINDOW).await.map_err(lost)?;
    let written = messages.iter().rev().find(|message| message.info.is_summary());
    match written {
        Some(Message { info, .. }) if info.error.is_some() => {
            let error = info.error.clone().unwrap_or_default();
            Err(Failed { error, tokens: Some(Box::new(info.tokens)), cost: Some(info.cost) })
        }
        Some(message) if !message.text().trim().is_empty() => Ok(Some(message.text())),
        _ => Err(Failed::named("NoSummary", "the server wrote no summary of the session")),
    }
}

fn body(prompt: &str, brief: &str, model: Option<(&str, &str)>, task: &Task) -> Value {
    let mut parts = vec![json!({ "type": "text", "text": brief })];
    parts.extend(task.files.iter().map(file));
    let mut body = json!({ "messageID": prompt, "parts": parts });
    if let Some((provider, model)) = model {
        body["model"] = json!({ "providerID": provider, "modelID": model });
    }
    if let Some(effort) = &task.effort {
        body["variant"] = json!(effort);
    }
    body
}

fn file(path: &PathBuf) -> Value {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let url = reqwest::Url::from_file_path(path).map(String::from).unwrap_or_default();
    json!({ "type": "file", "mime": mime(path), "filename": name, "url": url })
}

fn mime(path: &Path) -> &'static str {
    match path.extension().unwrap_or_default().to_ascii_lowercase().to_str() {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("pdf") => "application/pdf",
        _ => "text/plain",
    }
}

/// `provider/model`; a model's own name may have further slashes.
fn split(model: &str) -> Result<(&str, &str), Failed> {
    let parts = model.split_once('/').filter(|(provider, model)| !provider.is_empty() && !model.is_empty());
    parts
        .ok_or_else(|| Failed::named("ModelUnnamed", &format!("`{model}` is no model: write provider/model")))
}

/// An id as the server makes them, for this moment. It goes by their order, so ours has to come after the last message
/// and before the answer: both times are the server's own.
fn message_id(milliseconds: u64, random: u64) -> String {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let time = (milliseconds << 12 | 1) & 0xffff_ffff_ffff;
    let letter = |place: u32| {
        let at = (random.rotate_left(place * 9) % LETTERS.len() as u64) as usize;
        char::from(LETTERS[at])
    };
    format!("msg_{time:012x}{}", (0..14).map(letter).collect::<String>())
}

/// The messages from the prompt on; all of them where it is not among them.
pub(super) async fn since(client: &Client, session: &str, prompt: &str) -> Result<Vec<Message>, CallError> {
    let Page { mut messages, mut before } = client.page(session, WINDOW, None).await?;
    let mut window = WINDOW;
    loop {
        if let Some(at) = messages.iter().position(|message| message.info.id == prompt) {
            return Ok(messages.split_off(at));
        }
        if let Some(place) = before {
            let mut page = client.page(session, WINDOW, Some(&place)).await?;
            // A place that leads nowhere, or back to itself, is the end.
            before = page.before.filter(|next| *next != place && !page.messages.is_empty());
            page.messages.append(&mut messages);
            messages = page.messages;
        } else if messages.len() < window {
            return Ok(messages);
        } else {
            // It names no places: then it is asked for more of the newest.
            window = messages.len() * 2;
            Page { messages, before } = client.page(session, window, None).await?;
        }
    }
}

/// What an error of a call is in the server's own shape; `what` was asked for.
pub(super) fn failed(error: CallError, what: &str) -> Failed {
    let text = error.to_string();
    match error {
        CallError::NotFound { .. } => Failed::named("SessionGone", &format!("{what} is no longer there")),
        CallError::Unreachable { .. } => Failed::named("ServerGone", &text),
        CallError::Unauthorized => Failed::named("ServerPassword", &text),
        CallError::Refused { name, .. } => Failed::named(name.as_deref().unwrap_or("ServerRefused"), &text),
        CallError::Foreign { .. } | CallError::Address(_) => Failed::named("NotOpencode", &text),
    }
}

#[cfg(test)]
mod tests {
    use super::{message_id, split};

    #[test]
    fn a_prompt_s_id_is_in_order_with_the_server_s_own() {
        // Seen: a message made at 1794767819388 was msg_1e07f927c001q9fna9bMYRZXGS.
        let id = message_id(1_794_767_819_388, 7);
        assert_eq!((&id[..16], id.len()), ("msg_1e07f927c001", 30));
        assert!(message_id(1_794_767_819_389, 0) > id);
        assert!(id[4..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }

    #[test]
    fn a_model_is_a_provider_s() {
        assert_eq!(split("openrouter/a/b").ok(), Some(("openrouter", "a/b")));
        for wrong in ["sonnet", "/x", "x/", ""] {
            assert!(split(wrong).is_err(), "{wrong}");
        }
    }
}
