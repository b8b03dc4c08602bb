//! What a task names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scan::scan;

/// Something of the code that a text names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mention {
    pub kind: MentionKind,
    /// As it is named, without the marks around it.
    pub text: String,
    pub standing: Standing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MentionKind {
    File,
    Symbol,
    Command,
    Test,
}

/// Whether it has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It may be a value, an example, or something new.
    Passing,
    /// It is named as something that is there.
    Explicit,
    /// The text says that it is to be made.
    ToBeMade,
}

impl Mention {
    /// Without it the text cannot be understood.
    pub fn is_essential(&self) -> bool {
        let decides = match self.kind {
            MentionKind::File | MentionKind::Symbol => true,
            // How to check something can be found out.
            MentionKind::Command | MentionKind::Test => false,
        };
        decides && self.standing == Standing::Explicit
    }
}

impl MentionKind {
    pub fn name(self) -> &'static str {
        match self {
            MentionKind::File => "file",
            MentionKind::Symbol => "symbol",
            MentionKind::Command => "command",
            MentionKind::Test => "test",
        }
    }
}

/// The files, symbols, commands and tests that a text names, each once, in its order. Of what is said of one in
/// different places, the strongest counts: what is made anywhere need not be there.
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut all: Vec<Mention> = Vec::new();
    for mention in scan(text) {
        match all.iter_mut().find(|one| one.kind == mention.kind && one.text == mention.text) {
            Some(one) => one.standing = one.standing.max(mention.standing),
            None => all.push(mention),
        }
    }
    all
}
