//! From what a host puts on a hook's standard input to what happened.

use std::path::{Path, PathBuf};

use ralph_core::id::{BadId, SessionId};
use ralph_core::note::Used;
use ralph_core::sessions::{self, Mode};
use ralph_engine::mailbox::Said;
use serde_json::Value;

use super::dialect::{Commands, Dialect, What};
use super::observed::observed;
use super::tool::used;
use super::{object, own_tool};
use crate::arguments::{self, Asked, BadArguments};

/// What hosts themselves put where a person's words would be.
const OWN_WORDS: [&str; 5] =
    ["<task-notification", "<local-command", "<bash-", "<system-reminder", "<command-message"];

/// What `ralph install claude --plugin` calls its plugin.
pub(super) const PLUGIN: &str = "ralph";

/// Why an event gets no answer.
#[derive(Debug, thiserror::Error)]
pub enum BadEvent {
    #[error("the event cannot be read")]
    Json(#[from] serde_json::Error),
    #[error("the event has no text in `{field}`")]
    Missing { field: &'static str },
    #[error("`{given}` is not an event that ralph knows")]
    Unknown { given: String },
    #[error(transparent)]
    Session(#[from] BadId),
    #[error("`{given}` is not the absolute path of a directory")]
    Directory { given: String },
}

/// An event, with the session and the directory that it is about.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    /// As the host calls it.
    pub name: &'static str,
    pub session: SessionId,
    pub directory: PathBuf,
    pub what: What,
    pub told: Told,
    /// What its agent says by a tool of ralph's own.
    pub said: Option<Said>,
    /// What of it is worth remembering of the session.
    pub observed: sessions::What,
    /// None where the host does not say.
    pub mode: Option<Mode>,
    /// Where the host keeps the conversation, or means to.
    pub transcript: Option<PathBuf>,
}

/// What happened.
#[derive(Debug, PartialEq, Eq)]
pub enum Told {
    /// A session begins or goes on; how that came, in the host's own word.
    Started {
        source: String,
    },
    Command(Result<Asked, BadArguments>),
    /// A person says something that the agent has not read yet.
    Said {
        text: String,
    },
    /// A tool has ended.
    Tool(Used),
    /// The agent is through with a turn; what it said last, where the event says so, and what else is known of it.
    Stopped {
        said: Option<String>,
        mark: Option<String>,
    },
    /// The host ended the turn, for this.
    Broken {
        what: String,
    },
    Ended {
        cleared: bool,
    },
    /// Nothing that a loop needs to know.
    Other,
}

/// `project` is what the host's own variable says; where there is none, the event's directory counts.
pub fn read(dialect: &Dialect, bytes: &[u8], project: Option<&Path>) -> Result<Event, BadEvent> {
    let event = object::read(bytes)?;
    let given = text(&event, "hook_event_name")?;
    let (name, what) = dialect.what(given).ok_or_else(|| BadEvent::Unknown {
        given: given.chars().take(60).filter(|c| !c.is_control()).collect(),
    })?;
    let session = SessionId::parse(text(&event, "session_id")?)?;
    let directory = match project {
        Some(project) => project.to_owned(),
        None => PathBuf::from(text(&event, "cwd")?),
    };
    let named = directory.to_string_lossy();
    if !directory.is_absolute() || named.contains('\0') {
        return Err(BadEvent::Directory { given: named.chars().take(200).collect() });
    }
    let told = told(&event, what, dialect.commands)?;
    let transcript = event["transcript_path"].as_str().map(PathBuf::from).filter(|path| path.is_absolute());
    let (observed, mode) = (observed(&event, &told), mode(&event));
    let said = if what == What::Tool { own_tool::said(&event, dialect) } else { None };
    Ok(Event { name, session, directory, what, told, said, observed, mode, transcript })
}

fn text<'a>(event: &'a Value, field: &'static str) -> Result<&'a str, BadEvent> {
    event[field].as_str().ok_or(BadEvent::Missing { field })
}

/// Hosts call it by the same word where they have such a mode, and by many others where the agent may work.
fn mode(event: &Value) -> Option<Mode> {
    match event["permission_mode"].as_str()? {
        "plan" => Some(Mode::Plan),
        _ => Some(Mode::Agent),
    }
}

fn told(event: &Value, what: What, commands: Commands) -> Result<Told, BadEvent> {
    let word = |field: &str| event[field].as_str().unwrap_or_default();
    Ok(match what {
        What::SessionStart => Told::Started { source: word("source").chars().take(40).collect() },
        What::Prompt => match (said(text(event, "prompt")?), commands) {
            (Told::Said { text }, Commands::Typed) => plain(text),
            (told, _) => told,
        },
        What::Tool => Told::Tool(used(event)),
        // A sub-agent's end is never a turn's.
        What::Stop if event["agent_id"].is_string() => Told::Other,
        What::Stop => stopped(event),
        What::StopFailure => {
            let error = match &event["error"] {
                Value::String(error) => error.clone(),
                _ => "the model did not answer".to_owned(),
            };
            Told::Broken { what: error.chars().take(300).collect() }
        }
        What::SessionEnd => Told::Ended { cleared: word("reason") == "clear" },
        What::SubagentStop | What::Compact => Told::Other,
    })
}

fn stopped(event: &Value) -> Told {
    let named = |field: &str| event[field].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    Told::Stopped { said: named("last_assistant_message"), mark: named("timestamp") }
}

/// What a person typed, as it is meant.
pub(super) fn said(text: &str) -> Told {
    let text = without_context(text);
    // Qwen tells of what a tool has answered as if a person had said nothing.
    let is_nothing = text.trim().is_empty();
    if is_nothing || OWN_WORDS.iter().any(|own| text.starts_with(own)) {
        return Told::Other;
    }
    match command(text) {
        Some(asked) => Told::Command(asked),
        None => Told::Said { text: text.to_owned() },
    }
}

/// One of ralph's commands, perhaps by the name of ralph's own plugin. Those of other plugins may have the same names.
fn command(text: &str) -> Option<Result<Asked, BadArguments>> {
    let typed = text.strip_prefix('/')?;
    let end = typed.find(char::is_whitespace).unwrap_or(typed.len());
    let (name, given) = typed.split_at(end);
    match name.split_once(':') {
        None => arguments::parse(name, given),
        Some((PLUGIN, name)) => arguments::parse(name, given),
        Some(_) => None,
    }
}

/// A command where none may begin with a slash: `ralph: TASK`, `$ralph TASK`.
fn plain(text: String) -> Told {
    let parts = match text.strip_prefix('$') {
        Some(typed) => Some(typed.split_at(typed.find(char::is_whitespace).unwrap_or(typed.len()))),
        None => text.split_once(':'),
    };
    let asked = parts.and_then(|(name, given)| arguments::parse(&name.to_ascii_lowercase(), given));
    asked.map_or(Told::Said { text }, Told::Command)
}

/// What a person typed, without what other hooks put before it.
pub(super) fn without_context(text: &str) -> &str {
    let mut text = text.trim_start();
    while let Some(inside) = text.strip_prefix("<hook_context>") {
        let Some((_, after)) = inside.split_once("</hook_context>") else { break };
        text = after.trim_start();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Told, plain, said};
    use crate::arguments::Asked;

    #[test]
    fn commands_of_other_plugins_are_not_ralphs_whatever_they_are_called() {
        for typed in ["/cancel-ralph", "/ralph:cancel-ralph", "/ralph:ralph stop"] {
            assert_eq!(said(typed), Told::Command(Ok(Asked::Stop)), "{typed}");
        }
        for typed in [
            "/ralph-loop:cancel-ralph",
            "/ralph-wiggum:ralph-loop fix it",
            "/ralph-loop:ralph x",
            "/x:ralph:ralph x",
        ] {
            assert_eq!(said(typed), Told::Said { text: typed.to_owned() });
        }
    }

    #[test]
    fn where_no_command_begins_with_a_slash_one_begins_with_its_name() {
        for typed in ["ralph: fix it", "$ralph fix it", "Ralph: start fix it", "ralph-loop:fix it"] {
            let Told::Command(Ok(Asked::Start(start))) = plain(typed.to_owned()) else { panic!("{typed}") };
            assert_eq!(start.prompt, "fix it", "{typed}");
        }
        for typed in ["ralph: stop", "$cancel-ralph", "cancel-ralph: now"] {
            assert_eq!(plain(typed.to_owned()), Told::Command(Ok(Asked::Stop)), "{typed}");
        }
        for typed in ["ralph is a name", "note: ralph: x", "$HOME is what?", "", "$", ":", "ask ralph: why?"]
        {
            assert_eq!(plain(typed.to_owned()), Told::Said { text: typed.to_owned() });
        }
    }
}
