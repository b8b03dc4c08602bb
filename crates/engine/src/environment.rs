//! What an agent inherits of ralph's environment, and what it is told about its attempt.

use std::ffi::OsString;

use ralph_core::attempt::Attempt;
use ralph_core::run::Run;

pub type Variables = Vec<(OsString, OsString)>;

/// Whole families that never reach an agent: ralph's own settings and secrets, and what would change the loader
/// or point git somewhere else.
const PREFIXES: [&str; 4] = ["RALPH_", "LD_", "GIT_", "CLAUDECODE"];

/// Marks of agent programs that ralph itself may have been started from. An agent that finds its own mark believes
/// that it runs inside itself.
const MARKS: [&str; 9] = [
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "GEMINI_CLI",
    "OPENCODE",
    "OPENCODE_PID",
    "QWEN_CODE",
];

/// The key to a server that ralph works with: nothing that ralph starts is to enter it.
const KEYS: [&str; 1] = ["OPENCODE_SERVER_PASSWORD"];

/// `base` without what is denied.
pub fn inherited(base: impl IntoIterator<Item = (OsString, OsString)>, exclude: &[String]) -> Variables {
    base.into_iter().filter(|(name, _)| !is_denied(&name.to_string_lossy(), exclude)).collect()
}

fn is_denied(name: &str, exclude: &[String]) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || MARKS.contains(&name)
        || KEYS.contains(&name)
        || exclude.iter().any(|excluded| excluded == name)
}

/// What the agent of this attempt is told.
pub(crate) fn for_attempt(inherited: &Variables, run: &Run, attempt: &Attempt) -> Variables {
    let mut variables = inherited.clone();
    let signals: Vec<&str> = run.policy.completion.require.iter().map(|signal| signal.name()).collect();
    let told = [
        ("RALPH_RUN", run.id.to_string()),
        ("RALPH_TASK", attempt.task.to_string()),
        ("RALPH_TASK_TITLE", run.task.title.replace('\0', "")),
        ("RALPH_REQUIRE", signals.join(",")),
        ("RALPH_ITERATION", attempt.iteration.to_string()),
        ("RALPH_ATTEMPT", attempt.number.to_string()),
        ("RALPH_PROMISE", attempt.promise.to_string()),
    ];
    variables.extend(told.map(|(name, value)| (name.into(), value.into())));
    variables
}

#[cfg(test)]
mod tests {
    use super::inherited;
    use std::ffi::OsString;

    #[test]
    fn secrets_loaders_git_and_host_marks_do_not_reach_the_agent() {
        let names = [
            "PATH",
            "HOME",
            "ANTHROPIC_API_KEY",
            "RALPH_SET_X",
            "LD_PRELOAD",
            "GIT_DIR",
            "CLAUDECODE",
            "GEMINI_CLI",
            "GEMINI_API_KEY",
            "OPENCODE_SERVER_PASSWORD",
            "MINE",
        ];
        let base = names.map(|name| (OsString::from(name), OsString::from("x")));
        let kept: Vec<_> = inherited(base, &["MINE".to_owned()]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(kept, ["PATH", "HOME", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"]);
    }
}
