//! What was gathered in a file becomes its outline: what stands in what, and what is mentioned from where.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use super::gather::{Before, Defined, Gathered, Imported, ImportedWhat, Mentioned};
use super::imports::{leaves, normal};
use super::signature::{LONGEST_SIGNATURE, signature_of};
use crate::language::Language;
use crate::names::{Interner, NONE, Names, OWN, UNKNOWN};
use crate::outline::{Digest, Import, Kind, Mention, NOWHERE, NameId, Outline, Relation, Symbol, What};

/// What is nested deeper is not looked at: only machines write it.
const DEEPEST: usize = 64;

/// A stretch of the file that gives its name to what is in it.
struct Ring {
    bytes: Range<usize>,
    /// The ring around it.
    outer: Option<usize>,
    /// The symbol that what stands in it belongs to.
    owner: u32,
    /// The name of the type that it lends its content to, if it is no symbol itself.
    lender: Option<String>,
    /// With the containers around it.
    path: String,
    depth: usize,
    has_methods: bool,
}

struct Shape<'c> {
    language: Language,
    content: &'c [u8],
    interner: Interner,
    outline: Outline,
    rings: Vec<Ring>,
    /// The types of this file by their names, the first of each.
    types: HashMap<String, u32>,
    /// Symbols, and the types that they belong to without standing in them.
    lent: Vec<(u32, String)>,
    /// Names that mean a function where they are handed over.
    functions: HashSet<NameId>,
}

pub(super) fn shape(
    path: &str,
    language: Language,
    content: &[u8],
    gathered: Gathered<'_>,
) -> (Outline, Names) {
    let mut shape = Shape {
        language,
        content,
        interner: Interner::new(),
        outline: Outline::default(),
        rings: Vec::new(),
        types: HashMap::new(),
        lent: Vec::new(),
        functions: HashSet::new(),
    };
    let Gathered { defined, mentioned, imported, mut import_ranges } = gathered;
    let mut names: Vec<usize> = defined.keys().copied().collect();
    names.sort_unstable();
    let mut defined: Vec<Defined<'_>> = defined.into_values().collect();
    defined.sort_by_key(|one| (one.bytes.start, std::cmp::Reverse(one.bytes.end), one.name.start));
    import_ranges.sort_by_key(|range| (range.start, range.end));
    import_ranges.dedup();
    // `const x = require("x")` is an import, and no constant.
    defined.retain(|one| {
        let is_value = matches!(one.kind, Some(Kind::Constant | Kind::Variable));
        !(is_value && within(&import_ranges, one.name.start))
    });
    let defined = without_doubles(defined, content);
    for one in &imported {
        shape.import(path, one);
    }
    shape.outline.imports.sort_unstable();
    shape.outline.imports.dedup();
    for one in &defined {
        shape.define(one);
    }
    shape.adopt();
    shape.note_functions();
    let mut mentioned: Vec<(usize, Mentioned<'_>)> = mentioned.into_iter().collect();
    mentioned.sort_by_key(|(at, _)| *at);
    for (at, one) in mentioned {
        if names.binary_search(&at).is_err() && !within(&import_ranges, at) {
            shape.mention(&one);
        }
    }
    (shape.outline, shape.interner.names)
}

/// `typedef struct A {…} A` is one thing.
fn without_doubles<'t>(defined: Vec<Defined<'t>>, content: &[u8]) -> Vec<Defined<'t>> {
    let text = |one: &Defined<'_>| content.get(one.name.clone()).map(<[u8]>::to_vec);
    let is_double = |at: usize, one: &Defined<'_>| {
        one.kind == Some(Kind::Type)
            && defined.get(at + 1).is_some_and(|next| {
                next.bytes.end <= one.bytes.end && next.kind.is_some() && text(next) == text(one)
            })
    };
    let keep: Vec<bool> = defined.iter().enumerate().map(|(at, one)| !is_double(at, one)).collect();
    defined.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(one, _)| one).collect()
}

/// Whether a place is in one of these, which are sorted by their beginnings.
fn within(ranges: &[Range<usize>], at: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= at);
    ranges[..after].iter().rev().take(8).any(|range| range.contains(&at))
}

impl Shape<'_> {
    fn text(&self, node: Node<'_>) -> String {
        String::from_utf8_lossy(self.content.get(node.byte_range()).unwrap_or_default()).into_owned()
    }

    /// As it is written, on one line.
    fn name(&self, one: &Defined<'_>) -> String {
        let text = String::from_utf8_lossy(self.content.get(one.name.clone()).unwrap_or_default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn define(&mut self, one: &Defined<'_>) {
        let outer = self.ring_at(one.bytes.start, one.bytes.end);
        let depth = outer.map_or(0, |ring| self.rings[ring].depth + 1);
        if depth >= DEEPEST {
            return;
        }
        let name = self.name(one);
        let around = outer.map_or("", |ring| self.rings[ring].path.as_str());
        let belongs = one.containers.iter().map(|node| without_arguments(&self.text(*node)).to_owned());
        let belongs: Vec<String> = belongs.collect();
        let container = belongs.iter().fold(around.to_owned(), |outer, inner| self.join(&outer, inner));
        let path = self.join(&container, &name);
        let mut ring = Ring {
            bytes: one.bytes.clone(),
            outer,
            owner: outer.map_or(NOWHERE, |ring| self.rings[ring].owner),
            lender: None,
            path,
            depth,
            has_methods: one.bytes.end < self.content.len(),
        };
        match one.kind {
            None => ring.lender = Some(name),
            Some(kind) => {
                let in_type = outer.is_some_and(|ring| self.rings[ring].has_methods);
                let kind = if kind == Kind::Function && in_type { Kind::Method } else { kind };
                let number = self.outline.symbols.len() as u32;
                self.push_symbol(one, kind, &name, &container, ring.owner);
                let lender = belongs.into_iter().next_back().or_else(|| self.rings[outer?].lender.clone());
                self.lent.extend(lender.map(|lender| (number, lender)));
                (ring.owner, ring.has_methods) = (number, kind.has_methods(self.language));
                if ring.has_methods || kind == Kind::Type {
                    self.types.entry(name).or_insert(number);
                }
            }
        }
        self.rings.push(ring);
    }

    /// What belongs to a type without standing in it is its child, wherever in the file the type stands.
    fn adopt(&mut self) {
        for (number, lender) in &self.lent {
            if let Some(parent) = self.types.get(lender) {
                self.outline.symbols[*number as usize].parent = *parent;
            }
        }
        for ring in &mut self.rings {
            if let Some(owner) = ring.lender.as_ref().and_then(|lender| self.types.get(lender)) {
                ring.owner = *owner;
            }
        }
    }

    fn push_symbol(&mut self, one: &Defined<'_>, kind: Kind, name: &str, container: &str, parent: u32) {
        let signature = self.outline.signatures.len() as u32;
        let line = signature_of(one.node, &one.bytes, self.content);
        self.outline.signatures.push_str(&line);
        let text = self.content.get(one.bytes.clone()).unwrap_or_default();
        self.outline.symbols.push(Symbol {
            name: self.interner.number(name),
            container: self.interner.number(container),
            kind,
            parent,
            start: one.bytes.start as u32,
            end: one.bytes.end as u32,
            line: one.node.start_position().row as u32 + 1,
            last_line: last_line(one.node),
            signature,
            digest: Digest::of(text),
        });
    }

    fn join(&self, outer: &str, inner: &str) -> String {
        match (outer.is_empty(), inner.is_empty()) {
            (true, _) => inner.to_owned(),
            (false, true) => outer.to_owned(),
            (false, false) => [outer, self.language.separator(), inner].concat(),
        }
    }

    /// The innermost ring around a stretch. What begins and ends where a ring does is beside it, not in it.
    fn ring_at(&self, start: usize, end: usize) -> Option<usize> {
        let mut at = self.rings.partition_point(|ring| ring.bytes.start <= start).checked_sub(1);
        while let Some(ring) = at {
            let bytes = &self.rings[ring].bytes;
            if bytes.start <= start && end <= bytes.end && (bytes.start, bytes.end) != (start, end) {
                return Some(ring);
            }
            at = self.rings[ring].outer;
        }
        None
    }

    /// What is mentioned; the colon of Ruby's `:name` is not part of it.
    fn mentioned(&self, one: &Mentioned<'_>) -> String {
        let text = self.text(one.name);
        if one.name.kind() == "simple_symbol" { text.trim_start_matches(':').to_owned() } else { text }
    }

    fn mention(&mut self, one: &Mentioned<'_>) {
        let name = self.mentioned(one);
        let Some(qualifier) = self.qualifier(one) else { return };
        if name == "Self" || name == "self" {
            return;
        }
        let bytes = one.name.byte_range();
        let around = self.ring_at(bytes.start, bytes.end).map_or(NOWHERE, |ring| self.rings[ring].owner);
        let implementer = one.implementer.and_then(|node| self.types.get(&self.text(node))).copied();
        let from = implementer.unwrap_or(around);
        let name = self.interner.number(&name);
        let line = one.name.start_position().row as u32 + 1;
        // A class without a name is part of the function that makes it.
        let is_in_function = self
            .outline
            .symbols
            .get(from as usize)
            .is_some_and(|symbol| matches!(symbol.kind, Kind::Function | Kind::Method));
        let relation = match one.relation {
            Relation::Implements if is_in_function => Relation::References,
            other => other,
        };
        self.outline.mentions.push(Mention { line, relation, name, qualifier, from });
    }

    /// Nothing for what is no mention after all.
    fn qualifier(&mut self, one: &Mentioned<'_>) -> Option<NameId> {
        let (node, is_path) = match one.before {
            Before::Nothing => return Some(NONE),
            Before::Handed => {
                let name = self.mentioned(one);
                let name = self.interner.number(&name);
                let is_function = self.functions.contains(&name);
                return if is_function { Some(NONE) } else { self.own_method(name, one.name.start_byte()) };
            }
            Before::Qualifier(node) => (node, true),
            Before::Receiver(node) => (node, false),
        };
        if node.byte_range().len() > LONGEST_SIGNATURE {
            return Some(UNKNOWN);
        }
        let text = self.text(node);
        let text = without_arguments(text.trim());
        Some(match text {
            "self" | "this" | "$this" | "Self" | "cls" | "static" => OWN,
            _ if !is_path || text.contains(['(', '[', '{', '"', '\'']) => UNKNOWN,
            _ => {
                let last = text.rsplit(['.', ':', '\\', '>']).next().unwrap_or(text);
                let last = last.trim_matches(['?', '!', '&', '*']);
                match last {
                    "" => UNKNOWN,
                    "crate" | "super" | "self" if self.language == Language::Rust => NONE,
                    last => self.interner.number(last),
                }
            }
        })
    }

    /// The type around a place, if it has a method of this name and the language hands methods over by their names alone.
    fn own_method(&self, name: NameId, at: usize) -> Option<NameId> {
        if !matches!(self.language, Language::CSharp | Language::Ruby) {
            return None;
        }
        let symbols = &self.outline.symbols;
        let methods = symbols.iter().filter(|one| one.kind == Kind::Method && one.name == name);
        let mut types = methods.filter_map(|method| symbols.get(method.parent as usize));
        types.find(|one| (one.start as usize..one.end as usize).contains(&at)).map(|one| one.name)
    }

    /// The names that mean a function where they are handed over, as far as this file tells.
    fn note_functions(&mut self) {
        let functions = self.outline.symbols.iter().filter(|symbol| symbol.kind == Kind::Function);
        self.functions.extend(functions.map(|symbol| symbol.name));
        for import in &self.outline.imports {
            if let What::Name { local, .. } = import.what {
                self.functions.insert(local);
            }
        }
    }

    fn import(&mut self, file: &str, one: &Imported<'_>) {
        match one {
            Imported::Tree(node) => {
                let line = node.start_position().row as u32 + 1;
                for leaf in leaves(self.language, &self.text(*node)) {
                    let what = match (&leaf.original, &leaf.local) {
                        (Some(original), Some(local)) => What::Name {
                            original: self.interner.number(original),
                            local: self.interner.number(local),
                        },
                        (None, Some(local)) => What::Module(self.interner.number(local)),
                        (_, None) => What::All,
                    };
                    let path = self.interner.number(&leaf.path);
                    self.outline.imports.push(Import { line, path, what });
                }
            }
            Imported::One { path, near, what } => {
                let line = path.start_position().row as u32 + 1;
                let place = normal(self.language, file, &self.text(*path), *near);
                let mut number = |node: Node<'_>| {
                    let text = self.text(node);
                    self.interner.number(&text)
                };
                let what = match *what {
                    ImportedWhat::File => What::File,
                    ImportedWhat::All => What::All,
                    ImportedWhat::Module { alias: Some(alias) } => What::Module(number(alias)),
                    ImportedWhat::Module { alias: None } => {
                        let last = place.rsplit('/').next().unwrap_or_default();
                        What::Module(self.interner.number(last))
                    }
                    ImportedWhat::Name { name, alias } => {
                        What::Name { original: number(name), local: number(alias.unwrap_or(name)) }
                    }
                };
                if !place.is_empty() {
                    let path = self.interner.number(&place);
                    self.outline.imports.push(Import { line, path, what });
                }
            }
        }
    }
}

/// The line break at the end of a directive is not a line of it.
fn last_line(node: Node<'_>) -> u32 {
    let (begin, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > begin.row { end.row as u32 } else { end.row as u32 + 1 }
}

/// `Vec<T>` is `Vec`.
fn without_arguments(text: &str) -> &str {
    text.split('<').next().unwrap_or(text).trim_end_matches("::").trim()
}
