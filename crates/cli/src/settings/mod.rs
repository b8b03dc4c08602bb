//! What a person set, from defaults, files, environment and flags: read once, checked strictly, and
//! known by where each value comes from. Nothing else in ralph reads the environment or a
//! configuration file.

mod catalogue;
pub(crate) mod check;
mod commit;
mod environment;
mod excludes;
mod file;
pub(crate) mod flags;
pub(crate) mod hook;
mod limits;
mod memory;
mod opencode;
mod origin;
mod output;
mod partial;
mod raw;
mod reader;
pub(crate) mod resolved;
mod root;
mod route;
mod sandbox;
mod show;
mod snapshots;
pub(crate) mod sources;
mod template;
pub(crate) mod tracker;
pub(crate) mod trust;
mod value;
pub(crate) mod vectors;
mod verify;

#[cfg(test)]
mod tests;

pub(crate) use catalogue::schema;
pub(crate) use excludes::excludes_file;
pub(crate) use file::wrong_with;
pub(crate) use hook::Hook;
pub(crate) use memory::Memory;
pub(crate) use origin::Layer;
pub(crate) use raw::Given;
pub(crate) use resolved::{CustodyChoice, SandboxChoice, SandboxWish, Settings, Wording};
pub(crate) use root::project_root;
pub(crate) use show::{Style as ShowStyle, show};
pub(crate) use snapshots::Snapshots;
pub(crate) use sources::{Loaded, Sources};
pub(crate) use template::{GITIGNORE, template};
pub(crate) use value::UNLIMITED;
