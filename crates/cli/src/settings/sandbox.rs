//! How far an agent reaches, as it is set.

use schemars::JsonSchema;

use super::origin::Set;
use super::reader::Reader;
use super::resolved::SandboxChoice;
use super::value::{plain, sandbox};

/// How far the agent reaches: inside, it writes in the project, in the temporary directory and in its own state only,
/// and sees nothing of ralph's.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct SandboxPart {
    /// By what the agent is kept inside: "landlock", "bubblewrap", or "auto" for the first of them that this machine
    /// can do. A sandbox that cannot be had is an error.
    #[schemars(with = "Option<SandboxChoice>", extend("default" = "off"))]
    pub(crate) mode: Option<Set<SandboxChoice>>,
    /// Whether the agent and the checks may use the network; only bubblewrap can take it away.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    pub(crate) network: Option<Set<bool>>,
    /// Where else the agent and the checks may write, as absolute paths or below ~; what is not there is left out.
    #[schemars(with = "Option<Vec<String>>", extend("default" = [], "examples" = [["~/.cargo", "~/.npm"]]))]
    pub(crate) write: Option<Set<Vec<String>>>,
}

impl SandboxPart {
    pub(super) fn take(from: &mut Reader<'_>) -> SandboxPart {
        SandboxPart {
            mode: from.take("sandbox", "mode", sandbox::mode),
            network: from.take("sandbox", "network", plain::boolean),
            write: from.take("sandbox", "write", sandbox::paths),
        }
    }

    pub(super) fn over(self, lower: SandboxPart) -> SandboxPart {
        SandboxPart {
            mode: self.mode.or(lower.mode),
            network: self.network.or(lower.network),
            write: self.write.or(lower.write),
        }
    }
}
