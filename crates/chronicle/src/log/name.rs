//! What a log is called: `0abcdefghjkm-00012-owner+repo~7.log`. Run, iteration and task can be read back from it, so that
//! none of ten thousand logs need be opened to find one.

use std::path::Path;

use ralph_core::id::{RunId, TaskId};

use super::LogFile;

const END: &str = ".log";

/// Signs of task ids that some file system would not take, and those that stand for them, which no task id has.
const SIGNS: [(char, char); 3] = [('/', '+'), (':', '='), ('#', '~')];

pub(super) fn of(run: &RunId, iteration: u32, task: &TaskId) -> String {
    let task: String = task.as_str().chars().map(|c| swapped(c, |(sign, safe)| (sign, safe))).collect();
    format!("{run}-{iteration:05}-{task}{END}")
}

pub(super) fn parse(name: &str, directory: &Path) -> Option<LogFile> {
    let mut parts = name.strip_suffix(END)?.splitn(3, '-');
    let run = RunId::parse(parts.next()?).ok()?;
    let digits = parts.next().filter(|digits| digits.len() >= 5)?;
    let iteration = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    let task: String = parts.next()?.chars().map(|c| swapped(c, |(sign, safe)| (safe, sign))).collect();
    let task = TaskId::parse(&task).ok()?;
    // Only the very name that ralph gives: what a person called like it is theirs.
    (of(&run, iteration, &task) == name).then(|| LogFile { run, iteration, task, path: directory.join(name) })
}

pub(super) fn is_log(name: &str) -> bool {
    parse(name, Path::new("")).is_some()
}

fn swapped(c: char, way: impl Fn((char, char)) -> (char, char)) -> char {
    SIGNS.into_iter().map(way).find(|(from, _)| *from == c).map_or(c, |(_, to)| to)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ralph_core::id::{RunId, TaskId};

    use super::{of, parse};

    #[test]
    fn a_name_is_read_back_as_it_was_given() {
        let run = RunId::parse("0abcdefghjkm").unwrap();
        for (task, iteration, name) in [
            ("T-7", 12, "0abcdefghjkm-00012-T-7.log"),
            ("owner/repo#7", 1, "0abcdefghjkm-00001-owner+repo~7.log"),
            ("a:b.log", 123_456, "0abcdefghjkm-123456-a=b.log.log"),
        ] {
            let task = TaskId::parse(task).unwrap();
            assert_eq!(of(&run, iteration, &task), name);
            let read = parse(name, Path::new("/l")).unwrap();
            assert_eq!((read.run, read.iteration, read.task), (run.clone(), iteration, task));
        }
    }

    #[test]
    fn what_a_person_called_like_it_is_no_log() {
        for name in [
            "notes.log",
            "0abcdefghjkm-00012-T-7.log.bak",
            "0abcdefghjkm-12-T-7.log",
            "0abcdefghjkm-000012-T-7.log",
            "0abcdefghjkm-00012-T:7.log",
            "0abcdefghjkm-00012-.log",
            ".0abcdefghjkm-00012-T-7.log.ralph-1",
        ] {
            assert_eq!(parse(name, Path::new("/l")), None, "{name}");
        }
    }
}
