//! `ralph graph`: what the code of a project is, what uses what, and what matters.

mod build;
mod impact;
mod map;
mod opened;
mod progress;
mod refs;
mod shown;
mod symbols;

pub(crate) use build::Built;
pub(crate) use impact::Impact;
pub(crate) use map::Mapped;
pub(crate) use refs::References;
pub(crate) use symbols::Symbols;

use crate::commands::Outcome;

/// Ask the code itself: its symbols, what uses them, what depends on what, and what matters most.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph graph map --budget 2000              the most important symbols, in about 2,000 tokens
  ralph graph map --budget 500 src/main.rs   those that matter to one file
  ralph graph symbols Basket                 what is called so
  ralph graph refs Basket::add               who uses it, and how sure that is
  ralph graph impact src/price.rs            what depends on a file, directly and through others

Every command first brings the graph up to date: only files that changed are parsed again. It knows
Rust, Python, TypeScript, TSX, JavaScript, Go, Java, C, C++, C#, Ruby, PHP and Bash (docs/graph.md).")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Build(build::BuildArgs),
    Symbols(symbols::SymbolsArgs),
    Refs(refs::RefsArgs),
    Impact(impact::ImpactArgs),
    Map(map::MapArgs),
}

pub(crate) fn run(args: &Args) -> Outcome {
    match &args.action {
        Action::Build(args) => build::run(args),
        Action::Symbols(args) => symbols::run(args),
        Action::Refs(args) => refs::run(args),
        Action::Impact(args) => impact::run(args),
        Action::Map(args) => map::run(args),
    }
}
