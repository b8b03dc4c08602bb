//! Futures that are large and seldom needed.

use std::pin::Pin;

/// A future on the heap, made out of line: neither the future that waits for it nor the stack of whoever polls that has to
/// have room for it. A process that lives for milliseconds would touch, and so be given, every page of that room.
#[inline(never)]
pub fn boxed<F: Future>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::pin(make())
}

#[cfg(test)]
mod tests {
    use super::boxed;

    #[test]
    fn whoever_waits_for_a_large_future_stays_small() {
        let large = || async {
            let room = [0_u8; 4096];
            std::future::ready(()).await;
            room.len()
        };
        let plain = async { large().await };
        let waiting = async { boxed(large).await };
        assert!(size_of_val(&plain) > 4096 && size_of_val(&waiting) < 100);
    }
}
