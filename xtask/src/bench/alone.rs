//! What can be measured alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::{bars, hooks, table};
use crate::cargo::{cargo, release_binary, succeed};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Alone {
    /// The code graph of a large tree, cold and after a change, beside ctags
    Graph {
        /// Instead of the sources of all crates that cargo has unpacked
        tree: Option<PathBuf>,
    },
    /// What a host waits for at an event that is none of ralph's business
    Hooks,
    /// How much of the evidence recall finds for the questions of a file in the layout of LoCoMo
    Recall {
        /// Such as locomo10.json
        file: PathBuf,
        /// With vectors of this endpoint
        #[arg(long, value_name = "URL", requires = "model", conflicts_with = "vectors_table")]
        vectors_endpoint: Option<String>,
        /// The model that the endpoint is asked for
        #[arg(long, value_name = "NAME", requires = "vectors_endpoint")]
        model: Option<String>,
        /// With vectors of this table of words
        #[arg(long, value_name = "FILE")]
        vectors_table: Option<PathBuf>,
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
            Alone::Graph { tree } => {
                ("ralph-graph", "tree", tree.as_deref().map(absolute).transpose()?.into_iter().collect())
            }
            Alone::Hooks => {
                let figures = hooks::measure(&release_binary()?)?;
                println!("\n{}\n{}", table(&figures), bars(&figures, "ms"));
                return Ok(());
            }
            Alone::Recall { file, vectors_endpoint, model, vectors_table } => {
                let mut args = vec![absolute(file)?];
                let texts = [("--vectors-endpoint", vectors_endpoint), ("--model", model)];
                for (flag, value) in
                    texts.into_iter().filter_map(|(flag, value)| Some((flag, value.as_ref()?)))
                {
                    args.extend([flag.into(), value.into()]);
                }
                if let Some(table) = vectors_table {
                    args.extend(["--vectors-table".into(), absolute(table)?]);
                }
                ("ralph-memory", "recall", args)
            }
            Alone::RecallScale { sizes } => {
                ("ralph-memory", "scale", sizes.iter().map(|size| size.to_string().into()).collect())
            }
        };
        let bench = ["bench", "--quiet", "--locked", "-p", package, "--bench", bench, "--"];
        succeed(cargo().args(bench).args(args))
    }
}

/// A benchmark runs in its package's directory.
fn absolute(path: &Path) -> anyhow::Result<OsString> {
    let absolute = path.canonicalize().with_context(|| format!("cannot read {}", path.display()))?;
    Ok(absolute.into_os_string())
}
