//! An event as an object in which no field is there twice: of two sessions nobody could say which one is meant.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::surrogates;

pub(super) fn read(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    surrogates::read(bytes).map(|Object(fields)| Value::Object(fields))
}

struct Object(Map<String, Value>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Object, A::Error> {
        let mut read = Map::new();
        while let Some((name, value)) = fields.next_entry::<String, Value>()? {
            if read.contains_key(&name) {
                let shown: String = name.chars().take(60).collect();
                return Err(A::Error::custom(format_args!("`{shown}` is there twice")));
            }
            read.insert(name, value);
        }
        Ok(Object(read))
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn text_that_was_cut_inside_a_character_is_read_and_a_field_that_is_there_twice_is_not() {
        let event = read(br#"{"last_assistant_message":"I saw: abc\ud83d","session_id":"s"}"#).unwrap();
        assert_eq!(event["last_assistant_message"], "I saw: abc\u{fffd}");
        for twice in [r#"{"a":"\ud83d","a":"x"}"#, r#"{"\ud83d":1,"\ud83e":2}"#] {
            assert!(read(twice.as_bytes()).unwrap_err().to_string().contains("is there twice"), "{twice}");
        }
    }
}
