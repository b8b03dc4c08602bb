//! A server that runs already, as it is asked outside of a turn.

use std::path::Path;
use std::time::Duration;

use super::address::Address;
use super::client::{CallError, Client};
use super::left;

/// Whoever waits for this waits in front of a screen.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub struct Adopted {
    client: Client,
    address: String,
}

impl Adopted {
    pub fn new(address: &Address, dir: &Path) -> Result<Adopted, CallError> {
        Ok(Adopted { client: Client::new(address, &dir.to_string_lossy())?, address: address.url.clone() })
    }

    /// Whether its agents have this tool.
    pub async fn has_tool(&self, tool: &str) -> Result<bool, CallError> {
        let tools = self.within(self.client.tools()).await?;
        Ok(tools.iter().any(|known| known == tool))
    }

    /// Ends the turns that a run left at work there, and names their sessions.
    pub async fn end_turns_of(&self, run: &str) -> Result<Vec<String>, CallError> {
        Ok(self.within(left::end(&self.client, run)).await?.ended)
    }

    async fn within<T>(&self, call: impl Future<Output = Result<T, CallError>>) -> Result<T, CallError> {
        let silent =
            || CallError::Unreachable { url: self.address.clone(), why: "no answer in time".to_owned() };
        tokio::time::timeout(PATIENCE, call).await.unwrap_or_else(|_| Err(silent()))
    }
}
