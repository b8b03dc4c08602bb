//! What `ralph init` writes.

use super::catalogue::{Section, sections};

/// What ralph writes into `.ralph/` for people to read, but not for a repository to keep.
pub(crate) const GITIGNORE: &str = "progress.md\nlogs/\n";

const HEAD: &str = "\
## ralph's settings for this project: every key there is, with its default or an example.
## Take the `#` away from a line to set it. `ralph config check` checks the file,
## `ralph config show --sources` tells which value counts and where it comes from.
";

/// Every key as a comment. Lines that begin with `##` explain; taking one `#` away from every line
/// leaves a valid file.
pub(crate) fn template() -> String {
    sections().iter().fold(HEAD.to_owned(), |text, section| text + "\n" + &block(section))
}

fn block(section: &Section) -> String {
    let mut text = match section.name {
        "" => String::new(),
        "hook" | "route" | "check" => format!("## {}\n# [[{}]]\n", section.about, section.name),
        name => format!("## {}\n[{name}]\n", section.about),
    };
    for key in &section.keys {
        let value = key.default.as_ref().unwrap_or(&key.example);
        text += &format!("## {}\n# {} = {value}\n", key.about, key.name);
    }
    text
}
