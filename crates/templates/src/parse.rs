//! From text and tags to a tree.

use std::ops::Range;

use ralph_core::nearest::nearest;

use crate::error::{Flaw, quoted};
use crate::lexer::{Sort, Tag, Token, tokens};
use crate::path::Path;
use crate::tree::{Arm, Block, Node, Reference, Word};

/// Deeper than anybody writes, and shallow enough for whoever walks the tree.
const DEEPEST: usize = 32;

pub(crate) fn parse(source: &str) -> Result<Vec<Node>, Flaw> {
    let tokens = tokens(source)?;
    let mut parser = Parser { source, done: Vec::new(), open: Vec::new() };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Text(range) => {
                let text = kept(source, &tokens, at, range);
                if !text.is_empty() {
                    parser.push(Node::Text(text.to_owned()));
                }
            }
            Token::Tag(tag) => parser.tag(tag)?,
        }
    }
    match parser.open.pop() {
        None => Ok(parser.done),
        Some(open) => {
            let word = open.word.name();
            Err(Flaw::new(
                open.place,
                format!("this block is never closed: its `{{{{/{word}}}}}` is missing"),
            ))
        }
    }
}

struct Parser<'a> {
    source: &'a str,
    done: Vec<Node>,
    open: Vec<Open>,
}

/// A block that is not closed yet.
struct Open {
    word: Word,
    place: Range<usize>,
    arms: Vec<Arm>,
    otherwise: Option<Vec<Node>>,
}

impl Parser<'_> {
    fn push(&mut self, node: Node) {
        let Some(open) = self.open.last_mut() else { return self.done.push(node) };
        match (&mut open.otherwise, open.arms.last_mut()) {
            (Some(nodes), _) => nodes.push(node),
            (None, Some(arm)) => arm.body.push(node),
            (None, None) => unreachable!("a block is opened with its first arm"),
        }
    }

    fn tag(&mut self, tag: &Tag) -> Result<(), Flaw> {
        match tag.sort {
            Sort::Comment => Ok(()),
            Sort::Value => {
                let value = self.reference(tag.inner.clone())?;
                self.push(Node::Value(value));
                Ok(())
            }
            Sort::Open => self.opened(tag),
            Sort::Else => self.other(tag),
            Sort::Close => self.closed(tag),
        }
    }

    fn opened(&mut self, tag: &Tag) -> Result<(), Flaw> {
        if self.open.len() == DEEPEST {
            let what = format!("blocks are nested more than {DEEPEST} deep");
            return Err(Flaw::new(tag.place.clone(), what));
        }
        let arm = self.arm(tag)?;
        let place = tag.place.clone();
        self.open.push(Open { word: arm.word, place, arms: vec![arm], otherwise: None });
        Ok(())
    }

    fn other(&mut self, tag: &Tag) -> Result<(), Flaw> {
        let chained = if tag.inner.is_empty() { None } else { Some(self.arm(tag)?) };
        let flaw = |what: &str| Err(Flaw::new(tag.place.clone(), what));
        let Some(open) = self.open.last_mut() else { return flaw("this `else` is in no block") };
        if open.otherwise.is_some() {
            return flaw("nothing comes after the `else` of a block");
        }
        match chained {
            Some(arm) => open.arms.push(arm),
            None => open.otherwise = Some(Vec::new()),
        }
        Ok(())
    }

    fn closed(&mut self, tag: &Tag) -> Result<(), Flaw> {
        let name = &self.source[tag.inner.clone()];
        let Some(open) = self.open.pop() else {
            return Err(Flaw::new(tag.place.clone(), format!("{} closes no block", quoted(name))));
        };
        if name != open.word.name() {
            let line = self.source[..open.place.start].matches('\n').count() + 1;
            let what =
                format!("`{}` was opened on line {line}, and {} is closed", open.word.name(), quoted(name));
            return Err(Flaw::new(tag.place.clone(), what));
        }
        let otherwise = open.otherwise.unwrap_or_default();
        self.push(Node::Block(Block { arms: open.arms, otherwise }));
        Ok(())
    }

    /// `each task.labels as |label|`.
    fn arm(&self, tag: &Tag) -> Result<Arm, Flaw> {
        let text = &self.source[tag.inner.clone()];
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let named = tag.inner.start..tag.inner.start + end;
        let word = Word::named(name).filter(|_| rest.is_empty() || rest.starts_with(char::is_whitespace));
        let Some(word) = word else { return Err(unknown_block(named, text)) };
        let (value, params) = match rest.split_once(" as |") {
            None => (rest, Vec::new()),
            Some((value, params)) => (value, self.params(word, params, tag)?),
        };
        if value.trim().is_empty() {
            let what = format!("`{name}` needs a variable");
            return Err(Flaw::new(tag.place.clone(), what).next(format!("{{{{#{name} NAME}}}}")));
        }
        let start = named.end + (value.len() - value.trim_start().len());
        let place = start..start + value.trim().len();
        if value.trim().contains(char::is_whitespace) && !value.trim().starts_with('(') {
            return Err(Flaw::new(place, format!("`{name}` takes one variable and nothing else")));
        }
        let on = self.reference(place)?;
        Ok(Arm { word, on, params, body: Vec::new() })
    }

    fn params(&self, word: Word, text: &str, tag: &Tag) -> Result<Vec<String>, Flaw> {
        let flaw = |what: &str| Err(Flaw::new(tag.place.clone(), what));
        let Some(names) = text.trim_end().strip_suffix('|') else {
            return flaw("the names after `as` are not closed: a `|` is missing");
        };
        let names: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
        let most = match word {
            Word::Each => 2,
            Word::With => 1,
            Word::If | Word::Unless => 0,
        };
        if names.len() > most || names.is_empty() {
            return flaw("`as` gives one name, or two in an `each`: `{{#each LIST as |value index|}}`");
        }
        Ok(names)
    }

    fn reference(&self, place: Range<usize>) -> Result<Reference, Flaw> {
        let path = Path::parse(&self.source[place.clone()], &place)?;
        Ok(Reference { path, place })
    }
}

fn unknown_block(place: Range<usize>, text: &str) -> Flaw {
    let name = text.split_whitespace().next().unwrap_or_default();
    let flaw = Flaw::new(place, format!("there is no block {}", quoted(name)));
    match nearest(name, Word::ALL.map(Word::name)) {
        Some(near) => flaw.next(format!("did you mean `{near}`?")),
        None => flaw.next("there are `if`, `unless`, `each` and `with`"),
    }
}

/// What stays of a text once the tags around it have taken their blanks: a block's tag or a comment that is alone on its
/// line takes the line, and `~` takes all blanks on its side.
fn kept<'a>(source: &'a str, tokens: &[Token], at: usize, range: &Range<usize>) -> &'a str {
    let tag = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
        Some(Token::Tag(tag)) => Some(tag),
        Some(Token::Text(_)) | None => None,
    };
    let mut text = &source[range.clone()];
    if let Some(before) = tag(at.checked_sub(1)) {
        if before.strips.1 {
            text = text.trim_start();
        } else if is_alone(source, before) {
            text = text.trim_start_matches([' ', '\t']);
            text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
        }
    }
    if let Some(after) = tag(at.checked_add(1)) {
        if after.strips.0 {
            text = text.trim_end();
        } else if is_alone(source, after) {
            text = text.trim_end_matches([' ', '\t']);
        }
    }
    text
}

/// Whether a tag that is no text itself has its line for itself.
fn is_alone(source: &str, tag: &Tag) -> bool {
    if tag.sort == Sort::Value {
        return false;
    }
    let blank = [' ', '\t', '\r'];
    let before = source[..tag.place.start].trim_end_matches(blank);
    let after = source[tag.place.end..].trim_start_matches(blank);
    (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
}
