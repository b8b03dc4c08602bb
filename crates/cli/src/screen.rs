//! What a person watches while a run goes on: a line per event, and on a terminal one live line at the bottom.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use ralph_core::event::{AgentTold, Line, Output};
use ralph_core::view::{Doing, RunView};
use ralph_engine::{Appetite, Seen, Watch};
use tokio::sync::watch;

use crate::render;
use crate::words::span;

/// How the events of a run are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    /// Lines for people, with or without what the agent prints.
    People { output: bool },
    /// One JSON object per line.
    Json,
}

impl Show {
    pub(crate) fn appetite(self) -> Appetite {
        match self {
            Show::People { output: false } => Appetite::Glimpses,
            Show::People { output: true } | Show::Json => Appetite::Everything,
        }
    }
}

const REDRAW: Duration = Duration::from_millis(200);

/// Shows everything that comes until the run is over, on a thread of its own: a terminal or a pipe that stands still
/// must not hold up the run. The receiver hears of every line that was shown, and of the end by the sender's.
pub(crate) fn show(watch: Watch, how: Show) -> watch::Receiver<u64> {
    let (progress, shown) = watch::channel(0);
    std::thread::spawn(move || {
        let mut screen = Screen::new(how);
        loop {
            match watch.next(REDRAW) {
                Seen::Line(line) => {
                    screen.take(&line);
                    progress.send_modify(|lines| *lines += 1);
                }
                Seen::NothingNew => screen.redraw(),
                Seen::Over => break,
            }
        }
        screen.close();
        drop(progress);
    });
    shown
}

pub(crate) struct Screen {
    how: Show,
    /// Whether there is a live line: only where a person can see it move.
    live: bool,
    drawn: bool,
    view: Option<RunView>,
    attempt_since: Instant,
    last_words: String,
}

impl Screen {
    pub(crate) fn new(how: Show) -> Screen {
        let live = matches!(how, Show::People { .. }) && std::io::stdout().is_terminal();
        Screen {
            how,
            live,
            drawn: false,
            view: None,
            attempt_since: Instant::now(),
            last_words: String::new(),
        }
    }

    pub(crate) fn take(&mut self, line: &Line) {
        match self.how {
            Show::Json => print_line(&serde_json::to_string(line).expect("events are JSON")),
            Show::People { output } => self.tell(line, output),
        }
    }

    fn tell(&mut self, line: &Line, with_output: bool) {
        match line {
            Line::Journal(entry) => {
                match &mut self.view {
                    Some(view) => view.take(entry),
                    None => self.view = RunView::begin(entry),
                }
                if matches!(entry.event, ralph_core::event::Event::AttemptStarted { .. }) {
                    self.attempt_since = Instant::now();
                    self.last_words.clear();
                }
                if let Some(text) = render::line(entry) {
                    self.erase();
                    print_line(&text);
                }
            }
            Line::Output(output) => self.output(output, with_output),
            Line::Agent(told) => self.agent(told, with_output),
        }
    }

    fn agent(&mut self, told: &AgentTold, shown: bool) {
        let Some(text) = render::agent_line(&told.event) else { return };
        if let Some(words) = text.lines().rev().find(|line| !line.trim().is_empty()) {
            words.trim().clone_into(&mut self.last_words);
        }
        if shown {
            self.erase();
            print_line(&text);
        }
    }

    fn output(&mut self, output: &Output, shown: bool) {
        if let Some(words) = output.text.lines().rev().find(|line| !line.trim().is_empty()) {
            words.trim().clone_into(&mut self.last_words);
        }
        if shown {
            self.erase();
            for line in output.text.lines() {
                print_line(&render::faint(&format!("  │ {line}")));
            }
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
        let text = format!("  … attempt {attempt}{pid} · {took} · {}", self.last_words);
        let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        let cut: String = text.chars().take(width.saturating_sub(1)).collect();
        self.drawn = true;
        raw(&format!("\r\x1b[2K{}", render::faint(&cut)));
    }

    fn erase(&mut self) {
        if std::mem::take(&mut self.drawn) {
            raw("\r\x1b[2K");
        }
    }

    pub(crate) fn close(&mut self) {
        self.erase();
    }
}

fn print_line(line: &str) {
    crate::words::print(&format!("{line}\n"));
}

fn raw(text: &str) {
    let mut out = anstream::stdout().lock();
    let _terminal_went_away = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
