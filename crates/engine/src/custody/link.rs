//! ralph's end of the control socket.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::socket::{Shutdown, shutdown};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::wire::{self, Reply, Request};

#[derive(Debug)]
pub(super) struct Link {
    socket: AsyncFd<OwnedFd>,
}

impl Link {
    #[expect(unsafe_code, reason = "tokio cannot know that a descriptor stays the same as long as its owner")]
    pub(super) fn new(socket: OwnedFd) -> io::Result<Link> {
        fcntl(&socket, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        // SAFETY: an owned descriptor is the same, and open, until it is dropped.
        Ok(Link { socket: unsafe { AsyncFd::register(socket)? } })
    }

    pub(super) async fn send(&self, request: &Request, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        self.socket.async_io(Interest::WRITABLE, |socket| wire::send(socket, request, fds)).await
    }

    /// `None` when the guard is gone. Cancel-safe: a packet is either still in the socket or returned.
    pub(super) async fn receive(&self) -> io::Result<Option<Reply>> {
        let received = self.socket.async_io(Interest::READABLE, wire::receive::<Reply>).await?;
        Ok(received.map(|(reply, _no_fds)| reply))
    }

    /// Tells the guard to finish; what it still has to say can be received.
    pub(super) fn hang_up(&self) {
        let _ = shutdown(self.socket.as_raw_fd(), Shutdown::Write);
    }
}
