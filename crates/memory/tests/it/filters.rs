//! Which notes are found at all.

use ralph_core::id::{RunId, TaskId};
use ralph_core::note::{Kind, KindName, MemoryEvent, Observation, Scope};
use ralph_memory::{Intent, Query, Visible, staged};
use ralph_store::conformance::wait;

use super::{Memory, contents, draft};

fn task(name: &str) -> TaskId {
    TaskId::parse(name).unwrap()
}

#[test]
fn what_a_task_has_staged_is_seen_by_it_alone_until_it_is_promoted() {
    let memory = Memory::new();
    let mut own = draft("the parser is lazy");
    own.scope = Scope::Task { task: task("T-1") };
    let id = memory.put(own);
    let seen = |visible: Visible| memory.ask(&Query { visible, ..Query::new("lazy parser") }).len();
    let all = || {
        [
            Visible::Shared,
            Visible::Task(task("T-1")),
            Visible::Task(task("T-2")),
            Visible::Only(Scope::Project),
            Visible::Everything,
        ]
        .map(seen)
    };
    assert_eq!(all(), [0, 1, 0, 0, 1]);
    assert_eq!(wait(staged(&memory.store, &task("T-1"))).unwrap().len(), 1);
    memory.happens(MemoryEvent::Promoted { note: id, to: Scope::Project });
    assert_eq!(all(), [1, 1, 1, 1, 1]);
    assert_eq!(wait(staged(&memory.store, &task("T-1"))).unwrap(), []);
}

#[test]
fn what_was_superseded_is_not_found_beside_its_neighbours_either() {
    let memory = Memory::new();
    let of_run = |content: &str| {
        let mut one = draft(content);
        one.source.run = RunId::parse("06a1b2c3d4e5").ok();
        one
    };
    let old = memory.put(of_run("the exporter listens on 9000"));
    let new = memory.put(of_run("the exporter moved to 9100"));
    memory.put(of_run("rotate the logs by night"));
    assert_eq!(memory.find("rotate logs").len(), 3, "neighbours are found");
    let why = "it moved".to_owned();
    memory.happens(MemoryEvent::Superseded { note: old, by: new, why, valid_to: None });
    assert_eq!(memory.find("rotate logs").len(), 2);
}

#[test]
fn kinds_intents_and_files_let_only_theirs_through() {
    let memory = Memory::new();
    let kinds = [
        Kind::Skill,
        Kind::Gotcha { triggers: vec!["two servers".to_owned()], terminal: None },
        Kind::Observation(Observation::Decision { rationale: "it is simpler".to_owned() }),
        Kind::Failure { approach: "a bigger pool".to_owned(), diff: None, errors: vec!["E1".to_owned()] },
    ];
    for (kind, file) in kinds.into_iter().zip(["a.rs", "b.rs", "c.rs", "d.rs"]) {
        let mut one = draft("connections of the pool");
        one.kind = kind;
        one.files.push(file.to_owned());
        memory.put(one);
    }
    let found = |query: Query| -> Vec<KindName> {
        let mut kinds: Vec<_> = memory.ask(&query).iter().map(|one| one.note.said.kind.name()).collect();
        kinds.sort_unstable();
        kinds
    };
    let query = || Query::new("pool of connections");
    assert_eq!(found(query()).len(), 4);
    assert_eq!(found(Query { kinds: vec![KindName::Skill], ..query() }), [KindName::Skill]);
    assert_eq!(found(Query { intent: Some(Intent::HowTo), ..query() }), [KindName::Skill]);
    assert_eq!(
        found(Query { intent: Some(Intent::WhatFailed), ..query() }),
        [KindName::Gotcha, KindName::Failure]
    );
    let both = Query { intent: Some(Intent::Why), kinds: vec![KindName::Gotcha], ..query() };
    assert_eq!(found(both), [KindName::Gotcha]);
    assert_eq!(found(Query { intent: Some(Intent::HowTo), kinds: vec![KindName::Failure], ..query() }), []);
    assert_eq!(found(Query { files: vec!["c.rs".to_owned()], ..query() }), [KindName::Decision]);
    assert_eq!(found(Query { files: vec!["none.rs".to_owned()], ..query() }), []);
}

#[test]
fn time_is_a_condition() {
    let memory = Memory::new();
    memory.say("the first build took an hour");
    let between = memory.now();
    memory.say("the second build took a minute");
    let found = |query: Query| contents(memory.ask(&query));
    let query = || Query::new("build took");
    assert_eq!(found(Query { until: Some(between), ..query() }), ["the first build took an hour"]);
    let since = between + jiff::SignedDuration::from_secs(1);
    assert_eq!(found(Query { since: Some(since), ..query() }), ["the second build took a minute"]);
}

#[test]
fn what_nothing_says_is_not_found() {
    let memory = Memory::new();
    memory.say("the first build took an hour");
    assert_eq!(memory.find("zebra"), [""; 0]);
    assert_eq!(memory.find("the of and"), [""; 0]);
}
