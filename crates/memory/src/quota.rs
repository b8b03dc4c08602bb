//! How much anybody may put down: nobody can fill the memory, however much they have to say.

use std::collections::BTreeMap;

use ralph_core::id::RunId;
use ralph_core::note::{Draft, KindName, Note, Origin, Source};

/// Notes of one attempt, or of one session outside of a run, in an agent's words.
const BY_AGENT: u32 = 16;
/// In the words of tools.
const BY_TOOL: u32 = 12;
/// By rule.
const BY_RULE: u32 = 12;

/// What is left to each, of one attempt or session.
#[derive(Debug)]
pub(crate) struct Quota {
    left: BTreeMap<&'static str, u32>,
}

impl Quota {
    pub(crate) fn of(known: &[Note], run: &RunId, iteration: u32) -> Quota {
        Quota::counting(known, |source| {
            source.run.as_ref() == Some(run) && source.iteration == Some(iteration)
        })
    }

    /// For one more note from the same source.
    pub(crate) fn beside(known: &[Note], draft: &Draft) -> Quota {
        let of = &draft.source;
        Quota::counting(known, |source| match (&of.run, &of.session) {
            (Some(_), _) => source.run == of.run && source.iteration == of.iteration,
            (None, Some(_)) => source.session == of.session,
            (None, None) => true,
        })
    }

    fn counting(known: &[Note], is_same: impl Fn(&Source) -> bool) -> Quota {
        let mut quota = Quota { left: BTreeMap::new() };
        // What ralph sees of the use of tools is bounded where it is put down, and keeps nobody from saying what came of it.
        let counts =
            |note: &&Note| note.said.kind.name() != KindName::ToolUse || note.said.origin == Origin::Agent;
        for note in known.iter().filter(counts).filter(|note| is_same(&note.said.source)) {
            quota.take(note.said.origin);
        }
        quota
    }

    /// Whether there is room for one more of this origin, which it then takes.
    pub(crate) fn take(&mut self, origin: Origin) -> bool {
        let (name, most) = match origin {
            Origin::Person => return true,
            Origin::Rule => ("rule", BY_RULE),
            Origin::Agent => ("agent", BY_AGENT),
            Origin::Tool => ("tool", BY_TOOL),
        };
        let left = self.left.entry(name).or_insert(most);
        let has_room = *left > 0;
        *left = left.saturating_sub(1);
        has_room
    }
}
