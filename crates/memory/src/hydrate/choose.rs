//! The choice itself: a pure function of what was found.

use std::collections::HashSet;

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Note, Origin, Scope};

use super::earns::Judged;
use super::hydration::{Hydration, LeftOut, Omission, Section, Taken};
use super::need::{Allowance, Holdout, Need};
use super::worded::Room;
use crate::capture::is_failing;
use crate::likeness::Gist;
use crate::recall::Recalled;
use crate::rot::is_outdated;
use crate::words::Stems;

/// What is more like one that was taken says nothing new.
const ALIKE: f64 = 0.6;
/// Where there is little room, what keeps the work from going wrong comes first.
const FIRST: [Section; 6] = [
    Section::Gotchas,
    Section::Failures,
    Section::Skills,
    Section::Patterns,
    Section::Known,
    Section::Observations,
];

/// Takes the best of each section, then the second of each, and so on, as long as there is room.
pub(super) fn choose(
    mut found: Vec<(Section, Vec<Recalled>)>,
    need: &Need,
    allowance: &Allowance,
    holdout: Option<Holdout>,
    now: Timestamp,
) -> Hydration {
    let mut stems = Stems::new();
    let judged = Judged::by(need, &mut stems, now);
    let mut choice = Choice {
        need,
        allowance,
        now,
        room: Room::of(allowance.tokens),
        stems,
        gists: Vec::new(),
        hydration: Hydration::default(),
    };
    found.sort_by_key(|(section, _)| FIRST.iter().position(|first| first == section));
    for (section, notes) in &mut found {
        let best = judged.best(notes);
        let (earning, idle): (Vec<_>, Vec<_>) = std::mem::take(notes)
            .into_iter()
            .partition(|one| judged.earns(one, *section, best, &mut choice.stems));
        *notes = in_order(earning, *section, need);
        idle.iter().for_each(|one| choice.leave(&one.note, *section, Omission::OfLittleUse));
    }
    let mut queues: Vec<_> = found.into_iter().map(|(section, notes)| (section, notes.into_iter())).collect();
    loop {
        let mut is_over = true;
        for (section, queue) in &mut queues {
            if let Some(one) = queue.next() {
                choice.consider(one, *section);
                is_over = false;
            }
        }
        if is_over {
            break;
        }
    }
    choice.done(holdout)
}

/// The best first, but what a tool printed after what somebody has made of it, and of what failed in this very task the
/// newest first: what was tried before that led to it.
fn in_order(mut notes: Vec<Recalled>, section: Section, need: &Need) -> Vec<Recalled> {
    let is_own = |note: &Note| matches!(&note.said.scope, Scope::Task { task } if *task == need.task);
    match section {
        Section::Failures => notes.sort_by_key(|one| {
            let own = is_own(&one.note).then(|| one.note.valid_from());
            std::cmp::Reverse(own)
        }),
        Section::Gotchas => notes.sort_by_key(|one| is_failing(&one.note.said) && !one.note.verified),
        Section::Skills | Section::Patterns | Section::Known | Section::Observations => {}
    }
    notes
}

struct Choice<'a> {
    need: &'a Need,
    allowance: &'a Allowance,
    now: Timestamp,
    room: Room,
    stems: Stems,
    /// Of what was taken.
    gists: Vec<Gist>,
    hydration: Hydration,
}

impl Choice<'_> {
    fn consider(&mut self, one: Recalled, section: Section) {
        let taken = &self.hydration.taken;
        if taken.iter().any(|other| other.note.id == one.note.id) {
            return;
        }
        let in_section = taken.iter().filter(|other| other.section == section).count();
        let gist = Gist::of(&mut self.stems, &one.note);
        let like = taken.iter().zip(&self.gists).find(|(_, other)| other.likeness(&gist) >= ALIKE);
        let why = if let Some((other, _)) = like {
            Omission::LikeAnother { note: other.note.id.clone() }
        } else if in_section >= section.most(self.allowance) {
            Omission::TooMany
        } else if !self.room.take(section, one.note.tokens) {
            Omission::NoRoom
        } else {
            let hypothesis = self.is_hypothesis(&one.note);
            self.gists.push(gist);
            self.hydration.taken.push(Taken {
                section,
                tokens: Room::needed(one.note.tokens),
                hypothesis,
                confidence: one.note.confidence_at(self.now),
                score: one.score,
                factors: one.factors,
                note: one.note,
            });
            return;
        };
        self.leave(&one.note, section, why);
    }

    /// What has nothing to show for itself, or was said of code that is another by now.
    fn is_hypothesis(&self, note: &Note) -> bool {
        is_outdated(note, &self.need.current) || note.is_hypothesis()
    }

    fn leave(&mut self, note: &Note, section: Section, why: Omission) {
        let headline = note.headline().to_owned();
        self.hydration.left_out.push(LeftOut { note: note.id.clone(), headline, section, why });
    }

    fn done(mut self, holdout: Option<Holdout>) -> Hydration {
        self.hydration.taken.sort_by_key(|one| one.section);
        if let Some(at) = holdout.and_then(|holdout| held_out(&self.hydration.taken, holdout)) {
            let Taken { note, section, .. } = self.hydration.taken.remove(at);
            self.leave(&note, section, Omission::Withheld);
            self.hydration.withheld = Some(note.id);
        }
        let taken = &self.hydration.taken;
        // A note may be found for two sections; what is taken for one is not left out, and nothing is so twice.
        let mut seen: HashSet<NoteId> = taken.iter().map(|one| one.note.id.clone()).collect();
        self.hydration.left_out.sort_by_key(|left| left.section);
        self.hydration.left_out.retain(|left| seen.insert(left.note.clone()));
        self.hydration.tokens = Room::used(taken);
        self.hydration
    }
}

/// The place of the note that is left out on purpose, if this is a brief in which one is. What a person has put down
/// is always shown.
fn held_out(taken: &[Taken], holdout: Holdout) -> Option<usize> {
    let may_go: Vec<usize> = taken
        .iter()
        .zip(0..)
        .filter(|(one, _)| one.note.said.origin != Origin::Person)
        .map(|(_, at)| at)
        .collect();
    if may_go.is_empty() || !holdout.applies() {
        return None;
    }
    let which = mixed(holdout.entropy.wrapping_add(1)) % may_go.len() as u64;
    may_go.get(which as usize).copied()
}

impl Holdout {
    /// Whether this is a brief in which something is left out.
    fn applies(self) -> bool {
        (mixed(self.entropy) as f64 / u64::MAX as f64) < self.share
    }
}

/// Spreads numbers that may be near each other evenly.
fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Holdout, mixed};

    #[test]
    fn briefs_are_chosen_as_often_as_they_are_to_be() {
        for share in [0.0, 0.1, 0.5, 1.0] {
            let chosen = (0..10_000).filter(|entropy| is_chosen(*entropy, share)).count();
            assert!((chosen as f64 / 10_000.0 - share).abs() < 0.01, "{chosen} of 10,000 for {share}");
        }
    }

    fn is_chosen(entropy: u64, share: f64) -> bool {
        Holdout { share, entropy }.applies()
    }

    #[test]
    fn numbers_that_are_near_are_spread() {
        let odd = (0..1000).filter(|number| mixed(*number) % 2 == 1).count();
        assert!((400..600).contains(&odd), "{odd}");
    }
}
