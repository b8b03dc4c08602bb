//! How a template names a variable.

use std::ops::Range;

use crate::error::{Flaw, quoted};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) start: Start,
    /// Names below that.
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// What the block around it is about, or a name that the block gave.
    Here,
    /// The same, but never such a name: `this.x`, `./x`.
    This,
    /// So many blocks further out: `../x`.
    Up(usize),
    Root,
    /// `@index` and its like.
    Loop,
}

/// What Handlebars does not have in a name.
const FOREIGN: &str = "!\"#%&'()*+,;<=>@[\\]^`{|}~";

impl Path {
    pub(crate) fn parse(text: &str, place: &Range<usize>) -> Result<Path, Flaw> {
        let flaw = |what: String| Flaw::new(place.clone(), what);
        if text.starts_with('(') {
            let what = format!("{} is an expression, and there are none", quoted(text));
            return Err(flaw(what).next("only variables and dotted paths can be written here"));
        }
        if text.starts_with(['"', '\'']) {
            return Err(
                flaw(format!("{} is text, not a variable", quoted(text))).next("write it without a tag")
            );
        }
        if let Some(name) = text.split_whitespace().next().filter(|name| name.len() < text.len()) {
            let what = format!("there is no helper {}", quoted(name));
            return Err(flaw(what).next("only `if`, `unless`, `each` and `with` take something, after a `#`"));
        }
        let (start, rest) = beginning(text);
        let names = segments(rest).ok_or_else(|| flaw(format!("{} is not a name", quoted(text))))?;
        Ok(Path { start, names })
    }
}

fn beginning(text: &str) -> (Start, &str) {
    let below = |rest: &str| rest.is_empty() || rest.starts_with(['.', '/']);
    if let Some(rest) = text.strip_prefix("@root").filter(|rest| below(rest)) {
        return (Start::Root, rest.get(1..).unwrap_or_default());
    }
    if let Some(name) = text.strip_prefix('@') {
        return (Start::Loop, name);
    }
    let mut rest = text;
    let mut levels = 0;
    while let Some(inner) = rest.strip_prefix("..").filter(|inner| below(inner)) {
        levels += 1;
        rest = inner.get(1..).unwrap_or_default();
    }
    if levels > 0 {
        let this = rest.strip_prefix("this").filter(|inner| below(inner));
        return (Start::Up(levels), this.map_or(rest, |inner| inner.get(1..).unwrap_or_default()));
    }
    if let Some(rest) = text.strip_prefix("this").filter(|rest| below(rest)) {
        return (Start::This, rest.get(1..).unwrap_or_default());
    }
    match text.strip_prefix("./") {
        Some(rest) => (Start::This, rest),
        None if text == "." => (Start::This, ""),
        None => (Start::Here, text),
    }
}

/// `a.b/c.[d e]`; none where it is no such thing.
fn segments(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = match rest.strip_prefix('[') {
            Some(inner) => inner.split_once(']')?,
            None => rest.split_at(rest.find(['.', '/']).unwrap_or(rest.len())),
        };
        let plain =
            rest.starts_with('[') || !name.contains(|c: char| FOREIGN.contains(c) || c.is_whitespace());
        if name.is_empty() || !plain {
            return None;
        }
        names.push(name.to_owned());
        rest = match after.strip_prefix(['.', '/']) {
            // A name is missing after it.
            Some("") => return None,
            Some(inner) => inner,
            None if after.is_empty() => after,
            None => return None,
        };
    }
    Some(names)
}
