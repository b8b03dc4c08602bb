//! Takes in what an attempt has shown: its notes, and what the checks say about those that the task had already.

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Draft, Evidence, KindName, MemoryEvent, Note, Origin};
use ralph_core::redact::Redactor;
use ralph_store::{Notes, StoreError};

use crate::anchors::Now;
use crate::capture::{Witnessed, captured, outcome};
use crate::derive::of_attempt;
use crate::quota::Quota;
use crate::remember::{redact, remember};
use crate::staged::staged;
use crate::stated::{APPROACH, stated};

/// Puts down what an attempt was worth and tells the ids of it. All of it is appended at once and has ids that follow from
/// the attempt, so doing it again, after a crash or not, changes nothing.
pub async fn learn(
    store: &impl Notes,
    seen: &Witnessed<'_>,
    redactor: &Redactor,
    at: Timestamp,
) -> Result<Vec<NoteId>, StoreError> {
    let known = staged(store, seen.task).await?;
    let id = |draft: &Draft| of_attempt(seen.run, seen.task, seen.iteration, draft);
    let (learned, mut events) = news(store, &known, drafts(seen, &known, redactor), id).await?;
    events.extend(weighed(store, seen, &known, &events).await?);
    if !events.is_empty() {
        remember(store, events, redactor, at).await?;
    }
    Ok(learned)
}

/// The ids of all that the task has of these afterwards, and what is to be appended for it: what it does not have yet.
pub(crate) async fn news(
    store: &impl Notes,
    known: &[Note],
    drafts: Vec<Draft>,
    id: impl Fn(&Draft) -> NoteId,
) -> Result<(Vec<NoteId>, Vec<MemoryEvent>), StoreError> {
    let mut learned = Vec::new();
    let mut events = Vec::new();
    let mut news: Vec<Draft> = Vec::new();
    for draft in drafts {
        let id = id(&draft);
        let is_there = !store.memory_history(&id).await?.is_empty();
        if is_there {
            learned.push(id);
            continue;
        }
        let says_the_same = |said: &Draft| says_the_same(said, &draft);
        if known.iter().any(|note| says_the_same(&note.said)) || news.iter().any(says_the_same) {
            continue;
        }
        news.push(draft.clone());
        events.push(MemoryEvent::Observed { note: id.clone(), draft: Box::new(draft) });
        learned.push(id);
    }
    Ok((learned, events))
}

/// Without secrets already, so that they can be compared with what was put down before.
fn drafts(seen: &Witnessed<'_>, known: &[Note], redactor: &Redactor) -> Vec<Draft> {
    let captured = captured(seen);
    // What was tried and failed is a failure already.
    let has_failed = captured.iter().any(|draft| draft.kind.name() == KindName::Failure);
    let is_said_already = |draft: &Draft| has_failed && draft.tags.iter().any(|tag| tag == APPROACH);
    let stated = stated(seen.stated).into_iter().filter(|draft| !is_said_already(draft));
    let quota = Quota::of(known, seen.run, seen.iteration);
    let all = captured.into_iter().chain(stated.map(|draft| seen.stated(draft)));
    let (mut kept, refused) = within(quota, known, all, redactor);
    kept.extend(outcome(seen).map(|mut outcome| {
        if refused > 0 {
            outcome.content += &format!("\n{refused} notes were more than an attempt may leave");
        }
        redact(&mut outcome, redactor);
        outcome
    }));
    kept
}

/// What there is room for, without secrets, and how many there is none for.
pub(crate) fn within(
    mut quota: Quota,
    known: &[Note],
    drafts: impl Iterator<Item = Draft>,
    redactor: &Redactor,
) -> (Vec<Draft>, usize) {
    let mut kept: Vec<Draft> = Vec::new();
    let mut refused = 0;
    for mut draft in drafts {
        redact(&mut draft, redactor);
        // What is there already takes up no more room.
        let is_known = known.iter().any(|note| says_the_same(&note.said, &draft));
        if is_known || quota.take(draft.origin) {
            kept.push(draft);
        } else {
            refused += 1;
        }
    }
    (kept, refused)
}

fn says_the_same(one: &Draft, other: &Draft) -> bool {
    one.kind.name() == other.kind.name() && one.title == other.title && one.content == other.content
}

/// What the checks say about the notes of the task. It is said together with the attempt's outcome, and so once.
async fn weighed(
    store: &impl Notes,
    seen: &Witnessed<'_>,
    known: &[Note],
    events: &[MemoryEvent],
) -> Result<Vec<MemoryEvent>, StoreError> {
    let Some(outcome) = outcome(seen) else { return Ok(Vec::new()) };
    let id = of_attempt(seen.run, seen.task, seen.iteration, &outcome);
    if !store.memory_history(&id).await?.is_empty() {
        return Ok(Vec::new());
    }
    let new = events.iter().filter_map(|event| match event {
        MemoryEvent::Observed { note, draft } => Some((note, &**draft, false)),
        MemoryEvent::Confirmed { .. }
        | MemoryEvent::Doubted { .. }
        | MemoryEvent::Used { .. }
        | MemoryEvent::Withheld { .. }
        | MemoryEvent::Anchored { .. }
        | MemoryEvent::Superseded { .. }
        | MemoryEvent::Promoted { .. }
        | MemoryEvent::Forgotten { .. } => None,
    });
    let all = known.iter().map(|note| (&note.id, &note.said, note.stale)).chain(new);
    let now = Now::of(seen.anchors);
    let mut weighed = Vec::new();
    for (note, said, is_stale) in all.filter(|(_, said, _)| is_weighed(said)) {
        let has_changed = said.origin == Origin::Agent && now.changed(&said.anchors).is_some();
        if seen.passed() && has_changed {
            // That checks pass now says nothing for what was said of the code as it was before.
            let doubted = MemoryEvent::Doubted { note: note.clone(), evidence: Evidence::Changed };
            weighed.extend((!is_stale).then_some(doubted));
        } else if seen.passed() {
            weighed.push(MemoryEvent::Confirmed { note: note.clone(), evidence: Evidence::TestsPassed });
            let anchors = now.changed(&said.anchors);
            weighed.extend(anchors.map(|anchors| MemoryEvent::Anchored { note: note.clone(), anchors }));
        } else if seen.failed() && said.origin == Origin::Agent {
            // What ralph has seen itself, and what a person says, is no less so because the work is not done.
            weighed.push(MemoryEvent::Doubted { note: note.clone(), evidence: Evidence::TestsFailed });
        }
    }
    Ok(weighed)
}

/// That an approach failed stays so, and how an attempt came out is not a claim.
fn is_weighed(said: &Draft) -> bool {
    match said.kind.name() {
        KindName::Failure | KindName::ToolUse => false,
        KindName::Discovery
        | KindName::Decision
        | KindName::Command
        | KindName::Skill
        | KindName::Pattern
        | KindName::Gotcha => true,
    }
}
