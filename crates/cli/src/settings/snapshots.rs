//! How the tree is kept, and for how long.

use std::time::Duration;

use ralph_core::nearest::shortened;
use ralph_core::policy::OnFailure;
use schemars::JsonSchema;

use super::catalogue::{DurationText, OnFailureName, SizeText};
use super::origin::Set;
use super::raw::Raw;
use super::reader::Reader;
use super::value::{Refused, duration::deadline, plain, size::size_up_to};
use crate::problem::Problem;

const DAY: Duration = Duration::from_secs(86_400);
/// What the snapshots of a project may take up where nothing else is said.
const MAX_SIZE: u64 = 10 << 30;
const MOST: u64 = 1 << 40;

/// How the tree is kept before and after every attempt, and for how long.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct SnapshotsPart {
    /// Whether it is kept; without snapshots nothing can be rolled back, and an attempt that was cut short goes on with what
    /// is there.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    pub(crate) enabled: Option<Set<bool>>,
    /// What becomes of the tree when a run ends unsuccessfully and cannot be resumed: "keep" leaves it, "restore" puts it
    /// back as it was before the run.
    #[schemars(with = "Option<OnFailureName>", extend("default" = "keep"))]
    pub(crate) on_failure: Option<Set<OnFailure>>,
    /// As much as the snapshots of a project may take up; the oldest go first. Those that an unfinished run needs stay.
    #[schemars(with = "Option<SizeText>", extend("default" = "10GiB"))]
    pub(crate) max_size: Option<Set<u64>>,
    /// How long a snapshot is kept at most.
    #[schemars(with = "Option<DurationText>", extend("default" = "30d"))]
    pub(crate) keep: Option<Set<Duration>>,
}

/// How the tree is kept, resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snapshots {
    pub(crate) enabled: bool,
    pub(crate) on_failure: OnFailure,
    pub(crate) max_size: u64,
    pub(crate) keep: Duration,
}

impl SnapshotsPart {
    pub(super) fn take(from: &mut Reader<'_>) -> SnapshotsPart {
        SnapshotsPart {
            enabled: from.take("snapshots", "enabled", plain::boolean),
            on_failure: from.take("snapshots", "on_failure", on_failure),
            max_size: from.take("snapshots", "max_size", |raw| size_up_to(raw, MOST)),
            keep: from.take("snapshots", "keep", |raw| deadline(raw, 3650 * DAY)),
        }
    }

    pub(super) fn over(self, lower: SnapshotsPart) -> SnapshotsPart {
        SnapshotsPart {
            enabled: self.enabled.or(lower.enabled),
            on_failure: self.on_failure.or(lower.on_failure),
            max_size: self.max_size.or(lower.max_size),
            keep: self.keep.or(lower.keep),
        }
    }

    pub(super) fn defaults() -> SnapshotsPart {
        SnapshotsPart {
            enabled: Set::default(true),
            on_failure: Set::default(OnFailure::Keep),
            max_size: Set::default(MAX_SIZE),
            keep: Set::default(30 * DAY),
        }
    }

    pub(super) fn resolve(&self) -> Result<Snapshots, Problem> {
        fn value<T: Copy>(set: &Option<Set<T>>) -> T {
            set.as_ref().expect("the lowest layer sets it").value
        }
        let resolved = Snapshots {
            enabled: value(&self.enabled),
            on_failure: value(&self.on_failure),
            max_size: value(&self.max_size),
            keep: value(&self.keep),
        };
        match &self.on_failure {
            Some(set) if !resolved.enabled && resolved.on_failure == OnFailure::Restore => {
                let what = format!("{} needs snapshots", set.origin.subject("snapshots", "on_failure"));
                let problem = Problem::new(what).at(set.origin.place());
                Err(problem.next("set `enabled = true` in [snapshots], or `on_failure = \"keep\"`"))
            }
            Some(_) | None => Ok(resolved),
        }
    }
}

fn on_failure(raw: &Raw) -> Result<OnFailure, Refused> {
    const RULE: &str = "\"keep\" or \"restore\"";
    match plain::text(raw, RULE)? {
        "keep" => Ok(OnFailure::Keep),
        "restore" => Ok(OnFailure::Restore),
        other => {
            let what = format!("`{}` is neither", shortened(other));
            Err(Refused::new(what, format!("write {RULE}")))
        }
    }
}
