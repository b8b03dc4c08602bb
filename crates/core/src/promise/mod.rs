//! stub
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Word(String);
impl Word {
    pub fn parse(s: &str) -> Result<Word, String> {
        Ok(Word(s.to_owned()))
    }
    pub fn with_nonce(&self, n: &str) -> Word {
        Word(format!("{}-{n}", self.0))
    }
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "claim", rename_all = "snake_case")]
pub enum Claim {
    None,
    Made { line: u64 },
    Refused { line: u64, why: Refusal },
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum Refusal {
    Negated,
}
impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("negated")
    }
}
pub fn instruction(w: &Word) -> String {
    format!("the word is {w}")
}
pub fn detect(_m: &str, _w: &Word, _b: &str) -> Claim {
    Claim::None
}
