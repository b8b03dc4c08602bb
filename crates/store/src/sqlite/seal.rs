//! A hash over what a row says.

use super::failure::Failure;

/// Each part is preceded by its length, so that moving a letter from one to the next shows.
pub(super) fn seal(parts: &[&str]) -> i64 {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let mut short = [0; 8];
    hash.finalize_xof().fill(&mut short);
    i64::from_le_bytes(short)
}

pub(super) fn intact(parts: &[&str], sealed: i64, what: impl Fn() -> String) -> Result<(), Failure> {
    if seal(parts) == sealed {
        return Ok(());
    }
    Err(Failure::Damaged(format!("{} is not what was written", what())))
}
