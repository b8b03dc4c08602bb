//! What ralph and its guard say to each other: one JSON value per packet, descriptors beside it.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, UnixAddr, recvmsg,
    sendmsg, socketpair,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cgroup::CgroupUse;
use super::job::{Ending, Exit};

/// No packet comes near this: whatever has no bound travels in a memory file.
const PACKET: usize = 16 * 1024;
/// As many descriptors as a `Spawn` carries.
pub(super) const SPAWN_FDS: usize = 4;

#[derive(Serialize, Deserialize, Debug)]
pub(super) enum Request {
    /// Always the first.
    Open {
        run: String,
        cgroup: CgroupUse,
    },
    /// With it: a memory file with the `Launch` as JSON, then standard input, output and error.
    Spawn,
    End(Ending),
}

#[derive(Serialize, Deserialize, Debug)]
pub(super) enum Reply {
    /// The answer to `Open`.
    Ready {
        cgroup: Option<String>,
    },
    /// One of these two answers a `Spawn`.
    Spawned {
        pid: u32,
    },
    NotSpawned {
        fault: Fault,
        errno: i32,
    },
    /// Comes by itself: the job has ended and nothing of it is left.
    Exited(Exit),
}

/// What stood in the way of a spawn.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Program,
    Directory,
    /// The request itself made no sense to the guard.
    Request,
}

/// Both ends, closed on exec. A packet arrives whole or not at all, which makes receiving cancel-safe.
pub(super) fn pair() -> nix::Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)
}

pub(super) fn send(socket: &OwnedFd, message: &impl Serialize, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let packet = serde_json::to_vec(message)?;
    let fds: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    let rights = [ControlMessage::ScmRights(&fds)];
    let rights = if fds.is_empty() { &rights[..0] } else { &rights[..] };
    let flags = MsgFlags::MSG_NOSIGNAL;
    sendmsg::<UnixAddr>(socket.as_raw_fd(), &[IoSlice::new(&packet)], rights, flags, None)?;
    Ok(())
}

/// The next packet with its descriptors, or `None` when the other end is gone. Never waits: `WouldBlock` instead.
pub(super) fn receive<T: DeserializeOwned>(socket: &OwnedFd) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut packet = [0; PACKET];
    let mut rights = nix::cmsg_space!([RawFd; SPAWN_FDS]);
    let (length, fds) = {
        let mut slices = [IoSliceMut::new(&mut packet)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC | MsgFlags::MSG_DONTWAIT;
        match recvmsg::<UnixAddr>(socket.as_raw_fd(), &mut slices, Some(&mut rights), flags) {
            Ok(message) => (message.bytes, owned(message.cmsgs()?)),
            // Whoever died with packets of ours unread is as gone as any other.
            Err(Errno::ECONNRESET) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        }
    };
    if length == 0 {
        return Ok(None);
    }
    Ok(Some((serde_json::from_slice(&packet[..length])?, fds)))
}

#[expect(unsafe_code, reason = "nix hands over received descriptors as bare numbers")]
fn owned(messages: impl Iterator<Item = ControlMessageOwned>) -> Vec<OwnedFd> {
    let mut fds = Vec::new();
    for message in messages {
        if let ControlMessageOwned::ScmRights(received) = message {
            // SAFETY: the kernel has just opened these for us; nothing else in this process knows them.
            fds.extend(received.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
        }
    }
    fds
}
