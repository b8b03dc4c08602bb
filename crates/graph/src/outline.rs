//! What one file holds: symbols, what it mentions, what it imports. Texts are numbers of a table.

use crate::language::Language;

/// The number of a text in a table of [`Names`](crate::names::Names).
pub(crate) type NameId = u32;

/// The number of the symbol that a mention stands in, or none of them.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    // The order is the one in which one name that is found twice is believed to be.
    Function,
    Method,
    Class,
    Struct,
    Interface,
    Trait,
    Enum,
    Module,
    Macro,
    Constant,
    Type,
    Variable,
    /// Named like a field, with code of its own.
    Property,
}

impl Kind {
    pub const ALL: [Kind; 13] = [
        Kind::Function,
        Kind::Method,
        Kind::Class,
        Kind::Struct,
        Kind::Interface,
        Kind::Trait,
        Kind::Enum,
        Kind::Module,
        Kind::Macro,
        Kind::Constant,
        Kind::Type,
        Kind::Variable,
        Kind::Property,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Function => "function",
            Kind::Method => "method",
            Kind::Class => "class",
            Kind::Struct => "struct",
            Kind::Interface => "interface",
            Kind::Trait => "trait",
            Kind::Enum => "enum",
            Kind::Module => "module",
            Kind::Macro => "macro",
            Kind::Constant => "constant",
            Kind::Type => "type",
            Kind::Variable => "variable",
            Kind::Property => "property",
        }
    }

    /// Whether a function in it is a method.
    pub(crate) fn has_methods(self, language: Language) -> bool {
        match self {
            Kind::Class | Kind::Struct | Kind::Interface | Kind::Trait | Kind::Enum => true,
            Kind::Module => language == Language::Ruby,
            Kind::Function
            | Kind::Method
            | Kind::Macro
            | Kind::Constant
            | Kind::Type
            | Kind::Variable
            | Kind::Property => false,
        }
    }
}

/// How one thing is tied to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    // The order is the one in which one name that is found twice is believed to be.
    Implements,
    Calls,
    References,
    Imports,
    Defines,
}

impl Relation {
    pub const ALL: [Relation; 5] =
        [Relation::Implements, Relation::Calls, Relation::References, Relation::Imports, Relation::Defines];

    pub fn name(self) -> &'static str {
        match self {
            Relation::Implements => "implements",
            Relation::Calls => "calls",
            Relation::References => "references",
            Relation::Imports => "imports",
            Relation::Defines => "defines",
        }
    }
}

/// The first half of a BLAKE3 digest: of a symbol's text, or of a file's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Digest(pub(crate) [u8; 16]);

impl Digest {
    pub fn of(content: &[u8]) -> Digest {
        let mut half = [0; 16];
        half.copy_from_slice(&blake3::hash(content).as_bytes()[..16]);
        Digest(half)
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) name: NameId,
    /// All that it stands in, from the outside to the inside.
    pub(crate) container: NameId,
    pub(crate) kind: Kind,
    /// The symbol of the same file that it stands in.
    pub(crate) parent: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) line: u32,
    pub(crate) last_line: u32,
    /// Where its signature begins in the outline's `signatures`; it ends where the next one begins.
    pub(crate) signature: u32,
    pub(crate) digest: Digest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mention {
    pub(crate) line: u32,
    pub(crate) relation: Relation,
    pub(crate) name: NameId,
    /// What stands before the name: nothing, a name, `self`, or something that cannot be told.
    pub(crate) qualifier: NameId,
    /// The innermost symbol of the file around it.
    pub(crate) from: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import {
    pub(crate) line: u32,
    /// `/a/b` from the root, `crate/a/b` in the same crate, or `a/b`, the end of a path or of a container.
    pub(crate) path: NameId,
    pub(crate) what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// Nothing that has a name here.
    File,
    /// All names in it.
    All,
    /// Itself, under this name.
    Module(NameId),
    /// One name in it, and the name that it has here.
    Name { original: NameId, local: NameId },
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Outline {
    /// In the order of their beginnings, what is outside before what is inside.
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) signatures: String,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) imports: Vec<Import>,
}

impl Outline {
    pub(crate) fn signature(&self, at: usize) -> &str {
        let begin = self.symbols[at].signature as usize;
        let end = self.symbols.get(at + 1).map_or(self.signatures.len(), |next| next.signature as usize);
        &self.signatures[begin..end]
    }

    /// The same with other numbers for its texts.
    pub(crate) fn renumber(&mut self, mut number: impl FnMut(NameId) -> NameId) {
        for symbol in &mut self.symbols {
            symbol.name = number(symbol.name);
            symbol.container = number(symbol.container);
        }
        for mention in &mut self.mentions {
            mention.name = number(mention.name);
            mention.qualifier = number(mention.qualifier);
        }
        for import in &mut self.imports {
            import.path = number(import.path);
            import.what = match import.what {
                What::File => What::File,
                What::All => What::All,
                What::Module(local) => What::Module(number(local)),
                What::Name { original, local } => {
                    What::Name { original: number(original), local: number(local) }
                }
            };
        }
    }
}
