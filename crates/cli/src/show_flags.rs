//! How much of a run is shown, as it is typed.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use ralph_core::agent_event::Detail;

use crate::screen::Show;

/// How a run is shown.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ShowFlags {
    /// Print every event as one JSON object per line
    #[arg(long)]
    json: bool,

    /// Show what the agent says and does: at least `--detail moderate`
    #[arg(long, short, conflicts_with = "json")]
    verbose: bool,

    /// How much of the agent's work is shown: its sub-agents and troubles (minimal), also what it says
    /// and does (moderate), everything (full)
    #[arg(long, value_name = "LEVEL", value_parser = level(), conflicts_with_all = ["json", "verbose"])]
    detail: Option<Detail>,
}

/// The levels of detail, for a flag.
pub(crate) fn level() -> impl TypedValueParser<Value = Detail> {
    let names = PossibleValuesParser::new(Detail::ALL.map(Detail::name));
    names.map(|name| Detail::parse(&name).expect("a possible value is a level"))
}

impl ShowFlags {
    /// `set` is what the settings say.
    pub(crate) fn how(self, set: Option<Detail>) -> Show {
        let least = if self.verbose { Detail::Moderate } else { Detail::Off };
        let otherwise = set.unwrap_or(Detail::Minimal).max(least);
        if self.json { Show::Json } else { Show::People { detail: self.detail.unwrap_or(otherwise) } }
    }
}
