//! The part of ralph: holds one agent in custody and reports, a line each, what becomes of it.

use std::io::Write;

use nix::fcntl::OFlag;
use nix::unistd::pipe2;
use ralph_engine::custody::{
    CgroupUse, Child, Custody, CustodyError, Ending, GuardOptions, Launch, RUN_MARK,
};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::judge;

pub(crate) fn play(run: &str, cgroup: &str, shape: &str, way: &str) {
    block_on(async {
        let mut custody =
            open(run, if cgroup == "cgroup" { CgroupUse::Auto } else { CgroupUse::Never }).await;
        let (stdin, input) = pipe2(OFlag::O_CLOEXEC).unwrap();
        let stubborn = if way == "normal end" { "mild" } else { "stubborn" };
        let child = custody.spawn(&launch(&["escape", shape, stubborn]), stdin).await.unwrap();
        let pid = child.pid;
        await_lines(child, 2).await;
        say(&format!("up {} {pid} {:?}", custody.guard_pid(), custody.kind()));
        match way {
            "normal end" => std::fs::File::from(input).write_all(b"finish\n").unwrap(),
            "end gently" => custody.end(Ending::Gently).await.unwrap(),
            "end at once" => custody.end(Ending::AtOnce).await.unwrap(),
            // The others are done to us, or to our guard.
            _ => {}
        }
        let end = match custody.exited().await {
            Ok(exit) => format!("{:?}", exit.status),
            Err(CustodyError::GuardLost(_)) => "lost".to_owned(),
            Err(error) => panic!("{error}"),
        };
        // This very moment is the one for which custody claims that nothing is left.
        let left = judge::carriers(&format!("{RUN_MARK}={run}")).len();
        say(&format!("ended {left} {end}"));
        custody.close().await.unwrap();
    });
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) async fn open(run: &str, cgroup: CgroupUse) -> Custody {
    let program = std::env::current_exe().unwrap();
    let options =
        GuardOptions { program, args: vec!["guard".into()], run: run.to_owned(), lock: None, cgroup };
    Custody::open(options).await.unwrap()
}

pub(crate) fn launch(part: &[&str]) -> Launch {
    let args = std::iter::once("agent").chain(part.iter().copied()).map(Into::into).collect();
    Launch { program: std::env::current_exe().unwrap(), args, env: Vec::new(), dir: "/".into() }
}

pub(crate) async fn await_lines(child: Child, count: usize) -> Vec<String> {
    let mut lines = BufReader::new(child.stdout).lines();
    let mut seen = Vec::new();
    while seen.len() < count {
        seen.push(lines.next_line().await.unwrap().expect("the agent says it is ready"));
    }
    seen
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}
