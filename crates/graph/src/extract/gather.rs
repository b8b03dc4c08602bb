//! Everything that a query finds in a file, as it stands there.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::time::Instant;

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, QueryCursor, QueryCursorOptions, Tree};

use super::declarator::declared;
use super::query::{Compiled, Role};
use crate::outline::{Kind, Relation};

/// Longer ones are no names.
const LONGEST_NAME: usize = 200;

/// How many matches may be open at a time; a file that needs more is not written by people.
const OPEN_MATCHES: u32 = 8_192;

#[derive(Debug)]
pub(super) struct Defined<'t> {
    pub(super) node: Node<'t>,
    pub(super) name: Range<usize>,
    /// What it is; nothing if it only lends its name to what is in it.
    pub(super) kind: Option<Kind>,
    /// What it belongs to without standing in it, from the outside to the inside.
    pub(super) containers: Vec<Node<'t>>,
    pub(super) bytes: Range<usize>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Mentioned<'t> {
    pub(super) relation: Relation,
    pub(super) name: Node<'t>,
    pub(super) before: Before<'t>,
    pub(super) implementer: Option<Node<'t>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before<'t> {
    Nothing,
    Qualifier(Node<'t>),
    Receiver(Node<'t>),
    /// It is handed over, and may be a variable's.
    Handed,
}

#[derive(Debug)]
pub(super) enum Imported<'t> {
    Tree(Node<'t>),
    One { path: Node<'t>, near: bool, what: ImportedWhat<'t> },
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ImportedWhat<'t> {
    File,
    All,
    Module { alias: Option<Node<'t>> },
    Name { name: Node<'t>, alias: Option<Node<'t>> },
}

#[derive(Debug, Default)]
pub(super) struct Gathered<'t> {
    /// By where their names begin, so that each name is one thing.
    pub(super) defined: HashMap<usize, Defined<'t>>,
    pub(super) mentioned: HashMap<usize, Mentioned<'t>>,
    pub(super) imported: Vec<Imported<'t>>,
    /// Where imports stand: what is named there is no mention.
    pub(super) import_ranges: Vec<Range<usize>>,
}

/// The time for it is up.
#[derive(Debug)]
pub(super) struct TooSlow;

pub(super) fn gather<'t>(
    cursor: &mut QueryCursor,
    compiled: &Compiled,
    tree: &'t Tree,
    content: &[u8],
    until: Instant,
) -> Result<Gathered<'t>, TooSlow> {
    let mut gathered = Gathered::default();
    let mut late = false;
    let mut check = |_: &tree_sitter::QueryCursorState| {
        late |= Instant::now() > until;
        if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = QueryCursorOptions::new().progress_callback(&mut check);
    cursor.set_match_limit(OPEN_MATCHES);
    let mut matches = cursor.matches_with_options(&compiled.query, tree.root_node(), content, options);
    while let Some(found) = matches.next() {
        let captures = found.captures().iter().map(|capture| {
            let role = compiled.roles[capture.index as usize];
            (role, capture.node)
        });
        gathered.take(captures, content.len());
    }
    drop(matches);
    if late { Err(TooSlow) } else { Ok(gathered) }
}

impl<'t> Gathered<'t> {
    fn take(&mut self, captures: impl Iterator<Item = (Role, Node<'t>)>, length: usize) {
        let captures: Vec<(Role, Node<'t>)> = captures.collect();
        let one = |wanted: Role| captures.iter().find(|(role, _)| *role == wanted).map(|(_, node)| *node);
        for (role, node) in &captures {
            match role {
                Role::Symbol(kind) => match one(Role::Declarator) {
                    Some(declarator) => self.declare(*node, declarator, *kind),
                    None => {
                        let containers = one(Role::Container).into_iter().collect();
                        self.define(*node, named(&one), Some(*kind), containers);
                    }
                },
                Role::Scope => self.define(*node, named(&one), None, Vec::new()),
                Role::FileScope => {
                    self.define(*node, named(&one), None, Vec::new());
                    let scope = one(Role::Name).and_then(|name| self.defined.get_mut(&name.start_byte()));
                    if let Some(scope) = scope {
                        scope.bytes.end = length;
                    }
                }
                Role::Mention(relation) => {
                    let before = match (one(Role::Qualifier), one(Role::Receiver)) {
                        (Some(node), _) => Before::Qualifier(node),
                        (None, Some(node)) => Before::Receiver(node),
                        (None, None) => Before::Nothing,
                    };
                    let implementer = one(Role::Implementer);
                    self.mention(Mentioned { relation: *relation, name: *node, before, implementer });
                }
                Role::Value => {
                    let (relation, before) = (Relation::References, Before::Handed);
                    self.mention(Mentioned { relation, name: *node, before, implementer: None });
                }
                Role::Import => {
                    self.import_ranges.push(node.byte_range());
                    self.imported.extend(imported(&one));
                }
                Role::Name
                | Role::NameBegin
                | Role::NameEnd
                | Role::Declarator
                | Role::Container
                | Role::Qualifier
                | Role::Receiver
                | Role::Implementer
                | Role::ImportPath
                | Role::ImportNear
                | Role::ImportFile
                | Role::ImportName
                | Role::ImportAlias
                | Role::ImportAll
                | Role::ImportTree
                | Role::Private => {}
            }
        }
    }

    fn declare(&mut self, node: Node<'t>, declarator: Node<'t>, kind: Kind) {
        let Some(declared) = declared(declarator) else { return };
        let is_function = matches!(kind, Kind::Function | Kind::Method);
        // A prototype announces what is defined elsewhere.
        if is_function != declared.is_function {
            return;
        }
        let is_method = is_function && !declared.scopes.is_empty();
        let kind = if is_method { Kind::Method } else { kind };
        self.define(node, Some(declared.name), Some(kind), declared.scopes);
    }

    fn define(
        &mut self,
        node: Node<'t>,
        name: Option<Range<usize>>,
        kind: Option<Kind>,
        containers: Vec<Node<'t>>,
    ) {
        let Some(name) = name.filter(|name| name.len() <= LONGEST_NAME) else { return };
        let at = name.start;
        let new = Defined { node, name, kind, containers, bytes: node.byte_range() };
        // A scope beside nothing else of that name is kept; a symbol of a more telling kind wins.
        let rank = |defined: &Defined<'_>| defined.kind.map_or(Kind::ALL.len(), |kind| kind as usize);
        match self.defined.get(&at) {
            Some(known) if rank(known) <= rank(&new) => {}
            _ => drop(self.defined.insert(at, new)),
        }
    }

    fn mention(&mut self, new: Mentioned<'t>) {
        let length = new.name.byte_range().len();
        if length > LONGEST_NAME || (length < 2 && new.relation == Relation::References) {
            return;
        }
        let told =
            |one: &Mentioned<'_>| (one.relation, one.before == Before::Handed, one.before == Before::Nothing);
        match self.mentioned.get(&new.name.start_byte()) {
            Some(known) if told(known) <= told(&new) => {}
            _ => drop(self.mentioned.insert(new.name.start_byte(), new)),
        }
    }
}

fn named<'t>(one: &impl Fn(Role) -> Option<Node<'t>>) -> Option<Range<usize>> {
    match one(Role::Name) {
        // The colon of `attr_reader :name` is not part of the name.
        Some(name) if name.kind() == "simple_symbol" => Some(name.start_byte() + 1..name.end_byte()),
        Some(name) => Some(name.byte_range()),
        None => Some(one(Role::NameBegin)?.start_byte()..one(Role::NameEnd)?.end_byte()),
    }
}

fn imported<'t>(one: &impl Fn(Role) -> Option<Node<'t>>) -> Option<Imported<'t>> {
    if let Some(tree) = one(Role::ImportTree) {
        return Some(Imported::Tree(tree));
    }
    if let Some(path) = one(Role::ImportFile) {
        return Some(Imported::One { path, near: false, what: ImportedWhat::File });
    }
    let near = one(Role::ImportNear);
    let path = near.or_else(|| one(Role::ImportPath))?;
    let alias = one(Role::ImportAlias);
    let what = match one(Role::ImportName) {
        _ if one(Role::ImportAll).is_some() => ImportedWhat::All,
        Some(name) => ImportedWhat::Name { name, alias },
        None => ImportedWhat::Module { alias },
    };
    Some(Imported::One { path, near: near.is_some(), what })
}
