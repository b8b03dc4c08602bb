//! From a file's bytes to its outline, within bounds of size, time and depth.

mod declarator;
mod gather;
mod imports;
mod query;
mod shape;
mod signature;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, QueryCursor};

pub(crate) use imports::module;

use crate::language::{Guess, Language};
use crate::names::Names;
use crate::outline::Outline;

/// Part of what an outline is made by, besides the queries: a change of this code that finds something else counts up.
pub(crate) const EDITION: u32 = 4;

/// Why a file has no outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skipped {
    TooLarge,
    Binary,
    /// Its lines are so long that no person wrote them.
    Minified,
    TooSlow,
    Unreadable,
    /// Its path is no UTF-8, and nothing could be said of it by that.
    NotUtf8,
}

impl Skipped {
    pub const ALL: [Skipped; 6] = [
        Skipped::TooLarge,
        Skipped::Binary,
        Skipped::Minified,
        Skipped::TooSlow,
        Skipped::Unreadable,
        Skipped::NotUtf8,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Skipped::TooLarge => "too_large",
            Skipped::Binary => "binary",
            Skipped::Minified => "minified",
            Skipped::TooSlow => "too_slow",
            Skipped::Unreadable => "unreadable",
            Skipped::NotUtf8 => "not_utf8",
        }
    }
}

/// What became of a file's content.
#[derive(Debug)]
pub(crate) enum Read {
    Outlined {
        language: Language,
        outline: Outline,
        names: Names,
    },
    Skipped {
        language: Language,
        why: Skipped,
    },
    /// Of no language that is read.
    Foreign,
}

/// As much as is looked at to see whether a file is text.
const SAMPLE: usize = 8_192;
/// From this size on, lines that are longer than this on average are not a person's.
const MINIFIED_FROM: usize = 4_096;
const LONGEST_MEAN_LINE: usize = 400;

/// Reads one file after the other; each thread has its own.
pub(crate) struct Reader {
    parser: Parser,
    cursor: QueryCursor,
    patience: Duration,
}

impl Reader {
    pub(crate) fn new(patience: Duration) -> Reader {
        Reader { parser: Parser::new(), cursor: QueryCursor::new(), patience }
    }

    pub(crate) fn read(&mut self, path: &str, content: &[u8]) -> Read {
        let language = match Language::of_path(path) {
            Guess::Is(language) => Some(language.settle(path, content)),
            Guess::ByFirstLine => Language::of_first_line(content),
            Guess::None => None,
        };
        let Some(language) = language else { return Read::Foreign };
        if content[..content.len().min(SAMPLE)].contains(&0) {
            return Read::Skipped { language, why: Skipped::Binary };
        }
        let lines = content.iter().filter(|byte| **byte == b'\n').count() + 1;
        if content.len() >= MINIFIED_FROM && content.len() / lines > LONGEST_MEAN_LINE {
            return Read::Skipped { language, why: Skipped::Minified };
        }
        match self.outline(path, language, content) {
            Ok((outline, names)) => Read::Outlined { language, outline, names },
            Err(why) => Read::Skipped { language, why },
        }
    }

    fn outline(
        &mut self,
        path: &str,
        language: Language,
        content: &[u8],
    ) -> Result<(Outline, Names), Skipped> {
        let until = Instant::now() + self.patience;
        self.parser
            .set_language(&language.grammar())
            .expect("the runtime takes the grammars it is built with");
        // What was given up in the file before must not be gone on with.
        self.parser.reset();
        let mut check = |_: &tree_sitter::ParseState| {
            if Instant::now() > until { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut check);
        let mut rest = |at: usize, _| content.get(at..).unwrap_or_default();
        let tree = self.parser.parse_with_options(&mut rest, None, Some(options)).ok_or(Skipped::TooSlow)?;
        let compiled = query::compiled(language);
        let gathered = gather::gather(&mut self.cursor, compiled, &tree, content, until);
        let gathered = gathered.map_err(|gather::TooSlow| Skipped::TooSlow)?;
        Ok(shape::shape(path, language, content, gathered))
    }
}
