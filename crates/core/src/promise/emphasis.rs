//! Markdown emphasis around a tag.

/// Whether nothing but whitespace, or the closing half of emphasis opened before the tag, follows it.
pub(super) fn ends_line(before: &str, after: &str) -> bool {
    let after = after.trim_end();
    let Some(first) = after.chars().next() else { return true };
    if !after.chars().all(|c| matches!(c, '*' | '_')) {
        return false;
    }
    let mirrored: String = after.chars().rev().collect();
    let uniform = after.chars().all(|c| c == first);
    directly_before(before, &mirrored) || (uniform && before.matches(after).count() % 2 == 1)
}

/// The run before the tag is this one and not a longer one.
fn directly_before(before: &str, run: &str) -> bool {
    before.strip_suffix(run).is_some_and(|rest| !rest.ends_with(['*', '_']))
}

#[cfg(test)]
mod tests {
    use super::ends_line;

    fn check(before: &str, after: &str, expected: bool) {
        assert_eq!(ends_line(before, after), expected, "{before:?} {after:?}");
    }

    #[test]
    fn only_emphasis_that_was_opened_may_close_after_the_tag() {
        check("", " \t", true);
        check("**", "**", true);
        check("_**", "**_", true);
        check("**All done: ", "**", true);
        check("**Label:** ", "**", false);
        check("", "**", false);
        check("*", "**", false);
        check("", ".", false);
    }
}
