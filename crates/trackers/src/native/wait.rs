//! Waiting for the store from code that blocks.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// The store answers from a thread of its own, so this ends whoever calls. It waits on another thread, because the
/// caller's may belong to a runtime, which would take the wait for one of its own.
pub(crate) fn wait<T: Send>(future: impl Future<Output = T> + Send) -> T {
    let waiting = || {
        let mut future = pin!(future);
        let waker = Waker::from(Arc::new(Sleeper(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(value) => return value,
                Poll::Pending => thread::park(),
            }
        }
    };
    let waited = thread::scope(|scope| scope.spawn(waiting).join());
    waited.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

struct Sleeper(Thread);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
