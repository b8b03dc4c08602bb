//! How far an agent reaches: fixed at the start, stored with the run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Sandbox {
    pub mode: Mode,
    /// Whether the agent may use the network.
    pub network: bool,
    /// Where it may write beside the tree, the temporary directory and its own state.
    pub write: Vec<String>,
}

/// By what an agent is kept inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Off,
    Landlock,
    Bubblewrap,
}

impl Default for Sandbox {
    fn default() -> Sandbox {
        Sandbox { mode: Mode::Off, network: true, write: Vec::new() }
    }
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::Off => "off",
            Mode::Landlock => "landlock",
            Mode::Bubblewrap => "bubblewrap",
        }
    }
}

impl std::fmt::Display for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.mode.name())?;
        if self.network { Ok(()) } else { f.write_str(", no network") }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mode, Sandbox};

    #[test]
    fn a_run_from_before_there_were_sandboxes_has_none() {
        assert_eq!(serde_json::from_str::<Sandbox>("{}").unwrap(), Sandbox::default());
    }

    #[test]
    fn people_read_what_holds() {
        assert_eq!(Sandbox::default().to_string(), "off");
        let shut = Sandbox { mode: Mode::Bubblewrap, network: false, write: Vec::new() };
        assert_eq!(shut.to_string(), "bubblewrap, no network");
    }
}
