//! One line for a person per thing that happened.

use std::borrow::Cow;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use ralph_core::Timestamp;
use ralph_core::check::{CheckResult, Judgement, Opinion};
use ralph_core::control::{Change, Control};
use ralph_core::event::{Ending, Entry, Event, LimitsShown, Started};
use ralph_core::id::{RunId, TaskId};
use ralph_core::put_back::Why;
use ralph_core::question::QuestionNo;
use ralph_core::report::{Report, Usage};
use ralph_core::stop::RunState;
use ralph_core::verdict::Verdict;
use ralph_core::view::RunView;

use crate::restoring::{HeadMoved, undoing};
use crate::words::{counted, size, span};

pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const CALM: Style = AnsiColor::Yellow.on_default();
pub(crate) const HEAD: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

/// How many findings of a verdict are shown.
const FINDINGS: usize = 6;

/// What was shown before, which need not be said again, or has to be known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Earlier {
    said_done: bool,
    shown: Vec<String>,
    /// The run, where it lives in a session.
    in_session: Option<RunId>,
}

impl Earlier {
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::AttemptEnded { ending, .. } => {
                self.said_done = matches!(ending, Ending::Reported(report) if report.claim.is_made());
                self.shown.clear();
            }
            Event::Checked { checks, tampering, .. } => {
                self.shown =
                    checks.iter().map(CheckResult::summary).chain(tampering.iter().cloned()).collect();
            }
            Event::RunStarted(started) => {
                self.in_session = started.session.as_ref().map(|_| started.run.clone());
            }
            _ => {}
        }
    }

    fn shows(&self, finding: &str) -> bool {
        self.shown.iter().any(|shown| finding.ends_with(shown.as_str()))
    }
}

/// The line of an entry; some entries say nothing that another line does not.
pub(crate) fn line(entry: &Entry, earlier: &Earlier) -> Option<String> {
    let text = match &entry.event {
        Event::RunStarted(started) => run_started(started),
        Event::RunResumed {} => paint(HEAD, "▶ resumed"),
        Event::IterationStarted { iteration: at, max_iterations: max, .. } => iteration_line(*at, *max),
        Event::AttemptStarted { attempt, .. } if *attempt > 1 => format!("  attempt {attempt}"),
        Event::AttemptEnded { ending, .. } => attempt_ended(ending),
        Event::RolledBack { .. } => paint(CALM, &rolled_back(&entry.event, earlier)?),
        Event::Baseline { checks } => checks_lines("before the work", checks, &[]),
        Event::Checked { checks, tampering, judgement, .. } => {
            let found = !checks.is_empty() || !tampering.is_empty();
            let checks = found.then(|| checks_lines("checks", checks, tampering));
            let parts: Vec<String> = checks.into_iter().chain(judgement.as_ref().map(judged)).collect();
            parts.join("\n")
        }
        Event::JudgeAsked { .. } => judge_asked(&entry.event)?,
        Event::Progress { unchanged, again, .. } => return progress_line(*unchanged, *again),
        Event::Verdict { verdict, .. } => verdict_line(verdict, earlier),
        Event::ControlApplied { control, changed, .. } => control_line(control, *changed),
        Event::Waiting { until, why } => {
            let wait = crate::words::since(entry.at, *until);
            paint(CALM, &format!("  waiting {} ({why})", span(wait)))
        }
        Event::Paused {} => paint(CALM, "❚❚ paused; `ralph resume` goes on"),
        Event::Unpaused {} => paint(HEAD, "▶ going on"),
        Event::SessionPresented { host, .. } => paint(CALM, &format!("  lives in {host}")),
        Event::SessionReplaced { to, .. } => paint(CALM, &format!("  goes on in session {to}")),
        Event::TaskStarted { task, title, why, .. } => {
            let title = paint(HEAD, &printable(&format!("■ {task}  {title}")));
            format!("{title}\n{}", paint(FAINT, &printable(&format!("  {why}"))))
        }
        // A prompt is completed with its run.
        Event::TaskCompleted { task, .. } if *task != TaskId::prompt() => {
            paint(GOOD, &printable(&format!("  ✔ {task} is completed")))
        }
        Event::TaskCommitted { task, commit, .. } => paint(
            CALM,
            &printable(&format!("  {task} is committed as {}", commit.get(..10).unwrap_or(commit))),
        ),
        Event::Recalled { recalled, .. } => {
            let notes = counted(recalled.notes.len() as u64, "note");
            paint(FAINT, &format!("  {notes} in the brief ({} tokens)", recalled.tokens))
        }
        Event::MemoryAsked { .. } => memory_asked(&entry.event)?,
        Event::Consolidated { promoted, deduplicated, conflicts_resolved, .. } => {
            paint(FAINT, &remembered(*promoted, *deduplicated, *conflicts_resolved))
        }
        Event::TaskSkipped { task, why, .. } => {
            paint(BAD, &format!("  task {task} is skipped: {}", printable(why)))
        }
        Event::AgentChosen { .. } => agent_chosen(&entry.event)?,
        Event::AgentChanged { from, to, why } => {
            paint(CALM, &format!("  {to} takes over from {from}: {}", printable(why)))
        }
        Event::AllLimited { until } => {
            let until = crate::words::moment(*until);
            paint(CALM, &format!("❚❚ every agent is at its limit; going on at {until}"))
        }
        Event::QuestionAsked { question, text, until, .. } => question_line(*question, text, *until),
        Event::QuestionAnswered { question, answer } => {
            paint(CALM, &format!("  question {question} is answered: {}", printable(answer)))
        }
        Event::QuestionAssumed { question, assumption: None } => {
            paint(CALM, &format!("  nobody answered question {question}: the agent decides"))
        }
        Event::QuestionAssumed { question, assumption: Some(assumption) } => {
            paint(CALM, &format!("  question {question}, assumed: {}", printable(assumption)))
        }
        Event::Notice { text } => paint(CALM, &format!("  note: {text}")),
        Event::RunStopped { stop_reason, status, evidence, .. } => stopped(stop_reason, *status, evidence),
        Event::AttemptStarted { .. }
        | Event::SnapshotTaken { .. }
        | Event::FilesChanged { .. }
        | Event::AgentSpawned { .. }
        | Event::IterationEnded { .. }
        | Event::TaskCompleted { .. }
        | Event::Limit { .. } => return None,
    };
    Some(text)
}

fn judge_asked(event: &Event) -> Option<String> {
    let Event::JudgeAsked { agent, judgement, usage: used, duration_ms, .. } = event else { return None };
    let took = span(Duration::from_millis(*duration_ms));
    let used = usage(used).map_or(String::new(), |used| format!(", {used}"));
    Some(paint(FAINT, &format!("  judge {agent}: {} after {took}{used}", judgement.opinion.name())))
}

fn memory_asked(event: &Event) -> Option<String> {
    let Event::MemoryAsked { agent, notes, usage: used, duration_ms, .. } = event else { return None };
    let took = span(Duration::from_millis(*duration_ms));
    let used = usage(used).map_or(String::new(), |used| format!(", {used}"));
    let notes = counted(*notes, "note");
    Some(paint(FAINT, &format!("  {agent} says what it was worth: {notes} after {took}{used}")))
}

fn agent_chosen(event: &Event) -> Option<String> {
    let Event::AgentChosen { agent, model, effort, by, .. } = event else { return None };
    let model = model.as_ref().map_or(String::new(), |model| format!(", model {}", printable(model)));
    let effort = effort.as_ref().map_or(String::new(), |how| format!(", effort {}", printable(how)));
    Some(paint(CALM, &format!("  {agent}{model}{effort} ({})", printable(&by.to_string()))))
}

fn iteration_line(iteration: u32, max: Option<u32>) -> String {
    let of = max.map_or(String::new(), |max| format!("/{max}"));
    paint(HEAD, &format!("● iteration {iteration}{of}"))
}

fn run_started(started: &Started) -> String {
    let head = paint(HEAD, &format!("▶ run {}", started.run));
    let bounds =
        format!("  agent {} · {} · sandbox {}", started.agent, limits(&started.limits), started.sandbox);
    let forked = started.forked_from.as_ref();
    let forked = forked
        .map_or(String::new(), |from| format!(" · from iteration {} of run {}", from.iteration, from.run));
    let bounds = paint(FAINT, &(bounds + &forked));
    format!("{head}  {}\n{bounds}", printable(&started.description))
}

fn rolled_back(event: &Event, earlier: &Earlier) -> Option<String> {
    let Event::RolledBack { iteration, snapshot, undo, changed, files, why, head_then, head } = event else {
        return None;
    };
    let when = match (why, iteration) {
        (Why::Undone, _) => "as it was before the last rollback".to_owned(),
        (Why::Chosen, _) => format!("as snapshot {} has it", snapshot.get(..12).unwrap_or(snapshot)),
        (Why::Torn, Some(n)) => format!("as it was before the attempt at iteration {n} that was cut short"),
        (Why::GivenUp, Some(n)) => format!("as it was when iteration {n} began, without what was given up"),
        (Why::Asked | Why::Failed | Why::Forked, Some(n)) => format!("as it was when iteration {n} began"),
        (Why::Asked | Why::Failed | Why::GivenUp | Why::Forked | Why::Torn, None) => {
            "as it was before the run".to_owned()
        }
    };
    let mut names: Vec<String> = files.iter().map(|file| printable(file)).collect();
    if *changed > files.len() as u64 {
        names.push(format!("and {} more", changed - files.len() as u64));
    }
    let paths = counted(*changed, "path");
    let names = names.join(", ");
    let kept = undo.get(..12).unwrap_or(undo);
    let undo = undoing(earlier.in_session.as_ref());
    let mut line =
        format!("↩ put back {when}: {paths} ({names}); {undo} takes this back, later `--snapshot {kept}`");
    if let Some(moved) = HeadMoved::between(head_then.as_deref(), head.as_deref()) {
        line += &format!("\n  {}", moved.told().trim_end());
    }
    Some(line)
}

/// What became of a completed task's notes.
fn remembered(promoted: u64, deduplicated: u64, conflicts: u64) -> String {
    let mut parts = vec![format!("{} for the project", counted(promoted, "note"))];
    if deduplicated > 0 {
        parts.push(format!("{deduplicated} known already"));
    }
    if conflicts > 0 {
        parts.push(format!("{conflicts} superseded"));
    }
    format!("  remembered: {}", parts.join(", "))
}

fn question_line(question: QuestionNo, text: &str, until: Option<Timestamp>) -> String {
    let mut shown = paint(HEAD, &format!("? question {question}"));
    for line in text.lines() {
        shown += &format!("\n  {}", printable(line));
    }
    if let Some(until) = until {
        let next = format!("❚❚ answer until {}: `ralph answer \"TEXT\"`", crate::words::moment(until));
        shown += &format!("\n{}", paint(CALM, &next));
    }
    shown
}

fn checks_lines(head: &str, checks: &[CheckResult], tampering: &[String]) -> String {
    let mut text = format!("  {head}");
    for check in checks {
        let (mark, style) = if check.passed { ("✔", GOOD) } else { ("✘", BAD) };
        text += &format!("\n  {} {}", paint(style, mark), printable(&check.summary()));
    }
    for what in tampering {
        text += &format!("\n  {}", paint(BAD, &format!("! {}", printable(what))));
    }
    text
}

/// What the judge said, with what it suggests.
pub(crate) fn judged(judgement: &Judgement) -> String {
    let (mark, style) = match judgement.opinion {
        Opinion::Success => ("✔", GOOD),
        Opinion::Failure => ("✘", BAD),
        Opinion::Unsure => ("?", CALM),
    };
    let mut text = format!("  {} judge: {}", paint(style, mark), printable(&judgement.reason));
    for suggestion in &judgement.suggestions {
        text += &format!("\n    - {}", printable(suggestion));
    }
    text
}

fn progress_line(unchanged: u32, again: Option<u32>) -> Option<String> {
    let text = match (unchanged, again) {
        (0, None) => return None,
        (0, Some(iteration)) => format!("  the same as iteration {iteration}, which had failed"),
        (_, _) => format!("  nothing has changed for {}", counted(unchanged.into(), "iteration")),
    };
    Some(paint(CALM, &text))
}

fn limits(limits: &LimitsShown) -> String {
    let mut parts = Vec::new();
    parts.extend(limits.max_iterations.map(|max| format!("at most {}", counted(max.into(), "iteration"))));
    parts.extend(limits.max_duration_ms.map(|ms| span(Duration::from_millis(ms))));
    parts.extend(limits.max_tokens.map(|max| counted(max, "token")));
    parts.extend(limits.max_cost_usd.map(|cost| cost.to_string()));
    parts.join(", ")
}

fn attempt_ended(ending: &Ending) -> String {
    match ending {
        Ending::Reported(report) if report.exit.is_clean() => paint(FAINT, &reported(report)),
        Ending::Reported(report) => paint(BAD, &reported(report)),
        Ending::Lost(fault) => paint(CALM, &format!("  attempt lost: {fault}")),
    }
}

fn reported(report: &Report) -> String {
    let took = span(Duration::from_millis(report.duration_ms));
    let leftovers = match report.leftovers {
        0 => String::new(),
        n => format!(
            ", {} left behind and ended",
            counted(n.into(), "process").replace("processs", "processes")
        ),
    };
    let used = usage(&report.usage).map_or(String::new(), |used| format!(", {used}"));
    format!(
        "  agent: {} after {took}, {} printed{used}{leftovers}",
        printable(&report.exit.to_string()),
        size(report.output_bytes)
    )
}

fn verdict_line(verdict: &Verdict, earlier: &Earlier) -> String {
    let findings = match verdict {
        Verdict::Complete { evidence } if *evidence == earlier.shown.join(", ") => {
            return paint(GOOD, "  ✓ complete");
        }
        Verdict::Complete { evidence } => return paint(GOOD, &format!("  ✓ {}", printable(evidence))),
        Verdict::Incomplete { findings } => findings,
    };
    let head = if earlier.said_done {
        paint(BAD, "  ✗ the agent says it is done, and is not believed")
    } else {
        paint(CALM, "  ✗ not complete")
    };
    let news: Vec<&String> = findings.iter().filter(|finding| !earlier.shows(finding)).collect();
    let shown = news.iter().take(FINDINGS).map(|finding| format!("    {}", printable(finding)));
    let more = news.len().checked_sub(FINDINGS + 1).map(|more| format!("    and {} more", more + 1));
    let lines = shown.chain(more).map(|line| format!("\n{}", paint(CALM, &line)));
    head + &lines.collect::<String>()
}

fn control_line(control: &Control, changed: bool) -> String {
    let asked = match control {
        Control::Pause => "to pause".to_owned(),
        Control::Resume => "to resume".to_owned(),
        Control::Stop => "to stop after this iteration".to_owned(),
        Control::Abort => "to stop now".to_owned(),
        Control::Skip { task: None } => "to skip the task at hand".to_owned(),
        Control::Skip { task: Some(task) } => format!("to skip {task}"),
        Control::SetIterations { change: Change::To(n) } => {
            format!("for {}", counted((*n).into(), "iteration"))
        }
        Control::SetIterations { change: Change::By(by) } => format!("for {by:+} iterations"),
        Control::SetAgent { agent } => format!("for agent {agent}"),
        Control::SetModel { model } => format!("for model {}", printable(model)),
        Control::SetEffort { effort } => format!("for effort {}", printable(effort)),
        Control::Steer { text } => format!("to mind: {}", printable(text)),
        Control::Answer { question, .. } => format!("to take an answer to question {question}"),
    };
    let effect = if changed { "" } else { " (changes nothing)" };
    paint(CALM, &format!("  asked {asked}{effect}"))
}

pub(crate) fn stopped(reason: &str, status: RunState, evidence: &str) -> String {
    let (mark, style) = match status {
        RunState::Success => ("✔", GOOD),
        RunState::Stopped | RunState::Paused | RunState::Running => ("■", CALM),
        RunState::Failed => ("✘", BAD),
    };
    format!("{}: {}", paint(style, &format!("{mark} {reason}")), printable(evidence))
}

/// Text of the agent or of a file, safe for a terminal and on one line.
pub(crate) fn printable(text: &str) -> String {
    ralph_engine::output::printable(text).replace('\n', " ")
}

/// As [`printable`], with nothing left out: what a terminal would obey or hide is shown as an escape.
pub(crate) fn inert(text: &str) -> String {
    let one = |c: char| match c {
        '\t' => "\t".to_owned(),
        c if c.is_control() => c.escape_debug().to_string(),
        c => ralph_engine::output::printable(c.encode_utf8(&mut [0; 4])).into_owned(),
    };
    match ralph_engine::output::printable(text) {
        Cow::Borrowed(text) if !text.contains('\n') => text.to_owned(),
        _ => text.chars().map(one).collect(),
    }
}

/// What a run came to, where it used up anything that is counted.
pub(crate) fn summary(view: &RunView) -> Option<String> {
    let used = usage(&view.usage)?;
    let iterations = counted(view.iteration.into(), "iteration");
    Some(faint(&format!("  {iterations}, {}, {used}", counted(view.attempts.into(), "attempt"))))
}

/// `1200 tokens, ~$0.12 estimated`; nothing for agents that do not count.
pub(crate) fn usage(usage: &Usage) -> Option<String> {
    let tokens = Some(usage.tokens()).filter(|tokens| *tokens > 0).map(|tokens| counted(tokens, "token"));
    let price = Some(usage.price()).filter(|_| usage.cost.0 > 0);
    let parts: Vec<String> = tokens.into_iter().chain(price).collect();
    Some(parts.join(", ")).filter(|text| !text.is_empty())
}

pub(crate) fn faint(text: &str) -> String {
    paint(FAINT, text)
}

pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
