//! What can go wrong with a graph.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    #[error("cannot list the files in {}: {why}", .path.display())]
    Walk { path: PathBuf, why: String },
    #[error("cannot read the graph at {}", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write the graph to {}", .path.display())]
    Write { path: PathBuf, source: std::io::Error },
}
