//! `ralph hook claude` and its like: a host's event on standard input, the answer in its own format on standard output.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ralph_core::id::{AgentName, RunId};
use ralph_core::sessions::Hydration;
use ralph_engine::loops::{Living, LoopError, Loops};
use ralph_engine::mailbox::Heard;
use ralph_engine::session::{Presented, Provide, Standing, Waiting};
use ralph_engine::sessions::{ForLoop, Resumed, observe, resume};
use ralph_engine::{Place, boxed, chain, sessions};
use ralph_hosts::Ground;
use ralph_hosts::hooked::{self, Circumstances, Dialect, Event, Reply, Told, What};
use ralph_store::{Seat, Sessions, SqliteStore, StoreError};

use super::hook::{printable, unless_signalled};
use crate::announced::{Lifecycle, Own};
use crate::event_record::{record, tools};
use crate::hydration::remembered;
use crate::inside::{Inside, in_a_line};
use crate::leash::Leash;
use crate::orphans;
use crate::perform::redactor;
use crate::project::{Project, block_on, store_problem};
use crate::recalled::{About, recalled};
use crate::said;
use crate::settings::Given;

/// How long a hook may take that was installed without saying so.
const WITHIN: Duration = Duration::from_secs(60);

/// No host waits longer, and clocks have an end.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long whoever judges a turn waits for somebody else's lock on the store, at least and at most.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(600));

/// How much of what a command may take is left for its answer, when it has waited for somebody else's lock.
const ANSWERING: Duration = Duration::from_secs(5);

/// Answers one event. Whatever is wrong with it is said in a line, and the host goes on.
pub(crate) fn hear(
    dialect: &'static Dialect,
    rest: &[String],
    bytes: &[u8],
    leash: Leash,
) -> Result<(), String> {
    let begun = Instant::now();
    let project = dialect.project_variable.and_then(std::env::var_os).map(PathBuf::from);
    let event = hooked::read(dialect, bytes, project.as_deref()).map_err(|error| chain(&error))?;
    let told = heard(dialect, rest, &event, begun, leash.clone());
    told.or_else(|why| match &event.told {
        Told::Command(_) if !leash.has_answered() => refused(dialect, &event, &why),
        _ => Err(why),
    })
}

/// A command that failed goes no further: without an answer, the host gives the agent whatever stands in the command's
/// own file. Hosts take an answer only from a process that ends well.
fn refused(dialect: &Dialect, event: &Event, why: &str) -> Result<(), String> {
    let why = printable(why);
    let reply = Reply::Kept(format!("ralph could not do that: {why}"));
    let Some(said) = reply.said(dialect, event.name) else { return Err(why) };
    eprintln!("ralph: {why}");
    let mut out = std::io::stdout().lock();
    let written = out.write_all(said.to_string().as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| format!("nobody took the answer: {error}"))
}

fn heard(
    dialect: &'static Dialect,
    rest: &[String],
    event: &Event,
    begun: Instant,
    leash: Leash,
) -> Result<(), String> {
    let project = Project::at(&event.directory, Given::default()).map_err(|problems| in_a_line(&problems))?;
    if let Ok(run) = std::env::var("RALPH_RUN") {
        // The agent is driven from outside, and the one who drives it decides.
        if let Ok(run) = RunId::parse(&run) {
            record(&project.place, &run, event, None);
        }
        return Ok(());
    }
    let within = within(rest);
    // Whoever else judges in this tree, or writes to its store, is waited for.
    leash.allow(within);
    let Some(store) = store(&project, event, within)? else { return Ok(()) };
    let host = AgentName::parse(dialect.name).expect("a host has a name");
    let inside = Inside {
        directory: event.directory.clone(),
        store: Arc::new(store),
        options: None,
        manner: dialect.manner(),
        waiting: Waiting::HoldsBack,
        until: Some(begun + within),
        leash: Some(leash),
    };
    let seat = Seat { host, session: event.session.clone() };
    let lifecycle = lifecycle(event).filter(|event| event.is_wanted(&project));
    let hearing =
        Hearing { dialect, event, project: &project, place: &project.place, inside: &inside, seat, begun };
    let told = block_on(boxed(|| unless_signalled(hearing.tell(within, lifecycle))));
    if is_in_passing(event) {
        // Closing would take nothing into the database, and the end of the process closes it sooner.
        std::mem::forget(inside);
    }
    told
}

fn within(rest: &[String]) -> Duration {
    let given = rest.iter().skip_while(|word| *word != "--within").nth(1);
    let seconds = given.and_then(|given| given.parse().ok());
    seconds.map_or(WITHIN, |seconds| Duration::from_secs(seconds).min(LONGEST))
}

/// It is noted down, and nobody waits for a disk.
fn is_in_passing(event: &Event) -> bool {
    match event.told {
        Told::Tool(_) | Told::Other => true,
        Told::Command(_) => false,
        _ => matches!(event.what, What::SubagentStop | What::Compact),
    }
}

/// Only a command makes a store, what is only noted down is not waited for, a turn that was not judged would be lost to the
/// loop, and a person waits for what a command does.
fn store(project: &Project, event: &Event, within: Duration) -> Result<Option<SqliteStore>, String> {
    let for_a_person = within.saturating_sub(ANSWERING).clamp(ANSWERING, PATIENCE.1);
    let opened = match (&event.told, event.what) {
        (Told::Command(_), _) => {
            ralph_store::settle(&project.state_dir, &project.place.root).and_then(|_| {
                match SqliteStore::open_within(&project.place.state, for_a_person) {
                    Err(StoreError::NoDatabase { .. }) => SqliteStore::open(&project.place.state),
                    opened => opened,
                }
            })
        }
        (Told::Said { .. }, _) => SqliteStore::open_within(&project.place.state, for_a_person),
        _ if is_in_passing(event) => SqliteStore::open_in_passing(&project.place.state),
        (Told::Stopped { .. }, _) => {
            let patience = within.clamp(PATIENCE.0, PATIENCE.1);
            SqliteStore::open_within(&project.place.state, patience)
        }
        _ => SqliteStore::open_existing(&project.place.state),
    };
    match opened {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        Err(error) => Err(store_problem(&error).what),
    }
}

/// What the user's own hooks are told of it.
fn lifecycle(event: &Event) -> Option<Lifecycle> {
    match &event.told {
        Told::Started { source } => Some(Lifecycle::started(source)),
        Told::Tool(used) => Lifecycle::of(&event.observed, Some(used)),
        _ => Lifecycle::of(&event.observed, None),
    }
}

/// One event, and what it is heard with.
struct Hearing<'a> {
    dialect: &'a Dialect,
    event: &'a Event,
    project: &'a Project,
    place: &'a Place,
    inside: &'a Inside,
    seat: Seat,
    begun: Instant,
}

/// What comes of remembering an event.
struct Observed {
    resumed: Option<Resumed>,
    /// Whether it was not told before, as far as its host names what it tells.
    is_new: bool,
}

impl Hearing<'_> {
    async fn tell(&self, within: Duration, lifecycle: Option<Lifecycle>) -> Result<(), String> {
        let (event, store) = (self.event, &self.inside.store);
        let loops = Loops::new(store.clone(), self.seat.host.clone(), redactor());
        let seen = loops.look(&event.session).await.map_err(|error| chain(&error))?;
        let concerns_loop = match &event.told {
            _ if seen.unpresented.is_some() => true,
            _ if self.is_only_noted() => false,
            Told::Command(_) => true,
            _ => seen.here.is_some(),
        };
        let own = if concerns_loop { boxed(|| Own::at(&event.directory, store)).await } else { None };
        let loops = loops.with_hooks(own.as_ref().map(|own| own.hooks.clone()).unwrap_or_default());
        let Presented { seen, refused } = self.presented(seen, own.as_ref()).await?;
        let standing = match &seen.here {
            Some(id) => loops.standing_of(id).await.map_err(|error| chain(&error))?,
            None => None,
        };
        let Observed { resumed, is_new } = self.observe(standing.as_ref()).await?;
        let heard = standing.as_ref().filter(|_| is_new || !self.is_prompt());
        let (used, said) = heard.map(|standing| self.kept(standing)).unwrap_or_default();
        if matches!(event.told, Told::Stopped { .. } | Told::Started { .. }) {
            boxed(|| orphans::clear(self.dialect, &loops, store, &self.seat)).await;
        }
        let left = within.saturating_sub(self.begun.elapsed());
        let circumstances = Circumstances { within: left, cap: cap(self.dialect), tools: used, said };
        let reply = match refused {
            Some(why) => {
                Ok(Reply::Tell(format!("ralph: the loop that waited for this session is over: {why}")))
            }
            // Hooks of two installations are both told, and one of them has answered.
            None if self.is_prompt() && !is_new => Ok(Reply::Nothing),
            None if self.is_only_noted() => Ok(Reply::Nothing),
            None => boxed(|| hooked::respond(event, circumstances, &loops, self.inside)).await,
        };
        let reply = reply.or_else(|error| given_up(&error).ok_or_else(|| chain(&error)))?;
        let reply = match event.told {
            Told::Started { .. } => boxed(|| self.hydrated(reply, standing.as_ref(), resumed.as_ref())).await,
            _ => reply,
        };
        self.say(&reply, &loops).await?;
        self.inside.answered();
        if let Some(lifecycle) = lifecycle {
            let run = standing.map(|standing| standing.run);
            let left = within.saturating_sub(self.begun.elapsed());
            self.inside.expect(left);
            boxed(|| lifecycle.announce(&event.directory, store, &self.seat, run, left)).await;
        }
        if let Some(own) = own {
            let left = within.saturating_sub(self.begun.elapsed());
            self.inside.expect(left);
            boxed(|| own.deliver(store.clone(), left)).await;
        }
        Ok(())
    }

    /// What binds a loop to its host lasts, also where the event itself is noted in passing.
    async fn presented(&self, seen: Living, own: Option<&Own>) -> Result<Presented, String> {
        if seen.unpresented.is_none() {
            return Ok(Presented { seen, refused: None });
        }
        let store = SqliteStore::open_existing(&self.place.state);
        let store = store.map_err(|error| store_problem(&error).what)?;
        let told = own.map(|own| own.hooks.clone()).unwrap_or_default();
        let loops = Loops::new(Arc::new(store), self.seat.host.clone(), redactor()).with_hooks(told);
        let presented =
            boxed(|| loops.presented(&self.event.session, seen, |run| self.inside.refusal(run))).await;
        presented.map_err(|error| chain(&error))
    }

    /// Nothing is said to it, and no loop moves by it.
    fn is_only_noted(&self) -> bool {
        matches!(self.event.told, Told::Tool(_) | Told::Other)
    }

    fn is_prompt(&self) -> bool {
        matches!(self.event.told, Told::Said { .. } | Told::Command(_))
    }

    /// Keeps what happened in the turn of a loop; at its end, how many tools were used in it, and what was said by ralph's
    /// own.
    fn kept(&self, standing: &Standing) -> (u32, Heard) {
        let (event, place) = (self.event, self.place);
        record(place, &standing.run, event, Some(standing));
        let done = match (&event.told, &event.said) {
            (Told::Tool(_), Some(said)) => said::keep(place, standing, said, &redactor()),
            // A command disturbs no turn, and a loop that it starts has nothing said in it yet.
            (Told::Said { .. }, _) => said::forget(place, &standing.run),
            _ => Ok(()),
        };
        let unkept = |error: std::io::Error| {
            eprintln!("ralph: what the agent said by ralph's tools is not kept as it should be: {error}");
        };
        done.unwrap_or_else(unkept);
        if !matches!(event.told, Told::Stopped { .. }) {
            return (0, Heard::default());
        }
        let heard = said::heard(place, standing, &redactor()).map_err(unkept);
        (tools(place, standing), heard.unwrap_or_default())
    }

    async fn say(&self, reply: &Reply, loops: &Loops<SqliteStore>) -> Result<(), String> {
        let Some(said) = reply.said(self.dialect, self.event.name) else { return Ok(()) };
        let written = {
            let mut out = std::io::stdout().lock();
            out.write_all(said.to_string().as_bytes()).and_then(|()| out.flush())
        };
        if let Err(error) = written {
            loops.untold(&self.event.session).await.map_err(|error| chain(&error))?;
            return Err(format!("nobody took the answer: {error}"));
        }
        Ok(())
    }

    /// Remembers what happened, and hands out what a session that goes on is to go on with. The host's business goes on
    /// without it.
    async fn observe(&self, standing: Option<&Standing>) -> Result<Observed, String> {
        let moves_a_loop = match self.event.told {
            Told::Command(_) => true,
            Told::Said { .. } => standing.is_some(),
            _ => false,
        };
        match self.try_to_observe(standing).await {
            // What follows is written to the same store, and the host does not wait for it twice.
            Err(error @ StoreError::Busy { .. }) if moves_a_loop => Err(chain(&error)),
            Err(error) => {
                eprintln!("ralph: the session is not remembered: {}", chain(&error));
                Ok(Observed { resumed: None, is_new: true })
            }
            observed => observed.map_err(|error| chain(&error)),
        }
    }

    async fn try_to_observe(&self, standing: Option<&Standing>) -> Result<Observed, StoreError> {
        let (event, store, now) = (self.event, &*self.inside.store, Timestamp::now());
        // Before anything is written: the time of the last checkpoint decides.
        let known = match &event.told {
            Told::Started { source } if source == RESUMED => store.session_of(&self.seat).await?,
            _ => None,
        };
        let used = match (&event.told, standing) {
            (Told::Tool(used), Some(standing)) if !used.tool.is_empty() => {
                Some(ForLoop { used, standing, root: &self.place.root })
            }
            _ => None,
        };
        let told = sessions::Told {
            seat: self.seat.clone(),
            directory: &event.directory,
            what: event.observed.clone(),
            mode: event.mode,
            transcript: event.transcript.as_deref().filter(|path| path.is_file()),
            used,
        };
        let is_new = observe(store, &redactor(), told, now).await?;
        let resumed = match known {
            Some(session) => resume(store, session, now).await?,
            None => None,
        };
        Ok(Observed { resumed, is_new })
    }

    /// What an agent is told when its session begins or goes on.
    async fn hydrated(&self, reply: Reply, standing: Option<&Standing>, resumed: Option<&Resumed>) -> Reply {
        if matches!(reply, Reply::Brief(_)) {
            return reply;
        }
        let asked = resumed.and_then(|resumed| resumed.session.context.asked.as_deref());
        let about = About {
            task: standing.map(|standing| &standing.task),
            text: standing.map(|standing| standing.prompt.as_str()).or(asked).unwrap_or_default(),
        };
        let notes = match resumed.map(|resumed| resumed.how) {
            // Its agent has them in its conversation.
            Some(Hydration::Kept) => String::new(),
            Some(Hydration::Anew) | None => {
                recalled(self.project, &self.inside.store, about, &redactor()).await
            }
        };
        let (of_loop, note) = match &reply {
            Reply::Context { text, note } => (Some(text.as_str()), note.clone()),
            Reply::Tell(note) => (None, Some(note.clone())),
            Reply::Nothing | Reply::Brief(_) | Reply::GoOn { .. } | Reply::Kept(_) => (None, None),
        };
        let text = remembered(resumed, of_loop, &notes, Timestamp::now());
        if text.is_empty() { reply } else { Reply::Context { text, note } }
    }
}

/// Hosts take what a person is to be told only from a process that ends well.
fn given_up(error: &LoopError) -> Option<Reply> {
    let reply = hooked::given_up(error)?;
    eprintln!("ralph: {}", printable(&chain(error)));
    Some(reply)
}

/// How hosts call the beginning of a session that was there before.
const RESUMED: &str = "resume";

/// How often the host lets itself be told that a turn is not over.
fn cap(dialect: &Dialect) -> Option<u32> {
    let cap = dialect.cap?;
    let set = std::env::var(cap.variable).ok().and_then(|set| set.trim().parse().ok());
    Some(set.unwrap_or(cap.by_default))
}
