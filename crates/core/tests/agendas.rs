//! Runs over backlogs: random backlogs, agents, persons and crashes, and what must hold in every one of them.

#![expect(clippy::unwrap_used, reason = "what a test cannot make, it fails for")]

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::{Strategy, any, prop, proptest};
use ralph_core::agenda::{Agenda, Selection, Source, select};
use ralph_core::backlog::{Backlog, Filter, Item, Order, Status};
use ralph_core::check::Verification;
use ralph_core::control::{Control, ControlNo};
use ralph_core::crew::{Crew, Member};
use ralph_core::event::Event;
use ralph_core::id::{AgentName, RunId, TaskId};
use ralph_core::machine::Judged;
use ralph_core::moment::Moment;
use ralph_core::policy::{Completion, Deadlines, Kind, Limits, OnFailure, Patience, Policy, Promise, Retry};
use ralph_core::promise::{Claim, Word};
use ralph_core::question::QuestionNo;
use ralph_core::report::{AgentExit, Fault, Report, Usage};
use ralph_core::run::{Request, Run, Step};
use ralph_core::sandbox::Sandbox;
use ralph_core::stop::StopReason;
use ralph_core::task::Task;
use ralph_core::verdict::{self, Evidence};
use ralph_core::{Timestamp, brief};

/// What an attempt comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Finish,
    Fail,
    Ask,
    Err,
    /// ralph dies in the middle of it.
    Crash,
    /// ralph dies after the tracker was told, before that is journalled.
    CrashLate,
    Skip,
    StopAndResume,
}

fn id(at: usize) -> TaskId {
    TaskId::parse(&format!("T-{at}")).unwrap()
}

fn start(open: usize, per_task: u32, attended: bool) -> Run {
    let kind = Kind::Backlog { open_tasks: NonZeroU32::new(open as u32).unwrap(), criteria: false };
    let limits = Limits::defaults(kind).with_iterations_per_task(kind, NonZeroU32::new(per_task).unwrap());
    let limits = Limits { max_consecutive_failures: NonZeroU32::new(1000).unwrap(), ..limits };
    let patience = if attended { Patience::For(Duration::from_secs(100)) } else { Patience::default() };
    let promise = Promise { word: Word::parse("DONE").unwrap(), nonce: true };
    let source =
        Source { tracker: "prd".to_owned(), name: "prd.json".to_owned(), file: None, open: open as u32 };
    let request = Request {
        id: RunId::new(moment(0).at, 1),
        task: Task::backlog("all of it"),
        agenda: Some(Agenda::new(source, Filter::default())),
        template: None,
        policy: Policy {
            limits,
            completion: Completion::by_promise(promise),
            verification: Verification::default(),
            deadlines: Deadlines::default(),
            retry: Retry { base: Duration::ZERO, ..Retry::default() },
            patience,
            sandbox: Sandbox::default(),
            on_failure: OnFailure::Keep,
        },
        crew: Crew::new(
            Member::new(AgentName::parse("command").unwrap(), vec!["agent".to_owned()]),
            Vec::new(),
        ),
        seed: 7,
        version: "0.0.0".to_owned(),
        forked_from: None,
    };
    Run::start(request, moment(0))
}

fn moment(seconds: u64) -> Moment {
    let at = Timestamp::from_second(1_800_000_000 + i64::try_from(seconds).unwrap()).unwrap();
    Moment { at, running: Duration::from_secs(seconds / 1000) }
}

/// A tracker, a run and what is durable of it.
struct World {
    items: Vec<Item>,
    run: Run,
    kept: Run,
    journal: Vec<Event>,
    clock: u64,
    controls: u64,
    acts: Vec<Act>,
    done: usize,
    iterations: BTreeMap<TaskId, u32>,
}

impl World {
    fn new(items: Vec<Item>, acts: Vec<Act>, attended: bool) -> World {
        let run = start(items.len(), 3, attended);
        let mut world = World {
            items,
            kept: run.clone(),
            run,
            journal: Vec::new(),
            clock: 0,
            controls: 0,
            acts,
            done: 0,
            iterations: BTreeMap::new(),
        };
        world.commit();
        world
    }

    fn now(&mut self) -> Moment {
        self.clock += 1;
        moment(self.clock)
    }

    fn backlog(&self) -> Backlog {
        Backlog::new(self.items.clone()).unwrap()
    }

    fn set(&mut self, id: &TaskId, status: Status) {
        self.items.iter_mut().find(|item| item.id == *id).unwrap().status = status;
    }

    fn status(&self, id: &TaskId) -> Status {
        self.items.iter().find(|item| item.id == *id).unwrap().status
    }

    /// As the engine does it: durable first, then the tracker is told.
    fn commit(&mut self) {
        self.journal.extend(std::mem::take(&mut self.run.fresh).into_iter().map(|fresh| fresh.event));
        self.kept = serde_json::from_str(&serde_json::to_string(&self.run).unwrap()).unwrap();
        let Some((before, now)) = self.run.to_show() else { return };
        let (before, now) = (before.cloned(), now.cloned());
        if let Some(task) = before.filter(|task| self.status(task) == Status::InProgress) {
            self.set(&task, Status::Open);
        }
        if let Some(task) = &now {
            self.set(task, Status::InProgress);
        }
        self.run.tracker_shows(now);
    }

    fn crash(&mut self) {
        let now = self.now();
        self.run = self.kept.clone();
        self.run.resume(now);
        self.commit();
    }

    fn control(&mut self, control: &Control) {
        self.controls += 1;
        let now = self.now();
        self.run.apply(ControlNo(self.controls), control, now);
    }

    fn act(&mut self) -> Act {
        let act = self.acts.get(self.done).copied().unwrap_or(Act::Finish);
        self.done += 1;
        act
    }

    fn step(&mut self) {
        let now = self.now();
        match self.run.step.clone() {
            Step::Baseline | Step::Abandon(..) | Step::Stop(_) => panic!("{:?}", self.run.step),
            Step::Select => {
                let agenda = self.run.agenda.clone().unwrap();
                let backlog = self.backlog();
                let selection = select(&self.run, &agenda, &backlog, Order::Priority);
                if let Selection::Task { task, .. } = &selection {
                    assert!(backlog.is_ready(&task.id), "{} is not ready", task.id);
                    assert!(!self.run.is_skipped(task), "{} was skipped", task.id);
                }
                self.run.after_select(selection, now);
            }
            Step::Think(attempt) => {
                if attempt.number == 1 {
                    *self.iterations.entry(attempt.task.clone()).or_default() += 1;
                }
                let brief = brief::compose(&self.run, &attempt);
                self.run.after_think(attempt, brief, now);
            }
            Step::Code(attempt, _) => {
                self.commit();
                let working: Vec<&Item> =
                    self.items.iter().filter(|item| item.status == Status::InProgress).collect();
                assert!(
                    working.len() == 1 && working[0].id == attempt.task,
                    "the tracker shows who is at work"
                );
                self.code(attempt, now);
            }
            Step::Verify(attempt, report) => {
                let policy = &self.run.policy;
                let evidence = Evidence::default();
                let verdict = verdict::judge(&policy.completion, &policy.verification, &report, &evidence);
                self.run.after_verify(attempt, &report, Ok(Judged { verdict, evidence }), now);
            }
            Step::Consolidate(attempt, verdict) => {
                if verdict.is_complete() {
                    self.commit();
                    self.set(&attempt.task, Status::Completed);
                    if self.acts.get(self.done) == Some(&Act::CrashLate) {
                        self.done += 1;
                        return self.crash();
                    }
                }
                self.run.after_consolidate(attempt, verdict, false, now);
            }
            Step::Wait(_, then) => {
                self.commit();
                self.clock += 200;
                let now = self.now();
                self.run.after_wait(*then, now);
            }
        }
    }

    fn code(&mut self, attempt: ralph_core::attempt::Attempt, now: Moment) {
        let report = |claim, code| Report {
            exit: AgentExit::Code { code },
            claim,
            signals: std::collections::BTreeSet::new(),
            question: None,
            usage: Usage::default(),
            duration_ms: 1,
            output_bytes: 0,
            tail: String::new(),
            leftovers: 0,
            conversation: None,
        };
        let outcome = match self.act() {
            Act::Finish => Ok(report(Claim::Made { line: 1 }, 0)),
            Act::Fail | Act::CrashLate => Ok(report(Claim::None, 0)),
            Act::Ask => Ok(Report { question: Some("which?".to_owned()), ..report(Claim::None, 0) }),
            Act::Err => Ok(report(Claim::None, 1)),
            Act::Crash => return self.crash(),
            Act::Skip => {
                self.control(&Control::Skip { task: None });
                assert_eq!(self.run.cut_short_by(), Some(Fault::Skipped));
                Err(Fault::Skipped)
            }
            Act::StopAndResume => {
                self.control(&Control::Abort);
                self.run.after_code(attempt, Err(Fault::Aborted), now);
                if let Step::Abandon(_, stop) = self.run.step.clone() {
                    self.run.after_abandon(&stop, now);
                }
                self.commit();
                assert!(self.items.iter().all(|item| item.status != Status::InProgress), "nobody works");
                let now = self.now();
                return self.run.resume(now);
            }
        };
        self.run.after_code(attempt, outcome, now);
    }

    fn go(&mut self) -> StopReason {
        for _ in 0..10_000 {
            if let Some(stop) = self.run.stop() {
                let reason = stop.reason;
                self.commit();
                return reason;
            }
            self.step();
        }
        panic!("it goes on for ever: {:?}", self.run.step);
    }
}

fn items(count: usize, arrows: &[(usize, usize)]) -> Vec<Item> {
    let mut items: Vec<Item> = (0..count).map(|at| Item::new(id(at), format!("task {at}"))).collect();
    for (from, to) in arrows {
        items[from % count].depends_on.push(id(to % count));
    }
    items
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = (0_u8..16).prop_map(|dice| match dice {
        0..7 => Act::Finish,
        7..10 => Act::Fail,
        10 => Act::Ask,
        11 => Act::Err,
        12 => Act::Crash,
        13 => Act::CrashLate,
        14 => Act::Skip,
        _ => Act::StopAndResume,
    });
    prop::collection::vec(act, 0..60)
}

proptest! {
    #[test]
    fn in_every_world_a_backlog_is_gone_through_in_order_and_accounted_for(
        count in 1_usize..12,
        arrows in prop::collection::vec((any::<usize>(), any::<usize>()), 0..12),
        acts in acts(),
        attended in any::<bool>(),
    ) {
        let mut world = World::new(items(count, &arrows), acts, attended);
        let reason = world.go();
        let completed: BTreeSet<TaskId> = world.items.iter()
            .filter(|item| item.status == Status::Completed).map(|item| item.id.clone()).collect();
        let told: Vec<&TaskId> = world.journal.iter().filter_map(|event| match event {
            Event::TaskCompleted { task, .. } => Some(task),
            _ => None,
        }).collect();
        assert_eq!(told.len(), completed.len(), "every completion is journalled once");
        assert!(told.iter().all(|task| completed.contains(*task)));
        assert!(world.items.iter().all(|item| item.status != Status::InProgress), "nobody works any more");
        for (task, iterations) in &world.iterations {
            assert!(*iterations <= 3, "{task} had {iterations} iterations");
        }
        let left: Vec<&Item> = world.items.iter().filter(|item| item.status != Status::Completed).collect();
        match reason {
            StopReason::Completed => assert!(left.is_empty()),
            StopReason::TasksUndone | StopReason::MaxIterations => assert!(!left.is_empty()),
            StopReason::NoTasks => assert!(world.iterations.is_empty()),
            other => panic!("{other:?}"),
        }
        if reason == StopReason::TasksUndone {
            let evidence = &world.run.stop().unwrap().evidence;
            for item in left {
                assert!(evidence.contains(item.id.as_str()), "{} is not accounted for: {evidence}", item.id);
            }
        }
    }
}

#[test]
fn a_task_that_waits_for_an_answer_lets_the_others_go_on_and_is_taken_up_with_it() {
    let mut world = World::new(items(2, &[]), vec![Act::Ask], true);
    while world.done < 1 {
        world.step();
    }
    while !matches!(world.run.step, Step::Code(..)) {
        world.step();
    }
    assert_eq!(world.run.task.id, id(1), "the other goes on");
    world.control(&Control::Answer { question: QuestionNo(1), text: "this one".to_owned() });
    assert_eq!(world.go(), StopReason::Completed);
    assert_eq!(world.iterations[&id(0)], 2);
}

#[test]
fn a_person_who_names_a_task_skips_it_before_its_turn() {
    let mut world = World::new(items(3, &[(2, 1)]), Vec::new(), false);
    world.control(&Control::Skip { task: Some(id(1)) });
    assert_eq!(world.go(), StopReason::TasksUndone);
    assert_eq!(world.iterations.keys().collect::<Vec<_>>(), [&id(0)]);
    let evidence = &world.run.stop().unwrap().evidence;
    assert!(evidence.contains("T-1 was skipped") && evidence.contains("T-2 waits for T-1"), "{evidence}");
}

#[test]
fn all_tasks_on_the_last_allowed_iteration_is_success() {
    let mut world = World::new(items(3, &[]), Vec::new(), false);
    world.run.policy.limits.max_iterations = NonZeroU32::new(3);
    assert_eq!(world.go(), StopReason::Completed);
    let mut world = World::new(items(3, &[]), Vec::new(), false);
    world.run.policy.limits.max_iterations = NonZeroU32::new(2);
    assert_eq!(world.go(), StopReason::MaxIterations);
}
