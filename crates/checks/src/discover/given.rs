//! What a command is defined in beside its settings: the scripts that its words name, and those of package.json that it
//! runs.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::definition::{base, scripts, settings};
use super::dir::Dir;
use super::line::{Simple, of_line, of_words, within};

/// How far scripts of package.json that run others are followed.
const DEEPEST: usize = 4;
/// How much of a file tells whether it is text.
const LOOKED_AT: u64 = 512;

const SCRIPTS: [&str; 11] = ["sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "mk"];
/// They run the first file that they are given, whatever it is called.
const INTERPRETERS: [&str; 15] = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", ".", "source", "python", "node", "deno", "ruby", "perl",
    "php", "awk",
];
/// They look at the files that they are given, and run none of them.
const READERS: [&str; 33] = [
    "cat",
    "head",
    "tail",
    "wc",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "diff",
    "cmp",
    "sort",
    "ls",
    "stat",
    "find",
    "echo",
    "printf",
    "shellcheck",
    "shfmt",
    "eslint",
    "prettier",
    "biome",
    "tsc",
    "vue-tsc",
    "ruff",
    "black",
    "flake8",
    "pylint",
    "mypy",
    "pyright",
    "py_compile",
    "compileall",
    "rubocop",
    "perlcritic",
];
/// Parts of the names of what checks other programs.
const CHECKING: [&str; 13] = [
    "check",
    "test",
    "spec",
    "verif",
    "valid",
    "lint",
    "accept",
    "/ci/",
    "/.ci/",
    "/scripts/",
    "/tools/",
    "/gradlew",
    "/mvnw",
];
/// The file behind one of these is a program's settings, or its recipes.
const POINTERS: [&str; 11] = [
    "--config",
    "--config-file",
    "--configuration",
    "--settings",
    "--project",
    "--rcfile",
    "--ignore-path",
    "--file",
    "--makefile",
    "--justfile",
    "--require",
];
/// The same in short, of programs whose settings are known.
const SHORT_POINTERS: [&str; 4] = ["-c", "-p", "-f", "-r"];
/// The directory behind one of these is where the command does its work.
const ELSEWHERE: [&str; 6] = ["-C", "--prefix", "--cwd", "--dir", "--directory", "--manifest-path"];

/// What a line for the shell is defined in, as far as its words tell; `dir` is where it starts, below the root.
pub fn defined_by_line(root: &Path, dir: &str, line: &str) -> Vec<String> {
    let Some(dir) = within("", dir) else { return Vec::new() };
    distinct(followed(root, &of_line(&dir, line), DEEPEST))
}

/// The same of a program and its arguments.
pub fn defined_by_words(root: &Path, dir: &str, words: &[impl AsRef<str>]) -> Vec<String> {
    let Some(dir) = within("", dir) else { return Vec::new() };
    distinct(followed(root, &of_words(&dir, words), DEEPEST))
}

/// In their order, each once.
pub(super) fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

fn followed(root: &Path, commands: &[Simple], depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    for command in commands {
        for dir in places(root, command) {
            let listed = scripts(&command.words).into_iter().chain(settings(&command.words));
            found.extend(listed.filter_map(|name| within(&dir, name)));
            found.extend(files(root, &dir, &command.words));
            for line in package_scripts(root, &dir, &command.words) {
                let inner = if depth == 0 { Vec::new() } else { of_line(&dir, &line) };
                // Tests are the agent's to write, unless they are protected; what starts them is not.
                let inner = followed(root, &inner, depth.saturating_sub(1));
                found.extend(inner.into_iter().filter(|name| !is_test(name)));
            }
        }
    }
    found
}

/// Where a command runs, and where it is sent to.
fn places(root: &Path, command: &Simple) -> Vec<String> {
    let mut places = vec![command.dir.clone()];
    for (flag, value) in flags(root, &command.words) {
        if !ELSEWHERE.contains(&flag) {
            continue;
        }
        let Some(name) = within(&command.dir, value) else { continue };
        if root.join(&name).is_dir() {
            places.push(name);
        } else if root.join(&name).is_file() {
            places.push(name.rsplit_once('/').map_or(String::new(), |(dir, _)| dir.to_owned()));
        }
    }
    places
}

/// Every option with the word behind it, or behind its `=`.
fn flags<'a>(root: &'a Path, words: &'a [String]) -> impl Iterator<Item = (&'a str, &'a str)> {
    let joined = words.iter().filter_map(|word| word.split_once('='));
    let apart = words.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let own = move |value: &'a str| own(root, value);
    joined.chain(apart).filter(|(flag, _)| flag.starts_with('-')).map(move |(flag, value)| (flag, own(value)))
}

/// A name in the project, where it was written in full.
fn own<'a>(root: &Path, word: &'a str) -> &'a str {
    let inside = root.to_str().and_then(|root| word.strip_prefix(root)?.strip_prefix('/'));
    inside.unwrap_or(word)
}

/// The project's files that a command runs, or is set up by.
fn files(root: &Path, dir: &str, words: &[String]) -> Vec<String> {
    let there = |word: &str| {
        let name = within(dir, own(root, word))?;
        root.join(&name).is_file().then_some(name)
    };
    let mut found = Vec::new();
    let is_set_up = !scripts(words).is_empty() || !settings(words).is_empty();
    for (flag, value) in flags(root, words) {
        if POINTERS.contains(&flag) || (is_set_up && SHORT_POINTERS.contains(&flag)) {
            found.extend(there(value));
        }
    }
    let mut interpreter = None;
    for (at, word) in words.iter().enumerate() {
        let name = base(word);
        let is_module = at > 0 && words[at - 1] == "-m";
        let looks = READERS.contains(&name) || (at == 0 && ["test", "["].contains(&name));
        if looks && (interpreter.is_none() || is_module) || only_reads(interpreter, word) {
            break;
        }
        let named = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        let Some(file) = there(named) else {
            let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            let known = if plain.is_empty() { name } else { plain };
            interpreter = INTERPRETERS
                .into_iter()
                .find(|one| *one == known && (at == 0 || known != "."))
                .or(interpreter);
            continue;
        };
        let is_run = interpreter.take().is_some() || is_script(&root.join(&file));
        if is_run && is_meant_to_check(&file) {
            found.push(file);
        }
    }
    found
}

/// A line such as `python3 app.py | diff - expected` runs the very program that the work is on: of what is no shell script,
/// only a name that speaks of checking makes it part of the check.
fn is_meant_to_check(name: &str) -> bool {
    let extension = base(name).rsplit_once('.').map_or("", |(_, extension)| extension);
    let spoken = format!("/{}", name.to_lowercase());
    ["sh", "bash", "zsh", "mk"].contains(&extension) || CHECKING.iter().any(|part| spoken.contains(part))
}

/// `bash -n` and `node --check` run nothing.
fn only_reads(interpreter: Option<&str>, word: &str) -> bool {
    match interpreter {
        Some("sh" | "bash" | "dash" | "zsh" | "ksh") => word == "-n",
        Some("node") => word == "--check",
        Some(_) | None => false,
    }
}

/// A program that was built is the agent's work, and not what it is checked by.
fn is_script(path: &Path) -> bool {
    let named = path.extension().and_then(|extension| extension.to_str());
    if named.is_some_and(|extension| SCRIPTS.contains(&extension)) {
        return true;
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut start));
    let may_run = || path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0);
    read.is_ok() && (start.starts_with(b"#!") || (may_run() && !start.contains(&0)))
}

fn is_test(name: &str) -> bool {
    let extension = base(name).rsplit_once('.').map_or("", |(_, extension)| extension);
    ["py", "js", "mjs", "cjs", "ts", "rb", "pl"].contains(&extension)
        && ["test", "spec"].iter().any(|part| name.contains(part))
}

/// What the scripts of package.json that a command names run.
fn package_scripts(root: &Path, dir: &str, words: &[String]) -> Vec<String> {
    let is_manager = |word: &String| ["npm", "pnpm", "yarn", "bun"].contains(&base(word));
    let Some(at) = words.iter().position(is_manager) else { return Vec::new() };
    let Some(package) = Dir::new(&root.join(dir)).json("package.json") else { return Vec::new() };
    let Some(scripts) = package.get("scripts").and_then(|scripts| scripts.as_object()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for word in &words[at + 1..] {
        let name = if ["t", "tst"].contains(&word.as_str()) { "test" } else { word.as_str() };
        let names = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
        let lines = names.iter().filter_map(|name| scripts.get(name)?.as_str());
        found.extend(lines.map(str::to_owned));
    }
    found
}
