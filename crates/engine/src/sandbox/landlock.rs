//! Landlock: rules that only ever allow, so what is hidden must lie outside everything that is allowed.

use std::ffi::OsStr;
use std::path::Path;

use ::landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::bounds::Bounds;

/// Before the third version, a file that may not be written could still be truncated.
const NEEDED: ABI = ABI::V3;

/// What every program expects to be able to write to.
const DEVICES: [&str; 7] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"];

#[derive(Debug, thiserror::Error)]
pub(super) enum LandlockError {
    #[error(transparent)]
    Rules(#[from] RulesetError),
    #[error("the kernel does not enforce the rules")]
    NotEnforced,
}

/// Whether this kernel can do it.
pub(super) fn available() -> Result<(), LandlockError> {
    Ok(ruleset().map(drop)?)
}

/// Shuts in the calling process and all that it will start. For good.
pub(super) fn restrict(bounds: &Bounds) -> Result<(), LandlockError> {
    let mut rules = ruleset()?;
    rules = allow(rules, Path::new("/"), AccessFs::ReadDir | AccessFs::Execute)?;
    rules = reading_around(rules, &bounds.hidden)?;
    for path in &bounds.write {
        rules = allow(rules, path, AccessFs::from_all(NEEDED))?;
    }
    for device in DEVICES {
        rules = allow(rules, Path::new(device), AccessFs::from_all(NEEDED))?;
    }
    if let Some(shown) = &bounds.shown {
        rules = allow(rules, shown, AccessFs::ReadFile.into())?;
    }
    match rules.restrict_self()?.ruleset {
        RulesetStatus::NotEnforced => Err(LandlockError::NotEnforced),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

/// Signals to processes outside are kept in too where the kernel can.
fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::Signal)?
        .create()
}

/// Everything may be read but what lies in `hidden`: what is beside the way to it is allowed piece by piece.
fn reading_around(mut rules: RulesetCreated, hidden: &Path) -> Result<RulesetCreated, RulesetError> {
    let mut here = Path::new("/").to_owned();
    for step in hidden.iter().filter(|step| *step != OsStr::new("/")) {
        for entry in std::fs::read_dir(&here).into_iter().flatten().flatten() {
            // A link is read at its target, which has a rule of its own; one to `/` would allow everything.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if entry.file_name() != step && !is_link {
                rules = allow(rules, &entry.path(), AccessFs::ReadFile.into())?;
            }
        }
        here.push(step);
    }
    Ok(rules)
}

/// What is not there, or cannot be looked at, needs no rule.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(metadata) = path.metadata() else { return Ok(rules) };
    let Ok(file) = PathFd::new(path) else { return Ok(rules) };
    let access = if metadata.is_dir() { access } else { access & AccessFs::from_file(NEEDED) };
    rules.add_rule(PathBeneath::new(file, access))
}
