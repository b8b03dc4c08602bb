//! Notes that somebody only looks at, beside the code as it is now.

use ralph_core::note::Note;
use ralph_graph::Graph;
use ralph_memory::is_outdated;

use super::survey::as_they_are;

/// Whether the code has a say in how a note is shown.
pub fn rests_on_code(note: &Note) -> bool {
    !note.said.anchors.is_empty() && !note.stale && !note.said.kind.is_history()
}

/// A note that was said of code which is another by now is shown as a brief would show it. Nothing is put down: the note
/// itself is doubted when a run comes upon it.
pub fn doubt_outdated<'a>(graph: &Graph, notes: impl IntoIterator<Item = &'a mut Note>) {
    for note in notes.into_iter().filter(|note| rests_on_code(note)) {
        note.stale = is_outdated(note, &as_they_are(graph, note.said.anchors.clone()));
    }
}
