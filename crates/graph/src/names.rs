//! A table of texts: each is kept once, in one piece of memory, and known by its number.

use std::collections::HashMap;

use crate::outline::NameId;

/// No text.
pub(crate) const NONE: NameId = 0;
/// What a name is called on cannot be told.
pub(crate) const UNKNOWN: NameId = 1;
/// A name is called on the object or the type itself.
pub(crate) const OWN: NameId = 2;

/// Every table begins with these.
const FIXED: [&str; 3] = ["", "?", "self"];

#[derive(Debug, Clone)]
pub(crate) struct Names {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Default for Names {
    fn default() -> Names {
        let mut names = Names { text: String::new(), ends: Vec::new() };
        for fixed in FIXED {
            names.push(fixed);
        }
        names
    }
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, id: NameId) -> &str {
        let at = id as usize;
        let begin = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.text[begin..self.ends[at] as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at as NameId))
    }

    pub(crate) fn find(&self, text: &str) -> Option<NameId> {
        self.iter().position(|one| one == text).map(|at| at as NameId)
    }

    /// What was read from a file; `None` where it is no table.
    pub(crate) fn from_parts(text: String, ends: Vec<u32>) -> Option<Names> {
        let mut begin = 0;
        for end in &ends {
            text.get(begin..*end as usize)?;
            begin = *end as usize;
        }
        let names = Names { text, ends };
        let is_a_table =
            names.len() >= FIXED.len() && names.iter().zip(FIXED).all(|(one, fixed)| one == fixed);
        is_a_table.then_some(names)
    }

    pub(crate) fn push(&mut self, text: &str) -> NameId {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        (self.ends.len() - 1) as NameId
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

/// A table that is being filled.
#[derive(Debug)]
pub(crate) struct Interner {
    pub(crate) names: Names,
    numbers: HashMap<Box<str>, NameId>,
}

impl Interner {
    pub(crate) fn new() -> Interner {
        Interner::over(Names::default())
    }

    pub(crate) fn over(names: Names) -> Interner {
        let numbers = names.iter().enumerate().map(|(at, text)| (text.into(), at as NameId)).collect();
        Interner { names, numbers }
    }

    pub(crate) fn number(&mut self, text: &str) -> NameId {
        if let Some(id) = self.numbers.get(text) {
            return *id;
        }
        let id = self.names.push(text);
        self.numbers.insert(text.into(), id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::{Interner, NONE, Names, OWN, UNKNOWN};

    #[test]
    fn a_text_has_one_number() {
        let mut interner = Interner::new();
        let a = interner.number("a");
        assert_eq!(interner.number("b"), a + 1);
        assert_eq!(interner.number("a"), a);
        assert_eq!(
            [interner.number(""), interner.number("?"), interner.number("self")],
            [NONE, UNKNOWN, OWN]
        );
        assert_eq!(interner.names.get(a), "a");
        assert_eq!(interner.names.find("b"), Some(a + 1));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(Names::from_parts("?selfä".into(), vec![0, 1, 5, 7]).is_some());
        assert!(Names::from_parts("?selfä".into(), vec![0, 1, 5, 6]).is_none(), "within a character");
        assert!(Names::from_parts("?self".into(), vec![0, 1, 9]).is_none(), "beyond the end");
        assert!(Names::from_parts("?self".into(), vec![0, 1]).is_none(), "without what all have");
    }
}
