//! Random worlds: agent outcomes × faults × controls × limits, thousands of whole runs of the pure machine, with
//! crashes at any point. What must hold in every one of them is asserted; what must happen in some is counted.

#![expect(clippy::unwrap_used, reason = "a world that cannot be built is a broken test")]

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::agenda::Selection;
use ralph_core::brief;
use ralph_core::check::{Check, CheckExit, CheckResult, Command, Criterion, Failing, Verification};
use ralph_core::choice::ChosenBy;
use ralph_core::control::{Change, Control, ControlNo};
use ralph_core::crew::{Conversation, Crew, Member, Sessions};
use ralph_core::event::{Ending, Entry, Event, Occasion};
use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_core::machine::Judged;
use ralph_core::moment::Moment;
use ralph_core::policy::{
    Completion, Cost, Deadlines, Kind, Limits, OnError, OnFailure, Patience, Policy, Promise, Retry, Signal,
};
use ralph_core::progress::{Sketch, Standing};
use ralph_core::promise::{Claim, Word};
use ralph_core::put_back::{Extent, ForkedFrom, PutBack, Restored, Why};
use ralph_core::question::QuestionNo;
use ralph_core::report::{AgentExit, Fault, Report, Response, Usage};
use ralph_core::route::{Condition, Route, Span, Trouble};
use ralph_core::run::{Fresh, Pace, Request, Run, Step, Until};
use ralph_core::sandbox::Sandbox;
use ralph_core::stop::{RunState, StopReason};
use ralph_core::task::Task;
use ralph_core::verdict::{self, Evidence};
use ralph_core::view::RunView;

const WORLDS: u64 = 12_000;

/// The tree that a forked run begins with.
const FORKED: u64 = 77;

#[test]
fn in_every_world_the_run_stops_within_its_limits_and_counts_nothing_twice() {
    let mut seen = BTreeMap::new();
    for seed in 0..WORLDS {
        let world = World::live(seed);
        world.check(seed);
        let assumed =
            |entry: &Entry| matches!(entry.event, Event::QuestionAssumed { assumption: Some(_), .. });
        if world.journal.iter().any(assumed) {
            seen.insert("assumption".to_owned(), 1);
        }
        for what in world.happened {
            *seen.entry(what).or_insert(0_u32) += 1;
        }
    }
    println!("{WORLDS} worlds");
    for (what, times) in &seen {
        println!("{times:>8}  {what}");
    }
    let missing: Vec<_> = MUST_HAPPEN.iter().filter(|what| !seen.contains_key(**what)).collect();
    assert!(missing.is_empty(), "never happened in {WORLDS} worlds: {missing:?}");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for seed in 0..500 {
        let (one, other) = (World::live(seed), World::live(seed));
        assert_eq!(one.journal, other.journal, "seed {seed}");
        assert_eq!(one.run, other.run, "seed {seed}");
    }
}

const MUST_HAPPEN: [&str; 66] = [
    "pause during the first checks",
    "checks run again",
    "put back torn",
    "put back failed",
    "put back forked",
    "tree kept by a person",
    "tree put back by a person",
    "tree put back in mid-attempt",
    "no vault",
    "stop no_progress",
    "stop circular",
    "checks passed",
    "baseline green",
    "question",
    "question waited out",
    "control answer",
    "assumption",
    "control set_agent",
    "control set_model",
    "control set_effort",
    "stop tasks_undone",
    "task skipped",
    "a route chose",
    "a person chose",
    "exit overloaded",
    "a conversation went on",
    "exit limited",
    "exit unauthenticated",
    "stop agents_exhausted",
    "stop authentication",
    "probe answered",
    "probe in vain",
    "stood still",
    "stop completed",
    "stop consecutive_failures",
    "stop max_iterations",
    "stop max_duration",
    "stop budget",
    "stop no_tasks",
    "stop stopped",
    "stop aborted",
    "stop disk",
    "control pause",
    "control resume",
    "control stop",
    "control abort",
    "control set_iterations",
    "control steer",
    "control twice",
    "control after the end",
    "fault aborted",
    "fault time_up",
    "fault interrupted",
    "fault guard_lost",
    "fault storage",
    "exit code",
    "exit signal",
    "exit not_started",
    "exit silence_timeout",
    "exit start_timeout",
    "exit total_timeout",
    "crash",
    "crash during code",
    "resume after stop",
    "clock turned back",
    "rewound to the gate",
];

struct World {
    dice: Dice,
    run: Run,
    /// What a crash leaves: the last committed run.
    committed: Run,
    gate: Option<Run>,
    journal: Vec<Entry>,
    at: Timestamp,
    running: Duration,
    controls: u64,
    waiting: Vec<(ControlNo, Control)>,
    happened: Vec<String>,
    resumes_left: u32,
    /// What the tree holds; a number of its own for every state.
    tree: u64,
    /// What it must hold when the next attempt begins, after one that was cut short.
    wanted: Option<u64>,
    origin: Option<u64>,
}

impl World {
    fn live(seed: u64) -> World {
        let mut dice = Dice(seed);
        let at = Timestamp::from_second(1_800_000_000).unwrap();
        let request = Request {
            id: RunId::new(at, seed),
            task: Task::prompt("make it work"),
            policy: policy(&mut dice),
            crew: crew(&mut dice),
            seed,
            version: "0.0.0".to_owned(),
            agenda: None,
            template: None,
            in_session: None,
            forked_from: dice.one_in(10).then(|| ForkedFrom {
                run: RunId::new(at, seed + 1),
                iteration: 3,
                snapshot: FORKED.to_string(),
                head: None,
            }),
        };
        let run = Run::start(request, Moment { at, running: Duration::ZERO });
        let mut world = World {
            committed: run.clone(),
            run,
            dice,
            gate: None,
            journal: Vec::new(),
            at,
            running: Duration::ZERO,
            controls: 0,
            waiting: Vec::new(),
            happened: Vec::new(),
            resumes_left: 3,
            tree: 0,
            wanted: None,
            origin: None,
        };
        world.wanted = world.run.owed.as_ref().map(|_| FORKED);
        world.commit();
        for _ in 0..20_000 {
            if !world.turn() {
                return world;
            }
        }
        panic!("world {seed} never ends: {:?}", world.run.step);
    }

    /// One step of the run, or a crash instead. False when the run is over for good.
    fn turn(&mut self) -> bool {
        self.pass_time(0, 2_000);
        if self.dice.one_in(12) {
            self.ask();
        }
        if self.dice.one_in(25) {
            self.crash();
        }
        if self.run.stop().is_none() {
            self.put_back();
        }
        match self.run.step.clone() {
            Step::Baseline if self.run.pace != Pace::Going => {
                self.run.after_wait(Step::Baseline, self.now());
            }
            Step::Baseline => {
                self.remember_gate();
                if !self.commit() {
                    return true;
                }
                let outcome = self.checked();
                assert_eq!(self.run.step, Step::Baseline, "nothing takes the place of what is under way");
                self.keep(Occasion::End);
                if self.run.pace == Pace::Pausing {
                    self.happened.push("pause during the first checks".to_owned());
                }
                if outcome.as_ref().is_ok_and(Evidence::all_pass) {
                    self.happened.push("baseline green".to_owned());
                }
                self.run.after_baseline(outcome, BTreeMap::new(), self.now());
            }
            Step::Select => {
                self.remember_gate();
                let task = self.run.task.clone();
                if self.run.to_probe(&task, self.now()).is_some() {
                    let answered = self.dice.one_in(2);
                    self.run.after_probe(&task, answered, self.now());
                    self.happened.push(format!("probe {}", if answered { "answered" } else { "in vain" }));
                }
                let selection = match self.dice.one_in(400) {
                    true => Selection::Nothing(Vec::new()),
                    false => Selection::prompt(self.run.task.clone()),
                };
                self.run.after_select(selection, self.now());
            }
            Step::Think(attempt) => {
                assert_eq!(attempt.agent, self.run.crew.at_work().agent, "who works is who is told of");
                self.remember_gate();
                let brief = brief::compose(&self.run, &attempt);
                self.run.after_think(attempt, brief, self.now());
            }
            Step::Code(attempt, _) => {
                self.keep(Occasion::Begin);
                if !self.commit() {
                    return true;
                }
                assert!(self.wanted.take().is_none_or(|wanted| wanted == self.tree), "begun on a torn tree");
                let begun = self.run.begun_from.as_ref().map(|_| self.tree);
                self.tree = self.dice.roll();
                if self.dice.one_in(20) {
                    self.happened.push("crash during code".to_owned());
                    self.wanted = begun;
                    self.crash();
                    return true;
                }
                if self.dice.one_in(300) {
                    let now = self.now();
                    self.run.fail(StopReason::Disk, "no space left", now);
                    self.happened.push("fault storage".to_owned());
                    self.wanted = begun;
                    return true;
                }
                let outcome = self.work();
                if matches!(outcome, Err(Fault::Aborted | Fault::GuardLost)) {
                    self.wanted = begun;
                }
                self.run.after_code(attempt, outcome, self.now());
            }
            Step::Verify(attempt, report) => {
                let outcome = self.checked().map(|evidence| {
                    let policy = &self.run.policy;
                    let verdict =
                        verdict::judge(&policy.completion, &policy.verification, &report, &evidence);
                    Judged { verdict, evidence }
                });
                self.run.after_verify(attempt, &report, outcome, self.now());
                if matches!(self.run.step, Step::Verify(..)) {
                    self.happened.push("checks run again".to_owned());
                }
            }
            Step::Consolidate(attempt, verdict) => {
                let attended = self.dice.one_in(2);
                self.run.after_consolidate(attempt, verdict, attended, self.now());
            }
            Step::Wait(until, then) => {
                if !self.commit() {
                    return true;
                }
                self.wait(until, *then);
            }
            Step::Abandon(_, stop) => self.run.after_abandon(&stop, self.now()),
            Step::Stop(stop) => {
                if !self.commit() {
                    return true;
                }
                self.happened.push(format!("stop {}", name(&stop.reason)));
                let is_lost = stop.reason.state() == RunState::Failed && !stop.reason.is_resumable();
                let is_restored = is_lost && self.run.policy.on_failure == OnFailure::Restore;
                let before = self.tree;
                self.put_back();
                let left = self.origin.filter(|_| is_restored).unwrap_or(before);
                assert_eq!(self.tree, left, "only a run that failed for good is put back");
                return self.go_on_after(stop.reason);
            }
        }
        true
    }

    fn wait(&mut self, until: Until, then: Step) {
        match until {
            Until::Time { from, to } => {
                assert!(to >= from);
                if self.dice.one_in(50) {
                    self.happened.push("clock turned back".to_owned());
                    self.at = self.at.checked_sub(Duration::from_secs(3_600)).unwrap();
                }
                self.pass_time(0, 5_000);
                self.run.after_wait(then, self.now());
            }
            Until::Reset { to, .. } => {
                self.at = to;
                self.happened.push("stood still".to_owned());
                self.run.after_wait(then, self.now());
            }
            Until::Answer { to, question, .. } => {
                if self.dice.one_in(2) {
                    self.request(Control::Answer { question, text: "the first".to_owned() });
                    return self.look();
                }
                self.at = to;
                self.happened.push("question waited out".to_owned());
                self.run.after_wait(then, self.now());
            }
            Until::Told => {
                let control = if self.dice.one_in(4) { Control::Stop } else { Control::Resume };
                self.request(control);
                self.look();
            }
        }
    }

    fn go_on_after(&mut self, reason: StopReason) -> bool {
        if self.dice.one_in(5) {
            self.request(Control::Stop);
            self.look();
            while !self.commit() {}
            self.happened.push("control after the end".to_owned());
        }
        if !reason.is_resumable() || self.resumes_left == 0 {
            return false;
        }
        self.happened.push("resume after stop".to_owned());
        self.resume();
        true
    }

    /// What the agent does, cut short by what a person asks meanwhile and by the run's own time.
    fn work(&mut self) -> Result<Report, Fault> {
        if self.dice.one_in(6) {
            self.ask();
            self.look();
        }
        if self.run.crew.at_work().conversation.is_some() {
            self.happened.push("a conversation went on".to_owned());
        }
        let takes = Duration::from_millis(self.dice.below(40_000));
        if self.run.pace == Pace::Aborting {
            return self.lost(Fault::Aborted);
        }
        if let Some(left) = self.run.time_left(self.running).filter(|left| *left <= takes) {
            self.advance(left);
            return self.lost(Fault::TimeUp);
        }
        self.advance(takes);
        if self.dice.one_in(40) {
            return self.lost(Fault::GuardLost);
        }
        let exit = self.exit();
        self.happened.push(format!("exit {}", name_of_exit(&exit)));
        let claim = if self.dice.one_in(15) { Claim::Made { line: 1 } } else { Claim::None };
        let question = self.dice.one_in(10).then(|| "Which one?".to_owned());
        if question.is_some() {
            self.happened.push("question".to_owned());
        }
        let tail = if self.dice.one_in(4) { "Assumption: the first" } else { "output" };
        let usage = Usage {
            input_tokens: self.dice.below(500),
            cached_tokens: 0,
            output_tokens: self.dice.below(500),
            cost: Cost(self.dice.below(1_000)),
            cost_is_estimated: self.dice.one_in(2),
        };
        Ok(Report {
            exit,
            claim,
            signals: std::collections::BTreeSet::new(),
            question,
            usage,
            duration_ms: 1,
            output_bytes: 0,
            tail: tail.to_owned(),
            leftovers: 0,
            conversation: self.dice.one_in(2).then(|| Box::new(conversation(self.journal.len()))),
            ran: Vec::new(),
            stated: String::new(),
        })
    }

    /// What the checks find, unless they are cut short.
    fn checked(&mut self) -> Result<Evidence, Fault> {
        if self.run.policy.verification.checks.is_empty() {
            return Ok(Evidence::default());
        }
        if self.dice.one_in(12) {
            self.ask();
            self.look();
        }
        if self.run.pace == Pace::Aborting {
            return Err(Fault::Aborted);
        }
        if self.dice.one_in(6) {
            return Err(Fault::GuardLost);
        }
        Ok(self.evidence())
    }

    /// A small world: few trees, few changes, few ways to fail.
    fn evidence(&mut self) -> Evidence {
        if self.run.policy.verification.checks.is_empty() {
            return Evidence::default();
        }
        let passed = self.dice.one_in(12);
        if passed {
            self.happened.push("checks passed".to_owned());
        }
        let failing = match self.dice.below(3) {
            _ if passed => Failing::default(),
            which => Failing { count: 1 + which, digest: which.to_string() },
        };
        let piece = self.dice.below(4);
        let standing = Standing { tree: piece.to_string(), commit: None, failing: failing.clone() };
        let pieces = if self.dice.one_in(3) { Vec::new() } else { vec![piece] };
        Evidence {
            checks: vec![CheckResult {
                name: "test_pass".to_owned(),
                criterion: Criterion::TestPass,
                command: "make test".to_owned(),
                exit: CheckExit::Code { code: i32::from(!passed) },
                passed,
                counts: None,
                tests: None,
                failures: Vec::new(),
                failing,
                duration_ms: 1,
                tail: String::new(),
            }],
            standing: Some(standing),
            sketch: Sketch { pieces, files: vec!["file".to_owned()] },
            ..Evidence::default()
        }
    }

    fn lost(&mut self, fault: Fault) -> Result<Report, Fault> {
        self.happened.push(format!("fault {}", name(&fault)));
        Err(fault)
    }

    fn exit(&mut self) -> AgentExit {
        match self.dice.below(20) {
            0 | 1 => AgentExit::Code { code: 1 },
            2 => AgentExit::Signal { signal: 9 },
            3 => AgentExit::NotStarted { why: "no such file".to_owned() },
            4 => AgentExit::SilenceTimeout,
            5 => AgentExit::TotalTimeout,
            6 => AgentExit::StartTimeout,
            7 | 8 => {
                let reset = self.dice.one_in(2).then(|| {
                    let seconds = i64::try_from(self.dice.below(9_000)).unwrap() - 100;
                    Timestamp::from_second(self.at.as_second() + seconds).unwrap()
                });
                AgentExit::Limited { what: "usage limit".to_owned(), reset }
            }
            10 if self.dice.one_in(4) => AgentExit::Overloaded { what: "529".to_owned() },
            9 if self.dice.one_in(20) => {
                AgentExit::Unauthenticated { what: "no key".to_owned(), next: "log in".to_owned() }
            }
            _ => AgentExit::Code { code: 0 },
        }
    }

    /// A person asks for something; sometimes twice.
    fn ask(&mut self) {
        let control = match self.dice.below(19) {
            0..=3 => Control::Pause,
            4..=6 => Control::Resume,
            7 => Control::Stop,
            8 => Control::Abort,
            9..=11 => Control::SetIterations { change: Change::By(self.dice.below(5) as i32 - 2) },
            12 => Control::SetModel { model: format!("m{}", self.dice.below(3)) },
            13 => Control::SetEffort { effort: format!("e{}", self.dice.below(3)) },
            14 | 15 => {
                let name = ["first", "second", "guest", "other"][self.dice.below(4) as usize];
                Control::SetAgent { agent: AgentName::parse(name).unwrap() }
            }
            16 => {
                let question = QuestionNo(1 + self.dice.below(4) as u32);
                Control::Answer { question, text: "neither".to_owned() }
            }
            _ => Control::Steer { text: "mind the tests".to_owned() },
        };
        if self.dice.one_in(5) {
            self.happened.push("control twice".to_owned());
            self.request(control.clone());
        }
        self.request(control);
    }

    fn request(&mut self, control: Control) {
        self.happened.push(format!("control {}", tag(&control)));
        self.controls += 1;
        self.waiting.push((ControlNo(self.controls), control));
    }

    fn look(&mut self) {
        let now = self.now();
        for (no, control) in self.waiting.clone() {
            self.run.apply(no, &control, now);
        }
    }

    /// As the engine commits: controls that are waiting come first, and send the run back to the gate.
    fn commit(&mut self) -> bool {
        let unseen = self.waiting.iter().any(|(no, _)| *no > self.run.controls_seen);
        if unseen {
            let rewound = self.gate.take();
            if let Some(gate) = rewound {
                self.run = gate;
                self.happened.push("rewound to the gate".to_owned());
            }
            self.look();
            return false;
        }
        let fresh = std::mem::take(&mut self.run.fresh);
        for Fresh { at, event } in fresh {
            match &event {
                Event::TaskSkipped { .. } => self.happened.push("task skipped".to_owned()),
                Event::AgentChosen { by: ChosenBy::Route { .. }, .. } => {
                    self.happened.push("a route chose".to_owned());
                }
                Event::AgentChosen { by: ChosenBy::Person, .. } => {
                    self.happened.push("a person chose".to_owned());
                }
                _ => {}
            }
            self.journal.push(Entry { seq: self.journal.len() as u64 + 1, at, event });
        }
        self.waiting.retain(|(no, _)| *no > self.run.controls_seen);
        self.gate = None;
        self.origin = self.origin.or(self.run.origin.as_ref().map(|tree| tree.parse().unwrap()));
        self.committed = self.run.clone();
        true
    }

    fn remember_gate(&mut self) {
        if self.gate.is_none() {
            self.gate = Some(self.run.clone());
        }
    }

    /// `kill -9`, and a resume that finds only what was committed, as it was written.
    fn crash(&mut self) {
        self.happened.push("crash".to_owned());
        let written = serde_json::to_string(&self.committed).unwrap();
        self.run = serde_json::from_str(&written).unwrap();
        assert_eq!(self.run, self.committed, "a run survives being written");
        self.gate = None;
        self.look();
        if self.run.is_unfinished() {
            self.resume();
        }
    }

    /// Sometimes there is nowhere to keep it.
    fn keep(&mut self, occasion: Occasion) {
        if self.dice.one_in(10) {
            return self.happened.push("no vault".to_owned());
        }
        self.run.kept(&self.tree.to_string(), None, occasion);
    }

    fn put_back(&mut self) {
        let Some(owed) = self.run.to_put_back().cloned() else { return };
        if self.dice.one_in(10) {
            // It was put back, and the crash came before that could be written.
            self.tree = owed.snapshot.parse().unwrap();
            return self.crash();
        }
        let undo = self.tree.to_string();
        self.tree = owed.snapshot.parse().unwrap();
        self.happened.push(format!("put back {}", name(&owed.why)));
        let restored = Restored { undo, changed: 1, files: vec!["file".to_owned()], head: None };
        self.run.after_put_back(Some(restored), self.now());
        while !self.commit() {}
    }

    fn resume(&mut self) {
        self.resumes_left = self.resumes_left.saturating_sub(1);
        if self.dice.one_in(6) {
            self.roll_back();
        }
        if matches!(self.run.step, Step::Code(..)) {
            self.happened.push("fault interrupted".to_owned());
        }
        let now = self.now();
        self.run.resume(now);
        if self.dice.one_in(6) && self.wanted.is_some() {
            self.happened.push("tree kept by a person".to_owned());
            self.run.leave_tree();
            self.wanted = Some(self.tree);
        }
        while !self.commit() {}
    }

    /// A person puts the tree back while nobody drives the run: all of it, a part, or nothing that was not so already.
    fn roll_back(&mut self) {
        if matches!(self.run.step, Step::Code(..) | Step::Verify(..)) {
            self.happened.push("tree put back in mid-attempt".to_owned());
        }
        let undo = self.tree.to_string();
        let extent = if self.dice.one_in(3) { Extent::Part } else { Extent::Whole };
        if extent == Extent::Whole {
            self.happened.push("tree put back by a person".to_owned());
            self.tree = self.dice.roll();
            self.wanted = Some(self.tree);
        }
        let done = PutBack { snapshot: self.tree.to_string(), iteration: None, why: Why::Asked, head: None };
        let restored = Restored { undo, changed: 1, files: Vec::new(), head: None };
        let done = (!self.dice.one_in(4)).then_some((done, restored));
        self.run.rolled_back(extent, done, self.now());
        assert!(!matches!(self.run.step, Step::Verify(..) | Step::Consolidate(..)), "judged what is gone");
    }

    fn now(&self) -> Moment {
        Moment { at: self.at, running: self.running }
    }

    fn pass_time(&mut self, from: u64, to: u64) {
        let millis = from + self.dice.below(to - from);
        self.advance(Duration::from_millis(millis));
    }

    fn advance(&mut self, by: Duration) {
        self.at = self.at.checked_add(by).unwrap();
        self.running += by;
    }

    fn check(&self, seed: u64) {
        let mut audit = Audit::default();
        for (index, entry) in self.journal.iter().enumerate() {
            assert_eq!(entry.seq, index as u64 + 1, "seed {seed}");
            audit.take(&entry.event, seed);
        }
        assert_eq!(audit.open, None, "seed {seed}: stopped with an attempt half-done");
        assert!(audit.stopped, "seed {seed}: no stop in the journal");
        let view = RunView::of(&self.journal).unwrap();
        let tally = self.run.tally;
        assert_eq!(
            (view.iteration, view.attempts, view.usage, view.max_iterations),
            (
                tally.iterations,
                tally.attempts_total,
                tally.usage,
                self.run.policy.limits.max_iterations.map(Into::into)
            ),
            "seed {seed}: the view and the run disagree"
        );
        assert_eq!(
            view.questions,
            self.run.inbox.questions(),
            "seed {seed}: the view and the inbox disagree"
        );
        assert_eq!(
            view.stop_reason.as_deref(),
            self.run.stop().map(|stop| stop.reason.name()),
            "seed {seed}"
        );
    }
}

/// Reads a journal as a suspicious person would.
#[derive(Default)]
struct Audit {
    max: Option<u32>,
    iteration: u32,
    open: Option<(u32, u32)>,
    begun: BTreeSet<(u32, u32)>,
    cancelled: bool,
    paused: bool,
    stopped: bool,
    failures: u32,
    max_failures: u32,
    /// Whether the last attempt ended as it should.
    clean: bool,
}

impl Audit {
    fn take(&mut self, event: &Event, seed: u64) {
        match event {
            Event::RunStarted(started) => {
                self.max = started.limits.max_iterations;
                self.max_failures = started.limits.max_consecutive_failures;
            }
            Event::RunResumed {} => (self.cancelled, self.paused, self.stopped) = (false, false, false),
            Event::Paused {} => self.paused = true,
            Event::Unpaused {} => self.paused = false,
            Event::IterationStarted { iteration, .. } => {
                assert!(!self.cancelled, "seed {seed}: iteration {iteration} began after a cancel");
                assert!(!self.paused, "seed {seed}: iteration {iteration} began in a pause");
                assert_eq!(*iteration, self.iteration + 1, "seed {seed}: iterations skip or repeat");
                assert!(self.max.is_none_or(|max| *iteration <= max), "seed {seed}: over max_iterations");
                self.iteration = *iteration;
            }
            Event::AttemptStarted { iteration, attempt, .. } => {
                assert!(!self.stopped, "seed {seed}: an attempt after the stop");
                assert_eq!(self.open, None, "seed {seed}: two attempts at once");
                assert!(self.failures < self.max_failures, "seed {seed}: over max_consecutive_failures");
                assert!(self.begun.insert((*iteration, *attempt)), "seed {seed}: an attempt twice");
                self.open = Some((*iteration, *attempt));
            }
            Event::AttemptEnded { iteration, attempt, ending } => {
                assert_eq!(self.open, Some((*iteration, *attempt)), "seed {seed}: ended what was not open");
                self.open = None;
                self.clean = false;
                match ending {
                    Ending::Reported(report) if report.exit.is_clean() => self.clean = true,
                    Ending::Reported(report) if !matches!(report.exit.response(), Response::Retry(_)) => {}
                    Ending::Reported(_) | Ending::Lost(Fault::GuardLost) => self.failures += 1,
                    Ending::Lost(_) => {}
                }
            }
            Event::Notice { text } if text.starts_with(&Fault::GuardLost.to_string()) => {
                // The error of an agent whose claim may still count is counted once its work is judged.
                let most = self.max_failures + u32::from(!self.clean);
                assert!(self.failures < most, "seed {seed}: checks cut short too often");
                self.failures += 1;
            }
            Event::Baseline { .. } => self.failures = 0,
            Event::Verdict { .. } if self.clean => self.failures = 0,
            Event::ControlApplied { control: Control::Stop | Control::Abort, .. } => self.cancelled = true,
            Event::ControlApplied { control: Control::SetIterations { change }, changed: true, .. } => {
                self.max = self.max.map(|max| change.applied(NonZeroU32::new(max).unwrap()).get());
            }
            Event::RunStopped { .. } => {
                assert!(!self.stopped, "seed {seed}: stopped twice");
                assert_eq!(self.open, None, "seed {seed}: stopped with an attempt half-done");
                self.stopped = true;
            }
            _ => {}
        }
    }
}

fn crew(dice: &mut Dice) -> Crew {
    let member = |name: &str| Member::new(AgentName::parse(name).unwrap(), Vec::new());
    let fallback = ["second", "third"].iter().take(dice.below(3) as usize).map(|name| member(name)).collect();
    let route = |from: u32, agent: Option<&str>, model: Option<&str>| Route {
        when: vec![Condition::Iteration(Span { from, to: None })],
        agent: agent.map(|name| AgentName::parse(name).unwrap()),
        model: model.map(str::to_owned),
        effort: None,
    };
    let routes =
        [route(6, Some("second"), None), route(4, Some("guest"), None), route(2, None, Some("large"))];
    let other = Route {
        when: vec![Condition::Trouble(vec![if dice.one_in(2) {
            Trouble::NoProgress
        } else {
            Trouble::Circular
        }])],
        ..route(1, Some("rescuer"), None)
    };
    let routes = routes.into_iter().chain([other]).filter(|_| dice.one_in(3)).collect();
    let sessions = if dice.one_in(2) { Sessions::Continue } else { Sessions::Fresh };
    Crew::new(member("first"), fallback).with(routes, sessions)
}

fn policy(dice: &mut Dice) -> Policy {
    let mut limits = Limits::defaults(Kind::Prompt);
    limits.max_iterations = NonZeroU32::new(1 + dice.below(12) as u32);
    limits.max_consecutive_failures = NonZeroU32::new(1 + dice.below(5) as u32).unwrap();
    limits.max_duration = dice.one_in(3).then(|| Duration::from_secs(1 + dice.below(200)));
    limits.max_tokens = dice.one_in(4).then(|| NonZeroU64::new(1 + dice.below(5_000)).unwrap());
    limits.max_cost = dice.one_in(4).then(|| Cost(1 + dice.below(5_000)));
    limits.iteration_delay = Duration::from_millis(if dice.one_in(2) { 0 } else { dice.below(3_000) });
    if dice.one_in(10) {
        limits.max_iterations = None;
        limits.max_duration = Some(Duration::from_secs(1 + dice.below(500)));
    }
    let promise = Promise { word: Word::parse("DONE").unwrap(), nonce: !dice.one_in(4) };
    let mut completion = Completion::by_promise(promise);
    let mut verification = Verification::default();
    if dice.one_in(3) {
        limits.max_no_progress = NonZeroU32::new(1 + dice.below(3) as u32);
        limits.max_circular = NonZeroU32::new(1 + dice.below(2) as u32);
        completion.require = BTreeSet::from([Signal::Criteria]);
        verification.checks = vec![Check {
            name: "test_pass".to_owned(),
            criterion: Criterion::TestPass,
            command: Command::Shell("make test".to_owned()),
            dir: None,
            env: BTreeMap::new(),
            timeout: Duration::from_secs(60),
            defined_in: Vec::new(),
        }];
    }
    Policy {
        limits,
        completion,
        verification,
        deadlines: Deadlines::default(),
        retry: Retry { on_error: on_error(dice), ..Retry::default() },
        patience: if dice.one_in(3) { Patience::For(Duration::from_secs(60)) } else { Patience::default() },
        sandbox: Sandbox::default(),
        on_failure: if dice.one_in(3) { OnFailure::Restore } else { OnFailure::Keep },
    }
}

fn on_error(dice: &mut Dice) -> OnError {
    match dice.below(5) {
        0 => OnError::Skip,
        1 => OnError::Abort,
        _ => OnError::Retry,
    }
}

fn conversation(number: usize) -> Conversation {
    let id = SessionId::parse(&format!("s{number}")).unwrap();
    Conversation::new(id, Usage::default())
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

fn name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

fn name_of_exit(exit: &AgentExit) -> String {
    serde_json::to_value(exit).unwrap()["kind"].as_str().unwrap().to_owned()
}

fn tag(control: &Control) -> String {
    serde_json::to_value(control).unwrap()["control"].as_str().unwrap().to_owned()
}
