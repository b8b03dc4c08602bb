//! A run in the middle of its work, and one that has just begun.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::attempt::Attempt;
use ralph_core::backlog::{Item, Priority, Status};
use ralph_core::check::{Check, Command, Criterion, Verification};
use ralph_core::crew::{Crew, Member};
use ralph_core::id::{AgentName, RunId, TaskId};
use ralph_core::moment::Moment;
use ralph_core::policy::{Completion, Deadlines, Kind, Limits, OnFailure, Patience, Policy, Promise, Retry};
use ralph_core::promise::Word;
use ralph_core::run::{Handover, Request, Run, Tried};
use ralph_core::sandbox::Sandbox;
use ralph_core::task::Task;
use ralph_templates::{Origin, Prd, Surroundings, Template, TemplateError, Vars};
use serde_json::json;

pub(crate) const WORD: &str = "DONE-7f3a";

pub(crate) fn compile(text: &str) -> Result<Template, TemplateError> {
    Template::compile(Origin::Given(PathBuf::from("own.hbs")), text)
}

pub(crate) fn rendered(text: &str, vars: &Vars) -> String {
    let template = compile(text).unwrap();
    template.render(vars).unwrap().text
}

pub(crate) fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|one| (*one).to_owned()).collect()
}

fn at() -> Timestamp {
    "2026-02-03T04:05:06.789Z".parse().unwrap()
}

fn policy() -> Policy {
    let mut limits = Limits::defaults(Kind::Prompt);
    limits.max_iterations = NonZeroU32::new(10);
    let promise = Promise { word: Word::parse("DONE").unwrap(), nonce: true };
    Policy {
        limits,
        completion: Completion::by_promise(promise),
        verification: Verification::default(),
        deadlines: Deadlines::default(),
        retry: Retry::default(),
        patience: Patience::default(),
        sandbox: Sandbox::default(),
        on_failure: OnFailure::Keep,
    }
}

fn start(task: Task, policy: Policy) -> Run {
    let agent = Member::new(AgentName::parse("claude").unwrap(), texts(&["claude"]));
    let crew = Crew::new(agent.with(Some("sonnet".to_owned()), None), Vec::new());
    let (id, version) = (RunId::new(at(), 1), "0.0.0".to_owned());
    let request = Request {
        id,
        task,
        policy,
        crew,
        seed: 7,
        version,
        agenda: None,
        template: None,
        in_session: None,
        forked_from: None,
    };
    Run::start(request, Moment { at: at(), running: Duration::ZERO })
}

pub(crate) fn attempt(run: &Run, iteration: u32) -> Attempt {
    Attempt {
        iteration,
        number: 1,
        task: run.task.id.clone(),
        agent: AgentName::parse("claude").unwrap(),
        promise: Word::parse(WORD).unwrap(),
    }
}

/// The first iteration of a prompt of which nothing is known.
pub(crate) fn minimal() -> Vars {
    let run = start(Task::prompt("make it work"), policy());
    Vars::of(&run, &attempt(&run, 1), &Surroundings::new("/project", at()))
}

pub(crate) fn item() -> Item {
    let mut item = Item::new(id("US-7"), "Log in with a <token> & \"key\"");
    item.status = Status::InProgress;
    item.priority = Priority::nearest(1);
    item.description = "As a user I want in.\n\n```rust\nlogin();\n```".to_owned();
    item.acceptance_criteria = texts(&["a form", "a test"]);
    item.labels = texts(&["ui", "auth"]);
    item.depends_on = vec![id("US-1"), id("US-2")];
    item.blocks = vec![id("US-9")];
    item.parent = Some(id("E-1"));
    let metadata = [
        ("notes", json!("mind the cookie")),
        ("type", json!("feature")),
        ("assignee", json!("ada")),
        ("created_at", json!("2026-01-01")),
        ("estimate", json!(3)),
        ("links", json!(["a", "b"])),
    ];
    item.metadata = metadata.map(|(key, value)| (key.to_owned(), value)).into();
    item
}

pub(crate) fn surroundings(item: Item) -> Surroundings {
    let mut epic = Item::new(id("E-1"), "Accounts");
    epic.description = "Who is who.".to_owned();
    Surroundings {
        tracker: Some("prd".to_owned()),
        item: Some(item),
        epic: Some(epic),
        prd: Some(Prd {
            name: "Shop".to_owned(),
            description: "A shop for hats.".to_owned(),
            content: "# Shop\n\n````\nhats\n````".to_owned(),
            completed: 2,
            total: 9,
        }),
        recent_progress: "US-2: the schema is there.".to_owned(),
        codebase_patterns: "- errors are enums".to_owned(),
        selection_reason: "4 tasks wait for it".to_owned(),
        beads_db: "/project/.beads/beads.db".to_owned(),
        auto_commit: true,
        memory: "Hats are one size.".to_owned(),
        gotchas: "The cookie is dropped on redirects.".to_owned(),
        symbols: "fn login, called by main".to_owned(),
        ..Surroundings::new("/project", at())
    }
}

/// The third iteration of a task with checks, after two that failed, with everything that can be known.
pub(crate) fn full_run() -> Run {
    let mut policy = policy();
    policy.verification.checks.push(Check {
        name: "tests".to_owned(),
        criterion: Criterion::TestPass,
        command: Command::Shell("cargo test".to_owned()),
        dir: None,
        env: std::collections::BTreeMap::new(),
        timeout: Duration::from_secs(60),
        defined_in: Vec::new(),
    });
    let mut run = start(item().to_task(), policy);
    let tried = |iteration, findings: &[&str], tail: &str| Tried {
        iteration,
        attempt: 1,
        outcome: "1 of 12 tests fails".to_owned(),
        findings: texts(findings),
        output_tail: tail.to_owned(),
    };
    let findings =
        ["`cargo test`: 1 of 12 fails", "login::works: expected 200", "suggestion: look at the cookie"];
    run.tried = vec![tried(1, &["nothing"], ""), tried(2, &findings, "test login ... FAILED\n```\n")];
    run.steering = texts(&["Keep the old route.", "No new dependencies."]);
    let from = AgentName::parse("codex").unwrap();
    run.handover = Some(Handover { from, why: "it is at its limit".to_owned() });
    run
}

pub(crate) fn full() -> Vars {
    let run = full_run();
    let mut vars = Vars::of(&run, &attempt(&run, 3), &surroundings(item()));
    vars.dead_ends =
        "# You are going in circles\n\n- iteration 1: changed src/login.rs; 1 failing".to_owned();
    vars.answers = "# You asked\n\n> Which port?\n\nThe answer: 8080".to_owned();
    vars
}
