//! The layout of the graph's file. Texts are numbered in the order in which the files, sorted by path, first use them:
//! the same code makes the same bytes.

use super::bytes::{Bytes, put, put_signed, put_text};
use crate::extract::Skipped;
use crate::graph::{File, Parts, State};
use crate::language::Language;
use crate::names::Names;
use crate::outline::{Digest, Import, Kind, Mention, NOWHERE, NameId, Outline, Relation, Symbol, What};
use crate::walk::Stamp;

pub(super) const LAYOUT: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stamps {
    Kept,
    LeftOut,
}

/// Those of a table that are used, in the order of their first use.
struct Used<'a> {
    names: &'a Names,
    numbers: Vec<NameId>,
    order: Vec<NameId>,
}

/// Not used yet.
const UNUSED: NameId = NameId::MAX;

impl Used<'_> {
    fn number(&mut self, id: NameId) -> u64 {
        let number = &mut self.numbers[id as usize];
        if *number == UNUSED {
            *number = self.order.len() as NameId;
            self.order.push(id);
        }
        u64::from(*number)
    }
}

pub(super) fn encode(parts: &Parts, stamps: Stamps, out: &mut Vec<u8>) {
    let names = &parts.names;
    let mut used = Used { names, numbers: vec![UNUSED; names.len()], order: Vec::new() };
    for fixed in 0..Names::default().len() as NameId {
        used.number(fixed);
    }
    let mut files = Vec::new();
    put(&mut files, parts.files.len() as u64);
    for file in &parts.files {
        put_file(file, stamps, &mut used, &mut files);
    }
    put(out, used.order.len() as u64);
    let mut text: Vec<u8> = Vec::with_capacity(names.bytes().len());
    for id in &used.order {
        let name = used.names.get(*id);
        put(out, name.len() as u64);
        text.extend(name.as_bytes());
    }
    put(out, text.len() as u64);
    out.extend(text);
    out.extend(files);
}

fn put_file(file: &File, stamps: Stamps, used: &mut Used<'_>, out: &mut Vec<u8>) {
    put_text(out, &file.path);
    out.extend(file.digest.0);
    if stamps == Stamps::Kept {
        out.push(u8::from(file.stamp.is_some()));
        if let Some(Stamp { size, modified, changed, inode }) = file.stamp {
            put(out, size);
            put_signed(out, modified);
            put_signed(out, changed);
            put(out, inode);
        }
    }
    out.push(file.language as u8);
    match &file.state {
        State::Skipped(why) => out.push(1 + *why as u8),
        State::Outlined(outline) => {
            out.push(0);
            put_outline(outline, used, out);
        }
    }
}

fn put_outline(outline: &Outline, used: &mut Used<'_>, out: &mut Vec<u8>) {
    put(out, outline.symbols.len() as u64);
    for symbol in &outline.symbols {
        put(out, used.number(symbol.name));
        put(out, used.number(symbol.container));
        out.push(symbol.kind as u8);
        put(out, u64::from(symbol.parent.wrapping_add(1)));
        put(out, u64::from(symbol.start));
        put(out, u64::from(symbol.end - symbol.start));
        put(out, u64::from(symbol.line));
        put(out, u64::from(symbol.last_line - symbol.line));
        put(out, u64::from(symbol.signature));
        out.extend(symbol.digest.0);
    }
    put_text(out, &outline.signatures);
    put(out, outline.mentions.len() as u64);
    let mut line = 0;
    for mention in &outline.mentions {
        // Mentions come in the order of the text, so that mostly one byte tells the line.
        put_signed(out, i64::from(mention.line) - i64::from(line));
        line = mention.line;
        out.push(mention.relation as u8);
        put(out, used.number(mention.name));
        put(out, used.number(mention.qualifier));
        put(out, u64::from(mention.from.wrapping_add(1)));
    }
    put(out, outline.imports.len() as u64);
    for import in &outline.imports {
        put(out, u64::from(import.line));
        put(out, used.number(import.path));
        match import.what {
            What::File => out.push(0),
            What::All => out.push(1),
            What::Module(local) => {
                out.push(2);
                put(out, used.number(local));
            }
            What::Name { original, local } => {
                out.push(3);
                put(out, used.number(original));
                put(out, used.number(local));
            }
        }
    }
}

pub(super) fn decode(content: &[u8]) -> Option<Parts> {
    let mut bytes = Bytes::new(content);
    let count = bytes.count()?;
    let mut ends = Vec::with_capacity(count);
    let mut end = 0_u32;
    for _ in 0..count {
        end = end.checked_add(bytes.short()?)?;
        ends.push(end);
    }
    let names = Names::from_parts(bytes.text()?.to_owned(), ends)?;
    let count = bytes.count()?;
    let mut files = Vec::with_capacity(count);
    for _ in 0..count {
        files.push(file(&mut bytes, names.len())?);
    }
    bytes.is_empty().then_some(Parts { names, files })
}

fn file(bytes: &mut Bytes<'_>, names: usize) -> Option<File> {
    let path = bytes.text()?.to_owned();
    let digest = digest(bytes)?;
    let stamp = if bytes.one_of(&[false, true])? {
        let (size, modified) = (bytes.number()?, bytes.signed()?);
        Some(Stamp { size, modified, changed: bytes.signed()?, inode: bytes.number()? })
    } else {
        None
    };
    let language = bytes.one_of(&Language::ALL)?;
    let states = Skipped::ALL.map(Some);
    let state = match bytes.one_of(&[&[None], states.as_slice()].concat())? {
        Some(why) => State::Skipped(why),
        None => State::Outlined(outline(bytes, names)?),
    };
    Some(File { path, digest, stamp, language, state })
}

fn digest(bytes: &mut Bytes<'_>) -> Option<Digest> {
    Some(Digest(bytes.take(16)?.try_into().ok()?))
}

fn name(bytes: &mut Bytes<'_>, names: usize) -> Option<NameId> {
    bytes.short().filter(|id| (*id as usize) < names)
}

/// The number of a symbol of this file, or none.
fn place(bytes: &mut Bytes<'_>, symbols: usize) -> Option<u32> {
    let at = bytes.short()?.wrapping_sub(1);
    (at == NOWHERE || (at as usize) < symbols).then_some(at)
}

fn outline(bytes: &mut Bytes<'_>, names: usize) -> Option<Outline> {
    let count = bytes.count()?;
    let mut outline = Outline { symbols: Vec::with_capacity(count), ..Outline::default() };
    for _ in 0..count {
        let (of, container) = (name(bytes, names)?, name(bytes, names)?);
        let kind = bytes.one_of(&Kind::ALL)?;
        let parent = place(bytes, count)?;
        let start = bytes.short()?;
        let end = start.checked_add(bytes.short()?)?;
        let line = bytes.short()?;
        let last_line = line.checked_add(bytes.short()?)?;
        let signature = bytes.short()?;
        let digest = digest(bytes)?;
        outline.symbols.push(Symbol {
            name: of,
            container,
            kind,
            parent,
            start,
            end,
            line,
            last_line,
            signature,
            digest,
        });
    }
    outline.signatures = bytes.text()?.to_owned();
    let begins = outline.symbols.iter().map(|symbol| symbol.signature as usize);
    let cuts = begins.chain([outline.signatures.len()]).collect::<Vec<_>>();
    let are_cuts = cuts.is_sorted() && cuts.iter().all(|cut| outline.signatures.is_char_boundary(*cut));
    if !are_cuts {
        return None;
    }
    let mentions = bytes.count()?;
    outline.mentions.reserve_exact(mentions);
    let mut line = 0_u32;
    for _ in 0..mentions {
        line = u32::try_from(i64::from(line).checked_add(bytes.signed()?)?).ok()?;
        let relation = bytes.one_of(&Relation::ALL)?;
        let (of, qualifier) = (name(bytes, names)?, name(bytes, names)?);
        outline.mentions.push(Mention { line, relation, name: of, qualifier, from: place(bytes, count)? });
    }
    for _ in 0..bytes.count()? {
        outline.imports.push(import(bytes, names)?);
    }
    Some(outline)
}

fn import(bytes: &mut Bytes<'_>, names: usize) -> Option<Import> {
    let (line, path) = (bytes.short()?, name(bytes, names)?);
    let what = match bytes.one_of(&[0, 1, 2, 3])? {
        0 => What::File,
        1 => What::All,
        2 => What::Module(name(bytes, names)?),
        _ => What::Name { original: name(bytes, names)?, local: name(bytes, names)? },
    };
    Some(Import { line, path, what })
}
