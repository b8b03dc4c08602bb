//! What a word looks like: a path, a name of code, a command, or nothing of the kind.

use super::mention::MentionKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// Between backticks.
    AsCode,
    Plainly,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) kind: MentionKind,
    pub(super) text: String,
    /// It can hardly be anything else.
    pub(super) explicit: bool,
}

pub(super) fn shape(text: &str, written: Written) -> Option<Shape> {
    let text = bare(text, written);
    let of = |kind, text: &str, explicit| Some(Shape { kind, text: text.to_owned(), explicit });
    if written == Written::AsCode && is_command(text) {
        return of(MentionKind::Command, text.trim_start_matches("$ "), true);
    }
    let is_odd = |c: char| {
        c.is_whitespace() || matches!(c, '*' | '{' | '}' | '<' | '>' | '$' | '=' | '"' | '\'' | '\\')
    };
    if text.len() < 3 || text.contains("://") || text.contains(is_odd) || text.starts_with(['-', '@', '&']) {
        return None;
    }
    if let Some((path, test)) = text.split_once("::")
        && is_path(path)
    {
        return of(if test.is_empty() { MentionKind::File } else { MentionKind::Test }, text, true);
    }
    let path = without_line(text);
    if is_path(path) {
        return of(MentionKind::File, path.trim_start_matches("./"), !is_made_by_programs(path));
    }
    if is_bare_file(path) && !is_product(path, written) {
        return of(MentionKind::File, path, !is_made_by_programs(path));
    }
    if written == Written::AsCode && path.trim_end_matches('/').contains('/') && path.ends_with('/') {
        return of(MentionKind::File, path, false);
    }
    symbol(text, written)
}

/// Without what stands around a word in a sentence.
fn bare(text: &str, written: Written) -> &str {
    match written {
        Written::AsCode => text.trim(),
        Written::Plainly => {
            let text = text.trim_start_matches(['(', '[', '"', '\'', '*', '“', '‘']);
            let end = |text: &str| {
                text.trim_end_matches([',', '.', ';', ':', '!', '?', ']', '"', '\'', '*', '”', '’']).len()
            };
            let text = &text[..end(text)];
            let text = if text.ends_with("()") { text } else { text.trim_end_matches(')') };
            &text[..end(text)]
        }
    }
}

/// `src/a.rs:12:4` is about `src/a.rs`.
fn without_line(text: &str) -> &str {
    let is_number =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let mut text = text.split("#L").next().unwrap_or(text);
    while let Some((before, number)) = text.rsplit_once(':').filter(|(_, number)| is_number(number)) {
        let _ = number;
        text = before;
    }
    text
}

/// With a directory and an ending; not the address of a page.
fn is_path(text: &str) -> bool {
    let Some((dirs, name)) = text.rsplit_once('/') else { return false };
    let first = text.split('/').next().unwrap_or_default();
    let is_address = first.contains('.') && !first.starts_with('.');
    let is_of_a_path = |c: char| {
        c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '/' | '[' | ']' | '(' | ')' | '~')
    };
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let has_ending = (1..=6).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    !dirs.is_empty() && !is_address && text.chars().all(is_of_a_path) && (has_ending || FILES.contains(&name))
}

/// A name with an ending that files have.
fn is_bare_file(text: &str) -> bool {
    if FILES.contains(&text) {
        return true;
    }
    let Some((name, ending)) = text.rsplit_once('.') else { return false };
    let is_of_a_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    let is_name = name.chars().all(is_of_a_name) && name.chars().any(char::is_alphabetic);
    is_name && !name.ends_with('.') && ENDINGS.contains(&ending)
}

/// `Node.js` is no file where it is written like a name.
fn is_product(text: &str, written: Written) -> bool {
    let is_name = text.starts_with(|c: char| c.is_uppercase()) && text.ends_with(".js");
    written == Written::Plainly && is_name
}

/// What is not there may be what the work is to write.
fn is_made_by_programs(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    path.starts_with(['/', '~']) || (MADE.contains(&ending) && !path.contains('/'))
}

fn symbol(text: &str, written: Written) -> Option<Shape> {
    let name = text.strip_suffix("()").unwrap_or(text);
    let is_called = name.len() < text.len();
    let parts: Vec<&str> = name.split("::").flat_map(|part| part.split(['.', '#'])).collect();
    let is_name = |part: &&str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if !parts.iter().all(is_name) || name.chars().all(|c| !c.is_alphabetic()) {
        return None;
    }
    let last = *parts.last()?;
    let is_constant = !last.chars().any(char::is_lowercase);
    let is_snake = last.trim_matches('_').contains('_');
    let is_camel = |part: &str| part.starts_with(char::is_lowercase) && part.contains(char::is_uppercase);
    let is_type = last.starts_with(char::is_uppercase) && !is_constant;
    let is_of_code = is_called || is_snake || is_camel(last) || name.contains("::");
    let is_shaped = match written {
        Written::AsCode => is_of_code || is_type || parts.len() > 1,
        // Names of products are written like names of code: `macOS`, `iPhone`.
        Written::Plainly => {
            (is_of_code && (parts.len() == 1 || is_called || name.contains("::")))
                && !PRODUCTS.contains(&name)
        }
    };
    if !is_shaped {
        return None;
    }
    let is_test = last.starts_with("test_") || last.ends_with("_test") || parts.contains(&"tests");
    let kind = if is_test { MentionKind::Test } else { MentionKind::Symbol };
    let explicit = written == Written::AsCode && !is_constant && (is_of_code || is_type);
    Some(Shape { kind, text: name.to_owned(), explicit })
}

fn is_command(text: &str) -> bool {
    let text = text.trim_start_matches("$ ");
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return false };
    let has_more = words.next().is_some();
    (PROGRAMS.contains(&first) && (has_more || ALONE.contains(&first)))
        || (first.starts_with("./") && has_more)
}

const FILES: [&str; 8] =
    ["Makefile", "Dockerfile", "Justfile", "justfile", "Gemfile", "Rakefile", "Procfile", "Jenkinsfile"];
const ENDINGS: [&str; 52] = [
    "rs", "py", "ts", "tsx", "js", "jsx", "mjs", "cjs", "go", "java", "c", "h", "cc", "cpp", "cxx", "hpp",
    "cs", "rb", "php", "sh", "bash", "toml", "yaml", "yml", "json", "jsonl", "md", "mdx", "txt", "sql",
    "proto", "css", "scss", "html", "vue", "svelte", "kt", "swift", "scala", "lua", "ex", "exs", "hs",
    "lock", "cfg", "ini", "graphql", "tf", "xml", "csv", "log", "gradle",
];
const MADE: [&str; 9] = ["json", "jsonl", "txt", "csv", "log", "html", "xml", "lock", "md"];
const PRODUCTS: [&str; 7] = ["macOS", "iOS", "iPhone", "iPad", "eBay", "jQuery", "npmjs"];
const PROGRAMS: [&str; 44] = [
    "cargo",
    "rustc",
    "rustup",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "node",
    "make",
    "just",
    "pytest",
    "python",
    "python3",
    "pip",
    "uv",
    "poetry",
    "tox",
    "ruff",
    "mypy",
    "go",
    "git",
    "docker",
    "sh",
    "bash",
    "mvn",
    "gradle",
    "bundle",
    "rake",
    "rails",
    "rspec",
    "composer",
    "php",
    "phpunit",
    "dotnet",
    "cmake",
    "ctest",
    "bazel",
    "ralph",
    "terraform",
    "kubectl",
    "jest",
    "vitest",
];
const ALONE: [&str; 8] = ["make", "just", "pytest", "tox", "rspec", "phpunit", "jest", "vitest"];
