//! The flags of `ralph run` that a loop in a session cannot take, and what can be typed instead. One that became part of
//! the task would be a limit that is lost.

const LIMITS: &str = "type `--max-iterations N`, or set it under `[limits]` in .ralph/config.toml";
const ITERATIONS: &str = "type `--max-iterations N`";
const COMPLETION: &str =
    "type `--criteria CRITERION`, or set `require` under `[completion]` in .ralph/config.toml";
const VERIFY: &str = "type `--criteria CRITERION`, or set it under `[verify]` in .ralph/config.toml";
const HOST: &str = "the agent is that of the host, as it is set up there";
const WAIT: &str = "set it under `[agent]` in .ralph/config.toml";
const MODE: &str = "type `--strategy NAME`";
const NEW: &str = "type `--replace`";
const RUN: &str = "`ralph run` in a terminal takes it";

const ALL: [(&str, &[&str]); 9] = [
    (
        LIMITS,
        &[
            "--max-duration",
            "--max-tokens",
            "--max-cost-usd",
            "--max-consecutive-failures",
            "--max-no-progress",
            "--max-circular",
            "--iteration-delay",
        ],
    ),
    (ITERATIONS, &["--unlimited", "--max-iterations-per-task"]),
    (COMPLETION, &["--require"]),
    (VERIFY, &["--judge", "--red-first", "--protect"]),
    (
        HOST,
        &[
            "--agent",
            "--agent-command",
            "--model",
            "--effort",
            "--acp",
            "--fallback",
            "--on-error",
            "--max-retries",
            "--attach",
            "--start-timeout",
            "--silence-timeout",
            "--total-timeout",
            "--sandbox",
            "--no-network",
        ],
    ),
    (WAIT, &["--answer-deadline"]),
    (MODE, &["--session", "--session-mode"]),
    (NEW, &["--new"]),
    (
        RUN,
        &[
            "--file",
            "--priority",
            "--tracker",
            "--prd",
            "--epic",
            "--label",
            "--task-range",
            "--task",
            "--template",
            "--prompt-template",
            "--on-failure",
            "--auto-commit",
            "--force",
            "--worktree",
            "--yes",
        ],
    ),
];

/// None for what is no such flag.
pub(crate) fn instead(flag: &str) -> Option<&'static str> {
    ALL.into_iter().find(|(_, flags)| flags.contains(&flag)).map(|(instead, _)| instead)
}

/// Those that bound a loop: of these a slip is refused as well.
pub(crate) fn limits() -> impl Iterator<Item = &'static str> {
    let bounds = |instead: &str| instead == LIMITS || instead == ITERATIONS;
    ALL.into_iter().filter(move |(instead, _)| bounds(instead)).flat_map(|(_, flags)| flags).copied()
}
