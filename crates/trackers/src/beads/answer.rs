//! The answers of `br`, `bd` and `bv`, each in the shapes that their versions have.

use std::collections::BTreeMap;

use ralph_core::id::TaskId;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A list: bare, or in an object under a key, or the only thing there is.
pub(super) fn list<T: DeserializeOwned>(answer: Value, key: &str) -> Result<Vec<T>, String> {
    let list = match answer {
        Value::Array(list) => list,
        Value::Object(mut object) => match object.remove(key) {
            Some(Value::Array(list)) => list,
            Some(_) => return Err(format!("`{key}` is not a list")),
            None if object.contains_key("id") => vec![Value::Object(object)],
            None => return Err(format!("an object without `{key}`")),
        },
        // An empty list, as Go prints one that was never made.
        Value::Null => Vec::new(),
        other => return Err(format!("{} instead of a list", kind(&other))),
    };
    let read = |value| serde_json::from_value(value).map_err(|error| error.to_string());
    list.into_iter().map(read).collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The ids of what was changed: `[{id}]`, `{id}`, or an object that has such a list under a key.
pub(super) fn ids(answer: &Value, key: &str) -> Result<Vec<TaskId>, String> {
    let list = match answer {
        Value::Array(list) => list.as_slice(),
        Value::Object(object) => match object.get(key).or_else(|| object.get("issues")) {
            Some(Value::Array(list)) => list.as_slice(),
            Some(one @ Value::Object(_)) => std::slice::from_ref(one),
            _ => std::slice::from_ref(answer),
        },
        other => return Err(format!("{} instead of a list", kind(other))),
    };
    let ids = list.iter().filter_map(|one| one.get("id").unwrap_or(one).as_str());
    Ok(ids.filter_map(|id| TaskId::of_backlog(id).ok()).collect())
}

/// What the viewer recommends, with its scores.
pub(super) fn scores(answer: &Value) -> Result<BTreeMap<TaskId, f64>, String> {
    let list = answer.pointer("/triage/recommendations").or_else(|| answer.get("recommendations"));
    let list = list.and_then(Value::as_array).ok_or("no recommendations")?;
    let score = |one: &Value| {
        let id = TaskId::of_backlog(one.get("id")?.as_str()?).ok()?;
        Some((id, one.get("score")?.as_f64()?))
    };
    Ok(list.iter().filter_map(score).collect())
}

#[cfg(test)]
mod tests {
    use ralph_core::id::TaskId;
    use serde_json::{Value, json};

    use super::{ids, list, scores};

    #[test]
    fn arrays_and_objects_are_both_lists() {
        let read = |answer: Value| list::<Value>(answer, "issues");
        assert_eq!(read(json!([{"id": "a"}])).unwrap().len(), 1);
        assert_eq!(read(json!({"issues": [{"id": "a"}], "total": 1})).unwrap().len(), 1);
        assert_eq!(read(json!({"id": "a"})).unwrap().len(), 1);
        assert_eq!(read(Value::Null).unwrap().len(), 0);
        assert!(read(json!({"error": "x"})).is_err() && read(json!("x")).is_err());
        assert!(read(json!({"issues": 3})).is_err());
    }

    #[test]
    fn what_was_closed_is_found_in_either_shape() {
        let a = vec![TaskId::parse("bd-1").unwrap()];
        assert_eq!(ids(&json!([{"id": "bd-1", "status": "closed"}]), "closed"), Ok(a.clone()));
        let object = json!({"closed": [{"id": "bd-1"}], "skipped": [{"id": "bd-2"}]});
        assert_eq!(ids(&object, "closed"), Ok(a.clone()));
        assert_eq!(ids(&json!({"id": "bd-1"}), "closed"), Ok(a));
        assert_eq!(ids(&json!({"closed": [], "skipped": [{"id": "bd-1"}]}), "closed"), Ok(Vec::new()));
        assert!(ids(&json!(7), "closed").is_err());
    }

    #[test]
    fn scores_are_read_where_they_are() {
        let answer = json!({"triage": {"recommendations": [{"id": "bd-1", "score": 0.5}, {"id": "bd-2"}]}});
        assert_eq!(scores(&answer).unwrap().len(), 1);
        assert!(scores(&json!({"message": "nothing"})).is_err());
    }
}
