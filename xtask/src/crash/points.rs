//! Where a blow can fall, and whom it can hit.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Victim {
    Ralph,
    Guard,
    Both,
}

impl Victim {
    pub(crate) const ALL: [Victim; 3] = [Victim::Ralph, Victim::Guard, Victim::Both];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Victim::Ralph => "ralph",
            Victim::Guard => "guard",
            Victim::Both => "both",
        }
    }

    pub(crate) fn takes_ralph(self) -> bool {
        self != Victim::Guard
    }

    pub(crate) fn takes_guard(self) -> bool {
        self != Victim::Ralph
    }
}

/// The `nth` time, from 0, that a process comes by a fail-point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pass {
    pub(crate) point: String,
    pub(crate) nth: usize,
    /// Whether there is a guard to kill.
    pub(crate) guarded: bool,
}

/// A durable system call of a whole run, the `nth` from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) nth: usize,
    pub(crate) guarded: bool,
}

impl Pass {
    /// What `FAILPOINTS` has to say.
    pub(crate) fn setting(&self, victim: Victim) -> String {
        let skip = if self.nth == 0 { String::new() } else { format!("{}*off->", self.nth) };
        format!("{}={skip}1*return({})", self.point, victim.name())
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pass {}", self.point, self.nth + 1)
    }
}

/// The passes in a `FAILPOINTS_LOG`, each counted within its own process and point.
pub(crate) fn passes(log: &str) -> Vec<Pass> {
    let mut passes: Vec<(&str, Pass)> = Vec::new();
    for line in log.lines() {
        let mut words = line.split(' ');
        // The vault says only which point it came by; one process of a run uses it, and the guard is no part of it.
        let (pid, point, guarded) = match (words.next(), words.next(), words.next()) {
            (Some(pid), Some(point), Some(guarded)) => (pid, point, guarded),
            // How often a file is read again depends on the ticks of the clock, and reading leaves nothing behind.
            (Some("snapshot.take.read"), None, None) => continue,
            (Some(point), None, None) => ("", point, "false"),
            _ => continue,
        };
        let nth = passes.iter().filter(|(other, pass)| *other == pid && pass.point == point).count();
        passes.push((pid, Pass { point: point.to_owned(), nth, guarded: guarded == "true" }));
    }
    let mut unique: Vec<Pass> = Vec::new();
    for (_, pass) in passes {
        // Two processes that come by the same point are hit by the same setting.
        match unique.iter_mut().find(|other| other.point == pass.point && other.nth == pass.nth) {
            Some(other) => other.guarded |= pass.guarded,
            None => unique.push(pass),
        }
    }
    unique
}
