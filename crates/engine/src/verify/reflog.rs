//! What was committed lately, read from git's own record of where HEAD has been. Where a repository keeps none, nobody
//! knows.

use std::fs::{self, File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use ralph_memory::Commit;

use super::head::{commit, git_dir};

/// How HEAD came to where it is, as far as somebody committed something by it.
const BY_COMMITTING: [&str; 4] = ["commit", "merge", "cherry-pick", "revert"];
/// What git says of a merge that made no commit.
const FAST_FORWARD: &str = "Fast-forward";

/// Of a long record the end is read: what was committed lately stands there.
const LONGEST: u64 = 4 << 20;

/// What was committed since HEAD was at `before`, the oldest first.
pub(crate) fn commits_since(root: &Path, before: &str) -> Vec<Commit> {
    let record = git_dir(root).and_then(|git| end_of(&git.join("logs/HEAD"), LONGEST)).unwrap_or_default();
    let record = String::from_utf8_lossy(&record);
    let lines: Vec<Line<'_>> = record.lines().filter_map(Line::read).collect();
    let Some(first) = first_since(&lines, before, commit(root).as_deref()) else { return Vec::new() };
    lines[first..].iter().fold(Vec::new(), |mut made: Vec<Commit>, line| {
        if line.amends() && made.last().is_some_and(|last| last.id == line.from) {
            made.pop();
        }
        made.extend(line.commit());
        made
    })
}

/// Where the record goes on behind `before`. A branch that had no commit yet has no line of it, and begins with its first.
fn first_since(lines: &[Line<'_>], before: &str, now: Option<&str>) -> Option<usize> {
    if !before.starts_with("refs/") {
        return lines.iter().rposition(|line| line.to == before).map(|last| last + 1);
    }
    if now == Some(before) {
        return None;
    }
    lines.iter().rposition(Line::begins_a_branch)
}

/// The last bytes of a file that is one, from the beginning of a line.
fn end_of(path: &Path, most: u64) -> Option<Vec<u8>> {
    let metadata = fs::metadata(path).ok().filter(Metadata::is_file)?;
    let skipped = metadata.len().saturating_sub(most);
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(skipped)).ok()?;
    let mut end = Vec::new();
    file.take(most).read_to_end(&mut end).ok()?;
    if skipped > 0 {
        let torn = end.iter().position(|byte| *byte == b'\n').map_or(end.len(), |at| at + 1);
        end.drain(..torn);
    }
    Some(end)
}

/// `OLD NEW NAME <ADDRESS> TIME ZONE<tab>ACTION: SUBJECT`; a work tree that was just made has only what stands before the tab.
struct Line<'a> {
    from: &'a str,
    to: &'a str,
    action: &'a str,
    subject: &'a str,
}

impl Line<'_> {
    fn read(line: &str) -> Option<Line<'_>> {
        let (moved, said) = line.split_once('\t').unwrap_or((line, ""));
        let mut ids = moved.split(' ');
        let (from, to) = (ids.next()?, ids.next()?);
        let (action, subject) = said.split_once(": ").unwrap_or((said, ""));
        (is_id(from) && is_id(to)).then_some(Line { from, to, action, subject: subject.trim() })
    }

    fn word(&self) -> &str {
        self.action.split([' ', '(']).next().unwrap_or_default()
    }

    fn amends(&self) -> bool {
        self.action == "commit (amend)"
    }

    fn begins_a_branch(&self) -> bool {
        self.action == "commit (initial)" && self.from.bytes().all(|digit| digit == b'0')
    }

    fn commit(&self) -> Option<Commit> {
        let word = self.word();
        let was_there = word == "merge" && self.subject == FAST_FORWARD;
        let subject = if word == "merge" { self.action } else { self.subject };
        (BY_COMMITTING.contains(&word) && !was_there)
            .then(|| Commit { id: self.to.to_owned(), subject: subject.to_owned() })
    }
}

/// Of SHA-1 or of SHA-256. Whoever works in a repository can write into its record.
fn is_id(word: &str) -> bool {
    matches!(word.len(), 40 | 64) && word.bytes().all(|digit| digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::{LONGEST, commits_since};
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
        assert_eq!(subjects(root, &before), ["four"], "the one that it amends is no more");
        let last = commits_since(root, &before).pop().map(|commit| commit.id);
        assert_eq!(last, head(root));
        assert!(subjects(root, "0000").is_empty(), "HEAD was never there");
        fs::remove_file(root.join(".git/logs/HEAD")).unwrap();
        assert!(subjects(root, &before).is_empty(), "nobody knows");
    }
    #[test]
    fn a_branch_that_begins_anew_tells_of_itself_alone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        git(root, &["init", "-q", "-b", "main"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", "one"]);
        git(root, &["checkout", "-q", "--orphan", "other"]);
        let unborn = head(root).unwrap();
        assert!(subjects(root, &unborn).is_empty(), "nothing was committed on it");
        git(root, &["commit", "-q", "--allow-empty", "-m", "anew"]);
        assert_eq!(subjects(root, &unborn), ["anew"]);
    }

    #[test]
    fn a_merge_counts_where_it_makes_a_commit() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        git(root, &["init", "-q", "-b", "main"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", "one"]);
        let before = head(root).unwrap();
        git(root, &["checkout", "-q", "-b", "side"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", "two"]);
        git(root, &["checkout", "-q", "main"]);
        git(root, &["merge", "-q", "side"]);
        assert_eq!(subjects(root, &before), [] as [&str; 0], "it was there already");
        git(root, &["checkout", "-q", "side"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", "three"]);
        git(root, &["checkout", "-q", "main"]);
        let before = head(root).unwrap();
        git(root, &["merge", "-q", "--no-ff", "-m", "joined", "side"]);
        assert_eq!(subjects(root, &before), ["merge side"]);
    }

    #[test]
    fn a_work_tree_without_a_branch_is_known_from_its_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        fs::create_dir(&root).unwrap();
        git(&root, &["init", "-q", "-b", "main"]);
        git(&root, &["commit", "-q", "--allow-empty", "-m", "one"]);
        let beside = dir.path().join("beside");
        git(&root, &["worktree", "add", "-q", "--detach", beside.to_str().unwrap()]);
        let before = head(&beside).unwrap();
        git(&beside, &["commit", "-q", "--allow-empty", "-m", "two"]);
        assert_eq!(subjects(&beside, &before), ["two"]);
    }

    #[test]
    fn a_record_is_read_from_its_end_whatever_stands_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        git(root, &["init", "-q", "-b", "main"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", "one"]);
        let before = head(root).unwrap();
        git(root, &["commit", "-q", "--allow-empty", "-m", "two"]);
        let record = root.join(".git/logs/HEAD");
        let true_lines = fs::read(&record).unwrap();
        let foreign = b"../../etc ../../passwd a <a> 1 +0000\tcommit: no id\n\xff\xfe\n";
        let long = [foreign.repeat(100_000), true_lines, foreign.to_vec()].concat();
        assert!(long.len() as u64 > LONGEST);
        fs::write(&record, long).unwrap();
        assert_eq!(subjects(root, &before), ["two"]);
    }
}
