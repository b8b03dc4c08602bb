//! What ralph-tui remembers of its last session. Which tasks are done stands in the backlog itself.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::fault::{Fault, Spot};
use crate::plan::{Fate, Plan};
use crate::shell::quoted;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    #[serde(default)]
    status: String,
    #[serde(default)]
    current_iteration: u64,
    #[serde(default)]
    max_iterations: u64,
    #[serde(default)]
    tasks_completed: u64,
    agent_plugin: Option<String>,
    model: Option<String>,
    tracker_state: Option<TrackerState>,
    #[serde(default)]
    iterations: Vec<IgnoredAny>,
    #[serde(default)]
    skipped_task_ids: Vec<String>,
    #[serde(default)]
    active_task_ids: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TrackerState {
    #[serde(default)]
    plugin: String,
    epic_id: Option<String>,
    #[serde(default)]
    epic_ids: Vec<String>,
    prd_path: Option<String>,
}

pub(super) fn read(path: &Path, text: &str, plan: &mut Plan) -> Result<(), Fault> {
    let session: Session = parse(path, text)?;
    let mut told = |key: &str, became: Option<String>, why: String| {
        plan.fates.push(Fate {
            file: path.display().to_string(),
            line: None,
            key: key.to_owned(),
            became,
            why,
        });
    };
    let flag = |flag: &str| Some(format!("ralph run {flag}"));
    let mut flags = Vec::new();
    told("status", None, format!("the session was {}; ralph begins a run of its own", session.status));
    told(
        "currentIteration, maxIterations",
        None,
        format!("{} of {}; a new run counts from 1", session.current_iteration, session.max_iterations),
    );
    let done = "the backlog itself says which tasks are done, and ralph goes by that".to_owned();
    told("tasksCompleted, trackerState.tasks", None, format!("{}; {done}", session.tasks_completed));
    let history = format!("{} stay in ralph-tui's own file", session.iterations.len());
    told("iterations", None, history);
    let ids = |ids: &[String]| if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
    told("skippedTaskIds", None, format!("{}; open, and tried again", ids(&session.skipped_task_ids)));
    let begun = format!("{}; begun there, and begun anew", ids(&session.active_task_ids));
    told("activeTaskIds", None, begun);
    let who = [session.agent_plugin, session.model].into_iter().flatten().collect::<Vec<_>>().join(" ");
    told("agentPlugin, model", None, format!("{who}; what the configuration says counts"));
    if let Some(tracker) = session.tracker_state {
        told("trackerState.plugin", None, format!("{}; the backlog is found by its files", tracker.plugin));
        if let Some(prd) = tracker.prd_path {
            flags.push(format!("--prd {}", quoted(&prd)));
            told("trackerState.prdPath", flag(&flags[flags.len() - 1]), String::new());
        }
        let mut epics = tracker.epic_ids;
        epics.extend(tracker.epic_id);
        epics.dedup();
        for epic in epics {
            flags.push(format!("--epic {}", quoted(&epic)));
            told("trackerState.epicIds", flag(&flags[flags.len() - 1]), String::new());
        }
    }
    if session.status == "running" {
        plan.notices
            .push("ralph-tui's last session says that it is running: end it before a run begins".to_owned());
    }
    plan.flags.append(&mut flags);
    Ok(())
}

/// Times and numbers of sessions that are over, which no run needs.
pub(super) fn read_meta(path: &Path, text: &str, plan: &mut Plan) -> Result<(), Fault> {
    let keys: serde_json::Map<String, serde_json::Value> = parse(path, text)?;
    for key in keys.keys() {
        plan.fates.push(Fate {
            file: path.display().to_string(),
            line: None,
            key: key.clone(),
            became: None,
            why: "of a session of ralph-tui's; it stays there".to_owned(),
        });
    }
    Ok(())
}

fn parse<'t, T: Deserialize<'t>>(path: &Path, text: &'t str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| {
        let what = error.to_string();
        let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what).to_owned();
        let next = "mend it, or move it away: ralph needs nothing of it";
        Fault::new(path, what, next).at(Spot::of_line(text, error.line(), error.column()))
    })
}
