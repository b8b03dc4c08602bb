//! Where in the progress file things are, however people have rearranged it.

use std::ops::Range;

use ralph_core::id::RunId;

use super::entry;

const PATTERNS: &str = "codebase patterns";
const ITERATIONS: &str = "iterations";

/// What a file without it gets.
const SECTION: &str = "## Iterations\n";

#[derive(Debug, Default)]
pub(super) struct Layout {
    /// What stands under headings of that name.
    pub(super) patterns: Vec<Range<usize>>,
    /// The heading of the entries and the place behind the last of them.
    pub(super) iterations: Option<Range<usize>>,
    pub(super) entries: Vec<Entry>,
}

/// An entry that ralph wrote, edited since or not.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) run: RunId,
    pub(super) iteration: u32,
    /// From its heading on.
    pub(super) range: Range<usize>,
    /// Where its mark begins, if it is as ralph wrote it.
    pub(super) intact: Option<usize>,
}

impl Entry {
    /// Without the mark.
    pub(super) fn body<'t>(&self, text: &'t str) -> &'t str {
        &text[self.range.start..self.intact.unwrap_or(self.range.end)]
    }

    /// With the empty line before it.
    pub(super) fn block(&self, text: &str) -> Range<usize> {
        let before = &text[..self.range.start];
        let gap = ["\r\n", "\n"]
            .into_iter()
            .find(|end| before.strip_suffix(end).is_some_and(|line| line.is_empty() || line.ends_with('\n')));
        self.range.start - gap.map_or(0, str::len)..self.range.end
    }
}

enum Line<'t> {
    Patterns { level: usize },
    Iterations { level: usize },
    Entry { run: RunId, iteration: u32 },
    Heading { level: usize },
    Mark(&'t str),
    Other,
}

/// What is open where a line begins.
#[derive(Default)]
struct Open {
    /// The sign of a fence of code.
    fence: Option<&'static str>,
    patterns: Option<(usize, usize)>,
    iterations: Option<usize>,
    entry: Option<Entry>,
}

impl Layout {
    pub(super) fn of(text: &str) -> Layout {
        let mut layout = Layout::default();
        let mut open = Open::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let behind = at + line.len();
            let bare = line.trim_start_matches('\u{feff}').trim_end();
            layout.take(text, bare, at..behind, &mut open);
            at = behind;
        }
        layout.close_patterns(at, &mut open);
        layout.close_iterations(at, &mut open);
        layout.close_entry(at, &mut open);
        layout
    }

    fn take(&mut self, text: &str, bare: &str, line: Range<usize>, open: &mut Open) {
        match kind(bare, &mut open.fence) {
            Line::Patterns { level } => {
                self.close_all(line.start, open);
                open.patterns = Some((level, line.end));
            }
            Line::Iterations { level } => {
                self.close_all(line.start, open);
                self.iterations = Some(line);
                open.iterations = Some(level);
            }
            Line::Entry { run, iteration } => {
                self.close_patterns(line.start, open);
                self.close_entry(line.start, open);
                open.entry = Some(Entry { run, iteration, range: line, intact: None });
            }
            Line::Heading { level } => {
                self.close_entry(line.start, open);
                if open.patterns.is_some_and(|(own, _)| level <= own) {
                    self.close_patterns(line.start, open);
                }
                if open.iterations.is_some_and(|own| level <= own) {
                    self.close_iterations(line.start, open);
                }
            }
            Line::Mark(mark) => {
                if let Some(entry) = &mut open.entry {
                    let body = &text[entry.range.start..line.start];
                    entry.intact = (entry::mark(body) == mark).then_some(line.start);
                    self.close_entry(line.end, open);
                }
            }
            Line::Other => {}
        }
    }

    fn close_all(&mut self, at: usize, open: &mut Open) {
        self.close_patterns(at, open);
        self.close_iterations(at, open);
        self.close_entry(at, open);
    }

    fn close_patterns(&mut self, at: usize, open: &mut Open) {
        if let Some((_, start)) = open.patterns.take() {
            self.patterns.push(start..at);
        }
    }

    fn close_iterations(&mut self, at: usize, open: &mut Open) {
        if open.iterations.take().is_some()
            && let Some(section) = &mut self.iterations
        {
            section.end = at;
        }
    }

    fn close_entry(&mut self, at: usize, open: &mut Open) {
        if let Some(mut entry) = open.entry.take() {
            entry.range.end = at;
            self.entries.push(entry);
        }
    }
}

/// The headings that ralph itself goes by count in a fence, too: one that nobody closed must not hide the rest.
fn kind<'t>(line: &'t str, fence: &mut Option<&'static str>) -> Line<'t> {
    let known = known(line);
    if !matches!(known, Line::Other | Line::Heading { .. }) {
        *fence = None;
        return known;
    }
    let sign = ["```", "~~~"].into_iter().find(|sign| line.trim_start().starts_with(sign));
    match (*fence, sign) {
        (None, None) => known,
        (None, Some(sign)) => {
            *fence = Some(sign);
            Line::Other
        }
        (Some(own), sign) => {
            if sign == Some(own) {
                *fence = None;
            }
            Line::Other
        }
    }
}

fn known(line: &str) -> Line<'_> {
    if entry::is_mark(line) {
        return Line::Mark(line);
    }
    if let Some((run, iteration)) = entry_named(line) {
        return Line::Entry { run, iteration };
    }
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    if !(1..=6).contains(&level) || !title.is_empty() && !title.starts_with([' ', '\t']) {
        return Line::Other;
    }
    let title = title.trim().trim_end_matches(['#', ':']).trim_end();
    if title.get(..PATTERNS.len()).is_some_and(|start| start.eq_ignore_ascii_case(PATTERNS)) {
        Line::Patterns { level }
    } else if title.eq_ignore_ascii_case(ITERATIONS) {
        Line::Iterations { level }
    } else {
        Line::Heading { level }
    }
}

fn entry_named(line: &str) -> Option<(RunId, u32)> {
    let (number, rest) = line.strip_prefix(entry::HEADING)?.split_once(" of ")?;
    let (run, _) = rest.split_once(':')?;
    Some((RunId::parse(run).ok()?, number.parse().ok()?))
}

/// The text with an entry behind all others, whatever stands between them. The heading over them is put back where somebody
/// took it away.
pub(super) fn with_entry(text: &str, entry: &str) -> String {
    let layout = Layout::of(text);
    let first = layout.entries.first().map_or(text.len(), |entry| entry.range.start);
    let text = if layout.iterations.is_some() { text.to_owned() } else { insert_block(text, first, SECTION) };
    let layout = Layout::of(&text);
    let section = layout.iterations.map_or(text.len(), |section| section.end);
    let last = layout.entries.last().map_or(0, |entry| entry.range.end);
    insert_block(&text, section.max(last), entry)
}

/// Puts a block between two lines, with an empty line on either side.
pub(super) fn insert_block(text: &str, at: usize, block: &str) -> String {
    let (before, behind) = text.split_at(at);
    let mut added = String::new();
    if !before.is_empty() && !before.ends_with('\n') {
        added.push('\n');
    }
    let last = before.trim_end_matches(['\n', '\r']).len();
    if last > 0 && before[last..].matches('\n').count() < 2 {
        added.push('\n');
    }
    added.push_str(block);
    if !behind.is_empty() && !behind.starts_with(['\n', '\r']) {
        added.push('\n');
    }
    [before, &as_in(text, &added), behind].concat()
}

/// With the ends of lines that the text has.
pub(super) fn as_in(text: &str, added: &str) -> String {
    let is_dos = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    if is_dos { added.replace('\n', "\r\n") } else { added.to_owned() }
}
