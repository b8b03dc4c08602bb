//! What a parser has to know of the agent and of the attempt that it listens to.

use std::sync::Arc;

use ralph_core::promise::Word;
use ralph_core::report::Usage;

use crate::limit::{Pattern, Rule};
use crate::prices::Prices;

/// How an agent program shows what no format can say in general; data of its catalogue entry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manners {
    pub rules: Vec<Rule>,
    /// Lines of standard error that say the agent itself waits and tries again.
    pub waiting: Vec<Pattern>,
    /// Tools that start a sub-agent.
    pub sub_agent_tools: Vec<String>,
    /// Tools by which the agent asks a person.
    pub question_tools: Vec<String>,
    /// What to do when nobody is logged in.
    pub login: String,
}

#[derive(Debug, Clone)]
pub struct Hearing {
    pub promise: Word,
    pub brief: String,
    /// The model asked for; the agent's own word about it outranks this.
    pub model: Option<String>,
    /// Where the counter of a resumed conversation stood before this attempt.
    pub counter: Usage,
    pub manners: Arc<Manners>,
    pub prices: Arc<Prices>,
}
