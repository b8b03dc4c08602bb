//! What can be measured alone.

use std::path::PathBuf;

use anyhow::Context as _;

use super::{bars, hooks, table};
use crate::cargo::{cargo, release_binary, succeed};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Alone {
    /// The code graph of the sources of all crates that cargo has unpacked, beside ctags
    Graph,
    /// What a host waits for at an event that is none of ralph's business
    Hooks,
    /// How much of the evidence recall finds for the questions of a file in the layout of LoCoMo
    Recall {
        /// Such as locomo10.json
        file: PathBuf,
    },
    /// What a search costs with 1,000, 100,000 and 1,000,000 notes
    RecallScale {
        /// Other numbers of notes
        sizes: Vec<u64>,
    },
}

impl Alone {
    pub(super) fn measure(&self) -> anyhow::Result<()> {
        let (package, bench, args) = match self {
            Alone::Graph => ("ralph-graph", "tree", Vec::new()),
            Alone::Hooks => {
                let figures = hooks::measure(&release_binary()?)?;
                println!("\n{}\n{}", table(&figures), bars(&figures, "ms"));
                return Ok(());
            }
            Alone::Recall { file } => {
                // The benchmark runs in its package's directory.
                let file = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
                ("ralph-memory", "recall", vec![file.into_os_string()])
            }
            Alone::RecallScale { sizes } => {
                ("ralph-memory", "scale", sizes.iter().map(|size| size.to_string().into()).collect())
            }
        };
        let bench = ["bench", "--quiet", "--locked", "-p", package, "--bench", bench, "--"];
        succeed(cargo().args(bench).args(args))
    }
}
