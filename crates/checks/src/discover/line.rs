//! A command line as far as its words tell: its simple commands, each with the directory that it runs in.

/// How deep a line inside a line, as behind `sh -c`, is looked into.
const DEEPEST: usize = 4;

/// One program with its words, below the project's root.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) dir: String,
    pub(super) words: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Word(String),
    /// What ends a command: `;`, `&&`, `|`, a new line.
    End,
    Open,
    Close,
}

/// The commands of a line that starts in `dir`.
pub(super) fn of_line(dir: &str, line: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    read(dir, line, 0, &mut found);
    found
}

/// The commands behind words that no shell splits: their own, and those of a line among them.
pub(super) fn of_words(dir: &str, words: &[impl AsRef<str>]) -> Vec<Simple> {
    let mut found = Vec::new();
    let words = words.iter().map(|word| word.as_ref().to_owned()).collect();
    take(&mut dir.to_owned(), words, 0, &mut found);
    found
}

fn read(dir: &str, line: &str, depth: usize, found: &mut Vec<Simple>) {
    let mut dir = dir.to_owned();
    let mut outer = Vec::new();
    let mut words = Vec::new();
    for piece in pieces(line).into_iter().chain([Piece::End]) {
        match piece {
            Piece::Word(word) => words.push(word),
            Piece::End => take(&mut dir, std::mem::take(&mut words), depth, found),
            Piece::Open => {
                take(&mut dir, std::mem::take(&mut words), depth, found);
                outer.push(dir.clone());
            }
            Piece::Close => {
                take(&mut dir, std::mem::take(&mut words), depth, found);
                dir = outer.pop().unwrap_or(dir);
            }
        }
    }
}

fn take(dir: &mut String, words: Vec<String>, depth: usize, found: &mut Vec<Simple>) {
    if words.is_empty() {
        return;
    }
    if depth < DEEPEST {
        for line in words.iter().filter(|word| word.contains(char::is_whitespace)) {
            read(dir, line, depth + 1, found);
        }
    }
    if let [first, rest @ ..] = &words[..]
        && ["cd", "pushd"].contains(&first.as_str())
        && let Some(to) = rest.iter().find(|word| !word.starts_with('-')).and_then(|to| within(dir, to))
    {
        *dir = to;
    }
    found.push(Simple { dir: dir.clone(), words });
}

/// A name as it is written in `dir`, below the root; `None` where it leads out.
pub(super) fn within(dir: &str, name: &str) -> Option<String> {
    let here = ["$PWD/", "${PWD}/", "$(pwd)/", "`pwd`/"];
    let name = here.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    if name.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn pieces(line: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().extend(rest.next()),
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() || ";&|()<>`".contains(c) => {
                found.extend(word.take().map(Piece::Word));
                match c {
                    '(' => found.push(Piece::Open),
                    ')' => found.push(Piece::Close),
                    '\n' | ';' | '&' | '|' | '`' => found.push(Piece::End),
                    _ => {}
                }
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    found.extend(word.map(Piece::Word));
    found
}

#[cfg(test)]
mod tests {
    use super::{of_line, within};

    fn check(line: &str, expected: &[(&str, &str)]) {
        let found = of_line("", line);
        let found: Vec<(&str, String)> =
            found.iter().map(|one| (one.dir.as_str(), one.words.join(" "))).collect();
        let expected: Vec<(&str, String)> =
            expected.iter().map(|(dir, words)| (*dir, (*words).to_owned())).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn a_line_is_read_as_its_commands_where_they_run() {
        check("sh check.sh", &[("", "sh check.sh")]);
        check("cd web&&npm test;", &[("web", "cd web"), ("web", "npm test")]);
        check("(cd web; a) && b", &[("web", "cd web"), ("web", "a"), ("", "b")]);
        check("a 'b;c' | d", &[("", "a b;c"), ("", "d")]);
        check("sh -c 'cd x && y z'", &[("x", "cd x"), ("x", "y z"), ("", "sh -c cd x && y z")]);
        check("cd ../.. && a", &[("", "cd ../.."), ("", "a")]);
    }

    #[test]
    fn a_name_that_leads_out_of_the_project_is_none_of_its_own() {
        assert_eq!(within("a/b", "./../c").as_deref(), Some("a/c"));
        assert_eq!(within("", "$PWD/c.sh").as_deref(), Some("c.sh"));
        assert_eq!(within("a", "../../c"), None);
        assert_eq!(within("", "/bin/sh"), None);
    }
}
