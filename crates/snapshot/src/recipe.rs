//! How to get a snapshot back without this program: a script beside the packs, for any POSIX shell with tar and zstd.

use std::os::unix::ffi::OsStrExt;

use crate::digest::SnapshotId;
use crate::error::{Attempt, SnapshotError};
use crate::pack::TEMPORARY;
use crate::vault::{Vault, write_private};

const NAME: &str = "restore.sh";
const SCRIPT: &str = include_str!("restore.sh");

impl Vault {
    /// A command that writes the snapshot into a new directory.
    pub fn recipe(&self, id: SnapshotId) -> String {
        let script = self.directory.join(NAME);
        let quoted = script.as_os_str().as_bytes().utf8_chunks();
        let path: String = quoted.map(|chunk| chunk.valid().replace('\'', "'\\''")).collect();
        format!("sh '{path}' {id} restored")
    }

    /// Only for whoever holds the lock alone: others clear away what they take for left over.
    pub(crate) fn write_recipe(&self) -> Result<(), SnapshotError> {
        let path = self.directory.join(NAME);
        if std::fs::read(&path).is_ok_and(|script| script == SCRIPT.as_bytes()) {
            return Ok(());
        }
        let temporary = self.directory.join(format!("{TEMPORARY}recipe"));
        let written = write_private(&temporary, SCRIPT.as_bytes());
        written.and_then(|_| std::fs::rename(&temporary, &path)).attempt("write", &path)
    }
}
