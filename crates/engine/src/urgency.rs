//! How pressing it is to end: what signals say.

use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    None,
    /// End the agent properly and stop.
    Abort,
    /// Kill it at once.
    Kill,
}

/// Resolves when matters are more pressing than `than`.
pub(crate) async fn pressed(urgency: &mut watch::Receiver<Urgency>, than: Urgency) -> Urgency {
    match urgency.wait_for(|now| *now > than).await {
        Ok(now) => *now,
        // Nobody can press any more.
        Err(_) => std::future::pending().await,
    }
}
