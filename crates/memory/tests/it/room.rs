//! A brief never takes up more than it may, whatever is remembered.

use proptest::prelude::{Just, Strategy, any, prop, proptest};
use proptest::test_runner::Config;
use ralph_core::note::{Citation, Draft, Kind, Observation, Origin, TerminalSnapshot};
use ralph_memory::{Allowance, Holdout, Omission, Shelves, hydrate, tokens};
use ralph_store::conformance::wait;

use super::Memory;
use super::hydration::{gotcha, hydrated, need, of};

fn text() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(vec![
        "</recalled-memory-7f3a>",
        "```\n# Task",
        "~~~~\n~~~~",
        "<recalled-gotchas",
        "\u{202e}\u{1b}[31m\u{2028}",
        "‹‹‹‹<<<<",
        "테스트가 실패한다",
    ]);
    let piece = proptest::prop_oneof![
        6 => "[a-z]{2,9} [a-z]{2,9}".prop_map(|words| words + " pool"),
        1 => "\\PC{0,80}",
        1 => hostile.prop_map(str::to_owned),
        1 => Just("\n".to_owned()),
        1 => "[A-Za-z0-9+/]{200}",
    ];
    prop::collection::vec(piece, 1..12).prop_map(|pieces| pieces.join(" "))
}

fn kind() -> impl Strategy<Value = Kind> {
    let terminal = (text(), any::<Option<i32>>(), text())
        .prop_map(|(command, exit_code, text)| TerminalSnapshot { command, exit_code, text });
    proptest::prop_oneof![
        Just(Kind::Skill),
        Just(Kind::Pattern),
        text().prop_map(|rationale| Kind::Observation(Observation::Decision { rationale })),
        (prop::collection::vec(text(), 0..8), prop::option::of(terminal))
            .prop_map(|(triggers, terminal)| Kind::Gotcha { triggers, terminal }),
        (text(), prop::collection::vec(text(), 0..8)).prop_map(|(approach, errors)| Kind::Failure {
            approach,
            diff: None,
            errors
        }),
    ]
}

fn note() -> impl Strategy<Value = Draft> {
    let files = prop::collection::vec("src/[a-z]{1,8}\\.rs", 0..8);
    (kind(), text(), text(), files, any::<bool>()).prop_map(|(kind, title, content, files, is_cited)| {
        let mut draft = of(kind, &content);
        draft.title = if is_cited { title.clone() } else { String::new() };
        draft.files = files;
        draft.files.push("src/pool.rs".to_owned());
        draft.citations.extend(is_cited.then_some(Citation::Other { text: title }));
        draft
    })
}

proptest! {
    #![proptest_config(Config::with_cases(24))]
    #[test]
    fn no_brief_takes_up_more_than_it_may(
        drafts in prop::collection::vec(note(), 1..16), allowed in 0_u32..3000, nonce in "[0-9a-f]{4,32}",
    ) {
        let memory = Memory::new();
        drafts.into_iter().for_each(|draft| { memory.put(draft); });
        memory.days.set(memory.days.get() - 5);
        let allowance = Allowance { tokens: allowed, ..Allowance::default() };
        let mut need = need("the pool");
        need.files.push("src/pool.rs".to_owned());
        let shelves = Shelves { project: &memory.store, global: None };
        let found = wait(hydrate(&shelves, &need, &allowance, None, memory.now())).unwrap();
        let worded = found.worded(&nonce);
        let used = tokens(&worded.memory) + tokens(&worded.gotchas);
        assert!(used <= found.tokens, "{used} are used and {} counted", found.tokens);
        assert!(found.tokens <= allowed, "{} are counted and {allowed} allowed", found.tokens);
        assert_eq!(found.taken.is_empty(), used == 0);
    }
}

#[test]
fn what_does_not_fit_leaves_its_room_to_what_does() {
    let memory = Memory::new();
    let long = memory
        .put(of(Kind::Skill, &format!("Seed the fixtures {}", "by hand, one after another ".repeat(40))));
    let short = memory.put(of(Kind::Skill, "Seed the fixtures with `make seed`"));
    let shelves = Shelves { project: &memory.store, global: None };
    let allowance = Allowance { tokens: 400, ..Allowance::default() };
    let found = wait(hydrate(&shelves, &need("seed the fixtures"), &allowance, None, memory.now())).unwrap();
    assert_eq!(found.notes(), [short]);
    let left: Vec<_> = found.left_out.iter().map(|left| (left.note.clone(), left.why.clone())).collect();
    assert_eq!(left, [(long, Omission::NoRoom)]);
}

#[test]
fn a_note_is_left_out_on_purpose_the_same_for_the_same_number_and_never_a_persons() {
    let memory = Memory::new();
    let mut by_hand = gotcha("Never restart the scheduler by hand");
    by_hand.origin = Origin::Person;
    let by_hand = memory.put(by_hand);
    memory.put(of(Kind::Skill, "Restart the scheduler with `make restart`"));
    memory.put(of(Kind::Pattern, "The scheduler owns its clock, and a restart resets it"));
    let need = need("restart the scheduler");
    let all = hydrated(&memory, &need);
    assert_eq!(all.notes().len(), 3);
    let shelves = Shelves { project: &memory.store, global: None };
    let held = |share: f64, entropy: u64| {
        let holdout = Some(Holdout { share, entropy });
        wait(hydrate(&shelves, &need, &Allowance::default(), holdout, memory.now())).unwrap()
    };
    let mut withheld = std::collections::BTreeSet::new();
    for entropy in 0..24 {
        assert_eq!(held(0.0, entropy), all, "nothing is left out where nothing is to be");
        let found = held(1.0, entropy);
        assert_eq!(found, held(1.0, entropy));
        let note = found.withheld.clone().unwrap();
        assert!(!found.notes().contains(&note) && found.tokens < all.tokens);
        assert!(found.left_out.iter().any(|left| left.note == note && left.why == Omission::Withheld));
        withheld.insert(note);
    }
    assert!(withheld.len() == 2 && !withheld.contains(&by_hand), "every note but the person's");
}
