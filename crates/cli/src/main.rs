//! The `ralph` program: arguments become settings, settings are wired into parts, and the parts are called.
//! Nothing is decided here.

mod advice;
mod agents;
mod amend;
mod announced;
mod asked;
mod attach;
mod backlog;
mod bars;
mod briefing;
mod commands;
mod conversation;
mod crew;
mod criteria;
mod debt;
mod demo;
mod desk;
mod difference;
mod drafting;
mod event_record;
mod evidence;
mod follow;
mod format;
mod git;
mod history;
mod hydration;
mod inside;
mod issues;
mod judge;
mod lasting;
mod leash;
mod library;
mod memory;
mod messages;
mod models;
mod occupied;
mod onlookers;
mod orphans;
mod own;
mod pacing;
mod paths;
mod perform;
mod pointed;
mod preflight;
mod printed;
mod problem;
mod project;
mod prompt;
mod ready;
mod recalled;
mod render;
mod restoring;
mod room;
mod run_file;
mod said;
mod sandbox;
mod screen;
mod servers;
mod settings;
mod show_flags;
mod summary;
mod taken;
mod taken_loops;
mod taken_notes;
mod templates;
mod toasts;
mod told_back;
mod vault;
mod vectors;
mod words;
mod work;
mod worktree;

use std::process::ExitCode;

use clap::Parser;

use commands::Cli;

fn main() -> ExitCode {
    // A guard has no use for a runtime, and may not have threads: it is told apart before anything else.
    if let Some(code) = commands::guard::become_guard() {
        return code;
    }
    if let Some(code) = commands::confine::become_agent() {
        return code;
    }
    if let Some(code) = commands::hook::told_apart() {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return commands::misunderstood(&error),
    };
    match commands::run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(problems) => {
            problems.print();
            ExitCode::from(problems.exit())
        }
    }
}
