//! The values of an object, each with its place, so that what is wrong is shown where it stands.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use ralph_core::id::TaskId;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::json::{Member, elements, members};
use crate::error::{Spot, TrackerError};
use crate::tracker::Metadata;

/// More keys, or elements of a list, than anything has that a person wrote.
const MOST: usize = 10_000;

/// A file and its bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) bytes: &'a [u8],
}

impl Source<'_> {
    pub(super) fn error(&self, at: usize, what: impl Into<String>, next: impl Into<String>) -> TrackerError {
        TrackerError::malformed(self.path, Spot::of(self.bytes, at), what, next)
    }

    fn parse<T: DeserializeOwned>(&self, range: &Range<usize>, wanted: &str) -> Result<T, TrackerError> {
        serde_json::from_slice(&self.bytes[range.clone()]).map_err(|error| {
            let deep = error.to_string().contains("recursion limit");
            let what =
                if deep { "this is nested too deeply".to_owned() } else { format!("this is not {wanted}") };
            self.error(range.start, what, if deep { "make it simpler" } else { "correct it" })
        })
    }
}

/// An object whose values are taken out one by one.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    source: Source<'a>,
    /// What it is, for errors: `story US-001`.
    pub(super) of: String,
    begin: usize,
    values: BTreeMap<String, Range<usize>>,
    pub(super) members: Vec<Member>,
}

impl<'a> Fields<'a> {
    pub(super) fn read(
        source: Source<'a>,
        range: &Range<usize>,
        of: String,
    ) -> Result<Fields<'a>, TrackerError> {
        if source.bytes[range.start] != b'{' {
            return Err(source.error(range.start, format!("{of} is not an object"), "put it into { }"));
        }
        let members = members(source.bytes, range.start, MOST);
        if members.len() > MOST {
            let what = format!("{of} has more than {MOST} keys");
            return Err(source.error(members[MOST].key.start, what, "take out what is not needed"));
        }
        let mut values = BTreeMap::new();
        for member in &members {
            let key: String = source.parse(&member.key, "a key")?;
            if values.contains_key(&key) {
                let what = format!("{of} has `{key}` twice");
                return Err(source.error(member.key.start, what, "take one of them out"));
            }
            values.insert(key, member.value.clone());
        }
        Ok(Fields { source, of, begin: range.start, values, members })
    }

    /// The place of a value; null counts as none.
    pub(super) fn place(&mut self, key: &str) -> Option<Range<usize>> {
        self.place_or_null(key).filter(|range| self.source.bytes[range.start] != b'n')
    }

    /// The place of a value, which may be null.
    pub(super) fn place_or_null(&mut self, key: &str) -> Option<Range<usize>> {
        self.values.remove(key)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    pub(super) fn refuse(&self, key: &str, next: &str) -> Result<(), TrackerError> {
        match self.values.get(key) {
            None => Ok(()),
            Some(range) => {
                let what = format!("{} has a key `{key}`, which this format does not have", self.of);
                Err(self.source.error(range.start, what, next))
            }
        }
    }

    pub(super) fn needed<T>(&self, key: &str, found: Option<T>, example: &str) -> Result<T, TrackerError> {
        found.ok_or_else(|| {
            let what = format!("{} has no `{key}`", self.of);
            self.source.error(self.begin, what, format!("add \"{key}\": {example}"))
        })
    }

    fn typed<T: DeserializeOwned>(
        &mut self,
        key: &str,
        first: &[u8],
        wanted: &str,
    ) -> Result<Option<(T, Range<usize>)>, TrackerError> {
        let Some(range) = self.place(key) else { return Ok(None) };
        if !first.contains(&self.source.bytes[range.start]) {
            let what = format!("`{key}` of {} is not {wanted}", self.of);
            return Err(self.source.error(range.start, what, format!("make it {wanted}")));
        }
        let parsed = self.source.parse(&range, &format!("{wanted} that can be used"))?;
        Ok(Some((parsed, range)))
    }

    pub(super) fn string(&mut self, key: &str) -> Result<Option<String>, TrackerError> {
        Ok(self.typed(key, b"\"", "a string")?.map(|(text, _)| text))
    }

    pub(super) fn bool(&mut self, key: &str) -> Result<Option<(bool, Range<usize>)>, TrackerError> {
        self.typed(key, b"tf", "true or false")
    }

    pub(super) fn integer(&mut self, key: &str) -> Result<Option<i64>, TrackerError> {
        Ok(self.typed(key, b"-0123456789", "a whole number")?.map(|(number, _)| number))
    }

    /// The places of the elements of an array, if they are not too many.
    pub(super) fn array(
        &mut self,
        key: &str,
        most: usize,
    ) -> Result<Option<Vec<Range<usize>>>, TrackerError> {
        let Some(range) = self.place(key) else { return Ok(None) };
        if self.source.bytes[range.start] != b'[' {
            let what = format!("`{key}` of {} is not a list", self.of);
            return Err(self.source.error(range.start, what, "put it into [ ]"));
        }
        let elements = elements(self.source.bytes, range.start, most);
        if elements.len() > most {
            let what = format!("`{key}` of {} has more than {most} elements", self.of);
            return Err(self.source.error(elements[most].start, what, "make several of it"));
        }
        Ok(Some(elements))
    }

    pub(super) fn strings(&mut self, key: &str) -> Result<Vec<(String, usize)>, TrackerError> {
        let found = self.array(key, MOST)?.unwrap_or_default().into_iter().map(|range| {
            if self.source.bytes[range.start] != b'"' {
                let what = format!("`{key}` of {} has something in it that is not a string", self.of);
                return Err(self.source.error(range.start, what, "put it into quotation marks"));
            }
            Ok((self.source.parse(&range, "a string that can be used")?, range.start))
        });
        found.collect()
    }

    pub(super) fn ids(&mut self, key: &str) -> Result<Vec<TaskId>, TrackerError> {
        let texts = self.strings(key)?.into_iter();
        texts.map(|(text, at)| self.source.id(&text, at)).collect()
    }

    /// What nobody has asked for.
    pub(super) fn rest(self) -> Result<Metadata, TrackerError> {
        let rest = self.values.into_iter();
        rest.map(|(key, range)| Ok((key, self.source.parse::<Value>(&range, "a value")?))).collect()
    }
}

impl Source<'_> {
    pub(super) fn id(&self, text: &str, at: usize) -> Result<TaskId, TrackerError> {
        TaskId::of_backlog(text).map_err(|error| self.error(at, error.to_string(), "give it another name"))
    }
}
