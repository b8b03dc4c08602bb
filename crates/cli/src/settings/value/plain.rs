//! Values with nothing to compute: yes and no, texts, lists of texts, paths, names.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ralph_agents::acp::Permissions;
use ralph_core::agent_event::Detail;
use ralph_core::crew::{Protocol, Sessions};
use ralph_core::id::AgentName;
use ralph_core::nearest::shortened;
use ralph_core::policy::{OnError, Signal};
use ralph_core::promise::Word;

use super::Refused;
use crate::settings::raw::Raw;
use crate::settings::resolved::CustodyChoice;

pub(crate) fn boolean(raw: &Raw) -> Result<bool, Refused> {
    match raw {
        Raw::Bool(value) => Ok(*value),
        Raw::Given(text) if text == "true" => Ok(true),
        Raw::Given(text) if text == "false" => Ok(false),
        Raw::Given(text) => Err(Refused::new(
            format!("`{}` is neither true nor false", shortened(text)),
            "write true or false",
        )),
        Raw::Text(_) | Raw::Number(_) | Raw::Date | Raw::List(_) | Raw::Table => {
            Err(Refused::kind(raw, "true or false"))
        }
    }
}

pub(crate) fn text<'a>(raw: &'a Raw, rule: &str) -> Result<&'a str, Refused> {
    match raw {
        Raw::Given(text) | Raw::Text(text) if text.is_empty() => {
            Err(Refused::new("the value is empty", format!("write {rule}")))
        }
        Raw::Given(text) | Raw::Text(text) => Ok(text),
        Raw::Number(_) | Raw::Bool(_) | Raw::Date | Raw::List(_) | Raw::Table => {
            Err(Refused::kind(raw, rule))
        }
    }
}

/// An array of strings; in the environment, texts with commas between them.
pub(crate) fn texts(raw: &Raw, rule: &str) -> Result<Vec<String>, Refused> {
    match raw {
        Raw::Given(list) => {
            Ok(list.split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect())
        }
        Raw::List(list) => list.iter().map(|one| member(one, rule)).collect(),
        Raw::Text(_) | Raw::Number(_) | Raw::Bool(_) | Raw::Date | Raw::Table => {
            Err(Refused::kind(raw, rule))
        }
    }
}

fn member(raw: &Raw, rule: &str) -> Result<String, Refused> {
    match raw {
        Raw::Text(text) => Ok(text.clone()),
        other => Err(Refused::new(format!("the array holds {}", other.kind()), format!("write {rule}"))),
    }
}

/// Absolute, or below the home directory: a relative one would move with the current directory.
pub(crate) fn directory(raw: &Raw) -> Result<PathBuf, Refused> {
    const RULE: &str = "an absolute path, or one that begins with ~/";
    let text = text(raw, RULE)?;
    if !(text.starts_with('/') || text.starts_with("~/")) || text.contains('\0') {
        return Err(Refused::new(
            format!("`{}` is not an absolute path", shortened(text)),
            format!("write {RULE}"),
        ));
    }
    Ok(PathBuf::from(text))
}

pub(crate) fn file(raw: &Raw) -> Result<PathBuf, Refused> {
    const RULE: &str = "the path of a file";
    let text = text(raw, RULE)?;
    if text.trim().is_empty() || text.contains('\0') {
        return Err(Refused::new(format!("`{}` is not {RULE}", shortened(text)), format!("write {RULE}")));
    }
    Ok(PathBuf::from(text))
}

pub(crate) fn agent_name(raw: &Raw) -> Result<AgentName, Refused> {
    let text = text(raw, "the name of an agent")?;
    AgentName::parse(text).map_err(|e| Refused::new(e.to_string(), "`ralph agents` lists the agents"))
}

/// From a flag, one name or several with commas between them.
pub(crate) fn agent_names(raw: &Raw) -> Result<Vec<AgentName>, Refused> {
    let names: Vec<Raw> = match raw {
        Raw::Given(text) => text.split(',').map(|name| Raw::Given(name.trim().to_owned())).collect(),
        Raw::List(names) => names.clone(),
        other => vec![other.clone()],
    };
    names.iter().map(agent_name).collect()
}

pub(crate) fn word(raw: &Raw) -> Result<Word, Refused> {
    let text = text(raw, "a word such as DONE")?;
    Word::parse(text).map_err(|e| Refused::new(e.to_string(), e.hint()))
}

pub(crate) fn custody(raw: &Raw) -> Result<CustodyChoice, Refused> {
    const RULE: &str = "\"auto\" or \"subreaper\"";
    match text(raw, RULE)? {
        "auto" => Ok(CustodyChoice::Auto),
        "subreaper" => Ok(CustodyChoice::Subreaper),
        other => Err(Refused::new(
            format!("`{}` is not a kind of custody", shortened(other)),
            format!("write {RULE}"),
        )),
    }
}

pub(crate) fn on_error(raw: &Raw) -> Result<OnError, Refused> {
    const RULE: &str = "\"retry\", \"skip\" or \"abort\"";
    match text(raw, RULE)? {
        "retry" => Ok(OnError::Retry),
        "skip" => Ok(OnError::Skip),
        "abort" => Ok(OnError::Abort),
        other => {
            let what = format!("`{}` is not a strategy", shortened(other));
            Err(Refused::new(what, format!("write {RULE}")))
        }
    }
}

pub(crate) fn protocol(raw: &Raw) -> Result<Protocol, Refused> {
    const RULE: &str = "\"own\" or \"acp\"";
    match text(raw, RULE)? {
        "own" => Ok(Protocol::Own),
        "acp" => Ok(Protocol::Acp),
        other => {
            Err(Refused::new(format!("`{}` is not a protocol", shortened(other)), format!("write {RULE}")))
        }
    }
}

pub(crate) fn permissions(raw: &Raw) -> Result<Permissions, Refused> {
    const RULE: &str = "\"allow\", \"deny\" or \"ask\"";
    let text = text(raw, RULE)?;
    text.parse()
        .map_err(|_| Refused::new(format!("`{}` is not an answer", shortened(text)), format!("write {RULE}")))
}

pub(crate) fn sessions(raw: &Raw) -> Result<Sessions, Refused> {
    const RULE: &str = "\"fresh\" or \"continue\"";
    match text(raw, RULE)? {
        "fresh" => Ok(Sessions::Fresh),
        "continue" => Ok(Sessions::Continue),
        other => {
            let what = format!("`{}` is not a way to deal with sessions", shortened(other));
            Err(Refused::new(what, format!("write {RULE}")))
        }
    }
}

pub(crate) fn detail(raw: &Raw) -> Result<Detail, Refused> {
    let names = Detail::ALL.map(|detail| format!("\"{}\"", detail.name()));
    let rule = format!("one of {}", names.join(", "));
    let name = text(raw, &rule)?;
    Detail::parse(name).ok_or_else(|| {
        Refused::new(format!("`{}` is not a level of detail", shortened(name)), format!("write {rule}"))
    })
}

pub(crate) fn require(raw: &Raw) -> Result<BTreeSet<Signal>, Refused> {
    const HINT: &str = "write some of \"criteria\", \"promise\", \"tracker\", \"tool\", \"todo\"";
    let names = match raw {
        Raw::Given(text) => text.split(',').map(|name| name.trim().to_owned()).collect(),
        other => texts(other, "an array of signals such as [\"promise\"]")?,
    };
    if names.is_empty() {
        return Err(Refused::new("nothing would show that a task is done", HINT));
    }
    let signal = |name: &String| match name.as_str() {
        "promise" => Ok(Signal::Promise),
        "criteria" => Ok(Signal::Criteria),
        "tracker" => Ok(Signal::Tracker),
        "tool" => Ok(Signal::Tool),
        "todo" => Ok(Signal::Todo),
        other => Err(Refused::new(format!("`{}` is not a signal", shortened(other)), HINT)),
    };
    names.iter().map(signal).collect()
}

pub(crate) fn variable_names(raw: &Raw) -> Result<Vec<String>, Refused> {
    const RULE: &str = "an array of names such as [\"AWS_SECRET_ACCESS_KEY\"]";
    let names = texts(raw, RULE)?;
    match names.iter().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        Some(wrong) => {
            let what = format!("`{}` is not the name of an environment variable", shortened(wrong));
            Err(Refused::new(what, format!("write {RULE}")))
        }
        None => Ok(names),
    }
}
