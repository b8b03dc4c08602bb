//! What a server that ralph starts itself is told beside its own settings: the tool by which an agent says that its task is
//! done, and where ralph's other tools are.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

const PLUGIN: &str = r#"export const RalphTaskComplete = async () => ({
  tool: {
    task_complete: {
      description: "Say that the task is done. Call it once, when everything is done and checked.",
      args: {},
      execute: async () => "It is noted that the task is done. End with a short account of what you did.",
    },
  },
})
"#;

/// A plugin in a directory of its own, which goes with this value.
#[derive(Debug)]
pub(super) struct Tool {
    dir: PathBuf,
}

impl Tool {
    pub(super) fn write() -> io::Result<Tool> {
        let dir = std::env::temp_dir().join(format!("ralph-opencode-{:016x}", ralph_engine::entropy()));
        fs::DirBuilder::new().mode(0o700).create(&dir)?;
        let tool = Tool { dir };
        fs::write(tool.file(), PLUGIN)?;
        Ok(tool)
    }

    fn file(&self) -> PathBuf {
        self.dir.join("task_complete.js")
    }
}

/// A server of the Model Context Protocol that OpenCode starts itself, by a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    pub command: Vec<String>,
    pub environment: Vec<(String, String)>,
}

/// What OpenCode is told in its environment, beside its files.
#[derive(Debug)]
pub(super) struct Settings(Map<String, Value>);

impl Settings {
    pub(super) const VARIABLE: &str = "OPENCODE_CONFIG_CONTENT";
    /// How the tools are prefixed.
    const NAME: &str = "ralph";

    /// With what a person has put there.
    pub(super) fn read(text: Option<&str>) -> Result<Settings, String> {
        let unreadable = |error: serde_json::Error| format!("{} is no JSON: {error}", Settings::VARIABLE);
        match serde_json::from_str(text.unwrap_or("{}")).map_err(unreadable)? {
            Value::Object(settings) => Ok(Settings(settings)),
            _ => Err(format!("{} is no JSON object", Settings::VARIABLE)),
        }
    }

    pub(super) fn plug_in(&mut self, tool: &Tool) -> Result<(), String> {
        let plugins = self.0.entry("plugin").or_insert_with(|| json!([]));
        let plugins = plugins.as_array_mut();
        let plugins = plugins.ok_or_else(|| format!("`plugin` in {} is no array", Settings::VARIABLE))?;
        plugins.push(json!(format!("file://{}", tool.file().display())));
        Ok(())
    }

    /// Takes the place of one of the same name.
    pub(super) fn serve(&mut self, server: &McpServer) -> Result<(), String> {
        let servers = self.0.entry("mcp").or_insert_with(|| json!({}));
        let servers = servers.as_object_mut();
        let servers = servers.ok_or_else(|| format!("`mcp` in {} is no object", Settings::VARIABLE))?;
        let environment: Map<String, Value> =
            server.environment.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let entry = json!({
            "type": "local",
            "command": server.command,
            "environment": environment,
            "enabled": true,
        });
        servers.insert(Settings::NAME.to_owned(), entry);
        Ok(())
    }
}

impl std::fmt::Display for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&Value::Object(self.0.clone()).to_string())
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        // What is left is one small file in the temporary directory.
        let _left = fs::remove_dir_all(&self.dir);
    }
}

#[cfg(test)]
mod tests {
    use super::{McpServer, Settings, Tool};
    use serde_json::{Value, json};

    fn told(settings: &Settings) -> Value {
        serde_json::from_str(&settings.to_string()).unwrap()
    }

    #[test]
    fn the_plugin_is_added_to_what_is_there_and_goes_with_the_server() {
        let tool = Tool::write().unwrap();
        let file = format!("file://{}", tool.file().display());
        let added = |now: Option<&str>| {
            let mut settings = Settings::read(now)?;
            settings.plug_in(&tool).map(|()| told(&settings))
        };
        assert_eq!(added(None), Ok(json!({ "plugin": [file] })));
        let mine = r#"{"model":"a/b","plugin":["mine"]}"#;
        assert_eq!(added(Some(mine)), Ok(json!({ "model": "a/b", "plugin": ["mine", file] })));
        assert!(added(Some("[]")).is_err() && added(Some("// hm")).is_err());
        let dir = tool.dir.clone();
        assert!(dir.join("task_complete.js").exists());
        drop(tool);
        assert!(!dir.exists());
    }

    #[test]
    fn ralphs_tools_stand_beside_a_persons_own_servers() {
        let server = McpServer {
            command: vec!["/bin/ralph".to_owned(), "mcp".to_owned()],
            environment: vec![("RALPH_MAILBOX".to_owned(), "/tmp/box".to_owned())],
        };
        let mut settings = Settings::read(Some(r#"{"mcp":{"mine":{"type":"remote"}}}"#)).unwrap();
        settings.serve(&server).unwrap();
        let ralph = json!({
            "type": "local", "command": ["/bin/ralph", "mcp"], "environment": { "RALPH_MAILBOX": "/tmp/box" },
            "enabled": true,
        });
        assert_eq!(told(&settings), json!({ "mcp": { "mine": { "type": "remote" }, "ralph": ralph } }));
        assert!(Settings::read(Some(r#"{"mcp":[]}"#)).unwrap().serve(&server).is_err());
    }
}
