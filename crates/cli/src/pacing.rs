//! One notice after the other, each for long enough to be read: a screen that has room for one shows the newest.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Notices that may wait; whoever is further behind misses the oldest.
pub(crate) const ROOM: usize = 8;

/// Shows what comes until nothing more does, or until `show` says that nobody looks. Each stays for the time that `stays`
/// gives it. Of what is waiting at the end only the last is shown: it tells how everything before it ended, and nobody waits
/// for the others.
pub(crate) fn paced<T>(
    coming: &Receiver<T>,
    stays: impl Fn(&T) -> Duration,
    mut show: impl FnMut(&T) -> bool,
) {
    let mut waiting: VecDeque<T> = VecDeque::new();
    let mut free_at = Instant::now();
    loop {
        let left = free_at.saturating_duration_since(Instant::now());
        // Whoever sends without end keeps nothing from being shown.
        if left.is_zero()
            && let Some(one) = waiting.pop_front()
        {
            if !show(&one) {
                return;
            }
            free_at = Instant::now() + stays(&one);
            continue;
        }
        let next = match waiting.is_empty() {
            true => coming.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => coming.recv_timeout(left),
        };
        match next {
            Ok(one) => {
                if waiting.len() == ROOM {
                    waiting.pop_front();
                }
                waiting.push_back(one);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                if let Some(last) = waiting.back() {
                    show(last);
                }
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{channel, sync_channel};
    use std::time::Duration;

    use super::{ROOM, paced};

    const NEVER: Duration = Duration::from_secs(3600);

    #[test]
    fn at_the_end_only_the_last_is_shown_and_nobody_waits_for_the_others() {
        let (sender, coming) = channel();
        (0..4).for_each(|number| sender.send(number).unwrap());
        drop(sender);
        let mut shown = Vec::new();
        paced(
            &coming,
            |_| NEVER,
            |one| {
                shown.push(*one);
                true
            },
        );
        assert_eq!(shown, [0, 3]);
    }

    #[test]
    fn one_stays_until_it_could_be_read() {
        let (sender, coming) = channel();
        let (told, seen) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || paced(&coming, |_| NEVER, |one| told.send(*one).is_ok()));
            sender.send("started").unwrap();
            assert_eq!(seen.recv(), Ok("started"));
            sender.send("iteration 1").unwrap();
            sender.send("iteration 2").unwrap();
            assert_eq!(seen.recv_timeout(Duration::from_millis(50)).ok(), None);
            sender.send("complete").unwrap();
            drop(sender);
            assert_eq!(seen.iter().collect::<Vec<_>>(), ["complete"]);
        });
    }

    #[test]
    fn who_is_far_behind_misses_the_oldest() {
        let (sender, coming) = channel();
        sender.send(0).unwrap();
        let mut sender = Some(sender);
        let mut shown = Vec::new();
        let stays = |one: &usize| Duration::from_millis(if *one == 0 { 200 } else { 0 });
        paced(&coming, stays, |one| {
            shown.push(*one);
            if *one == 0 {
                (1..=ROOM + 3).for_each(|more| sender.as_ref().unwrap().send(more).unwrap());
            } else if *one == ROOM + 3 {
                sender = None;
            }
            true
        });
        assert_eq!(shown, std::iter::once(0).chain(4..=ROOM + 3).collect::<Vec<_>>());
    }

    #[test]
    fn nobody_who_looks_away_is_shown_more_and_whoever_sends_without_end_keeps_nothing_from_being_shown() {
        let (sender, coming) = sync_channel(ROOM);
        let mut shown = 0;
        std::thread::scope(|scope| {
            scope.spawn(move || while sender.send(1).is_ok() {});
            paced(
                &coming,
                |_| Duration::ZERO,
                |_| {
                    shown += 1;
                    shown < 3
                },
            );
            drop(coming);
        });
        assert_eq!(shown, 3);
    }
}
