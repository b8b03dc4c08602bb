//! What a person watches while a run goes on: a line per event, and on a terminal one live line at the bottom.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use ralph_core::agent_event::Detail;
use ralph_core::event::{AgentTold, Entry, Event, Line, Output};
use ralph_core::view::{Doing, RunView};
use ralph_engine::output::printable_bytes;
use ralph_engine::{Appetite, Seen, Watch};
use tokio::sync::watch;

use crate::follow::Found;
use crate::render::{self, Earlier};
use crate::toasts::Toasts;
use crate::words::{counted, span};
use crate::work::{self, Work};

/// How the events of a run are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    /// Lines for people, with so much of the agent's work.
    People { detail: Detail },
    /// One JSON object per line.
    Json,
    /// What agents print, byte for byte.
    Raw,
}

impl Show {
    pub(crate) fn appetite(self) -> Appetite {
        match self {
            Show::People { detail: Detail::Off | Detail::Minimal } => Appetite::Glimpses,
            Show::People { detail: Detail::Moderate | Detail::Full } | Show::Json | Show::Raw => {
                Appetite::Everything
            }
        }
    }

    pub(crate) fn is_json(self) -> bool {
        self == Show::Json
    }

    /// Whether a person sees it on a terminal.
    pub(crate) fn is_watched(self) -> bool {
        matches!(self, Show::People { .. }) && std::io::stdout().is_terminal()
    }
}

const REDRAW: Duration = Duration::from_millis(200);

/// Shows everything that comes until the run is over, on a thread of its own: a terminal or a pipe that stands still
/// must not hold up the run. The receiver hears of every line that was shown, and of the end by the sender's. What is
/// sent through the other end is shown last; whoever has nothing to add drops it.
pub(crate) fn show(
    watch: Watch,
    how: Show,
    toasts: Option<Toasts>,
) -> (watch::Receiver<u64>, Sender<String>) {
    let (progress, shown) = watch::channel(0);
    let (last, to_be_shown) = channel::<String>();
    std::thread::spawn(move || {
        let mut screen = Screen::new(how);
        loop {
            match watch.next(REDRAW) {
                Seen::Line(line) => {
                    if let Some(toasts) = &toasts {
                        toasts.take(&line);
                    }
                    screen.take(&line);
                    progress.send_modify(|lines| *lines += 1);
                }
                Seen::NothingNew => screen.redraw(),
                Seen::Over => break,
            }
        }
        screen.close();
        if let Show::People { .. } = how {
            to_be_shown.iter().for_each(|text| crate::words::print(&text));
        }
        if let Some(toasts) = toasts {
            toasts.close();
        }
        drop(progress);
    });
    (shown, last)
}

pub(crate) struct Screen {
    how: Show,
    /// Whether there is a live line: only where a person can see it move.
    live: bool,
    drawn: bool,
    view: Option<RunView>,
    work: Work,
    attempt_since: Instant,
    last_words: String,
    earlier: Earlier,
}

impl Screen {
    pub(crate) fn new(how: Show) -> Screen {
        let detail = match how {
            Show::People { detail } => detail,
            Show::Json | Show::Raw => Detail::Off,
        };
        Screen {
            how,
            live: how.is_watched(),
            drawn: false,
            view: None,
            work: Work::new(detail),
            attempt_since: Instant::now(),
            last_words: String::new(),
            earlier: Earlier::default(),
        }
    }

    pub(crate) fn take(&mut self, line: &Line) {
        match self.how {
            Show::Json => print_line(&serde_json::to_string(line).expect("events are JSON")),
            Show::People { .. } => self.tell(line),
            Show::Raw => {}
        }
    }

    /// What a walk through a run came upon.
    pub(crate) fn show(&mut self, found: &Found<'_>) {
        match found {
            Found::Line(line) => self.take(line),
            Found::Bytes { bytes, .. } if std::io::stdout().is_terminal() => {
                raw(printable_bytes(bytes).as_bytes());
            }
            Found::Bytes { bytes, .. } => raw(bytes),
        }
    }

    fn tell(&mut self, line: &Line) {
        match line {
            Line::Journal(entry) => self.journal(entry),
            Line::Output(output) => self.output(output),
            Line::Agent(told) => self.agent(told),
        }
    }

    fn journal(&mut self, entry: &Entry) {
        match &mut self.view {
            Some(view) => view.take(entry),
            None => self.view = RunView::begin(entry),
        }
        match &entry.event {
            Event::AttemptStarted { .. } => {
                self.work.begin(entry.at);
                self.attempt_since = Instant::now();
                self.last_words.clear();
            }
            Event::AttemptEnded { .. } => {
                let outline = self.work.close(entry.at);
                self.print(outline);
            }
            _ => {}
        }
        self.earlier.take(&entry.event);
        self.print(render::line(entry, &self.earlier));
        if let (Event::RunStopped { .. }, Some(view)) = (&entry.event, &self.view) {
            let summary = render::summary(view);
            self.print(summary);
        }
    }

    fn agent(&mut self, told: &AgentTold) {
        if let Some(words) = work::words(&told.event) {
            self.last_words = words;
        }
        let text = self.work.take(&told.event, told.at);
        self.print(text);
    }

    fn output(&mut self, output: &Output) {
        if let Some(words) = output.text.lines().rev().find(|line| !line.trim().is_empty()) {
            words.trim().clone_into(&mut self.last_words);
        }
        if self.work.detail() >= Detail::Moderate {
            let lines = output.text.lines().map(|line| render::faint(&format!("  │ {line}")));
            self.print(Some(lines.collect::<Vec<_>>().join("\n")));
        }
    }

    fn print(&mut self, text: Option<String>) {
        if let Some(text) = text {
            self.erase();
            print_line(&text);
        }
    }

    fn redraw(&mut self) {
        if self.live {
            self.draw();
        }
    }

    fn draw(&mut self) {
        let Some(Doing::Attempt { attempt, pid, .. }) = self.view.as_ref().map(|view| &view.doing) else {
            return self.erase();
        };
        let pid = pid.map_or(String::new(), |pid| format!(" · pid {pid}"));
        let took = span(Duration::from_secs(self.attempt_since.elapsed().as_secs()));
        let helped = match self.work.running() {
            0 => String::new(),
            n => format!(" · {} at work", counted(n as u64, "sub-agent")),
        };
        let text = format!("  … attempt {attempt}{pid} · {took}{helped} · {}", self.last_words);
        let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        let cut: String = text.chars().take(width.saturating_sub(1)).collect();
        self.drawn = true;
        draw(&format!("\r\x1b[2K{}", render::faint(&cut)));
    }

    fn erase(&mut self) {
        if std::mem::take(&mut self.drawn) {
            draw("\r\x1b[2K");
        }
    }

    pub(crate) fn close(&mut self) {
        self.erase();
    }
}

fn print_line(line: &str) {
    crate::words::print(&format!("{line}\n"));
}

fn draw(text: &str) {
    let mut out = anstream::stdout().lock();
    let _terminal_went_away = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn raw(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _reader_went_away = out.write_all(bytes).and_then(|()| out.flush());
}
