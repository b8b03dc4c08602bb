//! A connection that can be cut: passes bytes on to a server, until all that is open is closed at once.

use std::io::Result;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// Dropped, it takes no more connections; those that are open end with their clients.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    /// Both ends of every connection. The threads that pass bytes on only add to it, hence the lock.
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    /// Before the server at this port of the loopback.
    pub fn before(port: u16) -> Result<Proxy> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let open = Arc::new(Mutex::new(Vec::new()));
        let known = Arc::clone(&open);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A server that is not there is one that closes at once.
                if let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
                    let _gone = join(client, server, &known);
                }
            }
        });
        Ok(Proxy { address, open })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Closes everything that is open.
    pub fn cut(&self) {
        for stream in self.open.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // One that has ended already is as good.
            let _ended = stream.shutdown(Shutdown::Both);
        }
    }
}

fn join(client: TcpStream, server: TcpStream, open: &Mutex<Vec<TcpStream>>) -> Result<()> {
    let pairs = [(client.try_clone()?, server.try_clone()?), (server.try_clone()?, client.try_clone()?)];
    open.lock().unwrap_or_else(PoisonError::into_inner).extend([client, server]);
    for (mut from, mut to) in pairs {
        std::thread::spawn(move || {
            let _cut = std::io::copy(&mut from, &mut to);
            let _ended = to.shutdown(Shutdown::Both);
        });
    }
    Ok(())
}
