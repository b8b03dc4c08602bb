//! Short notices on the screen of an OpenCode that was adopted.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::address::Address;
use super::client::{CallError, Client};

/// A notice that is not taken soon is not worth waiting for. A server that is busy with its screen takes seconds.
const PATIENCE: Duration = Duration::from_secs(8);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Toast {
    pub title: String,
    pub message: String,
    pub variant: Variant,
    /// In milliseconds.
    pub duration: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    Info,
    Success,
    Warning,
    Error,
}

#[derive(Debug)]
pub struct Toaster {
    client: Client,
    patience: Duration,
}

impl Toaster {
    pub fn new(address: &Address, dir: &Path) -> Result<Toaster, CallError> {
        Ok(Toaster { client: Client::new(address, &dir.to_string_lossy())?, patience: PATIENCE })
    }

    /// Whether there may be somebody who sees the next one: whoever is late with an answer was only busy. Nothing else
    /// depends on it.
    pub async fn show(&self, toast: &Toast) -> bool {
        let body = serde_json::to_value(toast).expect("a toast is texts and a number");
        match tokio::time::timeout(self.patience, self.client.toast(&body)).await {
            Ok(answer) => answer.is_ok(),
            Err(_late) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::path::Path;
    use std::time::Duration;

    use super::{Address, Toast, Toaster, Variant};

    fn shown_to(answer: Option<&'static str>) -> bool {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut toaster = Toaster::new(&Address::read(&url).unwrap(), Path::new("/")).unwrap();
        if answer.is_none() {
            toaster.patience = Duration::from_millis(100);
        }
        let toast =
            Toast { title: "t".to_owned(), message: "m".to_owned(), variant: Variant::Info, duration: 1 };
        std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            if let Some(answer) = answer {
                let _asked = client.read(&mut [0; 4096]);
                client.write_all(answer.as_bytes()).unwrap();
            }
            // Held open for as long as it is waited for.
            let _until_it_goes = client.read_to_end(&mut Vec::new());
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(toaster.show(&toast))
    }

    #[test]
    fn a_server_that_is_late_is_sent_the_next_one_and_one_that_refuses_is_not() {
        assert!(shown_to(None));
        assert!(!shown_to(Some("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")));
        assert!(shown_to(Some(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 4\r\nconnection: close\r\n\r\ntrue"
        )));
    }
}
