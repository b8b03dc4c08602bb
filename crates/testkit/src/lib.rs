//! For the tests that run the real binary: temporary projects, scripted agents, a running ralph, and the marks by
//! which its processes are found.

mod journal;
mod live;
mod processes;
mod project;
mod wait;

pub use journal::{entries, extra_attempts, story};
pub use live::{Live, Peaks};
pub use processes::{children, guard_of, is_alive, kill_nine, peak_memory, send, survivors};
pub use project::{Project, Ran};
pub use wait::{PATIENCE, until};
