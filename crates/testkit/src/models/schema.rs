//! A value that fits a JSON schema, for requests that leave the model no freedom.

use serde_json::{Map, Value, json};

/// The smallest value that the schema allows, as far as schemas of requests go.
pub(super) fn sample(schema: &Value) -> Value {
    if let Some(options) = schema["enum"].as_array() {
        return preferred(options);
    }
    if let Some(first) = schema["anyOf"].as_array().and_then(|options| options.first()) {
        return sample(first);
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("object");
    match kind.to_ascii_lowercase().as_str() {
        "string" => json!("scripted"),
        "integer" | "number" => json!(1),
        "boolean" => json!(false),
        "array" => json!([]),
        _ => object(schema, Map::new()),
    }
}

/// Adds to some arguments whatever else the schema requires.
pub(super) fn object(schema: &Value, mut given: Map<String, Value>) -> Value {
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !given.contains_key(name) {
            given.insert(name.to_owned(), sample(&schema["properties"][name]));
        }
    }
    Value::Object(given)
}

/// Asked who speaks next, the script ends its turn.
fn preferred(options: &[Value]) -> Value {
    let user = json!("user");
    if options.contains(&user) { user } else { options.first().cloned().unwrap_or(Value::Null) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_filled_in_and_nothing_else() {
        let schema = json!({
            "type": "OBJECT",
            "properties": {
                "reasoning": {"type": "string"},
                "next_speaker": {"type": "string", "enum": ["model", "user"]},
                "extra": {"type": "string"}
            },
            "required": ["reasoning", "next_speaker"]
        });
        assert_eq!(sample(&schema), json!({"reasoning": "scripted", "next_speaker": "user"}));
    }
}
