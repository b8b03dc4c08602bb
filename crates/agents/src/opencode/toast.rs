//! Short notices on the screen of an OpenCode that was adopted.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::address::Address;
use super::client::{CallError, Client};

/// A notice that is not taken at once is not worth waiting for.
const PATIENCE: Duration = Duration::from_secs(3);

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
}

impl Toaster {
    pub fn new(address: &Address, dir: &Path) -> Result<Toaster, CallError> {
        Ok(Toaster { client: Client::new(address, &dir.to_string_lossy())? })
    }

    /// Whether somebody may have seen it. Nothing else depends on it.
    pub async fn show(&self, toast: &Toast) -> bool {
        let body = serde_json::to_value(toast).expect("a toast is texts and a number");
        matches!(tokio::time::timeout(PATIENCE, self.client.toast(&body)).await, Ok(Ok(_)))
    }
}
