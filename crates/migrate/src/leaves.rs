//! A TOML file as a flat list of its keys, so that none is passed over.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{Fault, Spot};

const MOST: usize = 2_000;
const DEEPEST: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Leaf {
    /// `errorHandling.maxRetries`, `agents[].name`.
    pub(crate) key: String,
    /// Which of the repeated tables above it is in.
    pub(crate) index: Option<usize>,
    pub(crate) value: Value,
    pub(crate) spot: Spot,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Whole(i64),
    Bool(bool),
    List(Vec<Value>),
    /// A date, a fraction, an empty table.
    Other,
}

pub(crate) fn leaves(path: &Path, text: &str) -> Result<Vec<Leaf>, Fault> {
    let mend = "mend the file; ralph-tui cannot read it either";
    let table = DeTable::parse(text).map_err(|error| {
        let what = error.message().lines().next().unwrap_or("not TOML").to_owned();
        let spot = Spot::of(text, &error.span().unwrap_or(0..0));
        Fault::new(path, what, mend).at(spot)
    })?;
    let mut walk = Walk { text, found: Vec::new() };
    walk.table(table.get_ref(), "", None, 0);
    if walk.found.len() > MOST {
        return Err(Fault::new(path, format!("more than {MOST} keys"), mend));
    }
    // As people read the file.
    walk.found.sort_by_key(|leaf| (leaf.spot.line, leaf.spot.column));
    Ok(walk.found)
}

struct Walk<'t> {
    text: &'t str,
    found: Vec<Leaf>,
}

impl Walk<'_> {
    fn table(&mut self, table: &DeTable<'_>, above: &str, index: Option<usize>, depth: usize) {
        for (key, value) in table {
            let key_text = key.get_ref();
            let name = if above.is_empty() { key_text.to_string() } else { format!("{above}.{key_text}") };
            self.value(&name, key.span(), value, index, depth + 1);
        }
    }

    fn value(
        &mut self,
        name: &str,
        span: Range<usize>,
        value: &Spanned<DeValue<'_>>,
        index: Option<usize>,
        depth: usize,
    ) {
        if self.found.len() > MOST {
            return;
        }
        let is_tables = |list: &[Spanned<DeValue<'_>>]| {
            !list.is_empty() && list.iter().all(|one| matches!(one.get_ref(), DeValue::Table(_)))
        };
        match value.get_ref() {
            DeValue::Table(table) if !table.is_empty() && depth < DEEPEST => {
                self.table(table, name, index, depth);
            }
            DeValue::Array(list) if is_tables(list) && depth < DEEPEST => {
                for (at, one) in list.iter().enumerate() {
                    if let DeValue::Table(table) = one.get_ref() {
                        self.table(table, &format!("{name}[]"), Some(at), depth);
                    }
                }
            }
            other => self.found.push(Leaf {
                key: name.to_owned(),
                index,
                value: plain(other),
                spot: Spot::of(self.text, &span),
            }),
        }
    }
}

fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Other, Value::Whole)
        }
        DeValue::Boolean(is) => Value::Bool(*is),
        DeValue::Array(list) => Value::List(list.iter().map(|one| plain(one.get_ref())).collect()),
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Table(_) => Value::Other,
    }
}
