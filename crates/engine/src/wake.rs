//! How a control reaches the running process at once: the control is a row in the store first, then a datagram
//! says "look". A lost datagram costs a second, not the control: the run also looks by itself.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram as StdDatagram};

use ralph_core::id::RunId;
use tokio::net::UnixDatagram;

/// An address in the kernel's abstract namespace: no file to clean up, no limit from long state paths.
fn address(run: &RunId) -> std::io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("ralph-wake-{run}"))
}

#[derive(Debug)]
pub(crate) struct Bell(Option<UnixDatagram>);

impl Bell {
    /// Without an address (another network namespace, an exotic kernel) the run looks once a second.
    pub(crate) fn hang(run: &RunId) -> Bell {
        let bound = address(run).and_then(|address| StdDatagram::bind_addr(&address)).and_then(|socket| {
            socket.set_nonblocking(true)?;
            UnixDatagram::from_std(socket)
        });
        Bell(bound.ok())
    }

    pub(crate) async fn rung(&self) {
        let mut ignored = [0_u8; 16];
        match &self.0 {
            Some(socket) if socket.recv(&mut ignored).await.is_ok() => {}
            Some(_) | None => std::future::pending().await,
        }
    }
}

/// Tells a running loop to look at its controls. Nobody there is fine.
pub fn ring(run: &RunId) {
    if let (Ok(address), Ok(socket)) = (address(run), StdDatagram::unbound()) {
        let _nobody_there = socket.send_to_addr(b"look", &address);
    }
}
