//! What a parser has to know of the agent and of the attempt that it listens to.

use std::sync::Arc;

use ralph_core::promise::Word;
use ralph_core::report::Usage;

use super::Outcome;
use super::words::summary;
use crate::limit::{Class, Found, Pattern, Reset, Rule};
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

impl Manners {
    /// What a rule that applies makes of an agent's end. `otherwise` says it where the rule goes by no words.
    pub(crate) fn outcome(&self, found: &Found<'_>, reset: Option<Reset>, otherwise: &str) -> Outcome {
        let what = found.words.map_or_else(|| otherwise.to_owned(), summary);
        let next = |common: &str| found.rule.next.clone().unwrap_or_else(|| common.to_owned());
        match found.rule.means {
            Class::Limited => {
                let reset = reset.or_else(|| found.words.and_then(Reset::in_message));
                Outcome::Limited { reset, what }
            }
            Class::Overloaded => Outcome::Overloaded { what },
            Class::Network => Outcome::Network { what },
            Class::SessionGone => Outcome::SessionGone { what },
            Class::Unauthenticated => Outcome::Unauthenticated { what, next: next(&self.login) },
            Class::Misconfigured => {
                Outcome::Misconfigured { what, next: next("look at the agent's own settings") }
            }
        }
    }
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
