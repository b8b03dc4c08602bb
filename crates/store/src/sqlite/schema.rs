//! Brings a database to the shape that this ralph knows: forward only, all or nothing.

use std::path::Path;

use rusqlite::Connection;

use super::failure::Failure;
use super::peek::Stamp;
use crate::crash;
use crate::error::StoreError;

/// The numbered steps that make up a kind of database. Their order is their number, from 1.
#[derive(Debug)]
pub(crate) struct Schema {
    /// Written into the file, so that no other program's database is ever taken for ours.
    pub(crate) application_id: i32,
    pub(crate) migrations: &'static [Migration],
}

/// Once released, a migration never changes: its hash is kept in every database that it was applied to.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
}

const BOOKKEEPING: &str = "CREATE TABLE IF NOT EXISTS migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL) STRICT";

impl Schema {
    /// The version that this ralph brings a database to.
    pub(super) fn known(&self) -> i64 {
        self.migrations.len() as i64
    }

    pub(super) fn refuse_newer(&self, path: &Path, stamp: Option<Stamp>) -> Result<(), StoreError> {
        match stamp {
            Some(Stamp { application_id, user_version })
                if application_id == self.application_id && i64::from(user_version) > self.known() =>
            {
                let (found, known) = (user_version.into(), self.known());
                Err(StoreError::TooNew { path: path.to_owned(), found, known })
            }
            _ => Ok(()),
        }
    }

    /// The version of a database, which must be ours or empty. Writes nothing.
    pub(super) fn version(&self, conn: &Connection, path: &Path) -> Result<i64, Failure> {
        // One moment for all three questions: another process may be making the database right now.
        conn.execute_batch("SAVEPOINT looking")?;
        let version = self.version_now(conn, path);
        // After a hard error SQLite has ended it by itself.
        let released = conn.execute_batch("RELEASE looking");
        let version = version?;
        released?;
        Ok(version)
    }

    fn version_now(&self, conn: &Connection, path: &Path) -> Result<i64, Failure> {
        let application_id: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if application_id == self.application_id {
            if version > self.known() {
                return Err(Failure::Newer { found: version, known: self.known() });
            }
            self.compare_hashes(conn, version, path)?;
            return Ok(version);
        }
        let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
        if (application_id, version, tables) == (0, 0, 0) {
            return Ok(0);
        }
        Err(StoreError::NotRalph { path: path.to_owned() }.into())
    }

    fn compare_hashes(&self, conn: &Connection, version: i64, path: &Path) -> Result<(), Failure> {
        let mut applied = conn.prepare("SELECT version, hash FROM migrations ORDER BY version")?;
        let applied: Vec<(i64, String)> =
            applied.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        let expected = self.migrations.iter().zip(1..).take_while(|(_, number)| *number <= version);
        let expected: Vec<(i64, String)> =
            expected.map(|(migration, number)| (number, migration.hash())).collect();
        if applied == expected {
            return Ok(());
        }
        let differs =
            expected.iter().find(|one| !applied.contains(one)).map_or(version, |(number, _)| *number);
        Err(StoreError::MigrationChanged { path: path.to_owned(), version: differs }.into())
    }

    /// Applies what is missing in one transaction. Another process may do the same at the same time.
    pub(super) fn bring_up(&self, conn: &mut Connection, path: &Path) -> Result<(), Failure> {
        if self.version(conn, path)? == self.known() {
            return Ok(());
        }
        crash::point(crash::MIGRATE.before);
        let change = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let version = self.version(&change, path)?;
        change.execute_batch(BOOKKEEPING)?;
        for (migration, number) in self.migrations.iter().zip(1..).filter(|(_, number)| *number > version) {
            change.execute_batch(migration.sql)?;
            let applied = (number, migration.name, migration.hash());
            change.execute("INSERT INTO migrations VALUES (?1, ?2, ?3)", applied)?;
        }
        change.pragma_update(None, "application_id", self.application_id)?;
        change.pragma_update(None, "user_version", self.known())?;
        crash::point(crash::MIGRATE.inside);
        change.commit()?;
        crash::point(crash::MIGRATE.after);
        Ok(())
    }
}

impl Migration {
    fn hash(&self) -> String {
        blake3::hash(self.sql.as_bytes()).to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rusqlite::Connection;

    use super::{Migration, Schema};
    use crate::error::StoreError;

    const FIRST: Migration =
        Migration { name: "first", sql: "CREATE TABLE a (x); INSERT INTO a VALUES (1);" };
    const SECOND: Migration = Migration { name: "second", sql: "ALTER TABLE a ADD COLUMN y DEFAULT 2;" };
    const BROKEN: Migration = Migration { name: "broken", sql: "UPDATE a SET x = 9; CREATE TABLE a (z);" };

    fn schema(migrations: &'static [Migration]) -> Schema {
        Schema { application_id: 7, migrations }
    }

    fn bring_up(conn: &mut Connection, migrations: &'static [Migration]) -> Result<(), StoreError> {
        let path = Path::new("test.db");
        schema(migrations).bring_up(conn, path).map_err(|failure| failure.at(path))
    }

    fn version(conn: &Connection) -> i64 {
        conn.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    }

    #[test]
    fn what_is_missing_is_applied_once() {
        let mut conn = Connection::open_in_memory().unwrap();
        bring_up(&mut conn, &[FIRST]).unwrap();
        for _ in 0..2 {
            bring_up(&mut conn, &[FIRST, SECOND]).unwrap();
        }
        let row: (i64, i64) =
            conn.query_row("SELECT x, y FROM a", (), |r| Ok((r.get(0)?, r.get(1)?))).unwrap();
        assert_eq!((row, version(&conn)), ((1, 2), 2));
    }

    #[test]
    fn a_migration_that_fails_leaves_what_was() {
        let mut conn = Connection::open_in_memory().unwrap();
        bring_up(&mut conn, &[FIRST]).unwrap();
        assert!(bring_up(&mut conn, &[FIRST, BROKEN]).is_err());
        let x: i64 = conn.query_row("SELECT x FROM a", (), |row| row.get(0)).unwrap();
        assert_eq!((x, version(&conn)), (1, 1));
        bring_up(&mut conn, &[FIRST, SECOND]).unwrap();
    }

    #[test]
    fn an_older_ralph_and_a_changed_past_are_refused() {
        let mut conn = Connection::open_in_memory().unwrap();
        bring_up(&mut conn, &[FIRST, SECOND]).unwrap();
        let path = Path::new("test.db").to_owned();
        let refused = bring_up(&mut conn, &[FIRST]);
        assert_eq!(refused, Err(StoreError::TooNew { path: path.clone(), found: 2, known: 1 }));
        let refused = bring_up(&mut conn, &[FIRST, BROKEN]);
        assert_eq!(refused, Err(StoreError::MigrationChanged { path, version: 2 }));
    }
}
