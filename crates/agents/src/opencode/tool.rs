//! The tool by which an agent says that its task is done, for a server that ralph starts itself.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use serde_json::{Value, json};

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

    /// The settings that a server is given in its environment, with the plugin among them.
    pub(super) fn added_to(&self, settings: Option<&str>) -> Result<String, String> {
        let unreadable = |error: serde_json::Error| format!("OPENCODE_CONFIG_CONTENT is no JSON: {error}");
        let mut settings: Value = serde_json::from_str(settings.unwrap_or("{}")).map_err(unreadable)?;
        let object = settings.as_object_mut().ok_or("OPENCODE_CONFIG_CONTENT is no JSON object")?;
        let plugins = object.entry("plugin").or_insert_with(|| json!([]));
        let plugins = plugins.as_array_mut().ok_or("`plugin` in OPENCODE_CONFIG_CONTENT is no array")?;
        plugins.push(json!(format!("file://{}", self.file().display())));
        Ok(settings.to_string())
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
    use super::Tool;
    use serde_json::{Value, json};

    #[test]
    fn the_plugin_is_added_to_what_is_there_and_goes_with_the_server() {
        let tool = Tool::write().unwrap();
        let file = format!("file://{}", tool.file().display());
        let added =
            |now: Option<&str>| tool.added_to(now).map(|text| serde_json::from_str::<Value>(&text).unwrap());
        assert_eq!(added(None), Ok(json!({ "plugin": [file] })));
        let mine = r#"{"model":"a/b","plugin":["mine"]}"#;
        assert_eq!(added(Some(mine)), Ok(json!({ "model": "a/b", "plugin": ["mine", file] })));
        assert!(added(Some("[]")).is_err() && added(Some("// hm")).is_err());
        let dir = tool.dir.clone();
        assert!(dir.join("task_complete.js").exists());
        drop(tool);
        assert!(!dir.exists());
    }
}
