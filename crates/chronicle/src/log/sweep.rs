//! Old logs make room for new ones. Nothing is removed that ralph has not named itself.

use std::ffi::OsStr;

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::{LogFile, Room, name, names};
use crate::beneath::Directory;
use crate::error::ChronicleError;
use crate::replace::is_gone;

/// Removes the oldest logs until the rest fits, but never the newest, and what killed processes left half written.
pub(super) fn make_room(directory: &Directory, room: Room) -> Result<(), ChronicleError> {
    let names = names(directory)?;
    for half in names.iter().filter(|name| is_abandoned(name)) {
        let _ = rustix::fs::unlinkat(&directory.fd, half.as_str(), AtFlags::empty());
    }
    let mut logs: Vec<LogFile> = names.iter().filter_map(|name| name::parse(name, &directory.path)).collect();
    logs.sort();
    let (mut count, mut bytes) = (0, 0);
    for log in logs.iter().rev() {
        let name = log.path.file_name().unwrap_or_default();
        count += 1;
        bytes += size(directory, name);
        if count > 1 && (count > room.logs || bytes > room.bytes) {
            match rustix::fs::unlinkat(&directory.fd, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(errno) => return Err(ChronicleError::io("remove", &log.path)(errno.into())),
            }
        }
    }
    Ok(())
}

fn size(directory: &Directory, name: &OsStr) -> u64 {
    let stat = rustix::fs::statat(&directory.fd, name, AtFlags::SYMLINK_NOFOLLOW);
    stat.map_or(0, |stat| u64::try_from(stat.st_size).unwrap_or(0))
}

/// `.NAME.ralph-PID` of a process that is no more.
fn is_abandoned(name: &str) -> bool {
    let half = name.strip_prefix('.').and_then(|name| name.rsplit_once(".ralph-"));
    half.is_some_and(|(name, process)| name::is_log(name) && is_gone(process.as_bytes()))
}
