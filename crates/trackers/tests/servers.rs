//! What becomes of a server that is slow, broken, hostile or gone: it is told with what and what next, nothing is
//! written on the strength of an answer that is none, nothing happens twice, and no token is in any of it.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod remote;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use ralph_core::backlog::Status;
use ralph_core::id::TaskId;
use ralph_trackers::{Address, Jira, JiraAccount, Linear, LinearAccount, Secret, Tracker, TrackerError};
use remote::{JIRA_TOKEN, LINEAR_KEY, StandIn};
use serde_json::{Value, json};

fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

/// Nothing of a token, in whatever form it was sent.
fn is_silent(error: &TrackerError) {
    let text = format!("{error} {error:?} {}", error.hint());
    let basic = "YW5uQGV4YW1wbGUuY29tOmppcmEtc3RhbmRpbi0wMTIzNDU2Nzg5";
    for secret in [LINEAR_KEY, JIRA_TOKEN, basic] {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(error.to_string().len() < 1_500 && error.hint().len() > 5, "{text}");
}

/// What a stand-in does instead of answering.
fn play(stand_in: &StandIn, tricks: Value) {
    fs::write(stand_in.home.join("mischief"), tricks.to_string()).unwrap();
}

/// What it was asked since the last time.
fn calls(stand_in: &StandIn) -> Vec<String> {
    let path = stand_in.home.join("calls");
    let calls = fs::read_to_string(&path).unwrap_or_default();
    let _ = fs::remove_file(&path);
    calls.lines().map(str::to_owned).collect()
}

/// A server that gives the same bytes to whoever asks, and tells what it was asked.
struct Parrot {
    port: u16,
    asked: mpsc::Receiver<String>,
}

impl Parrot {
    fn new(answer: Vec<u8>) -> Parrot {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (tell, asked) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = request(&mut stream);
                if tell.send(request).is_err() {
                    return;
                }
                // Whoever has heard enough goes away.
                let _ = stream.write_all(&answer);
            }
        });
        Parrot { port, asked }
    }

    fn saying(status: &str, body: &str) -> Parrot {
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        Parrot::new([head.as_bytes(), body.as_bytes()].concat())
    }

    fn linear(&self) -> Linear {
        let url = Address::parse(&format!("http://127.0.0.1:{}/graphql", self.port)).unwrap();
        let token = Secret::parse(LINEAR_KEY).unwrap();
        Linear::new(LinearAccount { url, team: "ENG".to_owned(), project: None, token })
    }

    fn jira(&self) -> Jira {
        let url = Address::parse(&format!("http://127.0.0.1:{}", self.port)).unwrap();
        Jira::new(JiraAccount {
            url,
            project: "P".to_owned(),
            jql: None,
            email: Some("ann@example.com".to_owned()),
            token: Secret::parse(JIRA_TOKEN).unwrap(),
        })
    }
}

/// One request, head and body.
fn request(stream: &mut TcpStream) -> String {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4_096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        match stream.read(&mut buffer) {
            Ok(length @ 1..) => bytes.extend_from_slice(&buffer[..length]),
            Ok(0) | Err(_) => return String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

/// What is no answer of Linear or of Jira.
fn nonsense() -> Vec<(&'static str, &'static str, String)> {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let issue = |what: &str| format!("{{\"data\": {{\"issues\": {what}}}, \"issues\": {what}}}");
    vec![
        ("200 OK", "JSON", String::new()),
        ("200 OK", "web page", "<!doctype html><title>Log in</title>".to_owned()),
        ("200 OK", "JSON", "{\"issues\": [".to_owned()),
        ("200 OK", "expected", "[]".to_owned()),
        ("200 OK", "expected", "{}".to_owned()),
        ("200 OK", "expected", issue("7")),
        ("200 OK", "expected", issue("[1]")),
        ("200 OK", "expected", issue("[{}]")),
        ("200 OK", "expected", issue("{\"nodes\": [{\"id\": 1}], \"pageInfo\": {\"hasNextPage\": false}}")),
        ("200 OK", "answered with something", issue(&deep)),
        ("302 Found", "sends elsewhere", String::new()),
        ("400 Bad Request", "refused it", "no".to_owned()),
        ("401 Unauthorized", "refused the token", "{\"message\": \"not MINE\"}".to_owned()),
        ("403 Forbidden", "refused the token", "<html>no</html>".to_owned()),
        ("404 Not Found", "knows nothing of it", "{}".to_owned()),
        ("418 I'm a teapot", "refused it", String::new()),
    ]
}

#[test]
fn whatever_a_server_answers_is_told_and_nothing_is_written() {
    for (status, expected, body) in nonsense() {
        let linear = Parrot::saying(status, &body.replace("MINE", LINEAR_KEY));
        refuses(&linear, &mut linear.linear(), &id("ENG-1"), expected);
        let jira = Parrot::saying(status, &body.replace("MINE", JIRA_TOKEN));
        refuses(&jira, &mut jira.jira(), &id("P-1"), expected);
    }
}

fn refuses(parrot: &Parrot, tracker: &mut dyn Tracker, one: &TaskId, expected: &str) {
    let error = tracker.load().map(|backlog| backlog.items().len()).unwrap_err();
    assert!(error.to_string().contains(expected), "{expected}: {error}");
    assert!(error.to_string().starts_with("POST http://127.0.0.1:"), "{error}");
    for error in [
        error,
        tracker.complete(one, "x").unwrap_err(),
        tracker.set_status(one, Status::InProgress).unwrap_err(),
        tracker.context().unwrap_err(),
    ] {
        is_silent(&error);
    }
    for asked in parrot.asked.try_iter() {
        let writes = ["mutation", "/transitions HTTP", "/comment HTTP"];
        assert!(!writes.iter().any(|write| asked.contains(write)), "{expected}: {asked}");
    }
}

#[test]
fn an_answer_without_end_is_cut() {
    let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
    let parrot = Parrot::new([head, vec![b' '; (64 << 20) + 2]].concat());
    let error = parrot.linear().load().map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("more than 64 MiB"), "{error}");
}

#[test]
fn no_token_follows_a_redirect() {
    let thief = Parrot::saying("200 OK", "{}");
    let away = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:{}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        thief.port
    );
    let parrot = Parrot::new(away.into_bytes());
    let error = parrot.jira().load().map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("sends elsewhere (307"), "{error}");
    assert!(thief.asked.try_recv().is_err(), "somebody else was asked");
}

#[test]
fn a_server_that_is_not_there_is_tried_again_and_told() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = Address::parse(&format!("http://127.0.0.1:{port}/graphql")).unwrap();
    let token = Secret::parse(LINEAR_KEY).unwrap();
    let mut gone = Linear::new(LinearAccount { url, team: "ENG".to_owned(), project: None, token });
    let begun = Instant::now();
    let error = gone.load().map(|_| ()).unwrap_err();
    is_silent(&error);
    assert!(error.to_string().contains("was not answered"), "{error}");
    assert!(begun.elapsed() > Duration::from_millis(1_700), "it was tried once only");
}

#[test]
fn reading_is_repeated_after_a_limit_a_failure_and_a_cut_and_not_for_ever() {
    let limited = json!({"status": 429, "headers": {"Retry-After": "0"}});
    let broken = json!({"status": 503, "body": "<html>"});
    let (_dir, stand_in, account) = remote::linear(&[]);
    let mut linear = Linear::new(account);
    for tricks in [json!([limited, limited, broken]), json!(["cut", "cut"])] {
        play(&stand_in, tricks);
        assert_eq!(linear.load().unwrap().items().len(), 4);
    }
    let limit =
        "{\"errors\": [{\"message\": \"Rate limit exceeded\", \"extensions\": {\"code\": \"RATELIMITED\"}}]}";
    play(&stand_in, json!([{"status": 400, "body": limit}]));
    assert_eq!(linear.load().unwrap().items().len(), 4);
    play(&stand_in, json!([{"status": 400, "body": limit, "headers": {"Retry-After": "3600"}}]));
    let error = linear.load().unwrap_err();
    assert!(error.to_string().contains("asks to wait for 3600 s"), "{error}");
    let (_dir, stand_in, account) = remote::jira(true, &[]);
    let mut jira = Jira::new(account);
    play(&stand_in, json!([broken, broken, broken, broken, broken]));
    let error = jira.load().unwrap_err();
    assert!(error.to_string().contains("failed (503"), "{error}");
    assert_eq!(jira.load().unwrap().items().len(), 4, "the fifth is read again");
}

#[test]
fn a_write_that_may_have_arrived_is_not_repeated() {
    let (_dir, stand_in, account) = remote::jira(true, &[]);
    let mut jira = Jira::new(account);
    let (one, two) = (id("P-1"), id("P-2"));
    // The issue, its transitions, its comments; then the comment, and the answer is lost.
    play(&stand_in, json!(["go on", "go on", "go on", "lose"]));
    let error = jira.complete(&one, "done").unwrap_err();
    is_silent(&error);
    let comments = |no: usize| stand_in.state()["issues"][no]["comments"].as_array().map_or(0, Vec::len);
    assert_eq!((comments(0), &stand_in.state()["issues"][0]["status"]), (1, &json!("To Do")));
    jira.complete(&one, "done").unwrap();
    assert_eq!((comments(0), &stand_in.state()["issues"][0]["status"]), (1, &json!("Done")), "told once");
    // The transition is taken, and the answer is lost.
    play(&stand_in, json!(["go on", "go on", "go on", "go on", "lose"]));
    jira.complete(&two, "done").unwrap_err();
    assert_eq!(stand_in.state()["issues"][1]["status"], "Done");
    jira.complete(&two, "done").unwrap();
    assert_eq!(comments(1), 1);
    // What the server refused was not done.
    play(&stand_in, json!(["go on", "go on", {"status": 429, "headers": {"Retry-After": "0"}}]));
    jira.set_status(&id("P-4"), Status::InProgress).unwrap();
    let calls = calls(&stand_in);
    let taken = calls.iter().filter(|call| *call == "POST /rest/api/3/issue/P-4/transitions");
    assert_eq!(taken.count(), 1, "{calls:?}");
}

#[test]
fn a_comment_in_linear_is_there_once_whatever_is_lost() {
    let (_dir, stand_in, account) = remote::linear(&[]);
    let mut linear = Linear::new(account);
    let one = id("ENG-1");
    let comments = || stand_in.state()["issues"][0]["comments"].as_array().map_or(0, Vec::len);
    // The issue, whether there is a comment; then the comment, and the answer is lost.
    play(&stand_in, json!(["go on", "go on", "lose"]));
    linear.complete(&one, "done").unwrap_err();
    assert_eq!((comments(), &stand_in.state()["issues"][0]["state"]), (1, &json!("state-Todo")));
    // To move it twice is harmless.
    play(&stand_in, json!(["go on", "go on", "lose"]));
    linear.complete(&one, "done").unwrap();
    assert_eq!((comments(), &stand_in.state()["issues"][0]["state"]), (1, &json!("state-Done")));
    assert_eq!(calls(&stand_in).iter().filter(|call| *call == "RalphMove").count(), 2);
}

#[test]
fn a_token_that_is_refused_is_told_without_it() {
    let wrong = || Secret::parse("wrong-0123456789").unwrap();
    let (_dir, _linear, account) = remote::linear(&[]);
    let (_other, _jira, jira) = remote::jira(true, &[]);
    let trackers: [Box<dyn Tracker>; 2] = [
        Box::new(Linear::new(LinearAccount { token: wrong(), ..account })),
        Box::new(Jira::new(JiraAccount { token: wrong(), ..jira })),
    ];
    for mut tracker in trackers {
        let error = tracker.load().map(|_| ()).unwrap_err();
        let text = format!("{error:?}");
        assert!(text.contains("uthenticat") && text.contains("[token]"), "{text}");
        assert!(!text.contains("wrong-") && !text.contains("d3JvbmctMDEyMzQ1Njc4OQ"), "{text}");
        assert!(error.hint().contains("_API_"), "{}", error.hint());
        assert!(!format!("{tracker:?}").contains("wrong-"), "{tracker:?}");
    }
}

#[test]
fn names_that_are_not_there_are_slips_and_not_nothing_to_do() {
    let (_dir, _stand_in, account) = remote::linear(&[]);
    let error =
        Linear::new(LinearAccount { team: "OPS".to_owned(), ..account }).load().map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("knows no team OPS"), "{error}");
    let (_dir, _stand_in, account) = remote::jira(false, &[]);
    let error = Jira::new(JiraAccount { project: "Q".to_owned(), ..account }).load().map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("'Q' does not exist"), "{error}");
}

#[test]
fn more_labels_and_relations_than_fit_are_asked_for() {
    let (_dir, stand_in, account) = remote::linear(&[]);
    stand_in.change(|state| {
        let labels: Vec<_> =
            (0..40).map(|no| json!({"id": no.to_string(), "name": format!("l{no}")})).collect();
        state["issues"][3]["labels"] = json!(labels);
    });
    let backlog = Linear::new(account).load().unwrap();
    assert_eq!(backlog.item(&id("ENG-4")).unwrap().labels.len(), 40);
    let calls = calls(&stand_in);
    assert_eq!(calls.iter().filter(|call| *call == "RalphRest").count(), 1, "{calls:?}");
}

#[test]
fn a_project_and_a_condition_narrow_what_is_read() {
    let (_dir, stand_in, account) = remote::linear(&[]);
    let project = json!({"id": "p", "slugId": "ab12", "name": "Billing", "description": null});
    stand_in.change(|state| state["issues"][0]["project"] = project);
    for named in ["billing", "ab12"] {
        let account = LinearAccount { project: Some(named.to_owned()), ..account.clone() };
        let mut tracker = Linear::new(account);
        let backlog = tracker.load().unwrap();
        let ids: Vec<&str> = backlog.items().iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["ENG-1", "project/ab12"]);
        assert!(matches!(tracker.complete(&id("ENG-4"), "x"), Err(TrackerError::NoTask { .. })));
    }
    let (_dir, _stand_in, account) = remote::jira(true, &[]);
    let mut tracker = Jira::new(JiraAccount { jql: Some("labels = ui".to_owned()), ..account });
    let backlog = tracker.load().unwrap();
    assert_eq!(backlog.items().iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["P-4"]);
}

#[test]
fn a_workflow_that_does_not_lead_there_is_told_with_where_it_leads() {
    let (_dir, stand_in, account) = remote::jira(true, &[("Won't Do", "done")]);
    stand_in.change(|state| state["ways"]["To Do"] = json!([[12, "In Progress"], [14, "Won't Do"]]));
    let mut jira = Jira::new(account);
    let before = stand_in.state();
    let error = jira.complete(&id("P-1"), "done").unwrap_err().to_string();
    assert!(error.contains("from To Do to completed for P-1: it leads to In Progress, Won't Do"), "{error}");
    assert_eq!(stand_in.state(), before);
    stand_in.change(|state| {
        state["screens"] = json!({"Done": {"resolution": {"required": true,
            "allowedValues": [{"id": "1", "name": "Won't Do"}, {"id": "2", "name": "Done"}]}}});
    });
    jira.set_status(&id("P-1"), Status::InProgress).unwrap();
    jira.complete(&id("P-1"), "done").unwrap();
    assert_eq!(stand_in.state()["issues"][0]["resolution"]["name"], "Done");
}
