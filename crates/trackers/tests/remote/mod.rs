//! Stand-ins for servers, each in a process of its own, with the four tasks that every tracker is tried with.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ralph_trackers::{Address, JiraAccount, LinearAccount, Secret};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const LINEAR_KEY: &str = "lin_api_standin0123456789";
pub(crate) const JIRA_TOKEN: &str = "jira-standin-0123456789";

/// A process that ends with the test.
#[derive(Debug)]
pub(crate) struct Server(Child);

impl Server {
    /// A script that prints the port that it listens at.
    pub(crate) fn start(script: &str, dir: &Path) -> (Server, u16) {
        let mut server = Command::new("python3");
        server.args(["-I", "-S", "-c", script]).arg(dir);
        let mut server = Server(server.stdout(Stdio::piped()).spawn().unwrap());
        let mut port = String::new();
        BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut port).unwrap();
        (server, port.trim().parse().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A stand-in that runs, and where it keeps what it knows.
#[derive(Debug)]
pub(crate) struct StandIn {
    _server: Server,
    pub(crate) port: u16,
    pub(crate) home: PathBuf,
}

impl StandIn {
    fn start(script: &str, dir: &TempDir, home: &str, state: &Value) -> StandIn {
        let home = dir.path().join(home);
        fs::create_dir(&home).unwrap();
        fs::write(home.join("state.json"), state.to_string()).unwrap();
        let (server, port) = Server::start(script, dir.path());
        StandIn { _server: server, port, home }
    }

    pub(crate) fn state(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.home.join("state.json")).unwrap()).unwrap()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Value)) {
        let mut state = self.state();
        change(&mut state);
        fs::write(self.home.join("state.json"), state.to_string()).unwrap();
    }
}

/// A team in Linear whose workflow has these states beyond those that every team has.
pub(crate) fn linear(more_states: &[(&str, &str)]) -> (TempDir, StandIn, LinearAccount) {
    let usual = [
        ("Backlog", "backlog"),
        ("Todo", "unstarted"),
        ("In Progress", "started"),
        ("Done", "completed"),
        ("Canceled", "canceled"),
    ];
    let states = usual.iter().chain(more_states).enumerate();
    let states: Vec<Value> = states
        .map(|(no, (name, kind))| json!({"id": format!("state-{name}"), "name": name, "type": kind, "position": no}))
        .collect();
    let issue = |number: u8, state: &str, priority: u8, labels: &[&str]| {
        let labels: Vec<Value> = labels.iter().map(|name| json!({"id": name, "name": name})).collect();
        json!({"id": format!("uuid-{number}"), "identifier": format!("ENG-{number}"), "number": number,
            "title": format!("Task A-{number}"), "description": "Do it.", "priority": priority, "url": "https://linear.app/x",
            "state": format!("state-{state}"), "labels": labels, "project": null})
    };
    let issues = [
        issue(1, "Todo", 3, &[]),
        issue(2, "Backlog", 1, &[]),
        issue(3, "Done", 3, &[]),
        issue(4, "Todo", 0, &["ui"]),
    ];
    let state = json!({"team": {"id": "t", "key": "ENG", "name": "Engineering", "description": null}, "states": states,
        "issues": issues, "relations": [{"id": "r", "type": "blocks", "issue": "ENG-1", "relatedIssue": "ENG-2"}]});
    let dir = tempfile::tempdir().unwrap();
    let stand_in = StandIn::start(include_str!("../linear_stand_in.py"), &dir, ".linear", &state);
    let account = LinearAccount {
        url: Address::parse(&format!("http://127.0.0.1:{}/graphql", stand_in.port)).unwrap(),
        team: "ENG".to_owned(),
        project: None,
        token: Secret::parse(LINEAR_KEY).unwrap(),
    };
    (dir, stand_in, account)
}

/// A project in Jira, in the cloud or not, whose workflow has these statuses beyond the usual ones.
pub(crate) fn jira(is_cloud: bool, more: &[(&str, &str)]) -> (TempDir, StandIn, JiraAccount) {
    let usual = [("To Do", "new"), ("In Progress", "indeterminate"), ("Done", "done")];
    let statuses: Vec<(&str, &str)> = usual.iter().chain(more).copied().collect();
    let names: serde_json::Map<String, Value> =
        statuses.iter().map(|(name, category)| ((*name).to_owned(), json!(category))).collect();
    let ways: serde_json::Map<String, Value> = statuses
        .iter()
        .map(|(from, _)| {
            let others = statuses.iter().enumerate().filter(|(_, (name, _))| name != from);
            let others: Vec<Value> = others.map(|(no, (name, _))| json!([no + 11, name])).collect();
            ((*from).to_owned(), json!(others))
        })
        .collect();
    let issue = |number: u8, status: &str, priority: (&str, &str)| {
        json!({"id": format!("1000{number}"), "key": format!("P-{number}"), "summary": format!("Task A-{number}"),
            "description": "Do it.", "status": status, "resolution": null, "labels": [], "issuelinks": [], "parent": null,
            "priority": {"id": priority.0, "name": priority.1}, "issuetype": {"name": "Task", "hierarchyLevel": 0}, "subtasks": []})
    };
    let mut issues = [
        issue(1, "To Do", ("3", "Medium")),
        issue(2, "To Do", ("1", "Highest")),
        issue(3, "Done", ("3", "Medium")),
        issue(4, "To Do", ("5", "Lowest")),
    ];
    issues[1]["issuelinks"] = json!(["P-1"]);
    issues[3]["labels"] = json!(["ui"]);
    let state = json!({"cloud": is_cloud, "project": {"key": "P", "name": "Demo", "description": "All of it"},
        "statuses": names, "ways": ways, "issues": issues});
    let dir = tempfile::tempdir().unwrap();
    let stand_in = StandIn::start(include_str!("../jira_stand_in.py"), &dir, ".jira", &state);
    let account = JiraAccount {
        url: Address::parse(&format!("http://127.0.0.1:{}", stand_in.port)).unwrap(),
        project: "P".to_owned(),
        jql: None,
        email: is_cloud.then(|| "ann@example.com".to_owned()),
        token: Secret::parse(JIRA_TOKEN).unwrap(),
    };
    (dir, stand_in, account)
}
