//! An agent's work as people read it: what it says, what it does with which tool, and its sub-agents as a tree.

use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::agent_event::{AgentEvent, Branch, Detail, State, Tree};

use crate::render::{faint, printable};
use crate::words::{counted, cut, moment, since, span};

/// What a tool gave back is cut here, unless everything is wanted.
const SHORT: usize = 100;

/// Rows of a tree that people look at.
const MOST_ROWS: usize = 40;

/// One attempt's work, line by line, with as much of it as is wanted.
pub(crate) struct Work {
    detail: Detail,
    tree: Tree,
    begun: Option<Timestamp>,
    /// The sub-agent that the last line was about; none for the agent itself.
    speaker: Option<String>,
}

impl Work {
    pub(crate) fn new(detail: Detail) -> Work {
        Work { detail, tree: Tree::default(), begun: None, speaker: None }
    }

    pub(crate) fn detail(&self) -> Detail {
        self.detail
    }

    /// Another attempt begins.
    pub(crate) fn begin(&mut self, at: Timestamp) {
        *self = Work { begun: Some(at), ..Work::new(self.detail) };
    }

    /// What there is to print of what the agent tells.
    pub(crate) fn take(&mut self, event: &AgentEvent, at: Timestamp) -> Option<String> {
        let now = self.elapsed(at);
        self.tree.apply(event, now);
        if !self.detail.shows(event) {
            return None;
        }
        let text = self.told(event, now)?;
        let speaker = self.speaker(event).map(str::to_owned);
        let depth = self.tree.depth(speaker.as_deref());
        let mut lines: Vec<String> = text.lines().map(|text| line(depth, text)).collect();
        if let Some(name) = self.changed(speaker.as_deref(), event) {
            lines.insert(0, line(depth.saturating_sub(1), &format!("{name}:")));
        }
        self.speaker = match event {
            // What it says next stands right below.
            AgentEvent::SubAgentStarted { id, .. } => Some(id.clone()),
            _ => speaker,
        };
        Some(lines.join("\n"))
    }

    /// The sub-agents of the attempt, which is over.
    pub(crate) fn close(&mut self, at: Timestamp) -> Option<String> {
        let now = self.elapsed(at);
        self.tree.close(now);
        if self.tree.is_empty() || self.detail == Detail::Off {
            return None;
        }
        let outline = self.tree.outline();
        let mut lines = vec![line(0, "sub-agents")];
        let rows = outline.iter().take(MOST_ROWS);
        lines.extend(rows.map(|(depth, branch)| line(*depth, &format!("└ {}", row(branch, now)))));
        let more = outline.len().saturating_sub(MOST_ROWS) as u64 + self.tree.left_out;
        if more > 0 {
            lines.push(line(0, &format!("… and {more} more")));
        }
        Some(lines.join("\n"))
    }

    /// How many sub-agents are at work.
    pub(crate) fn running(&self) -> usize {
        self.tree.running()
    }

    fn elapsed(&mut self, at: Timestamp) -> Duration {
        since(*self.begun.get_or_insert(at), at)
    }

    /// The name of a sub-agent that speaks after somebody else did. Where one begins or ends, the line has names enough.
    fn changed(&self, speaker: Option<&str>, event: &AgentEvent) -> Option<String> {
        if matches!(event, AgentEvent::SubAgentStarted { .. } | AgentEvent::SubAgentEnded { .. }) {
            return None;
        }
        let id = speaker.filter(|_| speaker != self.speaker.as_deref())?;
        Some(printable(&self.tree.branch(id)?.name))
    }

    /// The sub-agent that an event comes from; none for the agent itself.
    fn speaker<'a>(&'a self, event: &'a AgentEvent) -> Option<&'a str> {
        match event {
            AgentEvent::Message { parent, .. }
            | AgentEvent::Reasoning { parent, .. }
            | AgentEvent::ToolUse { parent, .. }
            | AgentEvent::ToolResult { parent, .. }
            | AgentEvent::SubAgentStarted { parent, .. } => parent.as_deref(),
            AgentEvent::SubAgentEnded { id, .. } => self.tree.branch(id)?.parent.as_deref(),
            AgentEvent::Session { .. }
            | AgentEvent::Usage { .. }
            | AgentEvent::Cost { .. }
            | AgentEvent::Waiting { .. }
            | AgentEvent::Limit { .. }
            | AgentEvent::Error { .. }
            | AgentEvent::End { .. } => None,
        }
    }

    fn told(&self, event: &AgentEvent, now: Duration) -> Option<String> {
        Some(match event {
            AgentEvent::Session { id, model } => {
                let model = model.as_ref().map_or(String::new(), |model| format!(", {}", printable(model)));
                format!("session {}{model}", printable(id))
            }
            AgentEvent::Message { text, .. } => lines_of(text, ""),
            AgentEvent::Reasoning { text, .. } => lines_of(text, "∴ "),
            AgentEvent::ToolUse { name, input, .. } => format!("→ {} {}", printable(name), printable(input)),
            AgentEvent::ToolResult { ok, summary, .. } => self.result(*ok, summary)?,
            AgentEvent::SubAgentStarted { name, task, .. } => {
                format!("⇒ {}: {}", printable(name), printable(task))
            }
            AgentEvent::SubAgentEnded { id, .. } => {
                let branch = self.tree.branch(id)?;
                format!("⇐ {} {}", printable(&branch.name), how(branch, now))
            }
            AgentEvent::Usage { input_tokens, cached_tokens, output_tokens } => {
                format!("Σ {input_tokens} tokens in ({cached_tokens} cached), {output_tokens} out")
            }
            AgentEvent::Cost { cost } => format!("Σ {cost}"),
            AgentEvent::Waiting { attempt, of, delay_ms, why } => waiting(*attempt, *of, *delay_ms, why),
            AgentEvent::Limit { what, resets_at } => {
                let until = resets_at.map_or(String::new(), |at| format!(" until {}", moment(at)));
                format!("✗ limited{until}: {}", printable(what))
            }
            AgentEvent::Error { what } => format!("✗ {}", printable(what)),
            // The end of the attempt is a line of its own.
            AgentEvent::End { .. } => return None,
        })
    }

    fn result(&self, ok: bool, summary: &str) -> Option<String> {
        let text = printable(summary);
        let text = if self.detail == Detail::Full { text } else { cut(&text, SHORT) };
        match (ok, text.trim().is_empty()) {
            (true, true) => None,
            (true, false) => Some(format!("← {text}")),
            (false, _) => Some(format!("✗ {text}")),
        }
    }
}

/// The last words of an event, for a line that shows no more.
pub(crate) fn words(event: &AgentEvent) -> Option<String> {
    match event {
        AgentEvent::Message { text, .. } => {
            text.lines().rev().find(|line| !line.trim().is_empty()).map(|line| printable(line.trim()))
        }
        AgentEvent::ToolUse { name, input, .. } => {
            Some(format!("→ {} {}", printable(name), printable(input)))
        }
        AgentEvent::SubAgentStarted { name, task, .. } => {
            Some(format!("⇒ {}: {}", printable(name), printable(task)))
        }
        AgentEvent::Waiting { attempt, of, delay_ms, why } => Some(waiting(*attempt, *of, *delay_ms, why)),
        AgentEvent::Error { what } => Some(format!("✗ {}", printable(what))),
        AgentEvent::Session { .. }
        | AgentEvent::Reasoning { .. }
        | AgentEvent::ToolResult { .. }
        | AgentEvent::SubAgentEnded { .. }
        | AgentEvent::Usage { .. }
        | AgentEvent::Cost { .. }
        | AgentEvent::Limit { .. }
        | AgentEvent::End { .. } => None,
    }
}

fn line(depth: usize, text: &str) -> String {
    faint(&format!("  │ {}{text}", "  ".repeat(depth)))
}

fn lines_of(text: &str, mark: &str) -> String {
    let lines = text.trim_end().lines().map(printable);
    lines.map(|line| format!("{mark}{line}")).collect::<Vec<_>>().join("\n")
}

fn row(branch: &Branch, now: Duration) -> String {
    format!("{}: {} · {}", printable(&branch.name), printable(&branch.task), how(branch, now))
}

/// `done after 3.2 s, 5 tools`.
fn how(branch: &Branch, now: Duration) -> String {
    let state = match branch.state {
        State::Running => "at work for",
        State::Done { .. } => "✓ done after",
        State::Failed { .. } => "✗ failed after",
        State::Lost { .. } => "? lost after",
    };
    let tools = match branch.tool_uses {
        0 => String::new(),
        n => format!(", {}", counted(n.into(), "tool use")),
    };
    format!("{state} {}{tools}", span(branch.duration(now)))
}

fn waiting(attempt: u32, of: Option<u32>, delay_ms: Option<u64>, why: &str) -> String {
    let of = of.map_or(String::new(), |of| format!(" of {of}"));
    let delay = delay_ms.map_or(String::new(), |ms| format!(" in {}", span(Duration::from_millis(ms))));
    format!("… tries again{delay}, attempt {attempt}{of}: {}", printable(why))
}

#[cfg(test)]
mod tests {
    use super::Work;
    use ralph_core::Timestamp;
    use ralph_core::agent_event::{AgentEvent, Detail};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).expect("a moment")
    }

    fn started(id: &str, parent: Option<&str>) -> AgentEvent {
        let (name, task) = (format!("worker-{id}"), format!("job {id}"));
        AgentEvent::SubAgentStarted { id: id.to_owned(), name, task, parent: parent.map(str::to_owned) }
    }

    fn ended(id: &str, ok: bool) -> AgentEvent {
        AgentEvent::SubAgentEnded { id: id.to_owned(), ok }
    }

    fn uses(tool: &str, parent: Option<&str>) -> AgentEvent {
        let (id, input) = (format!("use of {tool}"), "src".to_owned());
        AgentEvent::ToolUse { id, name: tool.to_owned(), input, parent: parent.map(str::to_owned) }
    }

    fn gives(ok: bool, summary: &str) -> AgentEvent {
        AgentEvent::ToolResult { id: "t".to_owned(), ok, summary: summary.to_owned(), parent: None }
    }

    fn says(text: &str, parent: Option<&str>) -> AgentEvent {
        AgentEvent::Message { text: text.to_owned(), parent: parent.map(str::to_owned) }
    }

    /// What is shown of these events, a second after each other.
    fn shown(detail: Detail, events: &[AgentEvent]) -> String {
        let mut work = Work::new(detail);
        work.begin(at(0));
        let mut lines: Vec<String> =
            events.iter().zip(1..).filter_map(|(event, second)| work.take(event, at(second))).collect();
        lines.extend(work.close(at(100)));
        anstream::adapter::strip_str(&lines.join("\n")).to_string()
    }

    #[test]
    fn sub_agents_are_a_tree_and_whoever_speaks_is_named() {
        let events = [
            started("a", None),
            started("b", Some("a")),
            uses("Grep", Some("b")),
            started("c", None),
            uses("Read", Some("b")),
            says("both\nlines", Some("c")),
            ended("b", false),
            says("I go on.", None),
            uses("Edit", Some("a")),
            ended("a", true),
        ];
        insta::assert_snapshot!(shown(Detail::Full, &events), @r"
        │ ⇒ worker-a: job a
        │   ⇒ worker-b: job b
        │     → Grep src
        │ ⇒ worker-c: job c
        │   worker-b:
        │     → Read src
        │ worker-c:
        │   both
        │   lines
        │   ⇐ worker-b ✗ failed after 5.0 s, 2 tool uses
        │ I go on.
        │ worker-a:
        │   → Edit src
        │ ⇐ worker-a ✓ done after 9.0 s, 1 tool use
        │ sub-agents
        │ └ worker-a: job a · ✓ done after 9.0 s, 1 tool use
        │   └ worker-b: job b · ✗ failed after 5.0 s, 2 tool uses
        │ └ worker-c: job c · ? lost after 1 min 36 s
        ");
    }

    #[test]
    fn results_are_shortened_and_troubles_are_told() {
        let waits = |delay_ms| AgentEvent::Waiting {
            attempt: 2,
            of: Some(10),
            delay_ms,
            why: "overloaded".to_owned(),
        };
        let events = [
            gives(true, &"x".repeat(300)),
            gives(true, " "),
            gives(false, "exit code 1"),
            waits(Some(4_000)),
            waits(None),
            AgentEvent::Limit { what: "five hours".to_owned(), resets_at: Some(at(7_200)) },
            AgentEvent::Error { what: "a \u{1b}[31mred\u{1b}[0m\nerror".to_owned() },
            says("an \u{1b}]0;escape\u{7}\n\n", None),
            AgentEvent::End { ok: true },
        ];
        insta::assert_snapshot!(shown(Detail::Moderate, &events), @r"
        │ ← xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
        │ ✗ exit code 1
        │ … tries again in 4.0 s, attempt 2 of 10: overloaded
        │ … tries again, attempt 2 of 10: overloaded
        │ ✗ limited until 1970-01-01T02:00:00Z: five hours
        │ ✗ a red error
        │ an
        ");
    }

    #[test]
    fn a_flood_of_sub_agents_is_cut_short() {
        let events: Vec<_> = (0..5_000).map(|n| started(&n.to_string(), None)).collect();
        let text = shown(Detail::Minimal, &events);
        let tree: Vec<&str> = text.lines().skip_while(|line| !line.ends_with("sub-agents")).collect();
        assert_eq!((tree.len(), tree.last().copied()), (42, Some("  │ … and 4960 more")));
        assert_eq!(shown(Detail::Off, &events), "");
    }
}
