//! Every shape of escape, ended in every way, with and without a cgroup: nothing may survive.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use ralph_engine::custody::{RUN_MARK, reap_run};

use crate::agent::{FINISHED, SHAPES};
use crate::judge;

const WAYS: [&str; 6] = ["normal end", "end gently", "end at once", "kill ralph", "kill guard", "kill both"];
const ROUNDS: usize = 3;
const AT_A_TIME: usize = 4;
const LIMIT: Duration = Duration::from_secs(5);

#[derive(Clone)]
struct Trial {
    shape: &'static str,
    way: &'static str,
    cgroup: &'static str,
    run: String,
}

pub(crate) fn run() {
    let trials = Mutex::new(trials().into_iter());
    let results = Mutex::new(BTreeMap::<_, Vec<Duration>>::new());
    let failures = Mutex::new(Vec::new());
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let Some(trial) = trials.lock().unwrap().next() else { return };
                    match trial.hold() {
                        Ok(took) => {
                            results.lock().unwrap().entry((trial.shape, trial.way)).or_default().push(took);
                        }
                        Err(why) => failures.lock().unwrap().push(format!("{}: {why}", trial.run)),
                    }
                }
            });
        }
    });
    print_table(&results.into_inner().unwrap(), start.elapsed());
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(judge::cgroups(&format!("ralph-{}-", prefix())), Vec::<std::path::PathBuf>::new());
}

fn prefix() -> String {
    format!("t{}", std::process::id())
}

fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for round in 0..ROUNDS {
        for shape in SHAPES {
            for way in WAYS {
                for cgroup in ["cgroup", "subreaper"] {
                    let run = format!("{}-{round}-{shape}-{way}-{cgroup}", prefix()).replace(' ', "_");
                    trials.push(Trial { shape, way, cgroup, run });
                }
            }
        }
    }
    trials
}

impl Trial {
    /// How long it took from the blow until nothing was left.
    fn hold(&self) -> Result<Duration, String> {
        let mut ralph = Command::new(std::env::current_exe().unwrap())
            .args(["ralph", &self.run, self.cgroup, self.shape, self.way])
            .env("RALPH_TRIAL", &self.run)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let took = self.watch(&mut ralph);
        let _ = ralph.kill();
        ralph.wait().unwrap();
        took
    }

    fn watch(&self, ralph: &mut Child) -> Result<Duration, String> {
        let mut lines = BufReader::new(ralph.stdout.take().unwrap()).lines();
        let up = lines.next().ok_or("ralph said nothing")?.unwrap();
        let words: Vec<&str> = up.split(' ').collect();
        let ["up", guard, agent, _kind] = words.as_slice() else { return Err(format!("not up: {up}")) };
        let start = Instant::now();
        self.strike(ralph, guard.parse().unwrap(), agent.parse().unwrap(), &mut lines)?;

        let run_mark = format!("{RUN_MARK}={}", self.run);
        // Marks ralph and guard too, which the run's own mark does not.
        let trial_mark = format!("RALPH_TRIAL={}", self.run);
        let survivors = || [judge::carriers(&run_mark), judge::carriers(&trial_mark)].concat();
        judge::wait_until(LIMIT.saturating_sub(start.elapsed()), || survivors().is_empty())
            .ok_or_else(|| format!("survivors: {:?}", survivors()))?;
        Ok(start.elapsed())
    }

    fn strike(
        &self,
        ralph: &mut Child,
        guard: i32,
        agent: u32,
        lines: &mut Lines<BufReader<ChildStdout>>,
    ) -> Result<(), String> {
        match self.way {
            "kill ralph" => ralph.kill().unwrap(),
            "kill guard" => kill(Pid::from_raw(guard), Signal::SIGKILL).unwrap(),
            "kill both" => {
                kill(Pid::from_raw(guard), Signal::SIGKILL).unwrap();
                ralph.kill().unwrap();
                ralph.wait().unwrap();
                reap_run(&self.run).map_err(|error| error.to_string())?;
            }
            _ => {}
        }
        if matches!(self.way, "kill ralph" | "kill both") {
            return Ok(());
        }
        let ended = lines.next().ok_or("ralph did not report the end")?.unwrap();
        let expected = match self.way {
            "normal end" => format!("ended 0 Code({FINISHED})"),
            "kill guard" => "ended 0 lost".to_owned(),
            "end at once" => "ended 0 Signal(9)".to_owned(),
            _ => "ended 0 Signal".to_owned(),
        };
        if !ended.starts_with(&expected) || judge::is_alive(agent) {
            return Err(format!("expected {expected:?}, got {ended:?}"));
        }
        Ok(())
    }
}

fn print_table(results: &BTreeMap<(&str, &str), Vec<Duration>>, took: Duration) {
    let mut table = format!("{:<12}", "");
    for way in WAYS {
        write!(table, " {way:>14}").unwrap();
    }
    for shape in SHAPES {
        write!(table, "\n{shape:<12}").unwrap();
        for way in WAYS {
            let times = results.get(&(shape, way)).map_or(&[][..], Vec::as_slice);
            let slowest = times.iter().max().map_or(0, Duration::as_millis);
            write!(table, " {:>14}", format!("{} / {slowest} ms", times.len())).unwrap();
        }
    }
    let kills: usize = results.values().map(Vec::len).sum();
    println!(
        "{table}\n{kills} kills without a survivor (each: kills / slowest), in {:.1} s",
        took.as_secs_f64()
    );
}
