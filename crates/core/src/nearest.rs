//! The name a person most likely meant.

/// A key longer than any of ours is not a slip of the pen, and comparing it would take its length in time.
const LONGEST: usize = 64;

pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.chars().count() > LONGEST {
        return None;
    }
    let given = given.to_lowercase();
    let scored = names.into_iter().map(|name| (strsim::jaro_winkler(&given, &name.to_lowercase()), name));
    let (score, name) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (score > 0.8).then_some(name)
}

/// A name short enough to be repeated in a message.
pub fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}
