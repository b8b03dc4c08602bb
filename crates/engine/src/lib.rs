//! The loop: performs the steps that `ralph_core` decides, and keeps custody of every process that is started.
//!
//! ```text
//! drive ── commit ──► store            (intent before effect, result after)
//!   │
//!   ├─ think ── brief
//!   ├─ code ─── custody ── guard ── agent ── output ── listener
//!   ├─ verify ─ verdict
//!   ├─ consolidate ─ desk ── chronicle
//!   └─ wait ─── bell, clock, signals
//! ```

pub mod agent;
mod aside;
mod ask;
mod attempt;
mod boxed;
mod briefing;
mod capture;
mod chronicle;
mod consult;
mod crash;
pub mod custody;
mod desk;
mod drive;
pub mod environment;
mod errand;
mod error;
mod feed;
mod guard;
mod hooks;
pub mod lock;
pub mod loops;
pub mod mailbox;
mod memory;
mod onlooker;
pub mod output;
mod place;
mod probe;
mod put_back;
mod rescue;
mod retention;
pub mod sandbox;
pub mod session;
pub mod sessions;
mod settle;
mod snapshots;
mod stopwatch;
mod urgency;
mod verify;
mod wait;
mod wake;
mod watchdog;
mod window;

pub use boxed::boxed;
pub use briefing::Briefing;
pub use capture::{Captured, capture};
pub use chronicle::{Chronicling, Messages, Told};
pub use consult::{Consulted, consult};
pub use desk::{Circle, Desk, DeskError, Since, Tracking, put_down};
pub use drive::{Parts, drive};
pub use error::{EngineError, chain};
pub use feed::{Appetite, Feed, Seen, Watch, feed};
pub use guard::Guard;
pub use hooks::{Announcing, Hook, allowance, announce, deliver_due, deliveries};
pub use memory::{
    About, CONSTITUTION, Extracting, Foreseen, Remembering, TRUSTED_CONSTITUTION, anchored_anew, anchors,
    changed_constitution, constitution, doubt_outdated, foresee, near, rests_on_code,
};
pub use place::Place;
pub use probe::{Answer, preflight};
pub use put_back::{carry_out, finished, restored};
pub use urgency::Urgency;
pub use verify::{definition, head, patterns_without_files};
pub use wake::ring;
pub use window::Librarian;

/// Random bits from the kernel.
pub fn entropy() -> u64 {
    let mut bytes = [0_u8; 8];
    getrandom::fill(&mut bytes).expect("the kernel has random bytes");
    u64::from_le_bytes(bytes)
}
