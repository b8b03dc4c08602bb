//! The server itself: a listener, a thread per connection, and an owner with whom all of them end.

use std::collections::HashMap;
use std::io::Result;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::socket;

use super::answer::{answer, answer_probe};
use super::dialogue::Dialogues;
use super::http::Connection;
use super::protocol::Protocol;
use super::script::Script;
use super::seen::Seen;

/// A scripted model server on 127.0.0.1. Dropped, it closes every connection and waits for its threads.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    listener: TcpListener,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

/// Connections are served at the same time and there is one log and one script, hence the lock. It is held for
/// no longer than it takes to look a turn up.
#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) dialogues: Dialogues,
    pub(super) seen: Vec<Seen>,
    open: HashMap<u64, TcpStream>,
    ending: bool,
}

impl Server {
    /// Starts on a free port.
    pub fn start(script: Script) -> Result<Server> {
        Server::start_on(0, script)
    }

    pub fn start_on(port: u16, script: Script) -> Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let state = State {
            dialogues: Dialogues::new(script),
            seen: Vec::new(),
            open: HashMap::new(),
            ending: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let (its_listener, its_share) = (listener.try_clone()?, Arc::clone(&shared));
        let accepting = std::thread::Builder::new()
            .name("models".into())
            .spawn(move || accept_until_the_end(&its_listener, &its_share))?;
        Ok(Server { address, listener, shared, accepting: Some(accepting) })
    }

    /// `http://127.0.0.1:PORT`, with no path: the protocols differ in theirs.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.lock().seen.clone()
    }

    /// Waits until the requests so far satisfy a condition; false if they do not in time.
    pub fn wait_until(&self, within: Duration, mut satisfied: impl FnMut(&[Seen]) -> bool) -> bool {
        let deadline = Instant::now() + within;
        let mut state = self.shared.lock();
        loop {
            if satisfied(&state.seen) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.ending = true;
        for stream in state.open.values() {
            // A connection that has ended already is as good.
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(state);
        self.shared.changed.notify_all();
        // On Linux this ends a waiting accept. It cannot fail on a socket that listens.
        let _ = socket::shutdown(self.listener.as_raw_fd(), socket::Shutdown::Both);
        if let Some(accepting) = self.accepting.take() {
            // A panic in there has been printed, and a drop must not add another.
            let _ = accepting.join();
        }
    }
}

impl Shared {
    /// What is behind the lock is whole at every moment, so a panic elsewhere does not spoil it.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request, for whoever waits for one.
    pub(super) fn note(&self, mut state: MutexGuard<'_, State>, seen: Seen) {
        state.seen.push(seen);
        drop(state);
        self.changed.notify_all();
    }

    /// Waits, but not beyond the server's end.
    pub(super) fn wait(&self, time: Duration) {
        let deadline = Instant::now() + time;
        let mut state = self.lock();
        while !state.ending {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn accept_until_the_end(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for number in 0.. {
        let accepted = listener.accept();
        let mut state = shared.lock();
        if state.ending {
            break;
        }
        let Ok((stream, _)) = accepted else { continue };
        let Ok(copy) = stream.try_clone() else { continue };
        state.open.insert(number, copy);
        drop(state);
        let shared = Arc::clone(shared);
        threads.retain(|thread| !thread.is_finished());
        threads.push(std::thread::spawn(move || {
            // A connection may end in any way a client likes.
            let _ = serve(stream, &shared);
            shared.lock().open.remove(&number);
        }));
    }
    for thread in threads {
        // A panic in there has been printed.
        let _ = thread.join();
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> Result<()> {
    let mut connection = Connection::new(stream)?;
    while let Some(request) = connection.request()? {
        match Protocol::of_path(&request.path).filter(|_| request.method == "POST") {
            Some(protocol) => answer(&mut connection, shared, protocol, &request)?,
            None => answer_probe(&mut connection, shared, &request)?,
        }
    }
    Ok(())
}
