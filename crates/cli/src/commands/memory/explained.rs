//! What a brief would get, in words.

use std::fmt::Write;

use ralph_memory::{
    Contradiction, Contribution, Hydration, LeftOut, Omission, Recommendation, Section, Sufficiency, Taken,
};

use super::explain::Explained;
use super::search::reasons;
use crate::bars::gauge;
use crate::render::{CALM, FAINT, HEAD, inert, paint};
use crate::words::{counted, cut};

/// As much of a headline as a line has room for, in characters.
const LINE: usize = 60;
/// How many files and symbols are named.
const NAMED: usize = 12;

pub(super) fn text(explained: &Explained) -> String {
    let Hydration { taken, left_out, .. } = &explained.chosen;
    let mut text = at_hand(explained);
    if taken.is_empty() && left_out.is_empty() {
        text += "nothing that is remembered fits\n";
    }
    for section in Section::ALL {
        let own: Vec<&Taken> = taken.iter().filter(|one| one.section == section).collect();
        if !own.is_empty() {
            text += &(paint(HEAD, section.name()) + "\n");
            own.iter().for_each(|one| text += &chosen(one));
        }
    }
    if !left_out.is_empty() {
        text += &(paint(HEAD, "left out") + "\n");
        left_out.iter().for_each(|one| text += &left(one));
    }
    text += &disputed(&explained.contradictions);
    text += &unknown(&explained.sufficiency);
    text + &budget(explained)
}

/// What the task names that is there, and what is near that.
fn at_hand(explained: &Explained) -> String {
    let code = &explained.code;
    let named: Vec<&str> = code.files.iter().chain(&code.symbols).map(String::as_str).collect();
    if named.is_empty() {
        return String::new();
    }
    let mut text = paint(HEAD, "at hand") + "\n";
    for one in named.iter().take(NAMED) {
        let _written = writeln!(text, "  {}", inert(one));
    }
    let more = named.len().saturating_sub(NAMED);
    if more > 0 {
        let _written = writeln!(text, "  and {more} more");
    }
    if code.near > 0 {
        text += &paint(FAINT, &format!("  {} near them in the code\n", counted(code.near as u64, "name")));
    }
    text
}

fn chosen(one: &Taken) -> String {
    let mark = if one.hypothesis { paint(CALM, " [HYPOTHESIS]") } else { String::new() };
    let head = inert(&cut(one.note.headline(), LINE));
    let facts = format!("score {:.2}: {}", one.score, why(&one.factors));
    format!(
        "  {} {:>5}  {head}{mark}\n{}",
        one.note.id,
        one.tokens,
        paint(FAINT, &format!("{:26}{facts}\n", ""))
    )
}

fn why(factors: &[Contribution]) -> String {
    if factors.is_empty() { "it is of the files at hand".to_owned() } else { reasons(factors) }
}

fn left(one: &LeftOut) -> String {
    let why = match &one.why {
        Omission::NoRoom => "the budget is used up".to_owned(),
        Omission::TooMany => format!("there are enough better {}", one.section.name()),
        Omission::LikeAnother { note } => format!("{note} says nearly the same"),
        Omission::OfLittleUse => "it fits much less, or is little relied on".to_owned(),
        Omission::Withheld => "on purpose, to see how the work goes without it".to_owned(),
    };
    let head = inert(&cut(&one.headline, LINE));
    format!("  {}        {head}\n{}", one.note, paint(FAINT, &format!("{:26}{why}\n", "")))
}

fn disputed(contradictions: &[Contradiction]) -> String {
    if contradictions.is_empty() {
        return String::new();
    }
    let mut text = paint(HEAD, "contradict each other") + "\n";
    for one in contradictions {
        for (note, word) in [(&one.staged, ""), (&one.known, "against ")] {
            let _written = writeln!(text, "  {}  {word}{}", note.id, inert(&cut(note.headline(), LINE)));
        }
    }
    text
}

fn unknown(sufficiency: &Sufficiency) -> String {
    if sufficiency.missing.is_empty() {
        return String::new();
    }
    let mut text = paint(HEAD, "named, and known to nobody") + "\n";
    for one in &sufficiency.missing {
        let _written = writeln!(text, "  {} {}", one.mention.kind.name(), inert(&one.mention.text));
    }
    match sufficiency.recommendation {
        Some(Recommendation::RequestHuman) => text + "  a person would be asked before the first attempt\n",
        Some(Recommendation::ExpandSearch) | None => text,
    }
}

fn budget(explained: &Explained) -> String {
    let (notes, code) = (explained.chosen.tokens, explained.code.tokens);
    let used = explained.constitution + explained.disputed + notes + code;
    let (part, all) = (u64::from(used), u64::from(explained.budget));
    let bar = paint(CALM, &gauge(part.min(all), all));
    let parts = [
        ("constitution", explained.constitution),
        ("contradictions", explained.disputed),
        ("notes", notes),
        ("code", code),
    ];
    let parts = parts.into_iter().filter(|(_, tokens)| *tokens > 0);
    let parts: Vec<String> = parts.map(|(name, tokens)| format!("{name} {tokens}")).collect();
    format!("\n{used} of {} tokens  {bar}  {}\n", explained.budget, parts.join(", "))
}
