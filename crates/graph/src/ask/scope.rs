//! The symbols of some files with what they use and what uses them, for somebody who is about to work there.

use std::collections::BTreeMap;

use super::find::Node;
use super::map::{map_head, map_line, tokens};
use crate::graph::{FileId, Graph, SymbolId};
use crate::outline::{Kind, Relation};
use crate::resolve::Link;

/// Of what uses a symbol, and of what it uses, so many are named.
const MOST_NAMED: usize = 4;
/// Only what is at least this sure is told as if it were so.
const SURE: f32 = 0.5;

/// What [`Graph::scope`] tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// Lines of files, of symbols under them, and of what these are tied to; nothing if there is no room or no code.
    pub text: String,
    /// As [`tokens`] counts them, line by line.
    pub tokens: usize,
    pub symbols: usize,
    /// How many symbols there was no room for.
    pub left_out: usize,
}

impl Graph {
    /// The symbols of these files, each with its signature, its callers and what it calls, within a budget of tokens.
    /// Where there is no room for all, those that matter most for these files are told.
    pub fn scope(&self, files: &[FileId], budget: usize) -> Told {
        let focus: Vec<Node> = files.iter().map(|file| Node::File(*file)).collect();
        let ranks = self.ranks(&focus);
        let mut order: Vec<SymbolId> = files.iter().flat_map(|file| self.symbols_of(*file)).collect();
        // A file's module says nothing that the file's path does not.
        order.retain(|id| self.raw(*id).kind != Kind::Module);
        order.sort_unstable();
        order.dedup();
        let count = order.len();
        order.sort_by(|one, other| ranks[other.0 as usize].total_cmp(&ranks[one.0 as usize]));
        let mut told = Told::default();
        let mut texts: BTreeMap<FileId, BTreeMap<SymbolId, String>> = BTreeMap::new();
        for id in order {
            let file = self.file_of(id);
            let head = if texts.contains_key(&file) { 0 } else { tokens(&map_head(self.path(file))) };
            let text = self.with_ties(id);
            let cost = head + text.lines().map(|line| tokens(&format!("{line}\n"))).sum::<usize>();
            if told.tokens + cost > budget {
                break;
            }
            told.tokens += cost;
            told.symbols += 1;
            texts.entry(file).or_default().insert(id, text);
        }
        for (file, symbols) in texts {
            told.text += &map_head(self.path(file));
            told.text.extend(symbols.into_values());
        }
        told.left_out = count - told.symbols;
        told
    }

    /// A symbol's line, and one for each way in which it is tied to others.
    fn with_ties(&self, id: SymbolId) -> String {
        let mut text = map_line(self, id);
        let links = self.links();
        let ties = [
            ("implements", self.ends(links.from(id.0), Relation::Implements, |link| link.to)),
            ("calls", self.ends(links.from(id.0), Relation::Calls, |link| link.to)),
            ("called by", self.ends(links.to(id.0), Relation::Calls, |link| link.from)),
            ("implemented by", self.ends(links.to(id.0), Relation::Implements, |link| link.from)),
            ("referenced by", self.ends(links.to(id.0), Relation::References, |link| link.from)),
        ];
        for (how, (named, more)) in ties {
            if !named.is_empty() {
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                text += &format!("      {how} {}{more}\n", named.join(", "));
            }
        }
        text
    }

    /// The other ends of sure links, the surest first, and how many are not named.
    fn ends<'g>(
        &self,
        links: impl Iterator<Item = &'g Link>,
        relation: Relation,
        end: impl Fn(&Link) -> u32,
    ) -> (Vec<String>, usize) {
        let sure = links.filter(|link| link.relation == relation && link.weight >= SURE);
        let mut sure: Vec<(f32, u32)> = sure.map(|link| (link.weight, end(link))).collect();
        sure.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let more = sure.len().saturating_sub(MOST_NAMED);
        let name = |number: u32| match self.numbered(number) {
            Node::File(file) => self.path(file).to_owned(),
            Node::Symbol(id) => {
                let symbol = self.symbol(id);
                format!("{} ({}:{})", symbol.qualified(), symbol.path, symbol.lines.0)
            }
        };
        (sure.into_iter().take(MOST_NAMED).map(|(_, number)| name(number)).collect(), more)
    }
}
