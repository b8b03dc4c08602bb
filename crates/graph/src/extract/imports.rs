//! The paths of imports in one spelling: `/a/b` from the root of the project, `crate/a/b` in the same crate, `a/b` for
//! the end of a path or of a container.

use crate::language::Language;

/// What one import names: where, what there, and how it is called here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) path: String,
    pub(super) original: Option<String>,
    pub(super) local: Option<String>,
}

/// How deep the braces of one import may be nested.
const DEEPEST: usize = 16;

/// The path that an import of this file names.
pub(super) fn normal(language: Language, file: &str, raw: &str, near: bool) -> String {
    let raw = raw.trim_matches(['"', '\'', '<', '>', '`', ' ']);
    match language {
        Language::Python => python(file, raw),
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let plain = raw.trim_start_matches("@/").trim_start_matches("~/");
            if raw.starts_with('.') { beside(file, raw) } else { without_ending(plain).to_owned() }
        }
        Language::Java | Language::CSharp => raw.replace('.', "/"),
        Language::Ruby if near => beside(file, raw),
        Language::C | Language::Cpp | Language::Ruby | Language::Php | Language::Bash => {
            // What is put together when it runs is known by its end.
            let known = raw.rsplit('/').take_while(|part| !part.contains(['$', '}', '"']) && *part != "..");
            let mut known: Vec<&str> = known.filter(|part| !part.is_empty() && *part != ".").collect();
            known.reverse();
            without_ending(&known.join("/")).to_owned()
        }
        Language::Rust | Language::Go => raw.to_owned(),
    }
}

/// `..pkg.mod` is two levels up from the file.
fn python(file: &str, raw: &str) -> String {
    let dots = raw.bytes().take_while(|byte| *byte == b'.').count();
    let rest = raw[dots..].trim().replace('.', "/");
    if dots == 0 {
        return rest;
    }
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.truncate(parts.len().saturating_sub(dots));
    parts.extend(rest.split('/').filter(|part| !part.is_empty()));
    format!("/{}", parts.join("/"))
}

/// A path from the directory of the file, from the root.
fn beside(file: &str, raw: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in raw.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", module(&parts.join("/")))
}

fn without_ending(path: &str) -> &str {
    let (before, name) = path.rsplit_once('/').map_or(("", path), |(before, name)| (before, name));
    match name.rsplit_once('.') {
        Some((stem, ending))
            if !stem.is_empty() && !matches!(Language::of_path(name), crate::language::Guess::None) =>
        {
            &path[..path.len() - ending.len() - 1]
        }
        _ if before.is_empty() => name,
        _ => path,
    }
}

/// The path of a file as imports name it: without its ending, and without names that stand for their directory.
pub(crate) fn module(path: &str) -> &str {
    let plain = without_ending(path);
    let (before, name) = plain.rsplit_once('/').unwrap_or(("", plain));
    match name {
        "mod" | "lib" | "main" | "index" | "__init__" | "__main__" => before,
        _ => plain,
    }
}

/// All that `a::{b, c as d, e::*}` names, or the same with backslashes.
pub(super) fn leaves(language: Language, text: &str) -> Vec<Leaf> {
    let separator = if language == Language::Php { "\\" } else { "::" };
    let text = match language {
        Language::Php => {
            let plain = text.trim().trim_start_matches("use").trim().trim_end_matches(';');
            plain.trim_start_matches("function ").trim_start_matches("const ")
        }
        _ => text,
    };
    let mut found = Vec::new();
    // Several at the top are those of a list around them.
    branch(&format!("{{{text}}}"), separator, Vec::new(), DEEPEST, &mut found);
    found
}

fn branch(text: &str, separator: &str, mut path: Vec<String>, deeper: usize, found: &mut Vec<Leaf>) {
    let text = text.trim();
    if let Some(open) = text.find('{') {
        let inner = &text[open + 1..text.rfind('}').filter(|close| *close > open).unwrap_or(text.len())];
        path.extend(segments(&text[..open], separator));
        if deeper > 0 {
            for part in split(inner) {
                branch(part, separator, path.clone(), deeper - 1, found);
            }
        }
        return;
    }
    let (named, local) =
        text.split_once(" as ").map_or((text, None), |(named, local)| (named, Some(local.trim())));
    path.extend(segments(named, separator));
    match path.pop() {
        Some(last) if last == "*" => found.push(Leaf { path: place(&path), original: None, local: None }),
        Some(last) if last == "self" && !path.is_empty() => {
            let local = local.map(str::to_owned).or_else(|| path.last().cloned());
            found.push(Leaf { path: place(&path), original: None, local });
        }
        Some(last) => {
            let local = Some(local.map_or_else(|| last.clone(), str::to_owned));
            found.push(Leaf { path: place(&path), original: Some(last), local });
        }
        None => {}
    }
}

fn segments(text: &str, separator: &str) -> Vec<String> {
    let parts = text.split(separator).map(|part| part.trim().trim_start_matches("r#"));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// At the commas that are not in braces.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut parts) = (0_usize, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

fn place(path: &[String]) -> String {
    let own = path.iter().take_while(|part| ["crate", "self", "super"].contains(&part.as_str())).count();
    let rest = path[own..].join("/");
    match (own, rest.is_empty()) {
        (0, _) => rest,
        (_, true) => "crate".to_owned(),
        (_, false) => format!("crate/{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{leaves, module, normal};
    use crate::language::Language;

    #[test]
    fn paths_have_one_spelling() {
        let cases = [
            (Language::Python, "a/b/c.py", "..x.y", "/a/x/y"),
            (Language::Python, "a/b/c.py", ".", "/a/b"),
            (Language::Python, "a.py", "....x", "/x"),
            (Language::Python, "a.py", "x.y", "x/y"),
            (Language::TypeScript, "src/a/b.ts", "../c.js", "/src/c"),
            (Language::TypeScript, "src/a/b.ts", "./d/index", "/src/a/d"),
            (Language::TypeScript, "b.ts", "@/lib/x", "lib/x"),
            (Language::JavaScript, "b.js", "lodash.debounce", "lodash.debounce"),
            (Language::C, "a/b.c", "../inc/x.h", "inc/x"),
            (Language::Bash, "b.sh", "\"$(dirname \"$0\")/lib/x.sh\"", "lib/x"),
            (Language::Bash, "b.sh", "${HERE}/x.sh", "x"),
            (Language::Java, "B.java", "com.foo", "com/foo"),
            (Language::Go, "b.go", "\"example.com/a/b\"", "example.com/a/b"),
        ];
        for (language, file, raw, expected) in cases {
            assert_eq!(normal(language, file, raw, false), expected, "{raw} in {file}");
        }
        assert_eq!(normal(Language::Ruby, "lib/a/b.rb", "../c", true), "/lib/c");
        assert_eq!(module("src/a/mod.rs"), "src/a");
        assert_eq!(module("src/a.test.ts"), "src/a.test");
        assert_eq!(module("bin/run"), "bin/run");
    }

    #[test]
    fn a_tree_of_imports_is_taken_apart() {
        let told = |language, text: &str| -> Vec<String> {
            let leaf = |leaf: super::Leaf| {
                format!(
                    "{}|{}|{}",
                    leaf.path,
                    leaf.original.unwrap_or_default(),
                    leaf.local.unwrap_or_default()
                )
            };
            leaves(language, text).into_iter().map(leaf).collect()
        };
        assert_eq!(
            told(Language::Rust, "crate::a::{self, b::{C, D as E}, f::*, super::g}"),
            ["crate/a||a", "crate/a/b|C|C", "crate/a/b|D|E", "crate/a/f||", "crate/a/super|g|g"]
        );
        assert_eq!(told(Language::Rust, "std::fmt"), ["std|fmt|fmt"]);
        assert_eq!(told(Language::Rust, "super::X"), ["crate|X|X"]);
        assert_eq!(told(Language::Php, "use App\\{A, B as C};"), ["App|A|A", "App|B|C"]);
        assert_eq!(told(Language::Php, "use function App\\f, App\\g;"), ["App|f|f", "App|g|g"]);
        assert_eq!(told(Language::Rust, "{".repeat(10_000).as_str()), Vec::<String>::new());
        assert_eq!(told(Language::Rust, "a::{b"), ["a|b|b"]);
    }
}
