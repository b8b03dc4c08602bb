//! A home and an environment in which a program knows one model server and nothing else of the world.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;

use super::Program;

/// Writes the program's settings into an empty home and returns the variables to start it with, beside a `PATH`
/// and nothing inherited. Retries are few, so that failures come quickly.
pub fn offline_env(program: Program, server: &str, home: &Path) -> io::Result<Vec<(String, String)>> {
    let mut variables = common(home)?;
    variables.extend(match program {
        Program::Claude => claude(server, home)?,
        Program::Codex => codex(server, home)?,
        Program::Gemini => gemini(server, home)?,
        Program::OpenCode => opencode(server),
        Program::Qwen => qwen(server, home)?,
    });
    Ok(variables)
}

type Variables = Vec<(String, String)>;

fn named<const N: usize>(variables: [(&str, String); N]) -> Variables {
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Where programs keep things, all of it in the home, temporary files included.
fn common(home: &Path) -> io::Result<Variables> {
    let within = |path: &str| home.join(path).to_string_lossy().into_owned();
    fs::create_dir_all(home.join("tmp"))?;
    Ok(named([
        ("HOME", home.to_string_lossy().into_owned()),
        ("TMPDIR", within("tmp")),
        ("XDG_CONFIG_HOME", within(".config")),
        ("XDG_DATA_HOME", within(".local/share")),
        ("XDG_STATE_HOME", within(".local/state")),
        ("XDG_CACHE_HOME", within(".cache")),
        ("LANG", "C.UTF-8".into()),
        ("TERM", "xterm-256color".into()),
        ("NO_COLOR", "1".into()),
        ("NO_PROXY", "127.0.0.1,localhost".into()),
    ]))
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, text)
}

fn claude(server: &str, home: &Path) -> io::Result<Variables> {
    let config = home.join(".claude");
    let settings = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": {"approved": ["scripted-key"], "rejected": []}
    });
    write(&config.join(".claude.json"), &settings.to_string())?;
    Ok(named([
        ("CLAUDE_CONFIG_DIR", config.to_string_lossy().into_owned()),
        ("ANTHROPIC_BASE_URL", server.to_owned()),
        ("ANTHROPIC_API_KEY", "scripted-key".into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        ("DISABLE_AUTOUPDATER", "1".into()),
        ("DISABLE_TELEMETRY", "1".into()),
        ("DISABLE_ERROR_REPORTING", "1".into()),
        ("CLAUDE_CODE_MAX_RETRIES", "1".into()),
        // Root may skip permissions in a sandbox only.
        ("IS_SANDBOX", "1".into()),
    ]))
}

fn codex(server: &str, home: &Path) -> io::Result<Variables> {
    let config = home.join(".codex");
    let settings = format!(
        r#"model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted"
base_url = "{server}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 20000

[analytics]
enabled = false

# Plugins are looked for on the internet at every start.
[features]
plugins = false
"#
    );
    write(&config.join("config.toml"), &settings)?;
    Ok(named([
        ("CODEX_HOME", config.to_string_lossy().into_owned()),
        ("SCRIPTED_KEY", "scripted-key".into()),
    ]))
}

fn gemini(server: &str, home: &Path) -> io::Result<Variables> {
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 2},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false}
    });
    write(&home.join(".gemini/settings.json"), &settings.to_string())?;
    Ok(named([
        ("GEMINI_API_KEY", "scripted-key".into()),
        ("GOOGLE_GEMINI_BASE_URL", server.to_owned()),
        ("GEMINI_CLI_NO_RELAUNCH", "true".into()),
    ]))
}

/// Its client's own retries can be turned off; the seven attempts around them, some 75 seconds, cannot.
fn qwen(server: &str, home: &Path) -> io::Result<Variables> {
    let settings = json!({
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
        "general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
        "model": {"generationConfig": {"maxRetries": 0}},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false}
    });
    write(&home.join(".qwen/settings.json"), &settings.to_string())?;
    Ok(named([
        ("OPENAI_API_KEY", "scripted-key".into()),
        ("OPENAI_BASE_URL", format!("{server}/v1")),
        ("OPENAI_MODEL", "scripted".into()),
    ]))
}

/// The settings travel in the environment: OpenCode looks for a file by `PWD`, and finding none it goes elsewhere.
fn opencode(server: &str) -> Variables {
    let settings = json!({
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "enabled_providers": ["scripted"],
        "autoupdate": false,
        "share": "disabled",
        "provider": {"scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": format!("{server}/v1"), "apiKey": "scripted-key"},
            "models": {"scripted": {
                "limit": {"context": 100_000, "output": 8000},
                "attachment": true,
                "modalities": {"input": ["text", "image"], "output": ["text"]}
            }}
        }}
    });
    named([
        ("OPENCODE_CONFIG_CONTENT", settings.to_string()),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1".into()),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1".into()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".into()),
        ("OPENCODE_DISABLE_SHARE", "1".into()),
        ("npm_config_offline", "true".into()),
    ])
}
