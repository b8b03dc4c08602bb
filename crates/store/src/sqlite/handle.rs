//! The store's operations, each brought to the desk.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::control::{Control, ControlNo};
use ralph_core::event::Entry;
use ralph_core::id::{AgentName, RunId, SessionId, TaskId};
use ralph_core::run::Run;
use ralph_core::sessions::{Message, Session};

use super::desk::{Desk, Missing, Stats};
use super::draft::{Draft, json};
use super::failure::Failure;
use super::schema::{Migration, Schema};
use super::{connection, controls, journal, loops, outbox, runs, sessions, tasks, trust};
use crate::crash;
use crate::error::StoreError;
use crate::outbox::{Delivery, DeliveryId, NewDelivery};
use crate::session::{Berth, Seat};
use crate::sessions::{Observation, Sessions};
use crate::store::{Commit, Store, Unfinished};
use crate::summary::RunSummary;
use crate::task::{By, Edited, NewTask, TaskChange, TaskEdit, TaskRecord};
use crate::tasks::Tasks;
use crate::trust::Trusted;

type Result<T> = std::result::Result<T, StoreError>;

const FILE: &str = "ralph.db";
/// Shown by `ps -L`, `strace -f` and `/proc`; the kernel keeps 15 characters.
const THREAD: &str = "ralph-store";
static SCHEMA: Schema = Schema {
    application_id: i32::from_be_bytes(*b"ralf"),
    migrations: &[
        Migration { name: "first", sql: include_str!("../../migrations/project/0001_first.sql") },
        Migration { name: "tasks", sql: include_str!("../../migrations/project/0002_tasks.sql") },
        Migration { name: "sessions", sql: include_str!("../../migrations/project/0003_sessions.sql") },
        Migration { name: "memory", sql: include_str!("../../migrations/project/0004_memory.sql") },
        Migration {
            name: "told sessions",
            sql: include_str!("../../migrations/project/0005_told_sessions.sql"),
        },
        Migration { name: "vectors", sql: include_str!("../../migrations/project/0006_vectors.sql") },
        Migration { name: "in_session", sql: include_str!("../../migrations/project/0007_in_session.sql") },
    ],
};

/// A project's store: `ralph.db` in its directory. Dropping it waits until everything asked for is done.
#[derive(Debug)]
pub struct SqliteStore {
    pub(super) desk: Desk,
    /// Under which number this handle holds the runs it drives.
    holder: i64,
    path: PathBuf,
}

impl SqliteStore {
    /// Opens a project's store and makes it if need be, readable by nobody else.
    pub fn open(dir: &Path) -> Result<SqliteStore> {
        SqliteStore::at(dir, Missing::Create)
    }

    /// For commands that only look: where there is no store, there is none afterwards either.
    pub fn open_existing(dir: &Path) -> Result<SqliteStore> {
        SqliteStore::at(dir, Missing::Refuse)
    }

    /// For a process that writes a line and goes, while somebody waits: what it writes outlives it, but is not waited for
    /// until it is on the disk, so a loss of power may take it.
    pub fn open_in_passing(dir: &Path) -> Result<SqliteStore> {
        let path = dir.join(FILE);
        let desk = Desk::open_in_passing(&path, &SCHEMA)?;
        Ok(SqliteStore { desk, holder: holder(), path })
    }

    /// As [`SqliteStore::open_existing`], for whoever must not give up because somebody else is writing just now.
    pub fn open_within(dir: &Path, patience: Duration) -> Result<SqliteStore> {
        let path = dir.join(FILE);
        let desk = Desk::open_within(&path, &SCHEMA, THREAD, patience)?;
        Ok(SqliteStore { desk, holder: holder(), path })
    }

    fn at(dir: &Path, missing: Missing) -> Result<SqliteStore> {
        let path = dir.join(FILE);
        let desk = Desk::open(&path, missing, &SCHEMA, THREAD)?;
        Ok(SqliteStore { desk, holder: holder(), path })
    }

    pub fn in_memory() -> Result<SqliteStore> {
        let desk = Desk::in_memory(&SCHEMA, THREAD)?;
        Ok(SqliteStore { desk, holder: holder(), path: PathBuf::from(":memory:") })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file is still where it was opened. What is written to a deleted one is lost, without an error.
    pub fn still_there(&self) -> bool {
        self.desk.still_there()
    }

    pub fn stats(&self) -> Stats {
        self.desk.stats()
    }

    /// Leaves nothing in the log that stands beside the file, where what was deleted would last until the last one who has
    /// the store open closes it. Says whether it could: somebody may be reading what is in it.
    pub async fn empty_log(&self) -> Result<bool> {
        self.desk.apart(connection::emptied).await
    }

    /// Reads the whole file and compares it with itself, for `ralph doctor`.
    pub async fn check(&self) -> Result<()> {
        self.desk
            .read(|conn| {
                let found: String = conn.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?;
                if found == "ok" { Ok(()) } else { Err(Failure::Damaged(found)) }
            })
            .await
    }
}

/// A number that no other handle has.
fn holder() -> i64 {
    (RandomState::new().hash_one(std::process::id()) >> 1) as i64
}

impl Store for SqliteStore {
    fn still_there(&self) -> bool {
        SqliteStore::still_there(self)
    }

    async fn create_run(
        &self,
        run: &Run,
        at: Timestamp,
        over: Unfinished,
        deliveries: &[NewDelivery],
    ) -> Result<Vec<Entry>> {
        let (draft, holder) = (Draft::of(run, at, deliveries), self.holder);
        let bytes = draft.bytes();
        self.desk.write(crash::CREATE, bytes, move |conn| runs::create(conn, &draft, over, holder)).await
    }

    async fn create_loop(
        &self,
        run: &Run,
        at: Timestamp,
        berth: &Berth,
        deliveries: &[NewDelivery],
    ) -> Result<Vec<Entry>> {
        let (draft, holder, berth) = (Draft::of(run, at, deliveries), self.holder, berth.clone());
        let bytes = draft.bytes();
        self.desk.write(crash::CREATE, bytes, move |conn| loops::create(conn, &draft, &berth, holder)).await
    }

    async fn commit(&self, run: &Run, at: Timestamp, deliveries: &[NewDelivery]) -> Result<Commit> {
        let (draft, holder) = (Draft::of(run, at, deliveries), self.holder);
        let bytes = draft.bytes();
        self.desk.write(crash::COMMIT, bytes, move |conn| runs::commit(conn, &draft, holder)).await
    }

    async fn heartbeat(&self, run: &RunId, running: Duration) -> Result<()> {
        let (run, holder) = (run.clone(), self.holder);
        self.desk.write(crash::OTHER, 0, move |conn| runs::heartbeat(conn, &run, running, holder)).await
    }

    async fn run(&self, id: &RunId) -> Result<Option<Run>> {
        let id = id.clone();
        self.desk.read(move |conn| runs::load(conn, &id)).await
    }

    async fn take_run(&self, id: &RunId) -> Result<Option<Run>> {
        let (id, holder) = (id.clone(), self.holder);
        self.desk.write(crash::OTHER, 0, move |conn| runs::take(conn, &id, holder)).await
    }

    async fn runs(&self, limit: usize) -> Result<Vec<RunSummary>> {
        self.desk.read(move |conn| runs::newest(conn, limit)).await
    }

    async fn latest_run(&self) -> Result<Option<RunSummary>> {
        self.desk.read(runs::newest_of_the_project).await
    }

    async fn find_run(&self, prefix: &str) -> Result<RunId> {
        let prefix = prefix.to_owned();
        self.desk.read(move |conn| runs::find(conn, &prefix)).await
    }

    async fn entries(&self, run: &RunId, after: u64, limit: usize) -> Result<Vec<Entry>> {
        let run = run.clone();
        self.desk.read(move |conn| journal::read(conn, &run, after, limit)).await
    }

    async fn request(&self, run: &RunId, control: &Control, at: Timestamp) -> Result<ControlNo> {
        let (run, control) = (run.clone(), json(control));
        self.desk.write(crash::REQUEST, 0, move |conn| controls::request(conn, &run, &control, at)).await
    }

    async fn waiting_controls(&self, run: &RunId, after: ControlNo) -> Result<Vec<(ControlNo, Control)>> {
        let run = run.clone();
        self.desk.read(move |conn| controls::waiting(conn, &run, after)).await
    }

    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Delivery>> {
        self.desk.read(move |conn| outbox::due(conn, now, limit)).await
    }

    async fn delivered(&self, id: DeliveryId) -> Result<()> {
        self.desk.write(crash::OTHER, 0, move |conn| outbox::delivered(conn, id)).await
    }

    async fn failed(&self, id: DeliveryId, why: &str, try_again: Option<Timestamp>) -> Result<()> {
        let why = why.to_owned();
        self.desk.write(crash::OTHER, 0, move |conn| outbox::failed(conn, id, &why, try_again)).await
    }

    async fn grant(&self, what: &str, hash: &str, at: Timestamp) -> Result<()> {
        let (what, hash) = (what.to_owned(), hash.to_owned());
        self.desk.write(crash::OTHER, 0, move |conn| trust::grant(conn, &what, &hash, at)).await
    }

    async fn is_trusted(&self, what: &str, hash: &str) -> Result<bool> {
        let (what, hash) = (what.to_owned(), hash.to_owned());
        self.desk.read(move |conn| trust::is_trusted(conn, &what, &hash)).await
    }

    async fn revoke(&self, what: &str) -> Result<bool> {
        let what = what.to_owned();
        self.desk.write(crash::OTHER, 0, move |conn| trust::revoke(conn, &what)).await
    }

    async fn trusted(&self) -> Result<Vec<Trusted>> {
        self.desk.read(trust::all).await
    }

    async fn bind(&self, run: &RunId, seat: &Seat) -> Result<()> {
        let (run, seat) = (run.clone(), seat.clone());
        self.desk.write(crash::OTHER, 0, move |conn| loops::bind(conn, &run, &seat)).await
    }

    async fn take_unpresented(&self, id: &RunId) -> Result<Option<Run>> {
        let (id, holder) = (id.clone(), self.holder);
        self.desk.write(crash::OTHER, 0, move |conn| loops::take_unpresented(conn, &id, holder)).await
    }

    async fn present(
        &self,
        run: &Run,
        at: Timestamp,
        seat: &Seat,
        deliveries: &[NewDelivery],
    ) -> Result<Commit> {
        let (draft, holder, seat) = (Draft::of(run, at, deliveries), self.holder, seat.clone());
        let bytes = draft.bytes();
        self.desk.write(crash::COMMIT, bytes, move |conn| loops::present(conn, &draft, &seat, holder)).await
    }

    async fn loop_of(&self, host: Option<&AgentName>, session: &SessionId) -> Result<Option<RunId>> {
        let (host, session) = (host.cloned(), session.clone());
        self.desk.read(move |conn| loops::of(conn, host.as_ref(), &session)).await
    }

    async fn loops(&self) -> Result<Vec<(Berth, RunSummary)>> {
        self.desk.read(loops::unfinished).await
    }
}

impl Tasks for SqliteStore {
    async fn tasks(&self) -> Result<Vec<TaskRecord>> {
        self.desk.read(tasks::all).await
    }

    async fn has_tasks(&self) -> Result<bool> {
        self.desk.read(tasks::any).await
    }

    async fn task(&self, id: &TaskId) -> Result<Option<TaskRecord>> {
        let id = id.clone();
        self.desk.read(move |conn| tasks::one(conn, &id)).await
    }

    async fn task_history(&self, id: &TaskId) -> Result<Vec<TaskChange>> {
        let id = id.clone();
        self.desk.read(move |conn| tasks::history(conn, &id)).await
    }

    async fn add_tasks(&self, tasks: Vec<NewTask>, at: Timestamp, by: By) -> Result<Vec<TaskId>> {
        self.desk.write(crash::OTHER, 0, move |conn| tasks::add(conn, tasks, at, by)).await
    }

    async fn edit_task(&self, id: &TaskId, edits: Vec<TaskEdit>, at: Timestamp, by: By) -> Result<Edited> {
        let id = id.clone();
        self.desk.write(crash::OTHER, 0, move |conn| tasks::edit(conn, &id, edits, at, by)).await
    }
}

impl Sessions for SqliteStore {
    async fn observe(&self, observation: Observation) -> Result<bool> {
        self.desk.write(crash::OTHER, 0, move |conn| sessions::observe(conn, &observation)).await
    }

    async fn sessions(&self) -> Result<Vec<Session>> {
        self.desk.read(sessions::all).await
    }

    async fn find_sessions(&self, named: &str) -> Result<Vec<Session>> {
        let named = named.to_owned();
        self.desk.read(move |conn| sessions::find(conn, &named)).await
    }

    async fn session_of(&self, seat: &Seat) -> Result<Option<Session>> {
        let seat = seat.clone();
        self.desk.read(move |conn| sessions::of(conn, &seat)).await
    }

    async fn transcripts(&self, host: &AgentName) -> Result<BTreeMap<SessionId, String>> {
        let host = host.clone();
        self.desk.read(move |conn| sessions::transcripts(conn, &host)).await
    }

    async fn session_messages(&self, session: u64, limit: usize) -> Result<Vec<Message>> {
        self.desk.read(move |conn| sessions::messages(conn, session, limit)).await
    }

    async fn resume_session(&self, session: u64, at: Timestamp) -> Result<bool> {
        self.desk.write(crash::OTHER, 0, move |conn| sessions::resume(conn, session, at)).await
    }
}
