//! A backlog as a Markdown checklist, in the form in which it is read.

use ralph_core::backlog::{Item, Priority, Status};

use super::line::{Line, parse};
use super::names::{Naming, heads_criteria, known, naming};
use crate::tracker::Context;

/// A checklist. It cannot say that a task is blocked: such a one is open.
pub fn to_markdown(context: &Context, items: &[Item]) -> String {
    let name = if context.name.is_empty() { "Backlog" } else { &context.name };
    let mut text = format!("# {}\n", one_line(name));
    if !context.description.trim().is_empty() {
        text += "\n";
        text += &described(&context.description, "");
    }
    for item in items {
        text += "\n";
        text += &entry(item);
    }
    text
}

fn entry(item: &Item) -> String {
    let mark = match item.status {
        Status::Completed => 'x',
        Status::Cancelled => '-',
        Status::InProgress => '~',
        Status::Open | Status::Blocked => ' ',
    };
    let title = one_line(&item.title);
    let plain = format!("{}: {title}", item.id);
    // Where it would not be read back as the same name, it is written in the form that always is.
    let is_read_back = matches!(naming(&plain), Naming::Guessed(id, _) if id == item.id);
    let headline = if is_read_back { plain } else { format!("{title} {{#{}}}", item.id) };
    let mut text = format!("- [{mark}] {headline}\n");
    if item.priority != Priority::default() {
        text += &format!("  - Priority: {}\n", item.priority);
    }
    let ids =
        |ids: &[ralph_core::id::TaskId]| ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
    let lists = [
        ("Labels", item.labels.join(", ")),
        ("Depends on", ids(&item.depends_on)),
        ("Blocks", ids(&item.blocks)),
        ("Parent", item.parent.as_ref().map(ToString::to_string).unwrap_or_default()),
    ];
    for (key, value) in lists.into_iter().filter(|(_, value)| !value.is_empty()) {
        text += &format!("  - {key}: {}\n", one_line(&value));
    }
    if !item.acceptance_criteria.is_empty() {
        text += "  - Acceptance criteria:\n";
        for one in &item.acceptance_criteria {
            text += &format!("    - {}\n", criterion(one));
        }
    }
    if !item.description.trim().is_empty() {
        text += "\n";
        text += &described(&item.description, "  ");
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A box in front of one would be taken for how it is written.
fn criterion(text: &str) -> String {
    let mut text = one_line(text);
    while let Line::Bullet { checkbox: Some(checkbox), .. } = parse(&format!("- {text}")) {
        text = checkbox.title.to_owned();
    }
    text
}

/// Indented, and with nothing in it that would be read as more than text.
fn described(text: &str, indent: &str) -> String {
    let text = text.trim();
    // A fence that is never closed would swallow what comes behind it.
    let are_closed = text.lines().fold(None, fence_after).is_none();
    let mut fence = None;
    let mut out = String::new();
    for line in text.lines().map(str::trim_end) {
        let was_code = fence.is_some();
        fence = if are_closed { fence_after(fence, line) } else { None };
        let means_more = match parse(line) {
            _ if was_code || fence.is_some() => false,
            Line::Fence { .. } | Line::Heading { .. } => true,
            Line::Bullet { checkbox, text, .. } => checkbox.is_some() || known(text).is_some(),
            Line::Text(text) => text.starts_with("<!--") || text.starts_with('\\') || heads_criteria(text),
            Line::Blank => false,
        };
        match (means_more, line) {
            (_, "") => out.push('\n'),
            (true, line) => out += &format!("{indent}\\{}\n", line.trim_start()),
            (false, line) => out += &format!("{indent}{line}\n"),
        }
    }
    out
}

type Fence = Option<(char, usize)>;

/// The fence that is open behind a line.
fn fence_after(open: Fence, line: &str) -> Fence {
    match (open, parse(line)) {
        (None, Line::Fence { mark, length, .. }) => Some((mark, length)),
        (Some((mark, least)), Line::Fence { mark: m, length, info: "" }) if m == mark && length >= least => {
            None
        }
        (open, _) => open,
    }
}
