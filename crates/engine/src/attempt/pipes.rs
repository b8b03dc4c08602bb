//! The brief is kept in a file, and both outputs come out through pipes.

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use ralph_core::brief::Brief;
use ralph_core::event::Stream;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

use crate::custody::Child;
use crate::error::EngineError;

pub(crate) const BUFFER: usize = 128 * 1024;

/// The next piece of either stream, each in its half of the buffer. A broken pipe is the end of it.
pub(crate) async fn read_either(child: &mut Child, open: &[bool; 2], buffer: &mut [u8]) -> (Stream, usize) {
    let (out, err) = buffer.split_at_mut(BUFFER / 2);
    tokio::select! {
        read = read(&mut child.stdout, out), if open[0] => (Stream::Out, read),
        read = read(&mut child.stderr, err), if open[1] => (Stream::Err, read),
        else => std::future::pending().await,
    }
}

pub(crate) fn half(buffer: &[u8; BUFFER], stream: Stream) -> &[u8] {
    match stream {
        Stream::Out => &buffer[..BUFFER / 2],
        Stream::Err => &buffer[BUFFER / 2..],
    }
}

async fn read(pipe: &mut Receiver, buffer: &mut [u8]) -> usize {
    pipe.read(buffer).await.unwrap_or(0)
}

/// Keeps the brief beside the output.
pub(crate) fn store_brief(dir: &Path, brief: &Brief) -> Result<PathBuf, EngineError> {
    let path = dir.join("brief.md");
    let io = |source| EngineError::Write { path: path.clone(), source };
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(io)?;
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&path).map_err(io)?;
    file.write_all(brief.text.as_bytes()).map_err(io)?;
    Ok(path)
}
