//! The one thread that talks to a database. Everything that lasts goes over this desk, so that every durable write
//! of a process can be found under one thread's name. Only who writes in passing has no thread made for it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::connection;
use super::failure::{Failure, io};
pub(crate) use super::presence::Missing;
use super::presence::Presence;
use super::schema::Schema;
use crate::crash::{self, Points};
use crate::error::StoreError;

/// How many jobs may wait before those who bring more have to.
const QUEUE: usize = 64;

#[derive(Debug)]
pub(crate) struct Desk {
    path: PathBuf,
    clerk: Manned,
    counted: Arc<Counted>,
    /// Dropped last, when the connection is closed. A database in memory has none.
    presence: Option<Presence>,
}

/// Who does what is asked for.
#[derive(Debug)]
enum Manned {
    /// A thread, so that nobody who asks is held up by a disk or somebody else's lock.
    Apart { jobs: Option<mpsc::Sender<Box<dyn Job>>>, thread: Option<JoinHandle<()>> },
    /// Whoever asks. To make a thread and to be woken by it takes longer than what is asked of it in passing.
    Here(Mutex<Clerk>),
}

/// What a handle has written so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Transactions that changed something; each is one flush of the disk.
    pub commits: u64,
    /// Operations that those transactions held.
    pub writes: u64,
    /// Bytes of checkpoints and events.
    pub bytes: u64,
    /// Looks at one moment's state.
    pub reads: u64,
}

#[derive(Debug, Default)]
struct Counted {
    commits: AtomicU64,
    writes: AtomicU64,
    bytes: AtomicU64,
    reads: AtomicU64,
}

impl Desk {
    pub(crate) fn open(
        path: &Path,
        missing: Missing,
        schema: &'static Schema,
        thread: &'static str,
    ) -> Result<Desk, StoreError> {
        let presence = Presence::claim(path, missing, schema)?;
        let conn = connection::open(path, schema).map_err(|failure| failure.at(path))?;
        Desk::start(conn, path, thread, Some(presence))
    }

    /// A file that exists, for whoever has so much time to wait for somebody else's lock.
    pub(crate) fn open_within(
        path: &Path,
        schema: &'static Schema,
        thread: &'static str,
        patience: Duration,
    ) -> Result<Desk, StoreError> {
        let presence = Presence::claim(path, Missing::Refuse, schema)?;
        let conn = connection::open_within(path, schema, patience).map_err(|failure| failure.at(path))?;
        Desk::start(conn, path, thread, Some(presence))
    }

    /// A file that exists, for writes that are not waited for until they are on the disk.
    pub(crate) fn open_in_passing(path: &Path, schema: &'static Schema) -> Result<Desk, StoreError> {
        let presence = Presence::claim(path, Missing::Refuse, schema)?;
        let opened = connection::open(path, schema);
        let conn = opened.and_then(|conn| connection::in_passing(&conn, path).map(|()| conn));
        let clerk = Clerk::new(conn.map_err(|failure| failure.at(path))?, path);
        let (counted, presence) = (Arc::clone(&clerk.counted), Some(presence));
        Ok(Desk { path: path.to_owned(), clerk: Manned::Here(Mutex::new(clerk)), counted, presence })
    }

    pub(crate) fn in_memory(schema: &'static Schema, thread: &'static str) -> Result<Desk, StoreError> {
        let path = Path::new(":memory:");
        let conn = connection::in_memory(path, schema).map_err(|failure| failure.at(path))?;
        Desk::start(conn, path, thread, None)
    }

    fn start(
        conn: Connection,
        path: &Path,
        name: &'static str,
        presence: Option<Presence>,
    ) -> Result<Desk, StoreError> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let clerk = Clerk::new(conn, path);
        let counted = Arc::clone(&clerk.counted);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || clerk.serve(queue));
        let thread = thread.map_err(|error| io(path, &error))?;
        let clerk = Manned::Apart { jobs: Some(jobs), thread: Some(thread) };
        Ok(Desk { path: path.to_owned(), clerk, counted, presence })
    }

    /// Reads from one moment's state.
    pub(crate) async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        self.ask(Access::Read, work).await
    }

    /// All or nothing, and durable when it returns.
    pub(crate) async fn write<T, F>(&self, points: Points, bytes: usize, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        self.ask(Access::Write { points, bytes }, work).await
    }

    /// What cannot be done within a transaction.
    pub(crate) async fn apart<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        self.ask(Access::Apart, work).await
    }

    async fn ask<T, F>(&self, access: Access, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let closed = || StoreError::Closed { path: self.path.clone() };
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Asked { access, work: Some(work), result: None, reply });
        match &self.clerk {
            Manned::Apart { jobs, .. } => {
                jobs.as_ref().ok_or_else(closed)?.send(job).await.map_err(|_| closed())?;
            }
            Manned::Here(clerk) => clerk.lock().unwrap_or_else(PoisonError::into_inner).attend(vec![job]),
        }
        answer.await.unwrap_or_else(|_| Err(closed()))
    }

    pub(crate) fn still_there(&self) -> bool {
        self.presence.as_ref().is_none_or(Presence::still_there)
    }

    pub(crate) fn stats(&self) -> Stats {
        let Counted { commits, writes, bytes, reads } = &*self.counted;
        let counts = [commits, writes, bytes, reads].map(|count| count.load(Ordering::Relaxed));
        let [commits, writes, bytes, reads] = counts;
        Stats { commits, writes, bytes, reads }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let Manned::Apart { jobs, thread } = &mut self.clerk else { return };
        *jobs = None;
        if let Some(thread) = thread.take() {
            // A panic over there was already reported; there is nobody to tell again.
            let _ = thread.join();
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Access {
    Read,
    Write {
        points: Points,
        bytes: usize,
    },
    /// In no transaction.
    Apart,
}

/// One operation. It is answered only when it is known to last.
trait Job: Send {
    fn access(&self) -> Access;
    /// Whether it succeeded; what it has changed counts only then.
    fn perform(&mut self, conn: &Connection, path: &Path) -> Result<(), StoreError>;
    /// A failed commit takes back what was a success until then.
    fn answer(self: Box<Self>, fate: Result<(), StoreError>);
}

struct Asked<T, F> {
    access: Access,
    work: Option<F>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job for Asked<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, Failure> + Send,
{
    fn access(&self) -> Access {
        self.access
    }

    fn perform(&mut self, conn: &Connection, path: &Path) -> Result<(), StoreError> {
        let work = self.work.take().expect("a job is performed once");
        let result = work(conn).map_err(|failure| failure.at(path));
        let fate = result.as_ref().map(|_| ()).map_err(Clone::clone);
        self.result = Some(result);
        fate
    }

    fn answer(self: Box<Self>, fate: Result<(), StoreError>) {
        let result = match (self.result, fate) {
            (Some(Err(error)), _) | (_, Err(error)) => Err(error),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => unreachable!("a job is performed before it is answered"),
        };
        // Whoever asked may have stopped waiting.
        let _ = self.reply.send(result);
    }
}

/// Whoever has the connection.
#[derive(Debug)]
struct Clerk {
    conn: Connection,
    path: PathBuf,
    counted: Arc<Counted>,
}

impl Clerk {
    fn new(conn: Connection, path: &Path) -> Clerk {
        Clerk { conn, path: path.to_owned(), counted: Arc::default() }
    }

    fn serve(self, mut queue: mpsc::Receiver<Box<dyn Job>>) {
        while let Some(first) = queue.blocking_recv() {
            let mut waiting = vec![first];
            while waiting.len() < QUEUE
                && let Ok(next) = queue.try_recv()
            {
                waiting.push(next);
            }
            self.attend(waiting);
        }
        // The last one to close a database also empties its log into it.
        let _ = self.conn.close();
    }

    fn attend(&self, waiting: Vec<Box<dyn Job>>) {
        let (apart, waiting): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|job| matches!(job.access(), Access::Apart));
        let (reads, writes): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|job| matches!(job.access(), Access::Read));
        // Reads first: they need not wait for a foreign lock.
        for job in reads {
            self.look(job);
        }
        if !writes.is_empty() {
            self.write(writes);
        }
        for mut job in apart {
            let fate = job.perform(&self.conn, &self.path);
            job.answer(fate);
        }
    }

    fn look(&self, mut job: Box<dyn Job>) {
        self.counted.reads.fetch_add(1, Ordering::Relaxed);
        let moment = self.conn.unchecked_transaction().map_err(|error| self.named(error));
        let fate = moment.as_ref().map_err(Clone::clone).and_then(|_| job.perform(&self.conn, &self.path));
        drop(moment);
        job.answer(fate);
    }

    /// Jobs that wait together share one transaction, and so one flush of the disk.
    fn write(&self, mut jobs: Vec<Box<dyn Job>>) {
        at_each(&jobs, |points| points.before);
        let before = self.conn.total_changes();
        let fate = self.transact(&mut jobs);
        if fate.is_err() && !self.conn.is_autocommit() {
            // If even this fails, the next BEGIN says so.
            let _ = self.conn.execute_batch("ROLLBACK");
        }
        if fate.is_ok() {
            at_each(&jobs, |points| points.after);
            if self.conn.total_changes() > before {
                self.counted.add(&jobs);
            }
        }
        for job in jobs {
            job.answer(fate.clone());
        }
    }

    fn transact(&self, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
        self.run("BEGIN IMMEDIATE")?;
        for job in jobs.iter_mut() {
            self.run("SAVEPOINT job")?;
            let done = job.perform(&self.conn, &self.path);
            match done {
                // SQLite has given up the whole transaction, and with it what earlier jobs did.
                Err(error) if self.conn.is_autocommit() => return Err(error),
                Err(_) => self.run("ROLLBACK TO job; RELEASE job")?,
                Ok(()) => self.run("RELEASE job")?,
            }
        }
        at_each(jobs, |points| points.inside);
        self.run("COMMIT")
    }

    fn run(&self, sql: &str) -> Result<(), StoreError> {
        self.conn.execute_batch(sql).map_err(|error| self.named(error))
    }

    fn named(&self, error: rusqlite::Error) -> StoreError {
        Failure::Sql(error).at(&self.path)
    }
}

fn at_each(jobs: &[Box<dyn Job>], which: impl Fn(&Points) -> &'static str) {
    for job in jobs {
        if let Access::Write { points, .. } = job.access() {
            crash::point(which(&points));
        }
    }
}

impl Counted {
    fn add(&self, jobs: &[Box<dyn Job>]) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        for job in jobs {
            if let Access::Write { bytes, .. } = job.access() {
                self.writes.fetch_add(1, Ordering::Relaxed);
                self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
            }
        }
    }
}
