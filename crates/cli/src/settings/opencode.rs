//! How an OpenCode server is worked with.

use ralph_agents::opencode::Address;
use ralph_core::crew::Sessions;
use ralph_core::nearest::shortened;
use schemars::JsonSchema;

use super::catalogue::SessionModeName;
use super::origin::Set;
use super::raw::Raw;
use super::reader::Reader;
use super::value::{Refused, plain};

/// OpenCode's server as the agent (`--agent opencode-server`), and loops inside of OpenCode, once `ralph install opencode`
/// has put them there.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct OpencodePart {
    /// Whether the plugin is answered; where it is not, no loop begins or goes on in OpenCode.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    pub(crate) enabled: Option<Set<bool>>,
    /// The server to adopt; unset, one is started on loopback for each attempt. Its password is read from
    /// OPENCODE_SERVER_PASSWORD, and sent over the net under https alone.
    #[schemars(with = "Option<String>", extend("examples" = ["http://127.0.0.1:4096"]))]
    pub(crate) attach: Option<Set<Address>>,
    /// Whether each iteration has a session of its own ("fresh", or "reset"), all have one ("continue"), or each goes on
    /// with a summary of the one before, which is deleted ("compact"); unset, `agent.session` counts.
    #[schemars(with = "Option<SessionModeName>", extend("examples" = ["compact"]))]
    pub(crate) session_mode: Option<Set<Sessions>>,
}

impl OpencodePart {
    pub(super) fn take(from: &mut Reader<'_>) -> OpencodePart {
        OpencodePart {
            enabled: from.take("opencode", "enabled", plain::boolean),
            attach: from.take("opencode", "attach", address),
            session_mode: from.take("opencode", "session_mode", session_mode),
        }
    }

    pub(super) fn over(self, lower: OpencodePart) -> OpencodePart {
        OpencodePart {
            enabled: self.enabled.or(lower.enabled),
            attach: self.attach.or(lower.attach),
            session_mode: self.session_mode.or(lower.session_mode),
        }
    }

    pub(super) fn defaults() -> OpencodePart {
        OpencodePart { enabled: Set::default(true), ..OpencodePart::default() }
    }
}

fn address(raw: &Raw) -> Result<Address, Refused> {
    const HINT: &str = "write the address alone, such as \"http://127.0.0.1:4096\"";
    let text = plain::text(raw, "an address")?;
    Address::read(text).map_err(|error| Refused::new(error.to_string(), HINT))
}

fn session_mode(raw: &Raw) -> Result<Sessions, Refused> {
    const RULE: &str = "\"fresh\", \"continue\" or \"compact\"";
    match plain::text(raw, RULE)? {
        "fresh" | "reset" => Ok(Sessions::Fresh),
        "continue" => Ok(Sessions::Continue),
        "compact" => Ok(Sessions::Compact),
        other => {
            let what = format!("`{}` is not a way to deal with sessions", shortened(other));
            Err(Refused::new(what, format!("write {RULE}")))
        }
    }
}
