//! What differs between hosts that start a command at each event.

/// A host: where its settings are, what it calls its events, and what it understands.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// What it is called, as an agent and as a seat of loops.
    pub name: &'static str,
    pub title: &'static str,
    /// The version that all of this was seen to be true of.
    pub verified: &'static str,
    /// Its folder in a project and in a home.
    pub folder: &'static str,
    /// What names its folder instead of the home, where it is set.
    pub home_variable: Option<&'static str>,
    /// The file with the hooks.
    pub settings: &'static str,
    /// What tells a hook the project, whatever the agent's working directory has become.
    pub project_variable: Option<&'static str>,
    pub clock: Clock,
    pub events: &'static [(&'static str, What)],
    pub commands: Commands,
    /// How it is told that a turn is not over.
    pub blocks: &'static str,
    /// How often in a row it may be told so, unless a variable says otherwise, and what the variable is set to.
    pub cap: Option<Cap>,
    /// Whether a session is there exactly as long as the file that its conversation is kept in. Others may move theirs.
    pub is_its_transcript: bool,
    /// What the tools of a server called `ralph` are called in its events, before their own names.
    pub own_tools: &'static str,
    pub naming: Naming,
    /// What a person has to know.
    pub remark: Option<&'static str>,
}

/// How a host tells a server of tools which of its sessions calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// With every call.
    Call,
    /// In the environment that the server is started with, for the session of that time.
    Variable(&'static str),
    /// Not at all.
    Nothing,
}

/// The unit of the time that a hook is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    Seconds,
    Milliseconds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap {
    pub variable: &'static str,
    /// A number that nobody types, by which it is known whose it is; behind it what earlier versions wrote.
    pub raised: &'static [&'static str],
    pub by_default: u32,
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    SessionStart,
    Prompt,
    Tool,
    Stop,
    StopFailure,
    SubagentStop,
    Compact,
    SessionEnd,
}

/// Which files a host has its commands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    /// Markdown below a folder; the hook sees what was typed.
    Markdown { folder: &'static str },
    /// TOML; the hook sees what it says, with the arguments in their place.
    Toml { folder: &'static str },
    /// Markdown; the hook sees what it says, with the arguments in their place.
    Written { folder: &'static str },
    /// None. The host's screen keeps what begins with a slash to itself, so a command may begin in another way.
    Typed,
}

pub const CLAUDE: Dialect = Dialect {
    name: "claude",
    title: "Claude Code",
    verified: "2.1.197",
    folder: ".claude",
    home_variable: Some("CLAUDE_CONFIG_DIR"),
    settings: "settings.json",
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    clock: Clock::Seconds,
    events: &[
        ("SessionStart", What::SessionStart),
        ("UserPromptSubmit", What::Prompt),
        ("PostToolUse", What::Tool),
        ("PostToolUseFailure", What::Tool),
        ("Stop", What::Stop),
        ("StopFailure", What::StopFailure),
        ("SubagentStop", What::SubagentStop),
        ("PreCompact", What::Compact),
        ("SessionEnd", What::SessionEnd),
    ],
    commands: Commands::Markdown { folder: "commands" },
    blocks: "block",
    cap: Some(Cap {
        variable: "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
        raised: &["907163", "999999"],
        by_default: 8,
    }),
    is_its_transcript: true,
    own_tools: "mcp__ralph__",
    naming: Naming::Variable("CLAUDE_CODE_SESSION_ID"),
    remark: None,
};

const CODEX: Dialect = Dialect {
    name: "codex",
    title: "Codex",
    verified: "0.166.0",
    folder: ".codex",
    home_variable: Some("CODEX_HOME"),
    settings: "hooks.json",
    project_variable: None,
    clock: Clock::Seconds,
    events: &[
        ("SessionStart", What::SessionStart),
        ("UserPromptSubmit", What::Prompt),
        ("PostToolUse", What::Tool),
        ("Stop", What::Stop),
        ("SubagentStop", What::SubagentStop),
    ],
    commands: Commands::Typed,
    blocks: "block",
    cap: None,
    is_its_transcript: false,
    own_tools: "mcp__ralph__",
    naming: Naming::Call,
    remark: Some("Codex runs no hook that you have not trusted: start it, and agree when it asks"),
};

const GEMINI: Dialect = Dialect {
    name: "gemini",
    title: "Gemini CLI",
    verified: "0.61.0",
    folder: ".gemini",
    home_variable: None,
    settings: "settings.json",
    project_variable: Some("GEMINI_PROJECT_DIR"),
    clock: Clock::Milliseconds,
    events: &[
        ("SessionStart", What::SessionStart),
        ("BeforeAgent", What::Prompt),
        ("AfterTool", What::Tool),
        ("AfterAgent", What::Stop),
        ("PreCompress", What::Compact),
        ("SessionEnd", What::SessionEnd),
    ],
    commands: Commands::Toml { folder: "commands" },
    blocks: "deny",
    cap: None,
    is_its_transcript: false,
    own_tools: "mcp_ralph_",
    naming: Naming::Nothing,
    remark: None,
};

const QWEN: Dialect = Dialect {
    name: "qwen",
    title: "Qwen Code",
    verified: "0.15.10",
    folder: ".qwen",
    home_variable: None,
    settings: "settings.json",
    project_variable: Some("QWEN_PROJECT_DIR"),
    clock: Clock::Milliseconds,
    events: &[
        ("SessionStart", What::SessionStart),
        ("UserPromptSubmit", What::Prompt),
        ("PostToolUse", What::Tool),
        ("Stop", What::Stop),
        ("SubagentStop", What::SubagentStop),
        ("PreCompact", What::Compact),
        ("SessionEnd", What::SessionEnd),
    ],
    commands: Commands::Written { folder: "commands" },
    blocks: "block",
    cap: None,
    is_its_transcript: false,
    own_tools: "mcp__ralph__",
    naming: Naming::Nothing,
    remark: None,
};

pub const ALL: [&Dialect; 4] = [&CLAUDE, &CODEX, &GEMINI, &QWEN];

/// The host of a name.
pub fn of(name: &str) -> Option<&'static Dialect> {
    ALL.into_iter().find(|dialect| dialect.name == name)
}

impl Dialect {
    pub(crate) fn what(&self, event: &str) -> Option<(&'static str, What)> {
        self.events.iter().copied().find(|(name, _)| *name == event)
    }
}
