//! What is special about OpenCode.

use schemars::JsonSchema;

use super::origin::Set;
use super::reader::Reader;
use super::value::plain;

/// Inside of OpenCode, once `ralph install opencode` has put it there.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct OpenCodePart {
    /// Whether the plugin is answered; where it is not, no loop begins or goes on in OpenCode.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    pub(crate) enabled: Option<Set<bool>>,
}

impl OpenCodePart {
    pub(super) fn take(from: &mut Reader<'_>) -> OpenCodePart {
        OpenCodePart { enabled: from.take("opencode", "enabled", plain::boolean) }
    }

    pub(super) fn over(self, lower: OpenCodePart) -> OpenCodePart {
        OpenCodePart { enabled: self.enabled.or(lower.enabled) }
    }

    pub(super) fn defaults() -> OpenCodePart {
        OpenCodePart { enabled: Set::default(true) }
    }
}
