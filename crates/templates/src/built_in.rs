//! ralph's own templates.

/// The name of the one for a run without a backlog.
pub const PROMPT: &str = "prompt";

const ALL: [(&str, &str); 9] = [
    (PROMPT, include_str!("../built_in/prompt.hbs")),
    ("prd", include_str!("../built_in/prd.hbs")),
    ("markdown", include_str!("../built_in/markdown.hbs")),
    ("beads", include_str!("../built_in/beads.hbs")),
    ("beads-bv", include_str!("../built_in/beads-bv.hbs")),
    ("github", include_str!("../built_in/github.hbs")),
    ("linear", include_str!("../built_in/linear.hbs")),
    ("jira", include_str!("../built_in/jira.hbs")),
    ("native", include_str!("../built_in/native.hbs")),
];

/// The names that templates have.
pub const NAMES: [&str; ALL.len()] = {
    let mut names = [""; ALL.len()];
    let mut at = 0;
    while at < ALL.len() {
        names[at] = ALL[at].0;
        at += 1;
    }
    names
};

/// A name and its text; the one for prompts where there is none of that name.
pub fn built_in(name: &str) -> (&'static str, &'static str) {
    ALL.into_iter().find(|(own, _)| *own == name).unwrap_or(ALL[0])
}
