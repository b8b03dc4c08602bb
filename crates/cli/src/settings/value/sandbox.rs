//! How the bounds of an agent are spelled.

use ralph_core::nearest::shortened;

use super::{Refused, plain};
use crate::settings::raw::Raw;
use crate::settings::resolved::SandboxChoice;

pub(crate) fn mode(raw: &Raw) -> Result<SandboxChoice, Refused> {
    const RULE: &str = "\"off\", \"auto\", \"landlock\" or \"bubblewrap\"";
    match plain::text(raw, RULE)? {
        "off" => Ok(SandboxChoice::Off),
        "auto" => Ok(SandboxChoice::Auto),
        "landlock" => Ok(SandboxChoice::Landlock),
        "bubblewrap" => Ok(SandboxChoice::Bubblewrap),
        other => Err(Refused::new(
            format!("`{}` is not a kind of sandbox", shortened(other)),
            format!("write {RULE}"),
        )),
    }
}

/// Paths that mean the same wherever ralph is started.
pub(crate) fn paths(raw: &Raw) -> Result<Vec<String>, Refused> {
    const RULE: &str = "an array of absolute paths, or of paths that begin with ~/";
    let paths = plain::texts(raw, RULE)?;
    let is_fixed = |path: &String| (path.starts_with('/') || path.starts_with("~/")) && !path.contains('\0');
    match paths.iter().find(|path| !is_fixed(path)) {
        Some(wrong) => {
            let what = format!("`{}` is not an absolute path", shortened(wrong));
            Err(Refused::new(what, format!("write {RULE}")))
        }
        None => Ok(paths),
    }
}
