//! From what SQLite says to what a person can act on.

use std::path::Path;
use std::time::Duration;

use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::error::StoreError;

/// How long a statement waits for another program's lock.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// What goes wrong inside a job, where nobody knows the file's name.
#[derive(Debug)]
pub(crate) enum Failure {
    Sql(rusqlite::Error),
    /// What was read is not what was written.
    Damaged(String),
    Newer {
        found: i64,
        known: i64,
    },
    Refused(StoreError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Sql(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Refused(error)
    }
}

impl Failure {
    pub(crate) fn at(self, path: &Path) -> StoreError {
        let path = path.to_owned();
        match self {
            Failure::Refused(error) => error,
            Failure::Damaged(detail) => StoreError::Corrupt { path, detail },
            Failure::Newer { found, known } => StoreError::TooNew { path, found, known },
            Failure::Sql(error) => named(&error, path),
        }
    }

    pub(super) fn is(&self, code: ErrorCode) -> bool {
        matches!(self, Failure::Sql(error) if error.sqlite_error_code() == Some(code))
    }
}

fn named(error: &rusqlite::Error, path: std::path::PathBuf) -> StoreError {
    let detail = error.to_string();
    let rusqlite::Error::SqliteFailure(ffi::Error { code, extended_code }, _) = error else {
        // A column of another type or a missing row: the statements are ours, so the content is not.
        return StoreError::Corrupt { path, detail };
    };
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy { path, waited: PATIENCE },
        ErrorCode::DiskFull => StoreError::Full { path },
        // The shared index beside the file cannot grow; on Linux that is what a full disk looks like first.
        ErrorCode::SystemIoFailure if *extended_code == ffi::SQLITE_IOERR_SHMSIZE => {
            StoreError::Full { path }
        }
        ErrorCode::ReadOnly => StoreError::ReadOnly { path },
        ErrorCode::CannotOpen => cannot_open(path, detail),
        // The statements are ours, so if one makes no sense to SQLite, the tables are not.
        ErrorCode::Unknown
        | ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::ConstraintViolation => StoreError::Corrupt { path, detail },
        _ => StoreError::Io { path, detail: format!("{detail} (SQLite code {extended_code})") },
    }
}

/// SQLite does not say why; the file system does. On a read-only one it is the log beside the file that fails.
fn cannot_open(path: std::path::PathBuf, detail: String) -> StoreError {
    match std::fs::OpenOptions::new().append(true).open(&path) {
        Err(error) => io(&path, &error),
        Ok(_) => StoreError::Io { path, detail },
    }
}

/// The same for files that we touch ourselves.
pub(crate) fn io(path: &Path, error: &std::io::Error) -> StoreError {
    let path = path.to_owned();
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => StoreError::Full { path },
        std::io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { path },
        _ => StoreError::Io { path, detail: error.to_string() },
    }
}
