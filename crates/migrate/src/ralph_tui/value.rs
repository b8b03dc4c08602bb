//! A key of theirs with what it must be.

use std::path::Path;

use super::config::as_text;
use crate::fault::Fault;
use crate::leaves::{Leaf, Value};

pub(super) struct Given<'a> {
    pub(super) path: &'a Path,
    pub(super) leaf: &'a Leaf,
}

impl<'a> Given<'a> {
    /// With the number of the table that it is in, as people count.
    pub(super) fn name(&self) -> String {
        match self.leaf.index {
            Some(index) => self.leaf.key.replacen("[]", &format!("[{}]", index + 1), 1),
            None => self.leaf.key.clone(),
        }
    }

    fn wrong(&self, must_be: &str) -> Fault {
        let what = format!("`{}` is to be {must_be}", self.name());
        Fault::new(self.path, what, "mend it; ralph-tui refuses it too").at(self.leaf.spot.clone())
    }

    pub(super) fn text(&self) -> Result<&'a str, Fault> {
        as_text(&self.leaf.value).filter(|text| !text.is_empty()).ok_or_else(|| self.wrong("a text"))
    }

    pub(super) fn boolean(&self) -> Result<bool, Fault> {
        match self.leaf.value {
            Value::Bool(is) => Ok(is),
            Value::Text(_) | Value::Whole(_) | Value::List(_) | Value::Other => {
                Err(self.wrong("true or false"))
            }
        }
    }

    pub(super) fn whole(&self, least: i64, most: i64) -> Result<i64, Fault> {
        match self.leaf.value {
            Value::Whole(number) if (least..=most).contains(&number) => Ok(number),
            Value::Whole(_) | Value::Text(_) | Value::Bool(_) | Value::List(_) | Value::Other => {
                Err(self.wrong(&format!("a whole number from {least} to {most}")))
            }
        }
    }

    /// As ralph writes a duration.
    pub(super) fn milliseconds(&self, most: i64) -> Result<String, Fault> {
        let number = self.whole(0, most)?;
        Ok(if number % 1_000 == 0 { format!("{}s", number / 1_000) } else { format!("{number}ms") })
    }

    pub(super) fn one_of(&self, names: &[&str]) -> Result<&'a str, Fault> {
        let wrong = || self.wrong(&format!("one of {}", names.join(", ")));
        as_text(&self.leaf.value).filter(|text| names.contains(text)).ok_or_else(wrong)
    }

    pub(super) fn texts(&self) -> Result<Vec<String>, Fault> {
        let wrong = || self.wrong("a list of texts");
        let Value::List(list) = &self.leaf.value else { return Err(wrong()) };
        list.iter().map(|one| as_text(one).map(str::to_owned).ok_or_else(wrong)).collect()
    }
}
