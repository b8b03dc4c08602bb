//! One tool: what a client reads of it, and what a call does.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

type Call = dyn Fn(Value, &Caller) -> Result<Answer, String> + Send + Sync;

/// Who calls, as far as the client says so with the call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The session of its host; empty where it is not even a text.
    pub session: Option<String>,
    /// What the client calls itself.
    pub client: Option<String>,
}

/// Whoever adds to a role adds one of these to its table.
#[derive(Clone)]
pub struct Tool {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// The JSON schema of its arguments.
    pub(crate) arguments: Arc<Map<String, Value>>,
    pub(crate) only_looks: bool,
    call: Arc<Call>,
}

/// What a call comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Words(String),
    /// An object.
    Data(Value),
}

impl Tool {
    /// A tool that changes something. An error is a sentence for whoever called.
    pub fn new<A: DeserializeOwned + JsonSchema>(
        name: &'static str,
        about: &'static str,
        call: impl Fn(A) -> Result<Answer, String> + Send + Sync + 'static,
    ) -> Tool {
        Tool::for_caller(name, about, move |arguments, _| call(arguments))
    }

    /// The same, where it depends on who calls.
    pub fn for_caller<A: DeserializeOwned + JsonSchema>(
        name: &'static str,
        about: &'static str,
        call: impl Fn(A, &Caller) -> Result<Answer, String> + Send + Sync + 'static,
    ) -> Tool {
        let schema = schemars::generate::SchemaSettings::draft2020_12()
            .with(|settings| settings.inline_subschemas = true)
            .into_generator()
            .into_root_schema_for::<A>();
        let mut arguments = schema.as_object().cloned().unwrap_or_default();
        // A client shows the tool's own words; the type's are for those who read the code.
        arguments.remove("title");
        arguments.remove("description");
        let call = move |given: Value, caller: &Caller| {
            let understood = serde_json::from_value(given);
            let understood =
                understood.map_err(|error| format!("the arguments are not those of `{name}`: {error}"))?;
            call(understood, caller)
        };
        Tool { name, about, arguments: Arc::new(arguments), only_looks: false, call: Arc::new(call) }
    }

    /// The same, and it changes nothing.
    #[must_use]
    pub fn that_only_looks(self) -> Tool {
        Tool { only_looks: true, ..self }
    }

    pub(crate) fn call(&self, arguments: Map<String, Value>, caller: &Caller) -> Result<Answer, String> {
        (self.call)(Value::Object(arguments), caller)
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}
