//! Takes what was written apart key by key. The keys it is asked for are the keys there are; whatever
//! is left at the end was not known.

use std::collections::BTreeMap;

use ralph_core::nearest::{nearest, shortened};

use super::environment;
use super::origin::{Origin, Set, dotted};
use super::raw::{Item, Raw};
use super::value::Refused;
use crate::problem::Problem;

/// Beyond this many unknown keys a file is not one of ours.
const REPORTED: usize = 20;

#[derive(Debug)]
pub(crate) struct Reader<'a> {
    items: BTreeMap<(String, String), Item>,
    known: Vec<Known>,
    problems: &'a mut Vec<Problem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) section: &'static str,
    pub(crate) key: &'static str,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(items: Vec<Item>, problems: &'a mut Vec<Problem>) -> Reader<'a> {
        let items = items.into_iter().map(|item| ((item.section.clone(), item.key.clone()), item)).collect();
        Reader { items, known: Vec::new(), problems }
    }

    pub(crate) fn take<T>(
        &mut self,
        section: &'static str,
        key: &'static str,
        parse: impl FnOnce(&Raw) -> Result<T, Refused>,
    ) -> Option<Set<T>> {
        self.known.push(Known { section, key });
        let item = self.items.remove(&(section.to_owned(), key.to_owned()))?;
        match parse(&item.raw) {
            Ok(value) => Some(Set { value, origin: item.at }),
            Err(refused) => {
                let subject = item.at.subject(section, key);
                let problem = Problem::new(format!("{subject}: {}", refused.what)).at(item.at.place());
                self.problems.push(refused.hints.into_iter().fold(problem, Problem::next));
                None
            }
        }
    }

    pub(crate) fn known(&self) -> &[Known] {
        &self.known
    }

    /// Reports every key that nobody asked for, in the order of the file.
    pub(crate) fn finish(mut self) {
        let mut unknown: Vec<Item> = std::mem::take(&mut self.items).into_values().collect();
        unknown.sort_by_key(|item| start(&item.key_at));
        let more = unknown.len().saturating_sub(REPORTED);
        for item in unknown.iter().take(REPORTED) {
            self.problems.push(self.unknown(item));
        }
        if more > 0 {
            self.problems.push(Problem::new(format!("and {more} more unknown keys")));
        }
    }

    fn unknown(&self, item: &Item) -> Problem {
        match &item.key_at {
            Origin::Variable(name) => self.unknown_variable(name),
            Origin::Default | Origin::File { .. } | Origin::Flag(_) => self.unknown_key(item),
        }
    }

    fn unknown_variable(&self, name: &str) -> Problem {
        // The common beginning would make every name look near.
        let tail = |name: &str| name.trim_start_matches(environment::PREFIX).to_owned();
        let variables = self.known.iter().map(|k| environment::variable(k.section, k.key));
        let names: Vec<String> = variables.map(|name| tail(&name)).collect();
        let problem = Problem::new(format!("the environment variable {} sets nothing", shortened(name)));
        match nearest(&tail(name), names.iter().map(String::as_str)) {
            Some(near) => problem.next(format!("did you mean {}{near}?", environment::PREFIX)),
            None => problem.next("`ralph config show` lists the keys; a variable is RALPH_SET_SECTION__KEY"),
        }
    }

    fn unknown_key(&self, item: &Item) -> Problem {
        let name = shortened(&dotted(&item.section, &item.key));
        let problem = Problem::new(format!("unknown key `{name}`")).at(item.key_at.place());
        if let Some(home) = self.known.iter().find(|k| k.key == item.key) {
            return problem.next(format!("{} belongs {}", item.key, whereabouts(home.section)));
        }
        let here = || self.known.iter().filter(|k| k.section == item.section).map(|k| k.key);
        let list = here().collect::<Vec<_>>().join(", ");
        let problem = match self.likely(item) {
            Some(hint) => problem.next(hint),
            None => problem,
        };
        problem.next(format!("keys {}: {list}", whereabouts(&item.section)))
    }

    /// A slip in this section, else in another one.
    fn likely(&self, item: &Item) -> Option<String> {
        let here = self.known.iter().filter(|k| k.section == item.section).map(|k| k.key);
        if let Some(near) = nearest(&item.key, here) {
            return Some(format!("did you mean `{near}`?"));
        }
        let near = nearest(&item.key, self.known.iter().map(|k| k.key))?;
        let home = self.known.iter().find(|k| k.key == near)?;
        Some(format!("did you mean `{near}` {}?", whereabouts(home.section)))
    }
}

pub(crate) fn whereabouts(section: &str) -> String {
    match section {
        "" => "at the top level".to_owned(),
        "hook" | "route" | "check" => format!("in [[{section}]]"),
        section => format!("in [{section}]"),
    }
}

fn start(origin: &Origin) -> usize {
    match origin {
        Origin::File { span, .. } => span.start,
        Origin::Default | Origin::Variable(_) | Origin::Flag(_) => 0,
    }
}
