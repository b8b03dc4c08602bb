//! The flags that set settings. They take raw text: the parsers of the configuration file judge it, so
//! that a wrong value meets the same hint everywhere.

use clap::Args;

use super::origin::Origin;
use super::raw::{Given, Item, Raw};

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitFlags {
    /// Stop after this many iterations
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_iterations: Option<String>,
    /// Stop after this much running time: 30m, 1h30m
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(crate) max_duration: Option<String>,
    /// Stop after this many tokens
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_tokens: Option<String>,
    /// Stop after this many US dollars: 5 or 12.50
    #[arg(long, value_name = "DOLLARS", allow_hyphen_values = true)]
    pub(crate) max_cost_usd: Option<String>,
    /// Stop after this many failed attempts in a row
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_consecutive_failures: Option<String>,
    /// Stop after this many iterations in a row that change nothing; needs criteria
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_no_progress: Option<String>,
    /// Stop after this many iterations that try what had failed before; needs criteria
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_circular: Option<String>,
    /// Skip a task of a backlog after this many iterations
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_iterations_per_task: Option<String>,
    /// Wait this long between iterations: 0.5 or 500ms
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) iteration_delay: Option<String>,
    /// No limit on iterations; needs --max-duration, --max-tokens or --max-cost-usd
    #[arg(long)]
    pub(crate) unlimited: bool,
}

impl LimitFlags {
    pub(crate) fn add_to(&self, given: &mut Given) {
        given.flag("--max-iterations", "limits", "max_iterations", self.max_iterations.as_deref());
        given.flag("--max-duration", "limits", "max_duration", self.max_duration.as_deref());
        given.flag("--max-tokens", "limits", "max_tokens", self.max_tokens.as_deref());
        given.flag("--max-cost-usd", "limits", "max_cost_usd", self.max_cost_usd.as_deref());
        let failures = self.max_consecutive_failures.as_deref();
        given.flag("--max-consecutive-failures", "limits", "max_consecutive_failures", failures);
        given.flag("--max-no-progress", "limits", "max_no_progress", self.max_no_progress.as_deref());
        given.flag("--max-circular", "limits", "max_circular", self.max_circular.as_deref());
        let per_task = self.max_iterations_per_task.as_deref();
        given.flag("--max-iterations-per-task", "limits", "max_iterations_per_task", per_task);
        given.flag("--iteration-delay", "limits", "iteration_delay", self.iteration_delay.as_deref());
        given.flag("--unlimited", "limits", "unlimited", self.unlimited.then_some("true"));
    }
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Agent")]
pub(crate) struct AgentFlags {
    /// The agent to run, as `ralph agents` names it; `acp` for a command that speaks that protocol
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The program to run as agent, split into words and run without a shell
    #[arg(long, value_name = "'PROGRAM ARGS'")]
    pub(crate) agent_command: Option<String>,
    /// The model the agent is to use
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// How hard the agent is to think, in its own words
    #[arg(long, value_name = "EFFORT")]
    pub(crate) effort: Option<String>,
    /// Speak the Agent Client Protocol with the agent
    #[arg(long)]
    pub(crate) acp: bool,
    /// Agents that take over when the first is at its limit, with commas between them
    #[arg(long, value_name = "NAMES")]
    pub(crate) fallback: Option<String>,
    /// What an error of the agent comes to: retry, skip or abort
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) on_error: Option<String>,
    /// How often a task is tried again before it is skipped
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_retries: Option<String>,
    /// Begin each attempt fresh, or continue the agent's own session
    #[arg(long, value_name = "fresh|continue")]
    pub(crate) session: Option<String>,
    /// The OpenCode server to work with, for `--agent opencode-server`; its password is in OPENCODE_SERVER_PASSWORD
    #[arg(long, value_name = "URL")]
    pub(crate) attach: Option<String>,
    /// What becomes of the sessions of an OpenCode server
    #[arg(long, value_name = "fresh|continue|compact")]
    pub(crate) session_mode: Option<String>,
    /// How long an attempt may take to its first output
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(crate) start_timeout: Option<String>,
    /// How long the agent may be silent
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(crate) silence_timeout: Option<String>,
    /// How long an attempt may take in all
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(crate) total_timeout: Option<String>,
    /// How long a question of the agent waits for its answer; 0 goes on at once
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(crate) answer_deadline: Option<String>,
}

/// Whom to ask something outside of a run.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AskFlags {
    /// The agent to ask, as `ralph agents` names it
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The program to ask, split into words and run without a shell
    #[arg(long, value_name = "'PROGRAM ARGS'")]
    agent_command: Option<String>,
    /// The model it is to use
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
}

impl AskFlags {
    pub(crate) fn add_to(&self, given: &mut Given) {
        given.flag("--agent", "agent", "name", self.agent.as_deref());
        given.flag("--agent-command", "agent", "command", self.agent_command.as_deref());
        given.flag("--model", "agent", "model", self.model.as_deref());
    }
}

impl AgentFlags {
    pub(crate) fn add_to(&self, given: &mut Given) {
        given.flag("--agent", "agent", "name", self.agent.as_deref());
        given.flag("--agent-command", "agent", "command", self.agent_command.as_deref());
        given.flag("--model", "agent", "model", self.model.as_deref());
        given.flag("--effort", "agent", "effort", self.effort.as_deref());
        given.flag("--acp", "agent", "protocol", self.acp.then_some("acp"));
        given.flag("--fallback", "agent", "fallback", self.fallback.as_deref());
        given.flag("--on-error", "agent", "on_error", self.on_error.as_deref());
        given.flag("--max-retries", "agent", "max_retries", self.max_retries.as_deref());
        given.flag("--session", "agent", "session", self.session.as_deref());
        given.flag("--attach", "opencode", "attach", self.attach.as_deref());
        given.flag("--session-mode", "opencode", "session_mode", self.session_mode.as_deref());
        given.flag("--start-timeout", "agent", "start_timeout", self.start_timeout.as_deref());
        given.flag("--silence-timeout", "agent", "silence_timeout", self.silence_timeout.as_deref());
        given.flag("--total-timeout", "agent", "total_timeout", self.total_timeout.as_deref());
        given.flag("--answer-deadline", "agent", "answer_deadline", self.answer_deadline.as_deref());
    }
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Sandbox")]
pub(crate) struct SandboxFlags {
    /// Keep the agent inside: auto, landlock, bubblewrap or off
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    pub(crate) sandbox: Option<String>,
    /// Take the network from the agent; needs bubblewrap
    #[arg(long)]
    pub(crate) no_network: bool,
}

impl SandboxFlags {
    pub(crate) fn add_to(&self, given: &mut Given) {
        given.flag("--sandbox", "sandbox", "mode", self.sandbox.as_deref());
        given.flag("--no-network", "sandbox", "network", self.no_network.then_some("false"));
    }
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Snapshots")]
pub(crate) struct SnapshotFlags {
    /// What becomes of the tree when the run ends unsuccessfully: keep, or restore it as it was before
    #[arg(long, value_name = "keep|restore")]
    pub(crate) on_failure: Option<String>,
}

impl SnapshotFlags {
    pub(crate) fn add_to(&self, given: &mut Given) {
        given.flag("--on-failure", "snapshots", "on_failure", self.on_failure.as_deref());
    }
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Commits")]
pub(crate) struct CommitFlags {
    /// Commit each completed task of a backlog: the files it changed, and nothing else
    #[arg(long, conflicts_with = "prompt")]
    pub(crate) auto_commit: bool,
}

impl CommitFlags {
    pub(crate) fn add_to(&self, given: &mut Given) {
        given.flag("--auto-commit", "commit", "auto_commit", self.auto_commit.then_some("true"));
    }
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Completion")]
pub(crate) struct PromiseFlags {
    /// The word the agent must give inside <promise></promise> when it is done
    #[arg(long, value_name = "WORD", alias = "completion-promise")]
    pub(crate) promise: Option<String>,
    /// What must hold, checked by ralph itself: test_pass, build_success, lint_clean, type_check, or any of these
    /// and custom with a command: custom='make check'; may be repeated
    #[arg(long, value_name = "CRITERION")]
    pub(crate) criteria: Vec<String>,
    /// The signals that must all be there in one iteration, with commas between them: criteria, promise,
    /// tracker (the agent closed the task of a backlog itself), tool (it called `task_complete`), todo (all is done on the
    /// list of an OpenCode server)
    #[arg(long, value_name = "SIGNALS")]
    pub(crate) require: Option<String>,
    /// Who judges: exit, the checks' status and output, agent or both
    #[arg(long, value_name = "JUDGE")]
    pub(crate) judge: Option<String>,
    /// Every check must fail before the first iteration
    #[arg(long)]
    pub(crate) red_first: bool,
    /// Files that the agent may not change because they are part of the checks: tests/**; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) protect: Vec<String>,
    /// A template for what the agent is told (docs/templates.md)
    #[arg(long, value_name = "FILE", alias = "prompt-template")]
    pub(crate) template: Option<String>,
    /// Take the bare word, without a suffix of its own for each attempt
    #[arg(long)]
    pub(crate) no_nonce: bool,
}

impl PromiseFlags {
    pub(crate) fn add_to(&self, given: &mut Given) {
        given.flag("--promise", "promise", "word", self.promise.as_deref());
        let lines = |texts: &[String]| (!texts.is_empty()).then(|| texts.join("\n"));
        given.flag("--criteria", "verify", "criteria", lines(&self.criteria).as_deref());
        given.flag("--require", "completion", "require", self.require.as_deref());
        given.flag("--judge", "verify", "judge", self.judge.as_deref());
        given.flag("--red-first", "verify", "red_first", self.red_first.then_some("true"));
        given.flag("--protect", "verify", "protect", lines(&self.protect).as_deref());
        let template = self.template.as_deref().map(from_here);
        given.flag("--template", "", "template", template.as_deref());
        given.flag("--no-nonce", "promise", "nonce", self.no_nonce.then_some("false"));
    }
}

/// A file that is typed is meant from where it is typed.
fn from_here(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    here.join(file).to_string_lossy().into_owned()
}

impl Given {
    fn flag(&mut self, name: &'static str, section: &str, key: &str, value: Option<&str>) {
        let Some(value) = value else { return };
        self.items.push(Item {
            section: section.to_owned(),
            key: key.to_owned(),
            key_at: Origin::Flag(name),
            raw: Raw::Given(value.to_owned()),
            at: Origin::Flag(name),
        });
    }
}
