//! Living inside an agent: what a host tells goes in, what it is to do comes out.
//!
//! ```text
//! host ── event ──► adapter ── happening ──► answer ──► loops (engine)
//!   ▲                                          │
//!   └────────── what it is to do ◄─────────────┘
//! ```
//!
//! An adapter (`opencode`) knows a host's own format and where it keeps what is installed; everything else is the same for
//! all of them. Nothing here decides when a loop goes on or ends: that is `ralph_core`'s.

mod answer;
pub mod arguments;
mod elsewhere;
mod ground;
pub mod hooked;
mod installed;
mod jsonc;
mod manner;
pub mod opencode;
mod original;
mod settings;
mod surrogates;
pub mod wire;
mod words;

pub use answer::{Happening, answer};
pub use ground::Ground;
pub use installed::{Edited, InstallError, Installed, Removed};
pub use manner::Manner;
pub use original::Original;
pub use settings::BadSettings;
pub use words::let_go;
