//! Another program's database: looked into, and left as it is to the last byte.

use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

/// A database that no one of ours has made.
#[derive(Debug)]
pub struct Foreign {
    conn: Connection,
    path: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForeignError {
    #[error("something is still to be written into it: {beside} is there")]
    Unsettled { beside: PathBuf },
    #[error("it cannot be read as an SQLite database: {why}")]
    Unreadable { why: String },
    #[error("it has no table `{table}` with the column `{column}`")]
    Unknown { table: String, column: String },
}

impl Foreign {
    /// Nothing is made beside it, and nothing of it is locked. So what has not been written into the file itself yet is
    /// not seen, and it is refused where there is any.
    pub fn open(path: &Path) -> Result<Foreign, ForeignError> {
        for end in ["-wal", "-journal"] {
            let mut beside = path.as_os_str().to_owned();
            beside.push(end);
            let beside = PathBuf::from(beside);
            if beside.metadata().is_ok_and(|found| found.len() > 0) {
                return Err(ForeignError::Unsettled { beside });
            }
        }
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(address(path), flags).map_err(|error| unreadable(&error))?;
        // What it has of triggers and views is its own affair.
        conn.pragma_update(None, "trusted_schema", false).map_err(|error| unreadable(&error))?;
        let sound: String = conn
            .query_row("PRAGMA quick_check(1)", (), |row| row.get(0))
            .map_err(|error| unreadable(&error))?;
        if sound != "ok" {
            return Err(ForeignError::Unreadable { why: sound });
        }
        Ok(Foreign { conn, path: path.to_owned() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The columns of at most so many rows, in the order in which they were put in; what is no text or number is nothing.
    pub fn rows(
        &self,
        table: &str,
        columns: &[&str],
        most: usize,
    ) -> Result<Vec<Vec<Option<String>>>, ForeignError> {
        let unreadable = |error: rusqlite::Error| unreadable(&error);
        for column in columns {
            let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
            let found: i64 =
                self.conn.query_row(sql, [table, column], |row| row.get(0)).map_err(unreadable)?;
            if found == 0 {
                let (table, column) = (table.to_owned(), (*column).to_owned());
                return Err(ForeignError::Unknown { table, column });
            }
        }
        let sql = format!("SELECT {} FROM \"{table}\" ORDER BY rowid LIMIT {most}", columns.join(", "));
        let mut query = self.conn.prepare(&sql).map_err(unreadable)?;
        let mut rows = query.query(()).map_err(unreadable)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next().map_err(unreadable)? {
            let cell = |at| row.get_ref(at).ok().and_then(text);
            all.push((0..columns.len()).map(cell).collect());
        }
        Ok(all)
    }
}

fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

/// As SQLite takes it: nothing in a path means anything to it but itself.
fn address(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                address.push(char::from(*byte));
            }
            other => address += &format!("%{other:02x}"),
        }
    }
    address + "?mode=ro&immutable=1"
}

fn unreadable(error: &rusqlite::Error) -> ForeignError {
    ForeignError::Unreadable { why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::{Foreign, ForeignError};
    use rusqlite::Connection;

    #[test]
    fn a_foreign_database_is_read_and_nothing_of_it_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a b?%.db");
        let conn = Connection::open(&path).unwrap();
        conn.execute_batch("CREATE TABLE t (a TEXT, b REAL); INSERT INTO t VALUES ('x', 0.5), (NULL, 2)")
            .unwrap();
        drop(conn);
        let before = std::fs::read(&path).unwrap();
        let foreign = Foreign::open(&path).unwrap();
        let cell = |text: &str| Some(text.to_owned());
        assert_eq!(foreign.rows("t", &["a", "b"], 9).unwrap(), [[cell("x"), cell("0.5")], [None, cell("2")]]);
        assert_eq!(foreign.rows("t", &["a"], 1).unwrap().len(), 1);
        let unknown = foreign.rows("t", &["c"], 9).unwrap_err();
        assert_eq!(unknown, ForeignError::Unknown { table: "t".to_owned(), column: "c".to_owned() });
        drop(foreign);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        std::fs::write(dir.path().join("a b?%.db-wal"), b"x").unwrap();
        assert!(matches!(Foreign::open(&path), Err(ForeignError::Unsettled { .. })));
        std::fs::write(dir.path().join("other.db"), vec![b'x'; 5000]).unwrap();
        let garbage = Foreign::open(&dir.path().join("other.db"));
        assert!(matches!(garbage, Err(ForeignError::Unreadable { .. })));
    }
}
