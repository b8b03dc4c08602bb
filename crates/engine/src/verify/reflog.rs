//! What was committed lately, read from git's own record of where HEAD has been. Where a repository keeps none, nobody
//! knows.

use std::path::Path;

use ralph_memory::Commit;

use super::head::{git_dir, text};

/// How HEAD came to where it is, as far as somebody committed something by it.
const BY_COMMITTING: [&str; 4] = ["commit", "merge", "cherry-pick", "revert"];

/// What was committed since HEAD was at `before`, the oldest first.
pub(crate) fn commits_since(root: &Path, before: &str) -> Vec<Commit> {
    let record = git_dir(root).and_then(|git| text(&git.join("logs/HEAD"))).unwrap_or_default();
    let lines: Vec<Line<'_>> = record.lines().filter_map(Line::read).collect();
    let last = lines.iter().rposition(|line| line.to == before);
    // A branch that had no commit yet has no line of it.
    let first = last.map_or(if before.starts_with("refs/") { 0 } else { lines.len() }, |last| last + 1);
    lines[first..].iter().filter_map(Line::commit).collect()
}

/// `OLD NEW NAME <ADDRESS> TIME ZONE<tab>ACTION: SUBJECT`
struct Line<'a> {
    to: &'a str,
    action: &'a str,
    subject: &'a str,
}

impl Line<'_> {
    fn read(line: &str) -> Option<Line<'_>> {
        let (moved, said) = line.split_once('\t')?;
        let to = moved.split(' ').nth(1)?;
        let (action, subject) = said.split_once(": ").unwrap_or((said, ""));
        Some(Line { to, action, subject })
    }

    fn commit(&self) -> Option<Commit> {
        let word = self.action.split([' ', '(']).next().unwrap_or_default();
        let is_made = BY_COMMITTING.contains(&word);
        is_made.then(|| Commit { id: self.to.to_owned(), subject: self.subject.trim().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::commits_since;
    use crate::verify::head;

    fn git(root: &Path, args: &[&str]) {
        let config = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let done = Command::new("git").current_dir(root).args(config).args(args).output().unwrap();
        assert!(done.status.success(), "{args:?}: {done:?}");
    }

    fn subjects(root: &Path, before: &str) -> Vec<String> {
        commits_since(root, before).into_iter().map(|commit| commit.subject).collect()
    }

    #[test]
    fn what_was_committed_is_told_and_what_was_only_looked_at_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        assert!(commits_since(root, "refs/heads/main").is_empty(), "no repository");
        git(root, &["init", "-q", "-b", "main"]);
        let unborn = head(root).unwrap();
        git(root, &["commit", "-q", "--allow-empty", "-m", "one\n\nand why"]);
        assert_eq!(subjects(root, &unborn), ["one"]);
        let before = head(root).unwrap();
        assert!(subjects(root, &before).is_empty());
        git(root, &["commit", "-q", "--allow-empty", "-m", "two: more"]);
        git(root, &["checkout", "-q", "-b", "side", &before]);
        assert_eq!(commits_since(root, &before), [], "it was left again");
        git(root, &["commit", "-q", "--allow-empty", "-m", "three"]);
        git(root, &["commit", "-q", "--allow-empty", "--amend", "-m", "four"]);
        assert_eq!(subjects(root, &before), ["three", "four"]);
        let last = commits_since(root, &before).pop().map(|commit| commit.id);
        assert_eq!(last, head(root));
        assert!(subjects(root, "0000").is_empty(), "HEAD was never there");
        fs::remove_file(root.join(".git/logs/HEAD")).unwrap();
        assert!(subjects(root, &before).is_empty(), "nobody knows");
    }
}
