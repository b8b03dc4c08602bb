//! A template as it is understood.

use std::ops::Range;

use crate::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Text(String),
    Value(Reference),
    Block(Block),
}

/// A variable that is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) path: Path,
    /// Where its name stands in the source.
    pub(crate) place: Range<usize>,
}

/// The first arm that holds is taken. A long chain of `else if` is a list here, so that depth has only one bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) arms: Vec<Arm>,
    pub(crate) otherwise: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arm {
    pub(crate) word: Word,
    pub(crate) on: Reference,
    /// The names of `as |value index|`.
    pub(crate) params: Vec<String>,
    pub(crate) body: Vec<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    If,
    Unless,
    Each,
    With,
}

impl Word {
    pub(crate) const ALL: [Word; 4] = [Word::If, Word::Unless, Word::Each, Word::With];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Word::If => "if",
            Word::Unless => "unless",
            Word::Each => "each",
            Word::With => "with",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Word> {
        Word::ALL.into_iter().find(|word| word.name() == name)
    }
}
