//! `ralph config`: what the settings are, whether they are right, and what they may be.

use std::path::Path;

use clap::{Args, Subcommand, ValueEnum};
use ralph_core::event::Line;
use ralph_hosts::wire::{Answer, Told};
use ralph_store::NewTask;

use super::diff::Difference;
use super::graph;
use super::inbox::Asked;
use super::memory;
use super::migrate::Taken;
use super::prd::{Checked, Drafted};
use super::snapshots::Snapshots;
use super::status::Status;
use super::tasks::{Shown, Tasks};
use super::why::Why;
use crate::problem::Problems;
use crate::settings::flags::{AgentFlags, LimitFlags, PromiseFlags};
use crate::settings::trust::Trust;
use crate::settings::{Given, Loaded, ShowStyle, Sources, schema, show};

/// Show, check or describe the settings
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ralph config show --sources            what counts, and where it was set
  ralph config check
  ralph config schema --of events        what a line of `ralph run --json` may be")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the values in force, as TOML that can be fed back
    Show(Box<ShowArgs>),
    /// Report everything that is wrong in the files and the environment
    Check,
    /// Print a JSON schema: of config.toml, or of what `--json` prints
    Schema(SchemaArgs),
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// Tell where each value was set
    #[arg(long)]
    sources: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    agent: AgentFlags,
    #[command(flatten)]
    promise: PromiseFlags,
}

#[derive(Debug, Args)]
struct SchemaArgs {
    /// What it describes
    #[arg(long, value_enum, default_value = "config")]
    of: Described,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Described {
    /// config.toml
    Config,
    /// A line of `ralph run --json`, `ralph logs --json` and `ralph replay --json`
    Events,
    /// `ralph status --json`
    Status,
    /// `ralph inbox --json`
    Inbox,
    /// `ralph sessions list --json`
    Sessions,
    /// `ralph sessions show --json` and `ralph sessions resume --json`
    Session,
    /// `ralph why --json`
    Why,
    /// `ralph diff --json`
    Diff,
    /// `ralph snapshots --json`
    Snapshots,
    /// `ralph tasks --json`
    Tasks,
    /// `ralph tasks show --json`
    Task,
    /// A line of `ralph tasks export`
    TaskLine,
    /// `ralph prd check --json`
    PrdCheck,
    /// `ralph graph build --json`
    GraphBuild,
    /// `ralph graph symbols --json`
    GraphSymbols,
    /// `ralph graph refs --json`
    GraphRefs,
    /// `ralph graph impact --json`
    GraphImpact,
    /// `ralph graph map --json`
    GraphMap,
    /// `ralph prd new --json`
    PrdNew,
    /// `ralph migrate --json`
    Migrate,
    /// What a plugin tells `ralph hook`
    HookEvent,
    /// What `ralph hook` has a plugin do
    HookAnswer,
    /// `ralph memory search --json`
    MemorySearch,
    /// `ralph memory list --json`
    MemoryNotes,
    /// `ralph memory show --json`
    MemoryNote,
    /// `ralph memory explain --json`
    MemoryExplain,
    /// `ralph memory report --json`
    MemoryReport,
    /// `ralph memory why --json`
    MemoryWhy,
    /// `ralph memory confirm --json`
    MemoryConfirm,
    /// `ralph memory promote --json`
    MemoryPromote,
    /// `ralph memory forget --json`
    MemoryForget,
    /// `ralph memory rebuild --json`
    MemoryRebuild,
    /// A line of `ralph memory export`
    MemoryExport,
    /// `ralph memory import --json`
    MemoryImport,
}

impl ConfigArgs {
    /// What to print.
    pub(crate) fn run(&self, start: &Path) -> Result<String, Problems> {
        match &self.action {
            Action::Show(args) => args.run(start),
            Action::Check => check(start),
            Action::Schema(args) => Ok(format!("{:#}\n", args.of.schema())),
        }
    }
}

impl Described {
    fn schema(self) -> serde_json::Value {
        let mut schema = match self {
            Described::Config => schema(),
            Described::Events => schemars::schema_for!(Line).to_value(),
            Described::Status => schemars::schema_for!(Status).to_value(),
            Described::Inbox => schemars::schema_for!(Vec<Asked>).to_value(),
            Described::Sessions => schemars::schema_for!(Vec<ralph_core::sessions::Session>).to_value(),
            Described::Session => schemars::schema_for!(super::sessions::Shown).to_value(),
            Described::Snapshots => schemars::schema_for!(Snapshots).to_value(),
            Described::Diff => schemars::schema_for!(Difference).to_value(),
            Described::Why => schemars::schema_for!(Why).to_value(),
            Described::Tasks => schemars::schema_for!(Tasks).to_value(),
            Described::Task => schemars::schema_for!(Shown).to_value(),
            Described::TaskLine => schemars::schema_for!(NewTask).to_value(),
            Described::PrdCheck => schemars::schema_for!(Checked).to_value(),
            Described::GraphBuild => schemars::schema_for!(graph::Built).to_value(),
            Described::GraphSymbols => schemars::schema_for!(graph::Symbols).to_value(),
            Described::GraphRefs => schemars::schema_for!(graph::References).to_value(),
            Described::GraphImpact => schemars::schema_for!(graph::Impact).to_value(),
            Described::GraphMap => schemars::schema_for!(graph::Mapped).to_value(),
            Described::PrdNew => schemars::schema_for!(Drafted).to_value(),
            Described::Migrate => schemars::schema_for!(Vec<Taken>).to_value(),
            Described::HookEvent => schemars::schema_for!(Told).to_value(),
            Described::HookAnswer => schemars::schema_for!(Answer).to_value(),
            Described::MemorySearch => schemars::schema_for!(memory::Found).to_value(),
            Described::MemoryNotes => schemars::schema_for!(memory::Listed).to_value(),
            Described::MemoryNote => schemars::schema_for!(memory::Shown).to_value(),
            Described::MemoryExplain => schemars::schema_for!(memory::Explained).to_value(),
            Described::MemoryReport => schemars::schema_for!(ralph_memory::Uplift).to_value(),
            Described::MemoryWhy => schemars::schema_for!(Vec<memory::Provenance>).to_value(),
            Described::MemoryConfirm => schemars::schema_for!(memory::Weighed).to_value(),
            Described::MemoryPromote => schemars::schema_for!(memory::Promoted).to_value(),
            Described::MemoryForget => schemars::schema_for!(memory::Forgot).to_value(),
            Described::MemoryRebuild => schemars::schema_for!(memory::Rebuilt).to_value(),
            Described::MemoryExport => schemars::schema_for!(ralph_memory::PackLine).to_value(),
            Described::MemoryImport => schemars::schema_for!(memory::TakenUp).to_value(),
        };
        // A key is found where the alphabet puts it, whatever order the parts have in memory.
        schema.sort_all_objects();
        schema
    }
}

impl ShowArgs {
    fn run(&self, start: &Path) -> Result<String, Problems> {
        let mut flags = Given::default();
        self.limits.add_to(&mut flags);
        self.agent.add_to(&mut flags);
        self.promise.add_to(&mut flags);
        let loaded = Loaded::read(Sources::of_process(start, flags)?);
        let style = if self.json { ShowStyle::Json } else { ShowStyle::Toml };
        let text = show(&loaded.merged, style, self.sources);
        // Showing runs nothing, so it needs no trust.
        loaded.resolve(Trust::Granted).map(|_| text)
    }
}

fn check(start: &Path) -> Result<String, Problems> {
    let loaded = Loaded::read(Sources::of_process(start, Given::default())?);
    loaded.resolve(Trust::Granted).map(|_| "the configuration is valid\n".to_owned())
}
