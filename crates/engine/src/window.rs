//! Where an agent's tools ask what ralph knows while it works: a socket in its mailbox.
//!
//! An agent in a sandbox does not see ralph's state, and one outside could do anything with it. So neither opens it: what
//! is remembered, and what the code is, is asked here, one line for one, and ralph decides what is answered.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use ralph_core::assignment::Assignment;

const NAME: &str = "ask";
/// What the kernel takes for the path of a socket.
const LONGEST_PATH: usize = 100;
/// A question is a few sentences.
const LONGEST_QUESTION: u64 = 64 << 10;
const LONGEST_ANSWER: u64 = 4 << 20;
/// How long one side waits for the other to take or say something. Code may have to be read before an answer.
const ASKING: Duration = Duration::from_secs(10);
const ANSWERING: Duration = Duration::from_secs(120);

/// Who answers.
pub trait Librarian: Debug + Send + Sync {
    /// One line for one line, from the agent that has this task.
    fn answer(&self, task: &Assignment, asked: &str) -> String;
}

/// ralph's side, for as long as an attempt.
#[derive(Debug)]
pub(crate) struct Window {
    closed: Arc<AtomicBool>,
    /// Dropped with the rest, which wakes the other end.
    _wake: UnixStream,
}

impl Window {
    pub(crate) fn open(dir: &Path, task: Assignment, librarian: Arc<dyn Librarian>) -> io::Result<Window> {
        let listener = reached(dir, UnixListener::bind)?;
        listener.set_nonblocking(true)?;
        let (wake, woken) = UnixStream::pair()?;
        let closed = Arc::new(AtomicBool::new(false));
        let shut = closed.clone();
        let serve = move || serve(&listener, &woken, &shut, &task, &*librarian);
        std::thread::Builder::new().name("ralph-window".to_owned()).spawn(serve)?;
        Ok(Window { closed, _wake: wake })
    }
}

impl Drop for Window {
    /// Nobody waits for an answer that is being made: it goes nowhere.
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Release);
    }
}

fn serve(
    listener: &UnixListener,
    woken: &UnixStream,
    closed: &AtomicBool,
    task: &Assignment,
    librarian: &dyn Librarian,
) {
    use std::os::fd::AsFd;
    loop {
        let mut either = [
            PollFd::new(listener.as_fd(), PollFlags::POLLIN),
            PollFd::new(woken.as_fd(), PollFlags::POLLIN | PollFlags::POLLHUP),
        ];
        let waited = poll(&mut either, PollTimeout::NONE);
        if closed.load(Ordering::Acquire) || matches!(waited, Err(error) if error != nix::errno::Errno::EINTR)
        {
            return;
        }
        if let Ok((caller, _)) = listener.accept() {
            // Whoever asks badly, or goes away, gets no answer.
            let _gone = attend(&caller, task, librarian);
        }
    }
}

fn attend(caller: &UnixStream, task: &Assignment, librarian: &dyn Librarian) -> io::Result<()> {
    caller.set_nonblocking(false)?;
    caller.set_read_timeout(Some(ASKING))?;
    caller.set_write_timeout(Some(ASKING))?;
    let mut line = String::new();
    BufReader::new(caller.take(LONGEST_QUESTION)).read_line(&mut line)?;
    let answer = librarian.answer(task, line.trim_end());
    (&mut &*caller).write_all(answer.as_bytes())
}

/// The agent's side.
pub(crate) fn ask(dir: &Path, line: &str) -> io::Result<String> {
    let mut stream = reached(dir, UnixStream::connect)?;
    stream.set_read_timeout(Some(ANSWERING))?;
    stream.set_write_timeout(Some(ASKING))?;
    stream.write_all(line.as_bytes())?;
    stream.write_all(b"\n")?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut answer = String::new();
    stream.take(LONGEST_ANSWER).read_to_string(&mut answer)?;
    if answer.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "nobody answered"));
    }
    Ok(answer)
}

/// A path that is too long for a socket is reached through its directory.
fn reached<T>(dir: &Path, by: impl Fn(PathBuf) -> io::Result<T>) -> io::Result<T> {
    let path = dir.join(NAME);
    if path.as_os_str().len() <= LONGEST_PATH {
        return by(path);
    }
    let open = File::open(dir)?;
    by(PathBuf::from(format!("/proc/self/fd/{}/{NAME}", open.as_raw_fd())))
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_PATH, Librarian, Window, ask};
    use crate::mailbox::tests::task;
    use ralph_core::assignment::Assignment;
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;

    #[derive(Debug)]
    struct Echo;

    impl Librarian for Echo {
        fn answer(&self, task: &Assignment, asked: &str) -> String {
            format!("{} asks: {asked}", task.task)
        }
    }

    #[test]
    fn a_question_is_answered_for_as_long_as_the_window_is_open() {
        let dir = tempfile::tempdir().unwrap();
        let window = Window::open(dir.path(), task(), Arc::new(Echo)).unwrap();
        assert_eq!(ask(dir.path(), "what?").unwrap(), "T-1 asks: what?");
        // One that says nothing keeps nobody else from asking.
        drop(UnixStream::connect(dir.path().join("ask")).unwrap());
        UnixStream::connect(dir.path().join("ask")).unwrap().write_all(&[0xff, b'\n']).unwrap();
        assert_eq!(ask(dir.path(), "still?").unwrap(), "T-1 asks: still?");
        drop(window);
        ralph_wait(|| ask(dir.path(), "and now?").is_err());
    }

    /// The thread ends by itself, a moment later.
    fn ralph_wait(holds: impl Fn() -> bool) {
        let begun = std::time::Instant::now();
        while !holds() {
            assert!(begun.elapsed().as_secs() < 10, "it goes on answering");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_mailbox_with_a_long_path_is_reached_as_well() {
        let dir = tempfile::tempdir().unwrap();
        let long = dir.path().join("x".repeat(LONGEST_PATH));
        std::fs::create_dir(&long).unwrap();
        let _window = Window::open(&long, task(), Arc::new(Echo)).unwrap();
        assert_eq!(ask(&long, "here?").unwrap(), "T-1 asks: here?");
    }
}
