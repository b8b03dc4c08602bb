//! The drafting of a backlog: an agent is asked, its answer is checked, and it is told what is wrong.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ralph_agents::Staff;
use ralph_core::backlog::{Backlog, Finding, Item, Severity, Status, review};
use ralph_core::brief::Brief;
use ralph_core::crew::Crew;
use ralph_core::draft::{CORRECTIONS, Drafting, Reply, compose, read};
use ralph_core::judge::Judging;
use ralph_core::question::only_asks;
use ralph_engine::agent::{Agent, Roster};
use ralph_engine::environment::Variables;
use ralph_engine::output::printable;
use ralph_engine::{Consulted, Place, chain, consult};
use ralph_trackers::{Context, Overwrite, Prd, Tracker, create};

use crate::backlog::tracker_problem;
use crate::conversation::{Conversation, say};
use crate::perform::bare_guard;
use crate::preflight::refusal;
use crate::problem::{self, Problem, Problems};
use crate::project::block_on;
use crate::words::counted;

/// Whom to ask, and where what it says is kept.
pub(crate) struct Desk {
    agent: Arc<dyn Agent>,
    root: PathBuf,
    environment: Variables,
    patience: Duration,
    /// Below the project's state: the brief, the last answer, the last draft.
    dir: PathBuf,
}

/// A backlog that can be worked on.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) context: Context,
    pub(crate) items: Vec<Item>,
    /// What could be better.
    pub(crate) findings: Vec<Finding>,
}

/// What an answer is worth.
enum Judged {
    Good(Draft),
    /// It could be written as it is, and could be better.
    Passable(Draft),
    Bad(Vec<String>),
}

impl Desk {
    pub(crate) fn open(
        place: &Place,
        staff: &Staff,
        crew: &Crew,
        environment: Variables,
        patience: Duration,
    ) -> Result<Desk, Problems> {
        let member = crew.judge(&Judging::default());
        let agent = staff.judge(&member).map_err(|why| {
            Problem::new(format!("agent `{}` cannot be asked: {why}", member.agent))
                .next("`ralph agents` shows what is there; or check --agent-command")
        })?;
        let dir = place.state.join("drafts");
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&dir);
        made.map_err(|error| {
            Problem::new(format!("cannot make this directory: {error}"))
                .at(problem::Place::from(dir.clone()))
                .exit(1)
        })?;
        Ok(Desk { agent, root: place.root.clone(), environment, patience, dir })
    }

    /// Asks until the draft is good, or can be written and the agent was told often enough.
    pub(crate) fn draft(&self, conversation: &mut Conversation<'_>) -> Result<Draft, Problems> {
        let (mut findings, mut before): (Vec<String>, Option<String>) = (Vec::new(), None);
        let mut passable = None;
        let mut corrections = 0;
        loop {
            let (said, brief) = self.ask(conversation, before.as_deref(), &findings)?;
            let judged = match reply(&said, &brief, conversation.may_ask()) {
                Ok(Reply::Questions(questions)) if conversation.may_ask() => {
                    conversation.put(questions)?;
                    continue;
                }
                Ok(Reply::Questions(_)) => Judged::Bad(vec![
                    "nobody is there to answer questions: decide, and say what you assumed".to_owned(),
                ]),
                Ok(Reply::Backlog(text)) => {
                    let judged = self.judge(&text)?;
                    before = Some(text);
                    judged
                }
                // The same draft once more: what was wrong with it still is.
                Err(_) if before.as_deref().is_some_and(|draft| said.message.contains(draft)) => {
                    Judged::Bad(findings.clone())
                }
                Err(what) => Judged::Bad(vec![what]),
            };
            findings = match judged {
                Judged::Good(draft) => return Ok(draft),
                Judged::Passable(draft) => {
                    let told = draft.findings.iter().map(told).collect();
                    passable = Some(draft);
                    told
                }
                Judged::Bad(findings) => findings,
            };
            if corrections == CORRECTIONS {
                return passable.ok_or_else(|| self.gave_up(&findings).into());
            }
            corrections += 1;
            say(&format!("its draft is not right yet: {}", counted(findings.len() as u64, "finding")));
        }
    }

    /// What it says, and the brief that it says it to.
    fn ask(
        &self,
        conversation: &mut Conversation<'_>,
        draft: Option<&str>,
        findings: &[String],
    ) -> Result<(Consulted, Brief), Problems> {
        conversation.count_asking(self.agent.name().as_str());
        let drafting = Drafting {
            description: conversation.description(),
            turns: conversation.turns(),
            may_ask: conversation.may_ask(),
            draft,
            findings,
        };
        let brief = Brief { text: conversation.redact(&printable(&compose(&drafting).text)) };
        let file = self.dir.join("brief.md");
        store(&file, &brief.text)?;
        let place = (self.environment.clone(), self.root.clone());
        let consulted =
            block_on(consult(&*self.agent, bare_guard("draft")?, place, (&brief, &file), self.patience));
        let mut said = consulted.map_err(|error| Problem::new(chain(&error)).exit(1))?;
        said.message = conversation.redact(&said.message);
        store(&self.answer(), &said.message)?;
        if let Some(problem) = refusal(&said.answer, self.agent.name()) {
            return Err(problem.next(format!("what it said is in {}", self.answer().display())).into());
        }
        Ok((said, brief))
    }

    /// Whether the backlog can be read and worked on, as `ralph prd check` has it.
    fn judge(&self, text: &str) -> Result<Judged, Problems> {
        let file = self.keep(text)?;
        let mut tracker = Prd::new(file, self.dir.clone());
        let (backlog, context) = match tracker.load().and_then(|backlog| Ok((backlog, tracker.context()?))) {
            Ok(loaded) => loaded,
            Err(error) => return Ok(Judged::Bad(vec![format!("error: {error}; {}", error.hint())])),
        };
        let mut items = backlog.into_items();
        if items.is_empty() {
            return Ok(Judged::Bad(vec!["error: there are no tasks in it".to_owned()]));
        }
        // Nothing of it has been done yet, whatever the agent says; and what is done is not looked at.
        items.iter_mut().for_each(|item| item.status = Status::Open);
        let findings = match Backlog::new(items.clone()) {
            Ok(backlog) => review(&backlog),
            Err(duplicate) => return Ok(Judged::Bad(vec![format!("error: {duplicate}")])),
        };
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            return Ok(Judged::Bad(findings.iter().map(told).collect()));
        }
        let is_good = findings.is_empty();
        let draft = Draft { context, items, findings };
        Ok(if is_good { Judged::Good(draft) } else { Judged::Passable(draft) })
    }

    /// Keeps a draft, and says where.
    pub(crate) fn keep(&self, text: &str) -> Result<PathBuf, Problems> {
        let file = self.dir.join("prd.json");
        store(&file, text)?;
        Ok(file)
    }

    fn answer(&self) -> PathBuf {
        self.dir.join("answer.md")
    }

    fn gave_up(&self, findings: &[String]) -> Problem {
        let name = self.agent.name();
        let what = format!("the draft of `{name}` is not right, and it was told {CORRECTIONS} times");
        let mut problem = Problem::new(what).exit(1);
        for finding in findings.iter().take(5) {
            problem = problem.next(format!("it has: {finding}"));
        }
        problem
            .next(format!("its last answer is in {}", self.answer().display()))
            .next("say more in the description, or ask another agent")
    }
}

fn told(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    format!("{severity}: {}; {}", finding.what, finding.next)
}

/// An agent may ask in its own way, or in plain words.
fn reply(said: &Consulted, brief: &Brief, may_ask: bool) -> Result<Reply, String> {
    let unread = match read(&said.message, &brief.text) {
        Ok(reply) => return Ok(reply),
        Err(unread) => unread,
    };
    let plain = || only_asks(&said.message).filter(|_| may_ask);
    match said.question.clone().or_else(plain) {
        Some(question) => Ok(Reply::Questions(vec![question])),
        None => Err(format!("error: {unread}")),
    }
}

fn store(file: &std::path::Path, text: &str) -> Result<(), Problems> {
    create(file, text, Overwrite::Allowed).map_err(|error| tracker_problem(&error).exit(1).into())
}
