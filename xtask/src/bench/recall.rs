//! `cargo xtask bench recall` and `recall-scale`: what the memory finds again, and what that costs.

use std::path::PathBuf;

use anyhow::Context as _;

use crate::cargo::{cargo, succeed};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Only {
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

pub(super) fn measure(only: &Only) -> anyhow::Result<()> {
    let (bench, args) = match only {
        Only::Recall { file } => {
            // The benchmark runs in its package's directory.
            let file = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
            ("recall", vec![file.into_os_string()])
        }
        Only::RecallScale { sizes } => ("scale", sizes.iter().map(|size| size.to_string().into()).collect()),
    };
    succeed(
        cargo()
            .args(["bench", "--quiet", "--locked", "-p", "ralph-memory", "--bench", bench, "--"])
            .args(args),
    )
}
