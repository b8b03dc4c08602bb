//! The acceptance criteria of a task, as ralph-tui finds and writes them.

use ralph_core::backlog::Item;

/// Criteria, a checklist line each, and the description that goes with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Criteria {
    pub(crate) text: String,
    pub(crate) description: String,
}

impl Criteria {
    /// Those that the tracker has; else a section of the description, which is then taken out of it; else its checklist.
    pub(crate) fn of(item: &Item) -> Criteria {
        let description = item.description.as_str();
        if !item.acceptance_criteria.is_empty() {
            let lines: Vec<String> =
                item.acceptance_criteria.iter().map(|one| format!("- [ ] {one}")).collect();
            return Criteria { text: lines.join("\n"), description: description.to_owned() };
        }
        if let Some(found) = section(description) {
            return found;
        }
        let boxes: Vec<&str> = description.lines().filter(|line| is_box(line)).collect();
        Criteria { text: boxes.join("\n"), description: description.to_owned() }
    }
}

/// From a heading `## Acceptance Criteria` to the next one.
fn section(description: &str) -> Option<Criteria> {
    let mut before = Vec::new();
    let mut inside: Option<Vec<&str>> = None;
    let mut after = Vec::new();
    for line in description.lines() {
        match &mut inside {
            None => match heading(line) {
                Some(rest) => inside = Some(vec![rest]),
                None => before.push(line),
            },
            Some(lines) if after.is_empty() && !line.starts_with("##") => lines.push(line),
            Some(_) => after.push(line),
        }
    }
    let text = inside?.join("\n").trim().to_owned();
    before.append(&mut after);
    let rest = before.join("\n").trim().to_owned();
    // A description of nothing else stays what it is.
    let description = if rest.is_empty() { description.to_owned() } else { rest };
    Some(Criteria { text, description })
}

/// What stands after the words of such a heading.
fn heading(line: &str) -> Option<&str> {
    let words = line.strip_prefix("##")?.trim_start_matches('#').trim_start();
    let rest = strip_word(strip_word(words, "acceptance")?.trim_start(), "criteria")?;
    Some(rest.trim().trim_start_matches(':').trim())
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let beginning = text.get(..word.len())?;
    beginning.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}

fn is_box(line: &str) -> bool {
    let Some(rest) = line.trim().strip_prefix(['-', '*']) else { return false };
    ["[ ]", "[x]", "[X]"].iter().any(|mark| rest.trim_start().starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::Criteria;
    use ralph_core::backlog::Item;
    use ralph_core::id::TaskId;

    fn check(criteria: &[&str], description: &str, text: &str, left: &str) {
        let mut item = Item::new(TaskId::parse("a").expect("an id"), "a");
        item.description = description.to_owned();
        item.acceptance_criteria = criteria.iter().map(|one| (*one).to_owned()).collect();
        let expected = Criteria { text: text.to_owned(), description: left.to_owned() };
        assert_eq!(Criteria::of(&item), expected, "{description:?}");
    }

    #[test]
    fn what_the_tracker_has_comes_first_and_leaves_the_description_alone() {
        let described = "Do it.\n\n## Acceptance Criteria\n- x";
        check(&["a", "b"], described, "- [ ] a\n- [ ] b", described);
    }

    #[test]
    fn a_section_of_the_description_is_taken_out_of_it() {
        check(
            &[],
            "Do it.\n\n## Acceptance Criteria\n- x\n- y\n\n## More\nz",
            "- x\n- y",
            "Do it.\n\n## More\nz",
        );
        check(&[], "Do it.\n###  acceptance   CRITERIA:\n- x", "- x", "Do it.");
        check(&[], "## Acceptance Criteria\n- x", "- x", "## Acceptance Criteria\n- x");
        check(&[], "## Acceptance Criteria", "", "## Acceptance Criteria");
    }

    #[test]
    fn else_a_checklist_counts_and_stays_where_it_is() {
        let described = "Do it:\n - [ ] x\n* [x] y\n- z\n- [link](x)";
        check(&[], described, " - [ ] x\n* [x] y", described);
        check(&[], "", "", "");
    }
}
