//! One file per command: its arguments and what it does. The doc comments are the help texts.

pub(crate) mod acp;
pub(crate) mod agents;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod confine;
pub(crate) mod control;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod fork;
pub(crate) mod graph;
pub(crate) mod guard;
pub(crate) mod hook;
pub(crate) mod hooked;
pub(crate) mod hosting;
pub(crate) mod hosts;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod install;
pub(crate) mod logs;
pub(crate) mod loops;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod migrate;
mod most;
pub(crate) mod opencode;
pub(crate) mod prd;
pub(crate) mod replay;
pub(crate) mod resume;
pub(crate) mod rollback;
pub(crate) mod run;
pub(crate) mod sessions;
pub(crate) mod set;
pub(crate) mod snapshots;
pub(crate) mod status;
pub(crate) mod tasks;
pub(crate) mod template;
pub(crate) mod trust;
pub(crate) mod why;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::problem::{Problem, Problems};
pub(crate) use most::most;

/// Nothing to find is told as such, not as a mistake.
pub(crate) const NOTHING: u8 = 4;

/// What a command comes to: the exit code, or what is wrong.
pub(crate) type Outcome = Result<u8, Problems>;

/// Keeps a coding agent at a task until the result is proven.
#[derive(Debug, Parser)]
#[command(name = "ralph", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "\
Examples:
  ralph demo                                           watch a loop that does not believe its agent
  ralph run \"fix the failing tests\" --agent-command 'my-agent --yes' --max-iterations 10
  ralph status --json                                  how the latest run stands
  ralph why                                            why it stopped, and what to do next
  ralph diff                                           what it has changed
  ralph stop                                           stop it after this iteration

Exit codes: 0 completed, 1 failed, 2 usage or refused, 3 a limit was reached, 4 nothing to do,
5 no agent left, 130 stopped or aborted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<run::Args>),
    Resume(resume::Args),
    Status(status::Args),
    Why(why::Args),
    Diff(diff::Args),
    Snapshots(snapshots::Args),
    Logs(logs::Args),
    Replay(replay::Args),
    Rollback(rollback::Args),
    Fork(fork::Args),
    Stop(control::StopArgs),
    Pause(control::PauseArgs),
    Skip(control::SkipArgs),
    Set(set::Args),
    Steer(control::SteerArgs),
    Inbox(inbox::InboxArgs),
    Answer(inbox::AnswerArgs),
    Tasks(Box<tasks::Args>),
    Memory(memory::Args),
    Template(template::Args),
    Prd(prd::Args),
    Convert(convert::Args),
    Graph(graph::Args),
    Migrate(migrate::Args),
    Agents(agents::Args),
    Hosts(hosts::HostsArgs),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
    Loop(loops::Args),
    Mcp(mcp::Args),
    Sessions(sessions::Args),
    Trust(trust::Args),
    Config(config::ConfigArgs),
    Init(init::InitArgs),
    Doctor(doctor::Args),
    Demo(demo::Args),
    Completions(completions::Args),
    #[command(hide = true)]
    Hook(hook::Args),
    #[command(hide = true, name = acp::NAME)]
    AcpRelay(acp::Args),
    #[command(hide = true, name = opencode::NAME)]
    OpencodeRelay(opencode::Args),
    #[command(hide = true)]
    DemoAgent(demo::AgentArgs),
}

pub(crate) fn run(cli: Cli) -> Outcome {
    match cli.command {
        Command::Run(args) => run::run(*args),
        Command::Resume(args) => resume::run(args),
        Command::Status(args) => status::run(args),
        Command::Why(args) => why::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Snapshots(args) => snapshots::run(&args),
        Command::Logs(args) => logs::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Rollback(args) => rollback::run(args),
        Command::Fork(args) => fork::run(args),
        Command::Stop(args) => control::stop(args),
        Command::Pause(args) => control::pause(args),
        Command::Skip(args) => control::skip(args),
        Command::Set(args) => set::run(args),
        Command::Steer(args) => control::steer(args),
        Command::Inbox(args) => inbox::inbox(args),
        Command::Answer(args) => inbox::answer(args),
        Command::Tasks(args) => tasks::run(&args),
        Command::Memory(args) => memory::run(&args),
        Command::Template(args) => template::run(&args),
        Command::Prd(args) => prd::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Migrate(args) => migrate::run(&args),
        Command::Agents(args) => agents::run(args),
        Command::Hosts(args) => hosts::hosts(&args),
        Command::Install(args) => install::install(&args),
        Command::Uninstall(args) => install::uninstall(&args),
        Command::Loop(args) => loops::run(args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Sessions(args) => sessions::run(args),
        Command::Hook(args) => hook::run(&args),
        Command::Trust(args) => trust::run(args),
        Command::Config(args) => Ok(told(&args.run(&here()?)?)),
        Command::Init(args) => Ok(told(&args.run(&here()?)?)),
        Command::Doctor(args) => doctor::run(args),
        Command::Demo(args) => demo::run(args),
        Command::Completions(args) => completions::run(args),
        Command::AcpRelay(args) => acp::run(args),
        Command::OpencodeRelay(args) => opencode::run(args),
        Command::DemoAgent(args) => demo::agent(args),
    }
}

/// Arguments that cannot be read. A host would be stopped by the exit code that everybody else gets.
pub(crate) fn misunderstood(error: &clap::Error) -> ExitCode {
    let is_hook = std::env::args_os().nth(1).is_some_and(|command| command == hook::NAME);
    if !is_hook || !error.use_stderr() {
        error.exit();
    }
    let text = error.to_string();
    let said: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    eprintln!("ralph: {}", said.join(" ").trim_start_matches("error: "));
    ExitCode::from(1)
}

/// Refuses what is a person's business to an agent that ralph drives, and says what it may do instead.
pub(crate) fn by_a_person(instead: &str) -> Result<(), Problems> {
    if ralph_engine::custody::is_driven(guard::NAME) {
        let problem = Problem::new("an agent that ralph drives is no operator, and speaks for no person");
        return Err(problem.next(instead).into());
    }
    Ok(())
}

pub(crate) fn here() -> Result<std::path::PathBuf, Problems> {
    Ok(std::env::current_dir()
        .map_err(|error| Problem::new(format!("cannot tell the current directory: {error}")))?)
}

fn told(text: &str) -> u8 {
    crate::words::print(text);
    0
}
