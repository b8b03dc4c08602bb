//! What the names of one file mean.

use std::collections::HashMap;

use super::index::{Index, Standing, last};
use super::paths::names;
use super::{How, Meaning, UNKNOWN_RECEIVER};
use crate::extract::module;
use crate::graph::{File, Graph};
use crate::language::Language;
use crate::names::{NONE, OWN, UNKNOWN};
use crate::outline::{Import, Kind, Mention, NOWHERE, NameId, Relation, What};

/// Of a name that more symbols have, only those in the same file or with the right holder are looked at.
const MANY: usize = 256;
/// As many imports of everything in something as a file has if a person wrote it.
const MOST_WILDCARDS: usize = 64;

/// All that the answer depends on.
type Question = (NameId, NameId, NameId, Relation, u32);

/// One file's view of the graph.
pub(crate) struct Scope<'g> {
    graph: &'g Graph,
    index: &'g Index,
    file: &'g File,
    number: u32,
    imports: HashMap<NameId, Vec<&'g Import>>,
    wildcards: Vec<&'g Import>,
    here: HashMap<NameId, Vec<u32>>,
    /// What was found out already.
    known: HashMap<Question, Option<Meaning>>,
}

impl<'g> Scope<'g> {
    pub(crate) fn new(graph: &'g Graph, number: u32) -> Scope<'g> {
        let file = &graph.parts.files[number as usize];
        let mut scope = Scope {
            graph,
            index: graph.index(),
            file,
            number,
            imports: HashMap::new(),
            wildcards: Vec::new(),
            here: HashMap::new(),
            known: HashMap::new(),
        };
        let Some(outline) = file.outline() else { return scope };
        for import in &outline.imports {
            match import.what {
                What::File => {}
                What::All => scope.wildcards.push(import),
                What::Module(local) | What::Name { local, .. } => {
                    scope.imports.entry(local).or_default().push(import);
                }
            }
        }
        scope.wildcards.truncate(MOST_WILDCARDS);
        for (at, symbol) in outline.symbols.iter().enumerate() {
            let id = graph.firsts[number as usize] + at as u32;
            scope.here.entry(symbol.name).or_default().push(id);
        }
        scope
    }

    pub(crate) fn meaning(&mut self, mention: &Mention) -> Option<Meaning> {
        let container = self.container(mention.from);
        // Where something of the name is inside of something else, it depends on the place whether it is meant.
        let is_inside = |id: &u32| self.index.entries[*id as usize].parent != NOWHERE;
        let is_local = self.here.get(&mention.name).is_some_and(|here| here.iter().any(is_inside));
        let place = if is_local { mention.from } else { NOWHERE };
        let key = (mention.name, mention.qualifier, container, mention.relation, place);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.find(mention, container);
        self.known.insert(key, found.clone());
        found
    }

    /// The type, or whatever else, in which a mention stands.
    fn container(&self, from: u32) -> NameId {
        let first = self.graph.firsts[self.number as usize];
        match from {
            NOWHERE => NONE,
            from => self.index.entries[(first + from) as usize].container,
        }
    }

    fn find(&self, mention: &Mention, container: NameId) -> Option<Meaning> {
        match mention.qualifier {
            // A property is often called like its type, which is meant then.
            NONE => self.plain(mention, container).or_else(|| self.own_property(mention, container)),
            UNKNOWN => self.on_something(mention),
            OWN => self.own(mention, container).or_else(|| self.on_something(mention)),
            qualifier if self.is_foreign(qualifier) => None,
            _ => self.qualified(mention).or_else(|| self.on_something(mention)),
        }
    }

    /// `name`.
    fn plain(&self, mention: &Mention, container: NameId) -> Option<Meaning> {
        let is_own_call = self.file.language.calls_its_own() && mention.relation == Relation::Calls;
        if is_own_call && let Some(own) = self.own(mention, container) {
            return Some(own);
        }
        let fits =
            |id: &u32| self.fits(*id, mention) && !matches!(self.kind(*id), Kind::Method | Kind::Property);
        let here: Vec<u32> =
            self.here.get(&mention.name).into_iter().flatten().copied().filter(|id| fits(id)).collect();
        if let Some(found) = Meaning::new(How::SameFile, self.innermost(&here, mention.from), 1.0) {
            return Some(found);
        }
        if let Some(found) = self.imported(mention, &|id| self.fits(*id, mention)) {
            return Some(found);
        }
        if let Some(found) = Meaning::new(How::SameFile, self.nearest(self.open(here), container), 1.0) {
            return Some(found);
        }
        let all = self.index.named(mention.name);
        if all.len() > MANY || self.is_foreign(mention.name) {
            return None;
        }
        let all: Vec<u32> = all.iter().copied().filter(|id| fits(id)).collect();
        let package = self.index.packages[self.number as usize];
        let near: Vec<u32> = all.iter().copied().filter(|id| self.package(*id) == package).collect();
        let found = Meaning::new(How::SamePackage, self.open(near), 1.0)
            .or_else(|| Meaning::new(How::Unique, self.open(all), 1.0));
        // A method of a type that is inherited from, or mixed in.
        if found.is_none() && is_own_call { self.on_something(mention) } else { found }
    }

    /// Those that stand in the innermost of all that is around the mention.
    fn innermost(&self, found: &[u32], from: u32) -> Vec<u32> {
        let parent = |id: u32| self.index.entries[id as usize].parent;
        let first = self.graph.firsts[self.number as usize];
        let mut around = if from == NOWHERE { NOWHERE } else { first + from };
        // What belongs to what could go in circles in a file that nobody wrote.
        for _ in 0..=self.file.outline().map_or(0, |outline| outline.symbols.len()) {
            let inside: Vec<u32> = found.iter().copied().filter(|id| parent(*id) == around).collect();
            if !inside.is_empty() || around == NOWHERE {
                return inside;
            }
            around = parent(around);
        }
        Vec::new()
    }

    /// Without what only its own function can name, and without what is in a type if something is in none.
    fn open(&self, mut found: Vec<u32>) -> Vec<u32> {
        let standing = |id: &u32| self.index.entries[*id as usize].standing;
        found.retain(|id| standing(id) != Standing::InFunction);
        if found.iter().any(|id| standing(id) == Standing::Open) {
            found.retain(|id| standing(id) == Standing::Open);
        }
        found
    }

    /// Of several in the file, those that stand where the mention does.
    fn nearest(&self, found: Vec<u32>, container: NameId) -> Vec<u32> {
        let beside: Vec<u32> = found
            .iter()
            .copied()
            .filter(|id| self.index.entries[*id as usize].container == container)
            .collect();
        if beside.is_empty() { found } else { beside }
    }

    /// By a name that the file imports, or by all the names of something.
    fn imported(&self, mention: &Mention, fits: &impl Fn(&u32) -> bool) -> Option<Meaning> {
        let named = self.imports.get(&mention.name).into_iter().flatten();
        let mut found = Vec::new();
        for import in named {
            let original = match import.what {
                What::Name { original, .. } => original,
                What::Module(_) | What::All | What::File => mention.name,
            };
            found.extend(self.reached(import, original).filter(|id| fits(id)));
        }
        for import in &self.wildcards {
            if found.is_empty() {
                found.extend(self.reached(import, mention.name).filter(|id| fits(id)));
            }
        }
        found.sort_unstable();
        found.dedup();
        Meaning::new(How::Imported, self.open(found), 1.0)
    }

    /// Whether the file imports the name, and only from outside of the project.
    fn is_foreign(&self, name: NameId) -> bool {
        let texts = &self.graph.parts.names;
        let is_ours = |import: &&Import| self.index.is_ours(texts.get(import.path));
        self.imports.get(&name).is_some_and(|imports| !imports.iter().any(is_ours))
    }

    /// What an import of one name imports.
    pub(crate) fn import(&self, import: &Import, original: NameId) -> Option<Meaning> {
        Meaning::new(How::Imported, self.open(self.reached(import, original).collect()), 1.0)
    }

    /// The symbols of a name in what an import names.
    fn reached(&self, import: &Import, name: NameId) -> impl Iterator<Item = u32> {
        let texts = &self.graph.parts.names;
        let path = texts.get(import.path);
        let from = (self.file.language, self.file.path.as_str());
        self.index.named(name).iter().copied().take(MANY).filter(move |id| {
            let entry = &self.index.entries[*id as usize];
            let to = &self.graph.parts.files[entry.file as usize];
            // A method is imported with its type only.
            let is_whole = entry.kind != Kind::Method || last(texts.get(entry.container)) == last(path);
            is_whole
                && self.file.language.reaches(to.language)
                && names(path, from, &to.path, texts.get(entry.container))
        })
    }

    /// `self.name`: in the type that it stands in.
    fn own(&self, mention: &Mention, container: NameId) -> Option<Meaning> {
        if container == NONE {
            return None;
        }
        let in_it =
            |id: &u32| self.index.entries[*id as usize].container == container && self.fits(*id, mention);
        let here = self.here.get(&mention.name).into_iter().flatten().copied().filter(in_it).collect();
        Meaning::new(How::SameFile, here, 1.0).or_else(|| {
            let all = self.index.named(mention.name).iter().take(MANY).copied().filter(in_it).collect();
            Meaning::new(How::Qualified, all, 1.0)
        })
    }

    /// `name`, of the type that it stands in.
    fn own_property(&self, mention: &Mention, container: NameId) -> Option<Meaning> {
        let is_property = |own: &Meaning| own.candidates.iter().all(|id| self.kind(*id) == Kind::Property);
        self.own(mention, container).filter(is_property)
    }

    /// `Type::name`, `module.name`.
    fn qualified(&self, mention: &Mention) -> Option<Meaning> {
        let fits = |id: &u32| self.fits(*id, mention);
        let held = self.index.held(mention.name, mention.qualifier);
        let held: Vec<u32> = held.iter().copied().filter(|id| fits(id)).take(MANY).collect();
        let file = |id: &u32| self.index.entries[*id as usize].file;
        let here: Vec<u32> = held.iter().copied().filter(|id| file(id) == self.number).collect();
        if let Some(found) = Meaning::new(How::SameFile, here, 1.0) {
            return Some(found);
        }
        let package = self.index.packages[self.number as usize];
        let near: Vec<u32> = held.iter().copied().filter(|id| self.package(*id) == package).collect();
        let near = if near.is_empty() { held } else { near };
        if let Some(found) = Meaning::new(How::Qualified, near, 1.0) {
            return Some(found);
        }
        for import in self.imports.get(&mention.qualifier).into_iter().flatten() {
            let reached = match import.what {
                What::Name { original, .. } => self.in_member(import, original, mention.name),
                What::Module(_) | What::All | What::File => self.reached(import, mention.name).collect(),
            };
            let reached = reached.into_iter().filter(|id| fits(id)).collect();
            if let Some(found) = Meaning::new(How::Imported, reached, 1.0) {
                return Some(found);
            }
        }
        let wanted = self.graph.parts.names.get(mention.qualifier);
        let in_module = |id: &u32| {
            let path = &self.graph.parts.files[file(id) as usize].path;
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            last(module(path)) == wanted || last(folder) == wanted
        };
        let all = self.index.named(mention.name).iter().take(MANY).copied();
        let all = all.filter(|id| in_module(id) && fits(id) && self.kind(*id) != Kind::Method).collect();
        Meaning::new(How::Qualified, all, 1.0)
    }

    /// The symbols of a name in a module that was imported as a name of something (`from a import module`).
    fn in_member(&self, import: &Import, member: NameId, name: NameId) -> Vec<u32> {
        let texts = &self.graph.parts.names;
        let path = format!("{}/{}", texts.get(import.path), texts.get(member));
        let from = (self.file.language, self.file.path.as_str());
        let all = self.index.named(name).iter().copied().take(MANY);
        all.filter(|id| {
            let entry = &self.index.entries[*id as usize];
            names(&path, from, &self.graph.parts.files[entry.file as usize].path, texts.get(entry.container))
        })
        .collect()
    }

    /// `something.name`: a method, of whatever.
    fn on_something(&self, mention: &Mention) -> Option<Meaning> {
        let fits =
            |id: &u32| self.fits(*id, mention) && matches!(self.kind(*id), Kind::Method | Kind::Property);
        let here =
            self.here.get(&mention.name).into_iter().flatten().copied().filter(|id| fits(id)).collect();
        if let Some(found) = Meaning::new(How::SameFile, here, UNKNOWN_RECEIVER) {
            return Some(found);
        }
        let all = self.index.named(mention.name);
        if all.len() > MANY {
            return None;
        }
        Meaning::new(How::Unique, all.iter().copied().filter(|id| fits(id)).collect(), UNKNOWN_RECEIVER)
    }

    fn kind(&self, id: u32) -> Kind {
        self.index.entries[id as usize].kind
    }

    fn package(&self, id: u32) -> u32 {
        self.index.packages[self.index.entries[id as usize].file as usize]
    }

    /// Whether a symbol can be mentioned like this at all.
    fn fits(&self, id: u32, mention: &Mention) -> bool {
        let entry = &self.index.entries[id as usize];
        let language = self.graph.parts.files[entry.file as usize].language;
        let kind_fits = match mention.relation {
            // In a shell, what is called and what is read are two kinds of names.
            Relation::Calls if language == Language::Bash => entry.kind == Kind::Function,
            Relation::References if language == Language::Bash => entry.kind != Kind::Function,
            // What is made may be called like the property that holds it.
            Relation::Calls => !matches!(entry.kind, Kind::Module | Kind::Property),
            Relation::References => entry.kind != Kind::Method || mention.qualifier > OWN,
            Relation::Imports | Relation::Defines => true,
            Relation::Implements => match entry.kind {
                Kind::Class
                | Kind::Struct
                | Kind::Interface
                | Kind::Trait
                | Kind::Enum
                | Kind::Module
                | Kind::Type => true,
                Kind::Function
                | Kind::Method
                | Kind::Macro
                | Kind::Constant
                | Kind::Variable
                | Kind::Property => false,
            },
        };
        kind_fits && self.file.language.reaches(language)
    }
}
