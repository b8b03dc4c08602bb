//! Which run belongs to which project, over all projects of a user: one `global.db` beside them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use ralph_core::Timestamp;
use ralph_core::id::RunId;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::crash;
use crate::error::StoreError;
use crate::sqlite::{Desk, Failure, Migration, Missing, Schema};

const FILE: &str = "global.db";
const THREAD: &str = "ralph-register";
static SCHEMA: Schema = Schema {
    application_id: i32::from_be_bytes(*b"ralg"),
    migrations: &[Migration { name: "first", sql: include_str!("../migrations/global/0001_first.sql") }],
};

/// All runs of a user.
#[derive(Debug)]
pub struct Register {
    desk: Desk,
}

/// A line of the register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    pub run: RunId,
    /// The root of the project it ran in, as it was called then.
    pub root: PathBuf,
    pub at: Timestamp,
}

impl Register {
    pub fn open(state_dir: &Path) -> Result<Register, StoreError> {
        Ok(Register { desk: Desk::open(&state_dir.join(FILE), Missing::Create, &SCHEMA, THREAD)? })
    }

    /// For commands that only look: makes nothing.
    pub fn open_existing(state_dir: &Path) -> Result<Register, StoreError> {
        Ok(Register { desk: Desk::open(&state_dir.join(FILE), Missing::Refuse, &SCHEMA, THREAD)? })
    }

    /// Recording a run again says where it is now.
    pub async fn record(&self, run: &RunId, root: &Path, at: Timestamp) -> Result<(), StoreError> {
        let (run, root) = (run.clone(), root.as_os_str().as_bytes().to_vec());
        let sql = "INSERT INTO register VALUES (NULL, ?1, ?2, ?3)
                   ON CONFLICT (run) DO UPDATE SET project = excluded.project, at = excluded.at";
        let write = move |conn: &Connection| {
            conn.prepare_cached(sql)?.execute(params![run.as_str(), root, at.to_string()])?;
            Ok(())
        };
        self.desk.write(crash::OTHER, 0, write).await
    }

    /// The newest first.
    pub async fn list(&self) -> Result<Vec<Registered>, StoreError> {
        let read = |conn: &Connection| {
            let mut query = conn.prepare_cached("SELECT run, project, at FROM register ORDER BY no DESC")?;
            let mut rows = query.query(())?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(registered(row)?);
            }
            Ok(found)
        };
        self.desk.read(read).await
    }

    pub async fn project_of(&self, run: &RunId) -> Result<Option<PathBuf>, StoreError> {
        let run = run.clone();
        let read = move |conn: &Connection| {
            let mut query = conn.prepare_cached("SELECT project FROM register WHERE run = ?1")?;
            let found: Option<Vec<u8>> = query.query_row([run.as_str()], |row| row.get(0)).optional()?;
            Ok(found.map(path))
        };
        self.desk.read(read).await
    }
}

fn registered(row: &Row<'_>) -> Result<Registered, Failure> {
    let (run, root, at): (String, Vec<u8>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let run = RunId::parse(&run).map_err(|error| Failure::Damaged(error.to_string()))?;
    let at = at.parse().map_err(|error: jiff::Error| Failure::Damaged(error.to_string()))?;
    Ok(Registered { run, root: path(root), at })
}

/// A path is bytes, not text.
fn path(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}
