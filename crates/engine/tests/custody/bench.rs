//! What custody costs: a program that does nothing, under a guard and by itself.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ralph_engine::custody::{CgroupUse, Launch};

use crate::host;

const ROUNDS: usize = 500;

pub(crate) fn run() {
    let plain = median(|| {
        let start = Instant::now();
        Command::new("/bin/true").stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
        start.elapsed()
    });
    println!("plain Command        {:>6} µs", plain.as_micros());
    for cgroup in [CgroupUse::Never, CgroupUse::Auto] {
        let held = host::block_on(under_guard(cgroup));
        println!("custody, cgroup {cgroup:<5?} {:>5} µs", held.as_micros());
    }
}

async fn under_guard(cgroup: CgroupUse) -> Duration {
    let start = Instant::now();
    let mut custody = host::open("bench", cgroup).await;
    println!("open, {:?}: {} µs", custody.kind(), start.elapsed().as_micros());
    let env = std::env::vars_os().collect();
    let launch =
        Launch { program: PathBuf::from("/bin/true"), args: Vec::new(), env, dir: PathBuf::from("/") };
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        custody.spawn(&launch, File::open("/dev/null").unwrap()).await.unwrap();
        custody.exited().await.unwrap();
        times.push(start.elapsed());
    }
    custody.close().await.unwrap();
    times.sort_unstable();
    times[ROUNDS / 2]
}

fn median(mut once: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| once()).collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}
