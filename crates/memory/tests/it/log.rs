//! Notes follow the log.

use proptest::prelude::{Strategy, prop, proptest};
use proptest::test_runner::Config;
use ralph_core::note::{Evidence, MemoryEvent};
use ralph_memory::{ANALYSIS, Query, catch_up, compare, rebuild};
use ralph_store::conformance::wait;
use ralph_store::{Batch, Indexed, Notes as _};

use super::{Memory, draft};

#[test]
fn what_is_superseded_or_forgotten_is_not_found() {
    let memory = Memory::new();
    let first = memory.say("the build needs nightly");
    let mut second = draft("the build needs stable only");
    second.supersedes.push(first.clone());
    let second = memory.put(second);
    assert_eq!(memory.find("what does the build need"), ["the build needs stable only"]);
    let kept = wait(memory.store.note(&first)).unwrap().unwrap();
    assert!(!kept.is_active() && !kept.is_valid_at(memory.now()), "it is kept, and was true until then");
    memory.happens(MemoryEvent::Forgotten { note: second.clone() });
    assert_eq!(memory.find("what does the build need"), [""; 0]);
    assert_eq!(wait(memory.store.note(&second)).unwrap(), None);
}

#[test]
fn no_secret_is_put_down() {
    let memory = Memory::new();
    let mut one = draft("the token is hunter2hunter2");
    one.title = "hunter2hunter2".to_owned();
    one.tags.push("hunter2hunter2".to_owned());
    let id = memory.put(one);
    for line in wait(memory.store.memory_history(&id)).unwrap() {
        assert!(!format!("{line:?}").contains("hunter2"), "{line:?}");
    }
}

#[test]
fn other_rules_make_all_notes_again() {
    let memory = Memory::new();
    memory.say("the build needs nightly");
    assert_eq!(memory.find("build").len(), 1);
    wait(memory.store.clear_notes(ANALYSIS + 1)).unwrap();
    assert_eq!(memory.find("build"), ["the build needs nightly"]);
    assert_eq!(wait(memory.store.memory_state()).unwrap().analysis, ANALYSIS);
}

#[test]
fn notes_that_their_words_no_longer_find_are_not_what_the_log_comes_to() {
    let memory = Memory::new();
    memory.say("the build needs nightly");
    assert_eq!(memory.find("build").len(), 1);
    assert!(wait(compare(&memory.store)).unwrap().is_same());
    let state = wait(memory.store.memory_state()).unwrap();
    let (_, note) = wait(memory.store.newest_notes(None, 1)).unwrap().remove(0);
    let unfound = Indexed { note, words: Vec::new(), facets: Vec::new(), marks: 0 };
    let (from, through) = (state.through, state.through);
    let batch = Batch { from, through, analysis: ANALYSIS, changed: vec![unfound], gone: Vec::new() };
    assert!(wait(memory.store.write_notes(batch)).unwrap());
    assert_eq!(memory.find("build"), [""; 0]);
    assert!(!wait(compare(&memory.store)).unwrap().is_same());
    assert!(!wait(rebuild(&memory.store)).unwrap().is_same());
    assert!(wait(compare(&memory.store)).unwrap().is_same());
    assert_eq!(memory.find("build"), ["the build needs nightly"]);
}

#[derive(Debug, Clone)]
enum Happening {
    Say(usize),
    Confirm(usize),
    Supersede(usize, usize),
    Forget(usize),
    Look,
}

const TEXTS: [&str; 4] =
    ["the cache is warm", "caches are cleared at night", "which cache is warm?", "warm starts are faster"];

fn happening() -> impl Strategy<Value = Happening> {
    proptest::prop_oneof![
        4 => (0..TEXTS.len()).prop_map(Happening::Say),
        1 => (0_usize..8).prop_map(Happening::Confirm),
        1 => (0_usize..8, 0_usize..8).prop_map(|(a, b)| Happening::Supersede(a, b)),
        1 => (0_usize..8).prop_map(Happening::Forget),
        2 => proptest::prelude::Just(Happening::Look),
    ]
}

proptest! {
    #![proptest_config(Config::with_cases(32))]
    #[test]
    fn it_does_not_matter_when_notes_are_made(happenings in prop::collection::vec(happening(), 1..24)) {
        let memory = Memory::new();
        let mut ids = Vec::new();
        for happening in happenings {
            match happening {
                Happening::Say(text) => ids.push(memory.say(TEXTS[text])),
                Happening::Confirm(at) if at < ids.len() => {
                    let note = ids[at].clone();
                    memory.happens(MemoryEvent::Confirmed { note, evidence: Evidence::TestsPassed });
                }
                Happening::Supersede(at, by) if at < ids.len() && by < ids.len() && at != by => {
                    let (note, by) = (ids[at].clone(), ids[by].clone());
                    memory.happens(MemoryEvent::Superseded { note, by, why: "so".into(), valid_to: None });
                }
                Happening::Forget(at) if at < ids.len() => {
                    memory.happens(MemoryEvent::Forgotten { note: ids[at].clone() });
                }
                Happening::Look => wait(catch_up(&memory.store)).unwrap(),
                Happening::Confirm(_) | Happening::Supersede(..) | Happening::Forget(_) => {}
            }
        }
        let look = || -> Vec<_> {
            let found = memory.ask(&Query::new("is the cache warm"));
            found.into_iter().map(|one| (one.note, one.score.to_bits())).collect()
        };
        let as_it_came = look();
        assert!(wait(compare(&memory.store)).unwrap().is_same());
        wait(memory.store.clear_notes(ANALYSIS)).unwrap();
        assert_eq!(look(), as_it_came);
    }
}
