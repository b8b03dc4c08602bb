//! The configuration of the plugin that came before: its presence makes every session loop.

use std::num::NonZeroU32;
use std::path::Path;

use ralph_core::in_session::Strategy;
use ralph_core::policy::{Kind, Limits};
use ralph_engine::loops::LoopOptions;
use serde_json::{Map, Value};

use crate::jsonc;

const NAME: &str = "ralph-loop";
const FOLDER: &str = ".opencode/sessions";
const RETRIES: u32 = 5;
/// A configuration is small; what is larger is something else.
const LONGEST: u64 = 1 << 20;

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    pub promise_word: String,
    pub max_retries: NonZeroU32,
    /// Below the project's root.
    pub summary_path: String,
    pub auto_restart: bool,
}

impl Original {
    /// From a plugin's options; none where they are empty or not an object.
    pub fn of(options: &Value) -> Option<Original> {
        Original::read(options.as_object().filter(|options| !options.is_empty())?)
    }

    /// From a configuration file of OpenCode: its `ralph-loop` key, or the options of a plugin of that name.
    pub fn find(configuration: &Path) -> Option<Original> {
        if std::fs::metadata(configuration).ok()?.len() > LONGEST {
            return None;
        }
        let text = std::fs::read_to_string(configuration).ok()?;
        let value: Value = serde_json::from_str(&jsonc::plain(&text)).ok()?;
        let key = value.get(NAME).and_then(Value::as_object);
        let plugins = value.get("plugin").and_then(Value::as_array).into_iter().flatten();
        let named = |plugin: &&Value| plugin.get(0).and_then(Value::as_str).is_some_and(is_ours);
        let options = plugins.filter_map(|plugin| Some(plugin).filter(named)?.get(1)?.as_object()).next();
        Original::read(key.or(options)?)
    }

    fn read(options: &Map<String, Value>) -> Option<Original> {
        let known = ["promiseWord", "maxRetries", "summaryPath", "autoRestart"];
        if !options.is_empty() && !options.keys().any(|key| known.contains(&key.as_str())) {
            return None;
        }
        let retries = options.get("maxRetries").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let text = |key: &str| {
            options.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
        };
        Some(Original {
            promise_word: text("promiseWord").unwrap_or("DONE").to_owned(),
            max_retries: NonZeroU32::new(retries.unwrap_or(RETRIES)).unwrap_or(NonZeroU32::MIN),
            summary_path: text("summaryPath").unwrap_or(FOLDER).to_owned(),
            auto_restart: options.get("autoRestart").and_then(Value::as_bool).unwrap_or(true),
        })
    }

    /// A loop as that plugin had it: summarised and begun afresh until the word is given or the retries are used up.
    pub fn options(&self) -> LoopOptions {
        let most = if self.auto_restart { self.max_retries } else { NonZeroU32::MIN };
        let limits = Limits::defaults(Kind::InSession { criteria: false });
        LoopOptions {
            limits: Some(Limits { max_iterations: Some(most), ..limits }),
            promise: Some(self.promise_word.clone()),
            bare_word: true,
            strategy: Strategy::Compact,
            summaries: Some(self.summary_path.clone()),
            ..LoopOptions::default()
        }
    }
}

fn is_ours(name: &str) -> bool {
    name == NAME || name.starts_with("ralph-loop@") || name.ends_with("/ralph.js")
}

#[cfg(test)]
mod tests {
    use super::Original;
    use std::num::NonZeroU32;

    fn found(text: &str) -> Option<Original> {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("opencode.json");
        std::fs::write(&file, text).expect("a file");
        Original::find(&file)
    }

    fn original(word: &str, retries: u32, path: &str, restarts: bool) -> Option<Original> {
        let (promise_word, summary_path) = (word.to_owned(), path.to_owned());
        let max_retries = NonZeroU32::new(retries).expect("not zero");
        Some(Original { promise_word, max_retries, summary_path, auto_restart: restarts })
    }

    #[test]
    fn both_forms_are_read_and_nothing_else_makes_sessions_loop() {
        let key = r#"{ // as it was documented
            "plugin": ["ralph-loop"], "ralph-loop": { "promiseWord": "FERTIG", "maxRetries": 2, }, }"#;
        assert_eq!(found(key), original("FERTIG", 2, ".opencode/sessions", true));
        let options =
            r#"{"plugin": ["x", ["ralph-loop@1.2", {"summaryPath": "./notes//", "autoRestart": false}]]}"#;
        assert_eq!(found(options), original("DONE", 5, "./notes//", false));
        assert_eq!(
            found(r#"{"plugin": ["ralph-loop"], "ralph-loop": {}}"#),
            original("DONE", 5, ".opencode/sessions", true)
        );
        for other in
            [r#"{"plugin": ["ralph-loop"]}"#, r#"{"plugin": [["y", {"maxRetries": 1}]]}"#, "{", "[]", ""]
        {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
