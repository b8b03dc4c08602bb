//! What a program prints, run to its end under a guard: for questions to agent programs outside of any run.

use std::time::Duration;

use tokio::io::AsyncReadExt;

use crate::custody::{Child, Custody, CustodyError, Ending, GuardOptions, Launch, SpawnError, Status};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// None where it took longer than it might, and was ended.
    pub status: Option<Status>,
    pub out: String,
    pub err: String,
}

/// Keeps at most `most` bytes of each stream.
pub async fn capture(
    options: GuardOptions,
    launch: &Launch,
    patience: Duration,
    most: usize,
) -> Result<Captured, SpawnError> {
    let mut custody = Custody::open(options).await?;
    let empty = crate::hooks::sealed(b"")
        .map_err(|source| SpawnError::Prepare { program: launch.program.clone(), source })?;
    let child = custody.spawn(launch, empty).await?;
    let captured = read(&mut custody, child, patience, most).await;
    let _nothing_left_either_way = custody.close().await;
    Ok(captured?)
}

async fn read(
    custody: &mut Custody,
    mut child: Child,
    patience: Duration,
    most: usize,
) -> Result<Captured, CustodyError> {
    let deadline = tokio::time::Instant::now() + patience;
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (mut out_part, mut err_part) = ([0_u8; 8192], [0_u8; 8192]);
    let mut open = (true, true);
    let mut overdue = false;
    let mut status = None;
    // The pipes may hold more after the end.
    while status.is_none() || open != (false, false) {
        tokio::select! {
            read = child.stdout.read(&mut out_part), if open.0 => open.0 = keep(&mut out, &out_part, read, most),
            read = child.stderr.read(&mut err_part), if open.1 => open.1 = keep(&mut err, &err_part, read, most),
            exit = custody.exited(), if status.is_none() => status = Some(exit?.status),
            () = tokio::time::sleep_until(deadline), if !overdue => {
                overdue = true;
                custody.end(Ending::AtOnce).await?;
            }
        }
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Captured { status: status.filter(|_| !overdue), out: text(&out), err: text(&err) })
}

/// Whether there may be more.
fn keep(kept: &mut Vec<u8>, part: &[u8], read: std::io::Result<usize>, most: usize) -> bool {
    let Ok(read @ 1..) = read else { return false };
    let room = most.saturating_sub(kept.len());
    kept.extend_from_slice(&part[..read.min(room)]);
    true
}
