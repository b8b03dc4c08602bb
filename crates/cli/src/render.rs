//! One line for a person per thing that happened.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use ralph_core::agent_event::AgentEvent;
use ralph_core::control::{Change, Control};
use ralph_core::event::{Ending, Entry, Event, LimitsShown, Started};
use ralph_core::report::Report;
use ralph_core::stop::RunState;
use ralph_core::verdict::Verdict;

use crate::words::{counted, size, span};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const CALM: Style = AnsiColor::Yellow.on_default();
const HEAD: Style = AnsiColor::Cyan.on_default().bold();
const FAINT: Style = Style::new().dimmed();

/// The line of an entry; some entries say nothing that another line does not.
pub(crate) fn line(entry: &Entry) -> Option<String> {
    let text = match &entry.event {
        Event::RunStarted(started) => run_started(started),
        Event::RunResumed {} => paint(HEAD, "▶ resumed"),
        Event::IterationStarted { iteration, max_iterations, .. } => {
            let of = max_iterations.map_or(String::new(), |max| format!("/{max}"));
            paint(HEAD, &format!("● iteration {iteration}{of}"))
        }
        Event::AttemptStarted { attempt, .. } if *attempt > 1 => format!("  attempt {attempt}"),
        Event::AttemptEnded { ending, .. } => attempt_ended(ending),
        Event::Verdict { verdict, .. } => verdict_line(verdict),
        Event::ControlApplied { control, changed, .. } => control_line(control, *changed),
        Event::Waiting { until, why } => {
            let wait = crate::words::since(entry.at, *until);
            paint(CALM, &format!("  waiting {} ({why})", span(wait)))
        }
        Event::Paused {} => paint(CALM, "❚❚ paused; `ralph resume` goes on"),
        Event::Unpaused {} => paint(HEAD, "▶ going on"),
        Event::AgentChanged { from, to, why } => {
            paint(CALM, &format!("  {to} takes over from {from}: {}", printable(why)))
        }
        Event::AllLimited { until } => {
            let until = crate::words::moment(*until);
            paint(CALM, &format!("❚❚ every agent is at its limit; going on at {until}"))
        }
        Event::Notice { text } => paint(CALM, &format!("  note: {text}")),
        Event::RunStopped { stop_reason, status, evidence, .. } => stopped(stop_reason, *status, evidence),
        Event::AttemptStarted { .. }
        | Event::AgentSpawned { .. }
        | Event::IterationEnded { .. }
        | Event::TaskCompleted { .. }
        | Event::Limit { .. } => return None,
    };
    Some(text)
}

fn run_started(started: &Started) -> String {
    let head = paint(HEAD, &format!("▶ run {}", started.run));
    let bounds =
        format!("  agent {} · {} · sandbox {}", started.agent, limits(&started.limits), started.sandbox);
    let bounds = paint(FAINT, &bounds);
    format!("{head}  {}\n{bounds}", printable(&started.description))
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
    format!(
        "  agent: {} after {took}, {} printed{leftovers}",
        printable(&report.exit.to_string()),
        size(report.output_bytes)
    )
}

fn verdict_line(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Complete { evidence } => paint(GOOD, &format!("  ✓ {}", printable(evidence))),
        Verdict::Incomplete { findings } => paint(CALM, &format!("  ✗ {}", printable(&findings.join("; ")))),
    }
}

fn control_line(control: &Control, changed: bool) -> String {
    let asked = match control {
        Control::Pause => "to pause".to_owned(),
        Control::Resume => "to resume".to_owned(),
        Control::Stop => "to stop after this iteration".to_owned(),
        Control::Abort => "to stop now".to_owned(),
        Control::SetIterations { change: Change::To(n) } => {
            format!("for {}", counted((*n).into(), "iteration"))
        }
        Control::SetIterations { change: Change::By(by) } => format!("for {by:+} iterations"),
        Control::Steer { text } => format!("to mind: {}", printable(text)),
    };
    let effect = if changed { "" } else { " (changes nothing)" };
    paint(CALM, &format!("  asked {asked}{effect}"))
}

fn stopped(reason: &str, status: RunState, evidence: &str) -> String {
    let (mark, style) = match status {
        RunState::Success => ("✔", GOOD),
        RunState::Stopped | RunState::Paused | RunState::Running => ("■", CALM),
        RunState::Failed => ("✘", BAD),
    };
    format!("{}: {}", paint(style, &format!("{mark} {reason}")), printable(evidence))
}

/// Text of the agent or of a file, safe for a terminal and on one line.
fn printable(text: &str) -> String {
    ralph_engine::output::printable(text).replace('\n', " ")
}

/// What a structured agent tells, as far as a person wants to see it.
pub(crate) fn agent_line(event: &AgentEvent) -> Option<String> {
    let text = match event {
        AgentEvent::Message { text, .. } => {
            text.lines().map(|line| format!("  │ {}", printable(line))).collect::<Vec<_>>().join("\n")
        }
        AgentEvent::ToolUse { name, input, .. } => format!("  │ → {} {}", printable(name), printable(input)),
        AgentEvent::ToolResult { ok: false, summary, .. } => format!("  │ ✗ {}", printable(summary)),
        AgentEvent::SubAgentStarted { name, task, .. } => {
            format!("  │ ⇒ {}: {}", printable(name), printable(task))
        }
        _ => return None,
    };
    Some(faint(&text))
}

pub(crate) fn faint(text: &str) -> String {
    paint(FAINT, text)
}

fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
