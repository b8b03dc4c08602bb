//! What one layer sets, and the keys there are. The doc comments are the documentation: the schema,
//! `docs/config.md` and the file that `ralph init` writes are made of them.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::time::Duration;

use ralph_agents::acp::Permissions;
use ralph_core::crew::{Protocol, Sessions};
use ralph_core::id::AgentName;
use ralph_core::policy::{Cost, OnError, Signal};
use ralph_core::promise::Word;
use ralph_core::route::Route;
use schemars::JsonSchema;

use super::catalogue::{CommandValue, CostValue, DurationText, OnErrorName, SessionName};
use super::check::{CheckKeys, CheckSet, read_checks};
use super::commit::CommitPart;
use super::hook::{Hook, HookKeys, read_hooks};
use super::limits;
use super::memory::MemoryPart;
use super::opencode::OpencodePart;
use super::origin::Set;
use super::output::OutputPart;
use super::raw::Given;
use super::reader::{Known, Reader};
use super::resolved::CustodyChoice;
use super::route::{RouteKeys, read_routes};
use super::sandbox::SandboxPart;
use super::snapshots::SnapshotsPart;
use super::tracker::{JiraPart, LinearPart, TrackerPart};
use super::value::count::max_retries;
use super::value::duration::{deadline, delay};
use super::value::{command, plain};
use super::verify::VerifyPart;
use crate::problem::Problem;

pub(super) const DAY: Duration = Duration::from_secs(86_400);

#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(title = "The configuration of ralph", deny_unknown_fields)]
pub(crate) struct Partial {
    /// Where ralph keeps its journals and the output of agents, as an absolute path.
    #[schemars(with = "Option<String>", extend("default" = "~/.local/state/ralph"))]
    pub(crate) state_dir: Option<Set<PathBuf>>,
    /// A template for briefs, below the project's root unless it is absolute; unset, the first that `ralph template` finds.
    #[schemars(with = "Option<String>", extend("examples" = ["docs/brief.hbs"]))]
    pub(crate) template: Option<Set<PathBuf>>,
    #[schemars(with = "Option<LimitsPart>")]
    pub(crate) limits: LimitsPart,
    #[schemars(with = "Option<AgentPart>")]
    pub(crate) agent: AgentPart,
    #[schemars(with = "Option<OpencodePart>")]
    pub(crate) opencode: OpencodePart,
    #[schemars(with = "Option<PromisePart>")]
    pub(crate) promise: PromisePart,
    #[schemars(with = "Option<CompletionPart>")]
    pub(crate) completion: CompletionPart,
    #[schemars(with = "Option<VerifyPart>")]
    pub(crate) verify: VerifyPart,
    #[schemars(with = "Option<CommitPart>")]
    pub(crate) commit: CommitPart,
    #[schemars(with = "Option<MemoryPart>")]
    pub(crate) memory: MemoryPart,
    #[schemars(with = "Option<SnapshotsPart>")]
    pub(crate) snapshots: SnapshotsPart,
    #[schemars(with = "Option<OutputPart>")]
    pub(crate) output: OutputPart,
    #[schemars(with = "Option<SandboxPart>")]
    pub(crate) sandbox: SandboxPart,
    #[schemars(with = "Option<TrackerPart>")]
    pub(crate) tracker: TrackerPart,
    #[schemars(with = "Option<LinearPart>")]
    pub(crate) linear: LinearPart,
    #[schemars(with = "Option<JiraPart>")]
    pub(crate) jira: JiraPart,
    /// Which agent, model and effort a task gets.
    #[schemars(rename = "route", with = "Option<Vec<RouteKeys>>")]
    pub(crate) routes: Vec<Set<Route>>,
    #[schemars(rename = "check", with = "Option<Vec<CheckKeys>>")]
    pub(crate) checks: Vec<Set<CheckSet>>,
    /// Commands to run when something happens in a run.
    #[schemars(rename = "hook", with = "Option<Vec<HookKeys>>")]
    pub(crate) hooks: Vec<Set<Hook>>,
}

/// What a run may use up.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LimitsPart {
    /// How many iterations a run may have (100 for a prompt, 10 for a prompt with criteria, as many
    /// as its tasks may have for a backlog).
    #[schemars(with = "Option<u32>", range(min = 1, max = limits::MOST_ITERATIONS), extend("examples" = [100]))]
    pub(crate) max_iterations: Option<Set<NonZeroU32>>,
    /// How long a run may take, pauses not counted (8h, with criteria 30m).
    #[schemars(with = "Option<DurationText>", extend("examples" = ["8h"]))]
    pub(crate) max_duration: Option<Set<Duration>>,
    /// How many tokens a run may use; unset, they are not limited.
    #[schemars(with = "Option<u64>", range(min = 1, max = limits::MOST_TOKENS), extend("examples" = [2_000_000]))]
    pub(crate) max_tokens: Option<Set<NonZeroU64>>,
    /// How many US dollars a run may cost; unset, they are not limited.
    #[schemars(with = "Option<CostValue>", extend("examples" = ["12.50"]))]
    pub(crate) max_cost_usd: Option<Set<Cost>>,
    /// How many attempts may fail in a row before the run stops; checks that are cut short count as well.
    #[schemars(with = "Option<u32>", range(min = 1, max = limits::MOST_FAILURES), extend("default" = 5))]
    pub(crate) max_consecutive_failures: Option<Set<NonZeroU32>>,
    /// How many iterations in a row may leave files, commits and failures as they were (3 where there are criteria).
    #[schemars(with = "Option<u32>", range(min = 1, max = limits::MOST_FAILURES), extend("examples" = [3]))]
    pub(crate) max_no_progress: Option<Set<NonZeroU32>>,
    /// How many iterations a task of a backlog may have before it is skipped (3).
    #[schemars(with = "Option<u32>", range(min = 1, max = limits::MOST_ITERATIONS), extend("examples" = [3]))]
    pub(crate) max_iterations_per_task: Option<Set<NonZeroU32>>,
    /// How often what failed before may be tried again (2 where there are criteria).
    #[schemars(with = "Option<u32>", range(min = 1, max = limits::MOST_FAILURES), extend("examples" = [2]))]
    pub(crate) max_circular: Option<Set<NonZeroU32>>,
    /// How long to wait between two iterations (none for a prompt, 1s for a backlog).
    #[schemars(with = "Option<DurationText>", extend("examples" = ["500ms"]))]
    pub(crate) iteration_delay: Option<Set<Duration>>,
    /// No limit on iterations; needs one of max_duration, max_tokens, max_cost_usd.
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(crate) unlimited: Option<Set<bool>>,
}

/// The program that does the work.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct AgentPart {
    /// The agent, as `ralph agents` names it.
    #[schemars(with = "Option<String>", extend("examples" = ["claude"]))]
    pub(crate) name: Option<Set<AgentName>>,
    /// The program to run, without a shell: words, or a string that is split into words.
    #[schemars(with = "Option<CommandValue>", extend("examples" = [["my-agent", "--quiet"]]))]
    pub(crate) command: Option<Set<Vec<String>>>,
    /// The model it is to use; unset, the agent's own choice.
    #[schemars(with = "Option<String>", extend("examples" = ["sonnet"]))]
    pub(crate) model: Option<Set<String>>,
    /// How hard it is to think, in the agent's own words; unset, the agent's own choice.
    #[schemars(with = "Option<String>", extend("examples" = ["high"]))]
    pub(crate) effort: Option<Set<String>>,
    /// Agents that take over, in this order, when the ones before are at their limits.
    #[schemars(with = "Option<Vec<String>>", extend("default" = [], "examples" = [["codex", "gemini"]]))]
    pub(crate) fallback: Option<Set<Vec<AgentName>>>,
    /// How the agent is spoken with: "own" reads what it prints, "acp" is the Agent Client Protocol.
    #[schemars(with = "Option<super::catalogue::ProtocolName>", extend("default" = "own"))]
    pub(crate) protocol: Option<Set<Protocol>>,
    /// What it is answered in that protocol when it asks whether it may: "allow", "deny", or "ask", which denies and
    /// ends the attempt with the question.
    #[schemars(with = "Option<super::catalogue::PermissionsName>", extend("default" = "allow"))]
    pub(crate) permissions: Option<Set<Permissions>>,
    /// How long an attempt may take to its first output; unset, only silence_timeout counts.
    #[schemars(with = "Option<DurationText>", extend("examples" = ["2m"]))]
    pub(crate) start_timeout: Option<Set<Duration>>,
    /// How long an agent may be silent.
    #[schemars(with = "Option<DurationText>", extend("default" = "30m"))]
    pub(crate) silence_timeout: Option<Set<Duration>>,
    /// How long an attempt may take in all; unset, the limits of the run count.
    #[schemars(with = "Option<DurationText>", extend("examples" = ["2h"]))]
    pub(crate) total_timeout: Option<Set<Duration>>,
    /// What an error of the agent comes to: "retry" tries the task again up to `max_retries` times and then skips it,
    /// "skip" skips it, "abort" ends the run. A prompt that is skipped has failed. Errors of the agent's servers and of
    /// the network are tried again in any case, and `max_consecutive_failures` ends the run before all of this.
    #[schemars(with = "Option<OnErrorName>", extend("default" = "retry"))]
    pub(crate) on_error: Option<Set<OnError>>,
    /// How often a task is tried again after an error before it is skipped.
    #[schemars(with = "Option<u32>", range(min = 1, max = limits::MOST_FAILURES), extend("default" = 3))]
    pub(crate) max_retries: Option<Set<NonZeroU32>>,
    /// Whether each attempt begins a conversation of its own ("fresh") or goes on with the agent's last one
    /// ("continue"). Another agent always begins its own.
    #[schemars(with = "Option<SessionName>", extend("default" = "fresh"))]
    pub(crate) session: Option<Set<Sessions>>,
    /// How long to wait after a failed attempt; doubles with every further failure.
    #[schemars(with = "Option<DurationText>", extend("default" = "2s"))]
    pub(crate) retry_delay: Option<Set<Duration>>,
    /// How long a question of the agent waits for its answer (30m while a terminal shows the run, else not at all).
    #[schemars(with = "Option<DurationText>", extend("examples" = ["10m"]))]
    pub(crate) answer_deadline: Option<Set<Duration>>,
    /// Environment variables that the agent does not get.
    #[schemars(with = "Option<Vec<String>>", extend("default" = [], "examples" = [["AWS_SECRET_ACCESS_KEY"]]))]
    pub(crate) env_exclude: Option<Set<Vec<String>>>,
    /// How the agent's processes are kept together: "auto" takes a cgroup where one may be made.
    #[schemars(with = "Option<CustodyChoice>", extend("default" = "auto"))]
    pub(crate) custody: Option<Set<CustodyChoice>>,
}

/// The word an agent gives when it is done.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct PromisePart {
    /// The word inside the promise tag.
    #[schemars(with = "Option<String>", extend("default" = "DONE"))]
    pub(crate) word: Option<Set<Word>>,
    /// Whether every attempt's word carries a suffix of its own, so that an old one cannot count.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    pub(crate) nonce: Option<Set<bool>>,
}

/// What counts as done.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct CompletionPart {
    /// The signals that must all be there in one iteration: "promise", "criteria", "tracker" (the agent closed the task),
    /// "tool" (it called `task_complete`, which ralph gives to agents that take tools) and "todo" (an OpenCode server's list
    /// of things to do); unset, the criteria alone where there are any, else the promise.
    #[schemars(with = "Option<Vec<super::catalogue::RequireName>>", extend("examples" = [["criteria", "promise"]]))]
    pub(crate) require: Option<Set<BTreeSet<Signal>>>,
}

impl Partial {
    pub(crate) fn read(given: Given, problems: &mut Vec<Problem>) -> Partial {
        let mut reader = Reader::new(given.items, problems);
        let partial = Partial::take(&mut reader);
        reader.finish();
        let routes = read_routes(given.routes, problems);
        let checks = read_checks(given.checks, problems);
        Partial { hooks: read_hooks(given.hooks, problems), routes, checks, ..partial }
    }

    /// Every key outside `[[hook]]`, in the order in which they are shown.
    pub(crate) fn known() -> Vec<Known> {
        let mut nobody = Vec::new();
        let mut reader = Reader::new(Vec::new(), &mut nobody);
        Partial::take(&mut reader);
        reader.known().to_vec()
    }

    pub(crate) fn permissions(&self) -> Permissions {
        self.agent.permissions.as_ref().map(|set| set.value).unwrap_or_default()
    }

    fn take(from: &mut Reader<'_>) -> Partial {
        Partial {
            state_dir: from.take("", "state_dir", plain::directory),
            template: from.take("", "template", plain::file),
            limits: LimitsPart::take(from),
            agent: AgentPart::take(from),
            opencode: OpencodePart::take(from),
            promise: PromisePart {
                word: from.take("promise", "word", plain::word),
                nonce: from.take("promise", "nonce", plain::boolean),
            },
            completion: CompletionPart { require: from.take("completion", "require", plain::require) },
            verify: VerifyPart::take(from),
            commit: CommitPart::take(from),
            memory: MemoryPart::take(from),
            snapshots: SnapshotsPart::take(from),
            output: OutputPart::take(from),
            sandbox: SandboxPart::take(from),
            tracker: TrackerPart::take(from),
            linear: LinearPart::take(from),
            jira: JiraPart::take(from),
            checks: Vec::new(),
            routes: Vec::new(),
            hooks: Vec::new(),
        }
    }

    /// This layer on top of a lower one, key by key. Hooks add up, lower ones first; a hook of the
    /// same name replaces the lower one. Routes are an order, so they stand or fall together.
    pub(crate) fn over(self, lower: Partial) -> Partial {
        let is_replaced = |hook: &Set<Hook>| self.hooks.iter().any(|own| own.value.name == hook.value.name);
        let mut hooks: Vec<_> = lower.hooks.into_iter().filter(|hook| !is_replaced(hook)).collect();
        hooks.extend(self.hooks);
        let is_replaced = |check: &Set<CheckSet>| {
            self.checks.iter().any(|own| own.value.check.name == check.value.check.name)
        };
        let mut checks: Vec<_> = lower.checks.into_iter().filter(|check| !is_replaced(check)).collect();
        checks.extend(self.checks);
        Partial {
            state_dir: self.state_dir.or(lower.state_dir),
            template: self.template.or(lower.template),
            limits: self.limits.over(lower.limits),
            agent: self.agent.over(lower.agent),
            opencode: self.opencode.over(lower.opencode),
            promise: PromisePart {
                word: self.promise.word.or(lower.promise.word),
                nonce: self.promise.nonce.or(lower.promise.nonce),
            },
            completion: CompletionPart { require: self.completion.require.or(lower.completion.require) },
            verify: self.verify.over(lower.verify),
            commit: self.commit.over(lower.commit),
            memory: self.memory.over(lower.memory),
            snapshots: self.snapshots.over(lower.snapshots),
            output: self.output.over(lower.output),
            sandbox: self.sandbox.over(lower.sandbox),
            tracker: self.tracker.over(lower.tracker),
            linear: self.linear.over(lower.linear),
            jira: self.jira.over(lower.jira),
            checks,
            routes: if self.routes.is_empty() { lower.routes } else { self.routes },
            hooks,
        }
    }
}

impl AgentPart {
    fn take(from: &mut Reader<'_>) -> AgentPart {
        AgentPart {
            name: from.take("agent", "name", plain::agent_name),
            command: from.take("agent", "command", command::words),
            model: from.take("agent", "model", |r| plain::text(r, "a model").map(str::to_owned)),
            effort: from.take("agent", "effort", |r| plain::text(r, "an effort").map(str::to_owned)),
            fallback: from.take("agent", "fallback", plain::agent_names),
            protocol: from.take("agent", "protocol", plain::protocol),
            permissions: from.take("agent", "permissions", plain::permissions),
            start_timeout: from.take("agent", "start_timeout", |r| deadline(r, DAY)),
            silence_timeout: from.take("agent", "silence_timeout", |r| deadline(r, DAY)),
            total_timeout: from.take("agent", "total_timeout", |r| deadline(r, 30 * DAY)),
            on_error: from.take("agent", "on_error", plain::on_error),
            max_retries: from.take("agent", "max_retries", max_retries),
            session: from.take("agent", "session", plain::sessions),
            retry_delay: from.take("agent", "retry_delay", |r| delay(r, DAY / 24)),
            answer_deadline: from.take("agent", "answer_deadline", |r| delay(r, 7 * DAY)),
            env_exclude: from.take("agent", "env_exclude", plain::variable_names),
            custody: from.take("agent", "custody", plain::custody),
        }
    }

    fn over(self, lower: AgentPart) -> AgentPart {
        AgentPart {
            name: self.name.or(lower.name),
            command: self.command.or(lower.command),
            model: self.model.or(lower.model),
            effort: self.effort.or(lower.effort),
            fallback: self.fallback.or(lower.fallback),
            protocol: self.protocol.or(lower.protocol),
            permissions: self.permissions.or(lower.permissions),
            start_timeout: self.start_timeout.or(lower.start_timeout),
            silence_timeout: self.silence_timeout.or(lower.silence_timeout),
            total_timeout: self.total_timeout.or(lower.total_timeout),
            on_error: self.on_error.or(lower.on_error),
            max_retries: self.max_retries.or(lower.max_retries),
            session: self.session.or(lower.session),
            retry_delay: self.retry_delay.or(lower.retry_delay),
            answer_deadline: self.answer_deadline.or(lower.answer_deadline),
            env_exclude: self.env_exclude.or(lower.env_exclude),
            custody: self.custody.or(lower.custody),
        }
    }
}
