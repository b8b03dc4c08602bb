//! Settings from the environment: `RALPH_SET_LIMITS__MAX_ITERATIONS=3`. Other names that begin with
//! `RALPH_` tell an agent about its run and are never settings. A few are known by the names that other programs have
//! for them.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::origin::Origin;
use super::raw::{Given, Item, Raw};
use super::tracker::ELSEWHERE;
use crate::problem::Problem;

pub(crate) const PREFIX: &str = "RALPH_SET_";

pub(crate) fn read(env: &BTreeMap<OsString, OsString>, problems: &mut Vec<Problem>) -> Given {
    let mut given = Given::default();
    for (name, value) in env {
        let name = name.to_string_lossy();
        let elsewhere = ELSEWHERE.iter().find(|(known, ..)| *known == name);
        let path = match (name.strip_prefix(PREFIX), elsewhere) {
            (Some(path), _) => path.to_owned(),
            // Its own name comes behind it in the alphabet, and so before it.
            (None, Some((_, section, key))) if !value.is_empty() => {
                format!("{section}__{key}").to_uppercase()
            }
            (None, _) => continue,
        };
        match value.to_str() {
            Some(value) => given.items.push(item(&name, &path, value)),
            None => problems.push(Problem::new(format!("{name}: the value is not UTF-8"))),
        }
    }
    given
}

/// The variable that sets a key.
pub(crate) fn variable(section: &str, key: &str) -> String {
    let section = section.replace('.', "__");
    let path = if section.is_empty() { key.to_owned() } else { format!("{section}__{key}") };
    format!("{PREFIX}{}", path.to_uppercase())
}

fn item(name: &str, path: &str, value: &str) -> Item {
    let (section, key) = path.rsplit_once("__").unwrap_or(("", path));
    let section = &section.replace("__", ".");
    // A name in lower case stays as it is, matches no key, and is reported with the right spelling.
    let is_upper = !path.contains(|c: char| c.is_lowercase());
    let spelled = |part: &str| if is_upper { part.to_lowercase() } else { part.to_uppercase() };
    let origin = Origin::Variable(name.to_owned());
    Item {
        section: spelled(section),
        key: spelled(key),
        key_at: origin.clone(),
        raw: Raw::Given(value.to_owned()),
        at: origin,
    }
}
