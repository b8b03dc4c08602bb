//! What the body of an issue says beyond prose: what it waits for, what it is a part of, and when it is done.

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    /// Without the criteria.
    pub(super) description: String,
    pub(super) criteria: Vec<String>,
    pub(super) depends_on: Vec<u64>,
    pub(super) blocks: Vec<u64>,
    pub(super) parent: Option<u64>,
    /// Issues in task lists.
    pub(super) listed: Vec<u64>,
}

pub(super) fn read(text: &str) -> Body {
    let mut body = Body::default();
    let (mut in_code, mut in_criteria) = (false, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
        } else if !in_code {
            if let Some(heading) = heading(trimmed) {
                in_criteria = heading.to_lowercase().trim_end_matches(':') == "acceptance criteria";
                if in_criteria {
                    continue;
                }
            } else if in_criteria {
                let criterion = unboxed(bullet(trimmed).unwrap_or(trimmed)).1;
                body.criteria.extend(Some(criterion.to_owned()).filter(|text| !text.is_empty()));
                continue;
            } else {
                body.relate(trimmed);
            }
        }
        body.description += line.trim_end();
        body.description.push('\n');
    }
    body.description = body.description.trim().to_owned();
    body
}

impl Body {
    fn relate(&mut self, line: &str) {
        let item = bullet(line);
        let (is_boxed, text) = unboxed(item.unwrap_or(line));
        if is_boxed {
            // Behind the issue there may be its title.
            self.listed.extend(text.split_whitespace().next().and_then(reference));
            return;
        }
        let text = text.replace("**", "");
        let said = |words: &[&str]| words.iter().find_map(|word| references(&text, word));
        if let Some(ids) = said(&["depends on", "blocked by", "waits for"]) {
            add(&mut self.depends_on, ids);
        } else if let Some(ids) = said(&["blocks"]) {
            add(&mut self.blocks, ids);
        } else if let Some(ids) = said(&["part of", "parent", "epic"]) {
            self.parent = self.parent.or(ids.first().copied());
        }
    }
}

fn add(list: &mut Vec<u64>, more: Vec<u64>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}

/// The issues behind these words, if there is nothing else: prose that mentions an issue says nothing of an order.
fn references(text: &str, words: &str) -> Option<Vec<u64>> {
    let begin = text.get(..words.len()).filter(|begin| begin.eq_ignore_ascii_case(words))?;
    let rest = text[begin.len()..].trim_start_matches(':');
    let parts = rest.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    let parts = parts.filter(|part| !part.is_empty() && !matches!(*part, "and" | "&"));
    let ids: Option<Vec<u64>> = parts.map(|part| reference(part.trim_end_matches('.'))).collect();
    ids.filter(|ids| !ids.is_empty())
}

/// `#12`, `GH-12`.
fn reference(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('#').or_else(|| text.strip_prefix("GH-"))?;
    digits.parse().ok()
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    (text.len() < line.len() && text.starts_with(' ')).then(|| text.trim())
}

/// What is behind the mark of a list.
fn bullet(line: &str) -> Option<&str> {
    let mark = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).filter(|_| rest.len() < line.len())
    };
    mark.or_else(numbered).map(str::trim_start)
}

/// Whether there is a box before it.
fn unboxed(text: &str) -> (bool, &str) {
    let boxed = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| text.strip_prefix(mark));
    (boxed.is_some(), boxed.unwrap_or(text).trim())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn relations_criteria_and_prose_are_told_apart() {
        let body = read(
            "Some prose with #9.\n\n**Depends on:** #1, #2 and GH-3\nBlocked by the #4 in prose\n- Blocks #5.\n\
             Part of #6\n- [ ] #7 first\n- [x] write tests\n```\nDepends on #8\n```\n\
             ## Acceptance criteria\n\n- [ ] one\n2. two\nthree\n\n## Notes\nmore\n",
        );
        assert_eq!(body.depends_on, [1, 2, 3]);
        assert_eq!((body.blocks, body.parent, body.listed), (vec![5], Some(6), vec![7]));
        assert_eq!(body.criteria, ["one", "two", "three"]);
        assert!(
            body.description.starts_with("Some prose with #9.")
                && body.description.ends_with("## Notes\nmore")
        );
        assert!(!body.description.contains("three"));
    }

    #[test]
    fn nothing_in_a_body_is_too_strange() {
        for text in
            ["", "#", "depends on", "Depends on: ä#1", "- [ ]", "1.", "Depends on #99999999999999999999999"]
        {
            let body = read(text);
            assert!(body.depends_on.is_empty() && body.listed.is_empty(), "{text}");
        }
    }
}
