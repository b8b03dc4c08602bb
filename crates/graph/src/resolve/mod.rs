//! Which symbol a name means. Nothing is compiled and no type is known: a name is looked for where people would look
//! first, and what stays ambiguous is told as such, with its candidates.

mod index;
mod links;
mod paths;
mod scope;

pub(crate) use index::{Index, last as last_part};
pub(crate) use links::{Link, Links};
pub(crate) use scope::Scope;

/// Why a name is taken to mean a symbol, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// Defined in the same file.
    SameFile,
    /// Imported by the file.
    Imported,
    /// The type or the module is written before it.
    Qualified,
    /// In the same directory, or the same crate.
    SamePackage,
    /// Nothing else in the project has the name.
    Unique,
    /// Several have it, and nothing tells which.
    Ambiguous,
}

impl How {
    pub const ALL: [How; 6] =
        [How::SameFile, How::Imported, How::Qualified, How::SamePackage, How::Unique, How::Ambiguous];

    pub fn name(self) -> &'static str {
        match self {
            How::SameFile => "same_file",
            How::Imported => "imported",
            How::Qualified => "qualified",
            How::SamePackage => "same_package",
            How::Unique => "unique",
            How::Ambiguous => "ambiguous",
        }
    }

    /// How sure it is that a single candidate is the one.
    pub(crate) fn weight(self) -> f32 {
        match self {
            How::SameFile | How::Imported => 1.0,
            How::Qualified => 0.9,
            How::SamePackage => 0.7,
            How::Unique | How::Ambiguous => 0.5,
        }
    }
}

/// A method is called on something whose type is not known.
pub(crate) const UNKNOWN_RECEIVER: f32 = 0.5;

/// A name that more symbols than this could mean says nothing.
pub(crate) const MOST_CANDIDATES: usize = 8;

/// What a mention means: each candidate is as likely as the others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Meaning {
    pub(crate) how: How,
    /// Of each candidate.
    pub(crate) weight: f32,
    pub(crate) candidates: Vec<u32>,
}

impl Meaning {
    /// Nothing where there is no candidate, or too many.
    fn new(how: How, candidates: Vec<u32>, factor: f32) -> Option<Meaning> {
        let weight = how.weight() * factor;
        match candidates.len() {
            0 => None,
            1 => Some(Meaning { how, weight, candidates }),
            count if count <= MOST_CANDIDATES => {
                Some(Meaning { how: How::Ambiguous, weight: weight / count as f32, candidates })
            }
            _ => None,
        }
    }
}
