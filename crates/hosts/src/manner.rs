//! How a person speaks to ralph in a host, and how a slip is answered there.

use ralph_core::in_session::Strategy;

use crate::arguments::BadArguments;

/// What a command begins with, and what it can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    pub command: &'static str,
    pub strategies: &'static [Strategy],
}

/// Of a host that takes commands with a slash and can put one session in place of another.
impl Default for Manner {
    fn default() -> Manner {
        Manner { command: "/ralph", strategies: &Strategy::ALL }
    }
}

impl Manner {
    /// What is wrong, and what can be typed instead.
    pub(crate) fn told(&self, bad: &BadArguments) -> String {
        let ralph = self.command;
        match bad {
            BadArguments::NoTask => format!(
                "{bad}: `{}`; there are also `{ralph} stop`, `{ralph} status` and `{ralph} rollback`",
                self.usage()
            ),
            BadArguments::Strategy { .. } => format!("{bad}: {}", self.strategies(", ")),
            BadArguments::AtWork => format!(
                "{bad}; end its turn first, or wait for its end after `{ralph} stop`, and type `{ralph} rollback` again"
            ),
            BadArguments::NoValue { .. }
            | BadArguments::SurplusValue { .. }
            | BadArguments::Twice { .. }
            | BadArguments::Elsewhere { .. }
            | BadArguments::Unclosed { .. }
            | BadArguments::Unknown { .. } => bad.to_string(),
        }
    }

    /// A flag that leaves no choice is not offered.
    fn usage(&self) -> String {
        let strategy = match self.strategies {
            [] | [_] => String::new(),
            _ => format!(" [--strategy {}]", self.strategies("|")),
        };
        format!(
            "{} TASK [--criteria CRITERION] [--max-iterations N] [--completion-promise WORD]{strategy} [--replace]",
            self.command
        )
    }

    fn strategies(&self, between: &str) -> String {
        self.strategies.iter().map(|strategy| strategy.name()).collect::<Vec<_>>().join(between)
    }
}

#[cfg(test)]
mod tests {
    use super::Manner;
    use crate::arguments::BadArguments;
    use crate::hooked::of;

    #[test]
    fn nobody_is_told_to_type_what_their_host_does_not_take() {
        let (codex, opencode) = (of("codex").unwrap().manner(), Manner::default());
        let told = codex.told(&BadArguments::NoTask);
        assert!(told.starts_with("there is no task: `ralph: TASK [--criteria") && !told.contains("/ralph"));
        assert!(
            told.ends_with("`ralph: stop`, `ralph: status` and `ralph: rollback`")
                && !told.contains("strategy")
        );
        assert!(
            opencode
                .told(&BadArguments::NoTask)
                .contains(" [--strategy continue|reset|compact] [--replace]`")
        );
        let fresh = BadArguments::Strategy { given: "fresh".to_owned() };
        assert_eq!(codex.told(&fresh), "`fresh` is not a strategy: continue");
        assert_eq!(opencode.told(&fresh), "`fresh` is not a strategy: continue, reset, compact");
        assert!(
            codex
                .told(&BadArguments::AtWork)
                .ends_with("after `ralph: stop`, and type `ralph: rollback` again")
        );
        let claude = of("claude").unwrap().manner();
        assert!(claude.told(&BadArguments::AtWork).ends_with("type `/ralph rollback` again"));
    }
}
