//! Every shape of escape, ended in every way, through the binary: nothing may survive.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use ralph_testkit::{Live, PATIENCE, Project, kill_nine, send, survivors, until};

use crate::project;

const LIMIT: Duration = Duration::from_secs(5);
const AT_A_TIME: usize = 4;

const SHAPES: [(&str, &str); 8] = [
    ("plain child", "sleep 600 &"),
    ("own group", "set -m; sleep 600 & set +m"),
    ("own session", "setsid sleep 600 &"),
    ("double fork", "(setsid sh -c 'sleep 600 & exit 0' &)"),
    ("nohup", "nohup sleep 600 >/dev/null 2>&1 &"),
    ("deaf", "sh -c \"trap '' INT TERM HUP QUIT; while :; do sleep 0.2; done\" &"),
    ("stopped", "sleep 600 & kill -STOP $!"),
    ("forking", "f() { [ $1 -gt 400 ] && exit; sleep 0.02; f $(( $1 + 1 )) & exit 0; }; f 1 &"),
];

const WAYS: [&str; 6] = ["normal end", "stop --now", "signal", "total timeout", "kill ralph", "kill guard"];

#[test]
fn nothing_survives() {
    let mut trials = Vec::new();
    for custody in ["auto", "subreaper"] {
        for shape in SHAPES {
            trials.extend(WAYS.map(|way| (custody, shape, way)));
        }
    }
    let (count, trials) = (trials.len(), Mutex::new(trials.into_iter()));
    let failures = Mutex::new(Vec::new());
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let Some((custody, shape, way)) = trials.lock().unwrap().next() else { return };
                    if let Err(why) = hold(custody, shape.1, way) {
                        failures.lock().unwrap().push(format!("{}, {way}, {custody}: {why}", shape.0));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{count} kills without a survivor in {:.1} s", start.elapsed().as_secs_f64());
    assert!(count >= 96);
}

fn hold(custody: &str, shape: &str, way: &str) -> Result<(), String> {
    let stays = if way == "normal end" { "exit 0" } else { "while :; do sleep 0.1; done" };
    let agent = format!("{shape}\necho $RALPH_RUN > ready.tmp; mv ready.tmp ready; {stays}");
    let project = project().agent(&agent).with("RALPH_SET_AGENT__CUSTODY", custody);
    let mut args = vec!["run", "x", "--max-iterations", "1", "--max-consecutive-failures", "1"];
    if way == "total timeout" {
        args.extend(["--total-timeout", "1s"]);
    }
    let mut run = project.start(&args);
    let ready = project.tree().join("ready");
    let id = until(PATIENCE, "an agent", || std::fs::read_to_string(&ready).ok());
    let code = strike(&project, &mut run, way);
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if survivors(id.trim()).is_empty() {
            let ended = run.end(LIMIT);
            return if ended.code == code { Ok(()) } else { Err(format!("ends with {ended:?}")) };
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(format!("survivors: {:?}", survivors(id.trim())))
}

/// Answers with the exit code that ralph must have.
fn strike(project: &Project, run: &mut Live, way: &str) -> Option<i32> {
    match way {
        "normal end" => Some(3),
        "stop --now" => {
            assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
            Some(130)
        }
        "signal" => {
            send(run.pid(), Signal::SIGINT);
            Some(130)
        }
        "total timeout" => Some(1),
        "kill ralph" => {
            kill_nine(run.pid());
            None
        }
        "kill guard" => {
            kill_nine(run.guard());
            Some(1)
        }
        other => panic!("no such way: {other}"),
    }
}
