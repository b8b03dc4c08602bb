//! Whether a template names only what there is, in every branch of it.

use crate::error::{Flaw, quoted};
use crate::path::{Path, Start};
use crate::tree::{Arm, Node, Reference, Word};
use crate::variables::{Field, ROOT, Shape};

/// A file that is no template at all has no use for more.
const MOST: usize = 20;

/// What the walk through a template came to.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) flaws: Vec<Flaw>,
    /// The outermost names that it writes out.
    pub(crate) written: Vec<&'static str>,
}

pub(crate) fn check(nodes: &[Node]) -> Checked {
    let mut walk =
        Walk { scopes: vec![Scope { shape: &ROOT, loops: false, params: &[] }], out: Checked::default() };
    walk.nodes(nodes);
    walk.out
}

struct Walk<'a> {
    scopes: Vec<Scope<'a>>,
    out: Checked,
}

/// What a block is about.
#[derive(Clone, Copy)]
struct Scope<'a> {
    shape: &'static Shape,
    loops: bool,
    params: &'a [String],
}

/// What a name stands for.
struct Found {
    shape: &'static Shape,
    /// The outermost variable that it is.
    variable: Option<&'static str>,
}

impl<'a> Walk<'a> {
    fn nodes(&mut self, nodes: &'a [Node]) {
        for node in nodes {
            match node {
                Node::Text(_) => {}
                Node::Value(value) => self.value(value),
                Node::Block(block) => {
                    for arm in &block.arms {
                        self.arm(arm);
                    }
                    self.nodes(&block.otherwise);
                }
            }
        }
    }

    fn value(&mut self, value: &Reference) {
        let Some(Found { shape, variable }) = self.resolved(value) else { return };
        let flaw = |what: String| Flaw::new(value.place.clone(), what);
        let name = quoted(&shown(&value.path));
        match shape {
            Shape::Text | Shape::Number | Shape::Flag | Shape::Names | Shape::Open => {
                self.out.written.extend(variable);
            }
            Shape::List(_) => {
                let hint = format!("{{{{#each {}}}}}- {{{{this}}}}{{{{/each}}}}", shown(&value.path));
                self.fault(flaw(format!("{name} is a list")).next(hint));
            }
            Shape::Object(fields) => {
                let hint = format!("it has {}", listed(fields));
                self.fault(flaw(format!("{name} is an object")).next(hint));
            }
        }
    }

    fn arm(&mut self, arm: &'a Arm) {
        // Where the name is wrong, what is inside is checked as if anything were there: one slip is one fault.
        let shape = self.resolved(&arm.on).map_or(&Shape::Open, |found| found.shape);
        let flaw = |what: &str, hint: &str| {
            let what = format!("{} {what}", quoted(&shown(&arm.on.path)));
            Flaw::new(arm.on.place.clone(), what).next(hint)
        };
        let inner: &'static Shape = match (arm.word, shape) {
            (Word::If | Word::Unless, _) => return self.nodes(&arm.body),
            (Word::Each, Shape::List(of)) => of,
            (Word::Each, Shape::Names) => &Shape::Text,
            (Word::With, Shape::Object(_)) => shape,
            (Word::Each | Word::With, Shape::Open) => &Shape::Open,
            (Word::Each, Shape::Text | Shape::Number | Shape::Flag | Shape::Object(_)) => {
                self.fault(flaw("is not a list", "`ralph template vars` tells which are"));
                &Shape::Open
            }
            (Word::With, Shape::Text | Shape::Number | Shape::Flag | Shape::Names | Shape::List(_)) => {
                self.fault(flaw("is not an object", "`with` is for task, config, prd and epic"));
                &Shape::Open
            }
        };
        self.scopes.push(Scope { shape: inner, loops: arm.word == Word::Each, params: &arm.params });
        self.nodes(&arm.body);
        self.scopes.pop();
    }

    fn resolved(&mut self, value: &Reference) -> Option<Found> {
        match self.find(value) {
            Ok(found) => Some(found),
            Err(flaw) => {
                self.fault(flaw);
                None
            }
        }
    }

    fn fault(&mut self, flaw: Flaw) {
        if self.out.flaws.len() < MOST {
            self.out.flaws.push(flaw);
        }
    }

    fn find(&self, value: &Reference) -> Result<Found, Flaw> {
        let path = &value.path;
        let flaw = |what: String| Err(Flaw::new(value.place.clone(), what));
        let depth = self.scopes.len();
        let (level, names) = match path.start {
            Start::Loop => return self.of_the_loop(value),
            Start::Root => (0, path.names.as_slice()),
            Start::This => (depth - 1, path.names.as_slice()),
            Start::Up(levels) if levels < depth => (depth - 1 - levels, path.names.as_slice()),
            Start::Up(_) => {
                return flaw(format!(
                    "{} leads out of the template: there is no block around it",
                    quoted(&shown(path))
                ));
            }
            Start::Here => match self.param(path) {
                Some(shape) => return below(value, shape, &path.names[1..], false),
                None => (depth - 1, path.names.as_slice()),
            },
        };
        let found = below(value, self.scopes[level].shape, names, level == 0);
        found.map_err(|flaw| self.further_out(path, flaw))
    }

    /// What a name stands for that a block around it gave.
    fn param(&self, path: &Path) -> Option<&'static Shape> {
        let name = path.names.first()?;
        self.scopes.iter().rev().find_map(|scope| {
            let at = scope.params.iter().position(|param| param == name)?;
            Some(if at == 0 { scope.shape } else { &Shape::Open })
        })
    }

    fn of_the_loop(&self, value: &Reference) -> Result<Found, Flaw> {
        let flaw = |what: String| Flaw::new(value.place.clone(), what);
        let name = match value.path.names.as_slice() {
            [name] => name.as_str(),
            _ => return Err(flaw(format!("{} is not a name", quoted(&shown(&value.path))))),
        };
        let shape = match name {
            "index" => &Shape::Number,
            "first" | "last" => &Shape::Flag,
            "key" => &Shape::Text,
            _ => {
                let names = ["@index", "@first", "@last", "@key", "@root"];
                let flaw = flaw(format!("there is no {}", quoted(&shown(&value.path))));
                return Err(flaw.nearest(&shown(&value.path), names));
            }
        };
        if !self.scopes.iter().any(|scope| scope.loops) {
            return Err(flaw(format!("`@{name}` is only there in an `each`")));
        }
        Ok(Found { shape, variable: None })
    }

    /// Inside of a block a name means what is below the block's own; who forgets that is told.
    fn further_out(&self, path: &Path, flaw: Flaw) -> Flaw {
        let Some(name) = path.names.first().filter(|_| path.start == Start::Here) else { return flaw };
        let is_outer = self.scopes.len() > 1 && ROOT.fields().iter().any(|field| field.name == name);
        if is_outer {
            flaw.next(format!("inside of this block it is `@root.{}`", path.names.join(".")))
        } else {
            flaw
        }
    }
}

/// What the names below something lead to.
fn below(
    value: &Reference,
    from: &'static Shape,
    names: &[String],
    is_outermost: bool,
) -> Result<Found, Flaw> {
    let mut shape = from;
    let mut variable = None;
    for (at, name) in names.iter().enumerate() {
        let flaw = |what: String| Flaw::new(value.place.clone(), what);
        let so_far = names[..at].join(".");
        shape = match shape {
            Shape::Open => &Shape::Open,
            Shape::Names | Shape::List(_) if name == "length" => &Shape::Number,
            Shape::Object(fields) => match fields.iter().find(|field| field.name == name) {
                Some(field) => {
                    if at == 0 && is_outermost {
                        variable = Some(field.name);
                    }
                    &field.shape
                }
                None => {
                    let what = if at == 0 {
                        format!("there is no variable {}", quoted(name))
                    } else {
                        format!("{} has no {}", quoted(&so_far), quoted(name))
                    };
                    return Err(flaw(what).nearest(name, fields.iter().map(|field| field.name)));
                }
            },
            Shape::Text | Shape::Number | Shape::Flag | Shape::Names | Shape::List(_) => {
                let of = if at == 0 { "what this block is about".to_owned() } else { quoted(&so_far) };
                return Err(flaw(format!("{of} has nothing below it: there is no {}", quoted(name))));
            }
        };
    }
    Ok(Found { shape, variable })
}

fn listed(fields: &[Field]) -> String {
    fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ")
}

/// As it is written.
fn shown(path: &Path) -> String {
    let names = path.names.join(".");
    match path.start {
        Start::Here => names,
        Start::This if names.is_empty() => "this".to_owned(),
        Start::This => format!("this.{names}"),
        Start::Up(levels) => "../".repeat(levels.min(8)) + &names,
        Start::Root if names.is_empty() => "@root".to_owned(),
        Start::Root => format!("@root.{names}"),
        Start::Loop => format!("@{names}"),
    }
}
