//! The languages that are read, how a file's is told, and what a name looks like in each.

/// One of the thirteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Rust,
    Python,
    TypeScript,
    Tsx,
    JavaScript,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
    Bash,
}

/// As much of a file as tells its language.
const HEAD: usize = 128;

impl Language {
    pub const ALL: [Language; 13] = [
        Language::Rust,
        Language::Python,
        Language::TypeScript,
        Language::Tsx,
        Language::JavaScript,
        Language::Go,
        Language::Java,
        Language::C,
        Language::Cpp,
        Language::CSharp,
        Language::Ruby,
        Language::Php,
        Language::Bash,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::Python => "python",
            Language::TypeScript => "typescript",
            Language::Tsx => "tsx",
            Language::JavaScript => "javascript",
            Language::Go => "go",
            Language::Java => "java",
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::CSharp => "csharp",
            Language::Ruby => "ruby",
            Language::Php => "php",
            Language::Bash => "bash",
        }
    }

    /// By the name alone.
    pub(crate) fn of_path(path: &str) -> Guess {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((_, extension)) = name.rsplit_once('.') else {
            return match name {
                "Rakefile" | "Gemfile" | "Vagrantfile" => Guess::Is(Language::Ruby),
                "LICENSE" | "Makefile" | "Dockerfile" | "README" | "COPYING" => Guess::None,
                _ => Guess::ByFirstLine,
            };
        };
        let language = match extension {
            "rs" => Language::Rust,
            "py" | "pyi" => Language::Python,
            "ts" | "mts" | "cts" => Language::TypeScript,
            "tsx" => Language::Tsx,
            "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
            "go" => Language::Go,
            "java" => Language::Java,
            "c" | "h" => Language::C,
            "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => Language::Cpp,
            "cs" => Language::CSharp,
            "rb" | "rake" | "gemspec" => Language::Ruby,
            "php" => Language::Php,
            "sh" | "bash" => Language::Bash,
            _ => return Guess::None,
        };
        Guess::Is(language)
    }

    /// By a first line that names a program.
    pub(crate) fn of_first_line(content: &[u8]) -> Option<Language> {
        let head = &content[..content.len().min(HEAD)];
        let line = head.split(|byte| *byte == b'\n').next()?.strip_prefix(b"#!")?;
        let line = std::str::from_utf8(line).ok()?;
        let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
        match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "sh" | "bash" | "dash" => Some(Language::Bash),
            "python" => Some(Language::Python),
            "ruby" => Some(Language::Ruby),
            "php" => Some(Language::Php),
            "node" => Some(Language::JavaScript),
            _ => None,
        }
    }

    /// A header says by its content whether it is C++.
    pub(crate) fn settle(self, path: &str, content: &[u8]) -> Language {
        const ONLY_CPP: [&[u8]; 6] =
            [b"class ", b"namespace ", b"template<", b"template <", b"public:", b"using "];
        let is_cpp = |line: &[u8]| ONLY_CPP.iter().any(|word| line.trim_ascii_start().starts_with(word));
        if self == Language::C && path.ends_with(".h") && content.split(|byte| *byte == b'\n').any(is_cpp) {
            return Language::Cpp;
        }
        self
    }

    /// Between a container and what is in it.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Language::Rust
            | Language::C
            | Language::Cpp
            | Language::Ruby
            | Language::Php
            | Language::Bash => "::",
            Language::Python
            | Language::TypeScript
            | Language::Tsx
            | Language::JavaScript
            | Language::Go
            | Language::Java
            | Language::CSharp => ".",
        }
    }

    /// Whether code in one can name what is defined in the other.
    pub(crate) fn reaches(self, other: Language) -> bool {
        self.family() == other.family()
    }

    fn family(self) -> Language {
        match self {
            Language::TypeScript | Language::Tsx | Language::JavaScript => Language::JavaScript,
            Language::C | Language::Cpp => Language::C,
            Language::Rust
            | Language::Python
            | Language::Go
            | Language::Java
            | Language::CSharp
            | Language::Ruby
            | Language::Php
            | Language::Bash => self,
        }
    }

    /// Whether a bare call can mean a method of the class it stands in.
    pub(crate) fn calls_its_own(self) -> bool {
        matches!(self, Language::Java | Language::CSharp | Language::Cpp | Language::Ruby)
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::Rust => tree_sitter_rust::LANGUAGE.into(),
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Language::Go => tree_sitter_go::LANGUAGE.into(),
            Language::Java => tree_sitter_java::LANGUAGE.into(),
            Language::C => tree_sitter_c::LANGUAGE.into(),
            Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Language::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
            Language::Ruby => tree_sitter_ruby::LANGUAGE.into(),
            Language::Php => tree_sitter_php::LANGUAGE_PHP.into(),
            Language::Bash => tree_sitter_bash::LANGUAGE.into(),
        }
    }

    /// What is looked for; related languages share what they have in common.
    pub(crate) fn queries(self) -> &'static [&'static str] {
        const ECMA: &str = include_str!("../queries/ecma.scm");
        const JSX: &str = include_str!("../queries/jsx.scm");
        const TYPESCRIPT: &str = include_str!("../queries/typescript.scm");
        const C: &str = include_str!("../queries/c.scm");
        match self {
            Language::Rust => &[include_str!("../queries/rust.scm")],
            Language::Python => &[include_str!("../queries/python.scm")],
            Language::TypeScript => &[ECMA, TYPESCRIPT],
            Language::Tsx => &[ECMA, TYPESCRIPT, JSX],
            Language::JavaScript => &[ECMA, JSX, include_str!("../queries/javascript.scm")],
            Language::Go => &[include_str!("../queries/go.scm")],
            Language::Java => &[include_str!("../queries/java.scm")],
            Language::C => &[C],
            Language::Cpp => &[C, include_str!("../queries/cpp.scm")],
            Language::CSharp => &[include_str!("../queries/csharp.scm")],
            Language::Ruby => &[include_str!("../queries/ruby.scm")],
            Language::Php => &[include_str!("../queries/php.scm")],
            Language::Bash => &[include_str!("../queries/bash.scm")],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    Is(Language),
    /// A name without an ending: a script, perhaps.
    ByFirstLine,
    None,
}

#[cfg(test)]
mod tests {
    use super::{Guess, Language};

    #[test]
    fn a_language_is_told_by_name_first_line_or_content() {
        assert_eq!(Language::of_path("a/b.tsx"), Guess::Is(Language::Tsx));
        assert_eq!(Language::of_path("a.rs/run"), Guess::ByFirstLine);
        assert_eq!(Language::of_path("notes.md"), Guess::None);
        assert_eq!(Language::of_first_line(b"#!/usr/bin/env -S python3.12 -u\nx"), Some(Language::Python));
        assert_eq!(Language::of_first_line(b"#!/bin/sh"), Some(Language::Bash));
        assert_eq!(Language::of_first_line(b"#!/bin/sed -f\n"), None);
        assert_eq!(Language::of_first_line(b"\xff\xfe"), None);
        assert_eq!(Language::C.settle("a.h", b"\n  class A {"), Language::Cpp);
        assert_eq!(Language::C.settle("a.h", b"struct A {"), Language::C);
        assert_eq!(Language::C.settle("a.c", b"class A {"), Language::C);
    }
}
