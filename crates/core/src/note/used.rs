//! A tool that an agent used, as something to remember.

use std::path::Path;

use super::draft::{Draft, Origin, Source};
use super::kind::{Kind, Observation};
use super::scope::Scope;

/// As many are remembered of one iteration: what an agent does over and over says little more.
pub const MOST: u32 = 200;
/// How much of a command, a path or an error is kept.
const LONGEST: usize = 300;

/// What is known of it, without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used {
    pub tool: String,
    /// What it ran.
    pub command: Option<String>,
    /// What it read or changed, as the host names it.
    pub file: Option<String>,
    pub exit_code: Option<i32>,
    /// What went wrong.
    pub error: Option<String>,
}

impl Used {
    /// Every text of it, to be redacted before anything of it is kept.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let Used { tool, command, file, exit_code: _, error } = self;
        std::iter::once(tool).chain(command).chain(file).chain(error)
    }

    /// A note for the task that it was used for, and for nobody else.
    pub fn draft(&self, source: Source, root: &Path) -> Draft {
        let tool = short(&self.tool);
        let command = self.command.as_deref().map(short);
        let file = self.file.as_deref().map(|file| below(file, root));
        // Whatever it was: that something was run is no command for others to run.
        let kind = Observation::ToolUse { tool: tool.clone() };
        let what = command.or_else(|| file.map(|(Ok(file) | Err(file))| short(file)));
        let mut content = what.map_or_else(|| tool.clone(), |what| format!("{tool}: {what}"));
        if let Some(code) = self.exit_code {
            content += &format!("; exit code {code}");
        }
        if let Some(error) = &self.error {
            content += &format!("; {}", short(error));
        }
        let scope = source.task.clone().map_or(Scope::Project, |task| Scope::Task { task });
        let files = file.into_iter().filter_map(|file| Some(short(file.ok()?))).collect();
        let draft = Draft::new(Kind::Observation(kind), content);
        Draft { files, scope, source, origin: Origin::Tool, ..draft }
    }
}

/// In one line.
fn short(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= LONGEST {
        return words;
    }
    words.chars().take(LONGEST).chain(['…']).collect()
}

/// From the root, where it is below it; else as it is.
fn below<'a>(file: &'a str, root: &Path) -> Result<&'a str, &'a str> {
    let path = Path::new(file);
    let inside = if path.is_absolute() { path.strip_prefix(root).ok() } else { Some(path) };
    let is_plain =
        |path: &&Path| path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    inside.filter(is_plain).and_then(Path::to_str).filter(|path| !path.is_empty()).ok_or(file)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{LONGEST, Used};
    use crate::id::TaskId;
    use crate::note::{Kind, Observation, Origin, Scope, Source};

    fn source() -> Source {
        Source { task: Some(TaskId::parse("T-1").unwrap()), iteration: Some(3), ..Source::default() }
    }

    #[test]
    fn a_command_is_remembered_with_how_it_ended() {
        let used = Used {
            tool: "Bash".to_owned(),
            command: Some("cargo  test\n--all".to_owned()),
            exit_code: Some(3),
            error: Some("oops\nand more".to_owned()),
            ..Used::default()
        };
        let draft = used.draft(source(), Path::new("/p"));
        assert_eq!(draft.kind, Kind::Observation(Observation::ToolUse { tool: "Bash".to_owned() }));
        assert_eq!(draft.content, "Bash: cargo test --all; exit code 3; oops and more");
        assert_eq!((draft.origin, draft.source), (Origin::Tool, source()));
        assert_eq!(draft.scope, Scope::Task { task: TaskId::parse("T-1").unwrap() });
    }

    #[test]
    fn a_file_is_named_from_the_root_and_one_outside_is_only_told_of() {
        let on = |file: &str| {
            let used = Used { tool: "Edit".to_owned(), file: Some(file.to_owned()), ..Used::default() };
            let draft = used.draft(source(), Path::new("/p"));
            (draft.content, draft.files)
        };
        assert_eq!(on("/p/src/a.rs"), ("Edit: src/a.rs".to_owned(), vec!["src/a.rs".to_owned()]));
        assert_eq!(on("src/a.rs"), ("Edit: src/a.rs".to_owned(), vec!["src/a.rs".to_owned()]));
        for outside in ["/etc/passwd", "/p/../x", "../x", "/p"] {
            assert_eq!(on(outside), (format!("Edit: {outside}"), Vec::new()), "{outside}");
        }
    }

    #[test]
    fn what_is_long_is_kept_short() {
        let used = Used { tool: "Bash".to_owned(), command: Some("x".repeat(9_000)), ..Used::default() };
        let content = used.draft(source(), Path::new("/p")).content;
        assert_eq!(content.chars().count(), "Bash: ".len() + LONGEST + 1);
        let bare = Used { tool: "TodoWrite".to_owned(), ..Used::default() };
        assert_eq!(bare.draft(source(), Path::new("/p")).content, "TodoWrite");
    }
}
