//! A tracker, an agent, a person and a run.

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
use ralph_core::report::{AgentExit, Fault, Report, Usage};
use ralph_core::run::{Request, Run, Step};
use ralph_core::sandbox::Sandbox;
use ralph_core::stop::StopReason;
use ralph_core::task::Task;
use ralph_core::verdict::{self, Evidence};
use ralph_core::{Timestamp, brief};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

/// What an attempt comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
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

pub(crate) fn id(at: usize) -> TaskId {
    TaskId::parse(&format!("T-{at}")).unwrap()
}

pub(crate) fn start(open: usize, per_task: u32, attended: bool) -> Run {
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
        in_session: None,
        forked_from: None,
    };
    Run::start(request, moment(0))
}

pub(crate) fn moment(seconds: u64) -> Moment {
    let at = Timestamp::from_second(1_800_000_000 + i64::try_from(seconds).unwrap()).unwrap();
    Moment { at, running: Duration::from_secs(seconds / 1000) }
}

/// A tracker, a run and what is durable of it.
pub(crate) struct World {
    pub(crate) items: Vec<Item>,
    pub(crate) run: Run,
    pub(crate) kept: Run,
    pub(crate) journal: Vec<Event>,
    pub(crate) clock: u64,
    pub(crate) controls: u64,
    pub(crate) acts: Vec<Act>,
    pub(crate) done: usize,
    pub(crate) iterations: BTreeMap<TaskId, u32>,
}

impl World {
    pub(crate) fn new(items: Vec<Item>, acts: Vec<Act>, attended: bool) -> World {
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

    pub(crate) fn now(&mut self) -> Moment {
        self.clock += 1;
        moment(self.clock)
    }

    pub(crate) fn backlog(&self) -> Backlog {
        Backlog::new(self.items.clone()).unwrap()
    }

    pub(crate) fn set(&mut self, id: &TaskId, status: Status) {
        self.items.iter_mut().find(|item| item.id == *id).unwrap().status = status;
    }

    pub(crate) fn status(&self, id: &TaskId) -> Status {
        self.items.iter().find(|item| item.id == *id).unwrap().status
    }

    /// As the engine does it: durable first, then the tracker is told.
    pub(crate) fn commit(&mut self) {
        self.run.will_show();
        self.journal.extend(std::mem::take(&mut self.run.fresh).into_iter().map(|fresh| fresh.event));
        self.kept = serde_json::from_str(&serde_json::to_string(&self.run).unwrap()).unwrap();
        for task in self.run.no_longer_shown() {
            if self.status(&task) == Status::InProgress {
                self.set(&task, Status::Open);
            }
        }
        if let Some(task) = self.run.at_hand().cloned() {
            self.set(&task, Status::InProgress);
        }
        self.run.tracker_told();
    }

    pub(crate) fn crash(&mut self) {
        let now = self.now();
        self.run = self.kept.clone();
        self.run.resume(now);
        self.commit();
    }

    pub(crate) fn control(&mut self, control: &Control) {
        self.controls += 1;
        let now = self.now();
        self.run.apply(ControlNo(self.controls), control, now);
    }

    pub(crate) fn act(&mut self) -> Act {
        let act = self.acts.get(self.done).copied().unwrap_or(Act::Finish);
        self.done += 1;
        act
    }

    pub(crate) fn step(&mut self) {
        let now = self.now();
        match self.run.step.clone() {
            Step::Baseline | Step::Abandon(..) | Step::Stop(_) => panic!("{:?}", self.run.step),
            Step::Select => {
                let agenda = self.run.agenda.clone().unwrap();
                let backlog = self.backlog();
                let selection = select(&self.run, &agenda, &backlog, Order::Priority, false);
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

    pub(crate) fn code(&mut self, attempt: ralph_core::attempt::Attempt, now: Moment) {
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
            ran: Vec::new(),
            stated: String::new(),
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

    pub(crate) fn go(&mut self) -> StopReason {
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

pub(crate) fn items(count: usize, arrows: &[(usize, usize)]) -> Vec<Item> {
    let mut items: Vec<Item> = (0..count).map(|at| Item::new(id(at), format!("task {at}"))).collect();
    for (from, to) in arrows {
        items[from % count].depends_on.push(id(to % count));
    }
    items
}
