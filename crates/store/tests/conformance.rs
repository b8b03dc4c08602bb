//! SQLite on disk and in memory does what every store must.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use ralph_store::SqliteStore;
use ralph_store::conformance::World;

struct OnDisk(tempfile::TempDir);

impl World for OnDisk {
    type Store = SqliteStore;

    fn open(&self) -> SqliteStore {
        SqliteStore::open(self.0.path()).unwrap()
    }

    fn open_beside(&self) -> Option<SqliteStore> {
        Some(self.open())
    }
}

struct InMemory;

impl World for InMemory {
    type Store = SqliteStore;

    fn open(&self) -> SqliteStore {
        SqliteStore::in_memory().unwrap()
    }

    fn open_beside(&self) -> Option<SqliteStore> {
        None
    }
}

mod on_disk {
    ralph_store::conformance!(super::OnDisk(tempfile::tempdir().unwrap()));
}

mod in_memory {
    ralph_store::conformance!(super::InMemory);
}
