//! The commands that an agent runs by its tools, as far as it tells of them, and how each ended.

use std::collections::BTreeMap;

use ralph_core::agent_event::AgentEvent;
use ralph_core::report::Ran;

/// More than a memory could use; the last ones matter most.
const MOST: usize = 64;
const LONGEST: usize = 500;

/// What tools are called by which agents run commands.
const SHELLS: [&str; 5] = ["bash", "shell", "terminal", "exec", "command"];

#[derive(Debug, Default)]
pub(super) struct Commands {
    under_way: BTreeMap<String, String>,
    ran: Vec<Ran>,
}

impl Commands {
    pub(super) fn hear(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::ToolUse { id, name, input, .. } if is_shell(name) && !input.trim().is_empty() => {
                // An agent that never tells of results must not fill the memory.
                if self.under_way.len() == MOST {
                    self.under_way.clear();
                }
                self.under_way.insert(id.clone(), input.trim().chars().take(LONGEST).collect());
            }
            AgentEvent::ToolResult { id, ok, .. } => {
                let Some(command) = self.under_way.remove(id) else { return };
                if self.ran.len() == MOST {
                    self.ran.remove(0);
                }
                self.ran.push(Ran { command, ok: *ok });
            }
            _ => {}
        }
    }

    pub(super) fn ran(self) -> Vec<Ran> {
        self.ran
    }
}

fn is_shell(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SHELLS.iter().any(|shell| name.contains(shell))
}

#[cfg(test)]
mod tests {
    use ralph_core::agent_event::AgentEvent;
    use ralph_core::report::Ran;

    use super::Commands;

    fn used(id: &str, name: &str, input: &str) -> AgentEvent {
        AgentEvent::ToolUse {
            id: id.to_owned(),
            name: name.to_owned(),
            input: input.to_owned(),
            parent: None,
        }
    }

    fn ended(id: &str, ok: bool) -> AgentEvent {
        AgentEvent::ToolResult { id: id.to_owned(), ok, summary: String::new(), parent: None }
    }

    #[test]
    fn a_command_counts_once_it_has_ended_and_other_tools_do_not() {
        let mut commands = Commands::default();
        let told = [
            used("1", "Bash", "make test"),
            used("2", "Read", "Makefile"),
            ended("2", true),
            ended("1", false),
            used("3", "run_shell_command", " make db && make test "),
            ended("3", true),
            used("4", "Bash", "sleep 100"),
        ];
        told.iter().for_each(|event| commands.hear(event));
        let ran = |command: &str, ok| Ran { command: command.to_owned(), ok };
        assert_eq!(commands.ran(), [ran("make test", false), ran("make db && make test", true)]);
    }
}
