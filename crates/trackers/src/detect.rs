//! Which backlog a project has, by the files that are there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::TrackerError;
use crate::jira::{JiraAccount, JiraSettings};
use crate::linear::{LinearAccount, LinearSettings};
use crate::markdown::has_checklist;
use crate::native::Native;
use crate::tracker::Kind;

/// Where ralph-tui, snarktank's ralph and people put it, the likeliest first.
const PRDS: [&str; 6] = [
    ".ralph/prd.json",
    "prd.json",
    "tasks/prd.json",
    ".ralph-tui/prd.json",
    "scripts/ralph/prd.json",
    "docs/prd.json",
];

const CHECKLISTS: [&str; 11] = [
    ".ralph/tasks.md",
    "TASKS.md",
    "tasks.md",
    "TODO.md",
    "todo.md",
    "PLAN.md",
    "plan.md",
    "IMPLEMENTATION_PLAN.md",
    "fix_plan.md",
    "@fix_plan.md",
    ".ralph/fix_plan.md",
];

const BEADS: &str = ".beads";

/// A backlog, and what it takes to reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Prd {
        file: PathBuf,
        root: PathBuf,
    },
    Markdown {
        file: PathBuf,
    },
    /// With the viewer, if its order counts.
    Beads {
        root: PathBuf,
        program: PathBuf,
        viewer: Viewer,
    },
    /// Issues of the repository that a project is a clone of.
    Github {
        root: PathBuf,
        program: PathBuf,
    },
    Linear(LinearAccount),
    Jira(JiraAccount),
    /// In the store of a project, whose directory is `state`.
    Native {
        state: PathBuf,
        root: PathBuf,
    },
}

/// Whose word on the order of tasks counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Viewer {
    /// Priority comes first.
    NotAsked,
    /// The graph comes first; `bv` ranks it where it is installed, ralph otherwise.
    Asked(Option<PathBuf>),
}

/// What is configured of trackers on servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accounts {
    pub linear: LinearSettings,
    pub jira: JiraSettings,
}

/// Where backlogs are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    pub root: &'a Path,
    /// The directory of the project's store, if there can be one.
    pub state: Option<&'a Path>,
    /// Directories with programs, as in `PATH`.
    pub search: Option<&'a OsStr>,
    pub accounts: &'a Accounts,
}

/// What was found, and what else there would have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    pub place: Place,
    /// Files and directories that hold backlogs, too, and were not taken.
    pub others: Vec<PathBuf>,
}

/// The backlog that a person means: by the file and the kind that are given, or else by what is there.
pub fn detect(
    around: &Surroundings<'_>,
    kind: Option<Kind>,
    file: Option<&Path>,
) -> Result<Detected, TrackerError> {
    let root = around.root;
    let alone = |place| Ok(Detected { place, others: Vec::new() });
    match (kind, file) {
        (
            Some(
                kind
                @ (Kind::Beads | Kind::BeadsBv | Kind::Github | Kind::Linear | Kind::Jira | Kind::Native),
            ),
            Some(file),
        ) => {
            let what = format!("tasks of the tracker {kind} are not kept in a file that is read");
            Err(TrackerError::malformed(file, None, what, "leave out --prd, or name another --tracker"))
        }
        (Some(kind @ (Kind::Beads | Kind::BeadsBv)), None) => alone(beads(root, kind, around.search)?),
        (Some(Kind::Github), None) => alone(github(root, around.search)?),
        // Only for whoever names them, too: nobody is asked over the net whether there is something.
        (Some(Kind::Linear), None) => alone(Place::Linear(around.accounts.linear.account()?)),
        (Some(Kind::Jira), None) => alone(Place::Jira(around.accounts.jira.account()?)),
        (Some(Kind::Native), None) => match native(around) {
            Some(place) => alone(place),
            None => Err(TrackerError::NoBacklog { root: root.to_owned() }),
        },
        (Some(Kind::Markdown), Some(file)) => alone(Place::Markdown { file: root.join(file) }),
        (Some(Kind::Prd), Some(file)) => alone(prd(root, root.join(file))),
        (None, Some(file)) => alone(by_name(root, root.join(file))),
        (kind @ (None | Some(Kind::Prd | Kind::Markdown)), None) => by_files(around, kind),
    }
}

/// Only for whoever names it: a clone says nothing of where its tasks are.
fn github(root: &Path, search: Option<&OsStr>) -> Result<Place, TrackerError> {
    match program("gh", search) {
        Some(program) => Ok(Place::Github { root: root.to_owned(), program }),
        None => Err(TrackerError::NoProgram { program: "gh".to_owned(), root: root.to_owned() }),
    }
}

fn native(around: &Surroundings<'_>) -> Option<Place> {
    let state = around.state?.to_owned();
    Some(Place::Native { state, root: around.root.to_owned() })
}

fn prd(root: &Path, file: PathBuf) -> Place {
    Place::Prd { file, root: root.to_owned() }
}

fn by_name(root: &Path, file: PathBuf) -> Place {
    let extension = file.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "md" | "markdown" | "mdown" | "txt" => Place::Markdown { file },
        _ => prd(root, file),
    }
}

/// What people see in the tree comes first; what ralph keeps itself counts where nothing else does.
fn by_files(around: &Surroundings<'_>, kind: Option<Kind>) -> Result<Detected, TrackerError> {
    let root = around.root;
    let is_wanted = |one: Kind| kind.is_none_or(|kind| kind == one);
    let mut found: Vec<(Kind, PathBuf)> = Vec::new();
    if is_wanted(Kind::Prd) {
        found.extend(PRDS.iter().map(|name| (Kind::Prd, root.join(name))).filter(|(_, path)| path.is_file()));
    }
    if is_wanted(Kind::Beads) && root.join(BEADS).is_dir() {
        found.push((Kind::Beads, root.join(BEADS)));
    }
    if is_wanted(Kind::Markdown) {
        let files = CHECKLISTS.iter().map(|name| root.join(name)).filter(|path| path.is_file());
        found.extend(files.filter(|path| has_checklist(path)).map(|path| (Kind::Markdown, path)));
    }
    if let Some(state) = around.state.filter(|_| is_wanted(Kind::Native)) {
        match Native::is_used(state) {
            Ok(true) => found.push((Kind::Native, state.to_owned())),
            Ok(false) => {}
            // A store that cannot be read matters only where nothing else is there to be read.
            Err(error) if found.is_empty() => return Err(error),
            Err(_) => {}
        }
    }
    let others = found.iter().skip(1).map(|(_, path)| path.clone()).collect();
    let place = match found.into_iter().next() {
        None => return Err(TrackerError::NoBacklog { root: root.to_owned() }),
        Some((Kind::Prd, file)) => prd(root, file),
        Some((Kind::Markdown, file)) => Place::Markdown { file },
        Some((kind @ (Kind::Beads | Kind::BeadsBv), _)) => beads(root, kind, around.search)?,
        Some((Kind::Github, _)) => github(root, around.search)?,
        Some((Kind::Linear, _)) => Place::Linear(around.accounts.linear.account()?),
        Some((Kind::Jira, _)) => Place::Jira(around.accounts.jira.account()?),
        Some((Kind::Native, state)) => Place::Native { state, root: root.to_owned() },
    };
    Ok(Detected { place, others })
}

fn beads(root: &Path, kind: Kind, search: Option<&OsStr>) -> Result<Place, TrackerError> {
    let home = root.join(BEADS);
    if !home.is_dir() {
        return Err(TrackerError::NoBacklog { root: root.to_owned() });
    }
    // Only `bd` keeps its issues in Dolt; both know the older files.
    let is_dolt = home.join("embeddeddolt").exists() || home.join("dolt").exists();
    let names: &[&str] = if is_dolt { &["bd"] } else { &["br", "bd"] };
    let program = names.iter().find_map(|name| program(name, search));
    let program = program
        .ok_or_else(|| TrackerError::NoProgram { program: names.join(" or "), root: root.to_owned() })?;
    let viewer =
        if kind == Kind::BeadsBv { Viewer::Asked(self::program("bv", search)) } else { Viewer::NotAsked };
    Ok(Place::Beads { root: root.to_owned(), program, viewer })
}

/// Never from a directory that depends on where one is: a project could put its own program there.
fn program(name: &str, search: Option<&OsStr>) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    let directories = std::env::split_paths(search?).filter(|directory| directory.is_absolute());
    directories.map(|directory| directory.join(name)).find(is_program)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use jiff::Timestamp;
    use ralph_store::{By, NewTask, SqliteStore, Tasks};

    use super::{Accounts, Detected, Place, Surroundings, Viewer};
    use crate::credentials::{Address, Secret};
    use crate::error::TrackerError;
    use crate::tracker::Kind;

    fn detect(
        root: &Path,
        kind: Option<Kind>,
        file: Option<&Path>,
        search: Option<&std::ffi::OsStr>,
    ) -> Result<Detected, TrackerError> {
        super::detect(&Surroundings { root, state: None, search, accounts: &Accounts::default() }, kind, file)
    }

    fn put(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_likeliest_backlog_is_taken_and_the_others_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        assert_eq!(detect(root, None, None, None), Err(TrackerError::NoBacklog { root: root.to_owned() }));
        put(root, "PLAN.md", "# only words\n");
        assert!(detect(root, None, None, None).is_err(), "a plan without boxes is no backlog");
        put(root, "TODO.md", "- [ ] one\n");
        let found = detect(root, None, None, None).unwrap();
        assert_eq!(found.place, Place::Markdown { file: root.join("TODO.md") });
        put(root, "tasks/prd.json", "{}");
        let found = detect(root, None, None, None).unwrap();
        assert_eq!(found.place, Place::Prd { file: root.join("tasks/prd.json"), root: root.to_owned() });
        assert_eq!(found.others, [root.join("TODO.md")]);
        let found = detect(root, Some(Kind::Markdown), None, None).unwrap();
        assert_eq!(found.place, Place::Markdown { file: root.join("TODO.md") });
        let found = detect(root, None, Some(Path::new("notes.MD")), None).unwrap();
        assert_eq!(found.place, Place::Markdown { file: root.join("notes.MD") });
    }

    #[test]
    fn beads_need_a_program_that_the_project_did_not_bring() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir(root.join(".beads")).unwrap();
        put(root, "bin/br", "");
        put(root, "bin/bd", "");
        let search = root.join("bin").into_os_string();
        let program = |kind, search: Option<&str>| {
            let path = search.map(std::ffi::OsStr::new);
            detect(root, Some(kind), None, path).map(|found| found.place)
        };
        assert!(matches!(program(Kind::Beads, None), Err(TrackerError::NoProgram { .. })));
        assert!(matches!(program(Kind::Beads, Some(".:bin:")), Err(TrackerError::NoProgram { .. })));
        let found = program(Kind::BeadsBv, search.to_str()).unwrap();
        let expected =
            Place::Beads { root: root.to_owned(), program: root.join("bin/br"), viewer: Viewer::Asked(None) };
        assert_eq!(found, expected);
        fs::create_dir(root.join(".beads/embeddeddolt")).unwrap();
        let Ok(Place::Beads { program, .. }) = program(Kind::Beads, search.to_str()) else { panic!("beads") };
        assert_eq!(program, root.join("bin/bd"));
    }
    #[test]
    fn what_ralph_keeps_itself_counts_where_nothing_else_is() {
        let (dir, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, state) = (dir.path(), home.path().join("projects/key"));
        let accounts = Accounts::default();
        let around = Surroundings { root, state: Some(&state), search: None, accounts: &accounts };
        let native = Place::Native { state: state.clone(), root: root.to_owned() };
        let nothing = Err(TrackerError::NoBacklog { root: root.to_owned() });
        assert_eq!(super::detect(&around, None, None), nothing);
        assert!(!state.exists(), "looking makes nothing");
        let named = super::detect(&around, Some(Kind::Native), None).unwrap();
        assert_eq!(named.place, native, "who names it can begin with it");
        let store = SqliteStore::open(&state).unwrap();
        assert_eq!(super::detect(&around, None, None), nothing, "a store without tasks is no backlog");
        let add = store.add_tasks(vec![NewTask::titled("one")], Timestamp::UNIX_EPOCH, By::Person);
        crate::native::wait(add).unwrap();
        assert_eq!(super::detect(&around, None, None).unwrap(), Detected { place: native, others: vec![] });
        put(root, "TODO.md", "- [ ] one\n");
        let found = super::detect(&around, None, None).unwrap();
        assert_eq!(found.place, Place::Markdown { file: root.join("TODO.md") });
        assert_eq!(found.others, std::slice::from_ref(&state));
        let file = super::detect(&around, Some(Kind::Native), Some(Path::new("TODO.md")));
        assert!(matches!(file, Err(TrackerError::Malformed { .. })));
        drop(store);
        fs::write(state.join("ralph.db"), "no database").unwrap();
        assert_eq!(super::detect(&around, None, None).unwrap().others, [] as [std::path::PathBuf; 0]);
        fs::remove_file(root.join("TODO.md")).unwrap();
        assert!(matches!(super::detect(&around, None, None), Err(TrackerError::Store(_))));
    }

    #[test]
    fn a_tracker_on_a_server_is_taken_only_by_name_and_says_what_it_lacks() {
        let dir = tempfile::tempdir().unwrap();
        let mut accounts = Accounts::default();
        let find = |accounts: &Accounts, kind| {
            let around = Surroundings { root: dir.path(), state: None, search: None, accounts };
            super::detect(&around, kind, None).map(|found| found.place)
        };
        let lacks = |accounts: &Accounts, kind| {
            let error = find(accounts, Some(kind)).unwrap_err();
            assert!(matches!(error, TrackerError::Unset { .. }) && !error.hint().is_empty(), "{error}");
            error.to_string()
        };
        assert_eq!(lacks(&accounts, Kind::Linear), "the tracker linear needs the key of a team");
        accounts.linear.team = Some("ENG".to_owned());
        assert_eq!(lacks(&accounts, Kind::Linear), "the tracker linear needs a key in LINEAR_API_KEY");
        accounts.linear.token = Secret::parse("lin_api_1");
        let Ok(Place::Linear(account)) = find(&accounts, Some(Kind::Linear)) else { panic!("linear") };
        assert_eq!(account.url.to_string(), "https://api.linear.app/graphql");
        assert!(lacks(&accounts, Kind::Jira).contains("the address of the site"));
        accounts.jira.url = Address::parse("https://x.atlassian.net").ok();
        accounts.jira.project = Some("P".to_owned());
        assert!(lacks(&accounts, Kind::Jira).contains("the address that its token belongs to"));
        accounts.jira.email = Some("a@example.com".to_owned());
        assert!(lacks(&accounts, Kind::Jira).contains("a token in JIRA_API_TOKEN"));
        accounts.jira.token = Secret::parse("secret-1");
        assert!(matches!(find(&accounts, Some(Kind::Jira)), Ok(Place::Jira(_))));
        assert!(
            !format!("{accounts:?}").contains("lin_api_1") && !format!("{accounts:?}").contains("secret-1")
        );
        assert!(matches!(find(&accounts, None), Err(TrackerError::NoBacklog { .. })), "nobody named it");
    }
}
