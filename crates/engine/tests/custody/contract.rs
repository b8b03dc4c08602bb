//! What custody promises beside the end of escapers.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, Flock, FlockArg, OFlag, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, pipe2};
use ralph_engine::custody::{
    CgroupUse, Custody, CustodyError, Ending, Exit, GuardOptions, Launch, RUN_MARK, SpawnError, Status,
    reap_run,
};
use tokio::io::AsyncReadExt;

use crate::host::{await_lines, block_on, launch, open};
use crate::judge;

pub(crate) fn run() {
    let tests: [(&str, fn()); 12] = [
        ("a_missing_program_is_named", a_missing_program_is_named),
        ("a_missing_directory_is_named", a_missing_directory_is_named),
        ("a_large_environment_arrives_whole", a_large_environment_arrives_whole),
        ("an_agent_inherits_three_descriptors", an_agent_inherits_three_descriptors),
        ("an_agent_hears_every_signal", an_agent_hears_every_signal),
        ("one_job_at_a_time_and_then_the_next", one_job_at_a_time_and_then_the_next),
        ("waiting_can_be_cancelled", waiting_can_be_cancelled),
        ("the_lock_lives_as_long_as_the_guard", the_lock_lives_as_long_as_the_guard),
        ("a_stopped_guard_is_replaced_by_ralph", a_stopped_guard_is_replaced_by_ralph),
        ("a_lost_guards_unmarked_orphan_is_ended", a_lost_guards_unmarked_orphan_is_ended),
        ("what_is_no_guard_is_not_trusted", what_is_no_guard_is_not_trusted),
        ("reaping_a_run_ends_what_carries_its_mark", reaping_a_run_ends_what_carries_its_mark),
    ];
    for (name, test) in tests {
        println!("test {name}");
        test();
    }
}

fn null() -> File {
    File::open("/dev/null").unwrap()
}

fn run_id(name: &str) -> String {
    format!("c{}-{name}", std::process::id())
}

/// What an agent in this part prints until it ends.
fn output(run: &str, launch: &Launch) -> String {
    block_on(async {
        let mut custody = open(&run_id(run), CgroupUse::Auto).await;
        let mut child = custody.spawn(launch, null()).await.unwrap();
        let exit = custody.exited().await.unwrap();
        assert_eq!(exit, Exit { status: Status::Code(0), leftovers: 0 });
        let mut text = String::new();
        child.stdout.read_to_string(&mut text).await.unwrap();
        custody.close().await.unwrap();
        text
    })
}

fn a_missing_program_is_named() {
    block_on(async {
        let mut custody = open(&run_id("missing"), CgroupUse::Auto).await;
        let missing = Launch { program: "/no/such/agent".into(), ..launch(&[]) };
        let error = custody.spawn(&missing, null()).await.unwrap_err();
        assert_eq!(error.to_string(), "cannot start /no/such/agent");
        let SpawnError::Program { source, .. } = error else { panic!("{error:?}") };
        assert_eq!(source.raw_os_error(), Some(Errno::ENOENT as i32));

        custody.spawn(&launch(&["environment"]), null()).await.expect("the guard is as good as before");
        custody.exited().await.unwrap();
        custody.close().await.unwrap();
    });
}

fn a_missing_directory_is_named() {
    block_on(async {
        let mut custody = open(&run_id("nowhere"), CgroupUse::Never).await;
        let nowhere = Launch { dir: "/no/such/place".into(), ..launch(&["environment"]) };
        let error = custody.spawn(&nowhere, null()).await.unwrap_err();
        assert!(matches!(error, SpawnError::Directory { .. }), "{error:?}");
        assert!(error.to_string().ends_with(" in /no/such/place"), "{error}");
        custody.close().await.unwrap();
    });
}

fn a_large_environment_arrives_whole() {
    let env = (0..4).map(|n| (format!("BIG{n}").into(), "ä".repeat(25 * 1024).into())).collect();
    let mark = RUN_MARK.len() + run_id("large").len();
    assert_eq!(
        output("large", &Launch { env, ..launch(&["environment"]) }),
        format!("{}\n", 4 * (4 + 50 * 1024) + mark)
    );
}

fn an_agent_inherits_three_descriptors() {
    let leaked = fcntl(null(), FcntlArg::F_DUPFD(50)).unwrap();
    assert_eq!(output("descriptors", &launch(&["descriptors"])), "0 1 2\n");
    nix::unistd::close(leaked).unwrap();
}

fn an_agent_hears_every_signal() {
    assert_eq!(output("signals", &launch(&["signals"])), "blocked 0 ignored 0\n");
}

fn one_job_at_a_time_and_then_the_next() {
    block_on(async {
        let mut custody = open(&run_id("turns"), CgroupUse::Auto).await;
        custody.end(Ending::Gently).await.unwrap();
        assert!(matches!(custody.exited().await, Err(CustodyError::NoJob(_))));
        for _ in 0..3 {
            custody.spawn(&launch(&["pause"]), null()).await.unwrap();
            let second = custody.spawn(&launch(&["pause"]), null()).await;
            assert!(matches!(second, Err(SpawnError::Busy(_))), "{second:?}");
            custody.end(Ending::Gently).await.unwrap();
            custody.end(Ending::AtOnce).await.unwrap();
            custody.end(Ending::AtOnce).await.unwrap();
            let exit = custody.exited().await.unwrap();
            assert!(matches!(exit.status, Status::Signal(_)), "{exit:?}");
        }
        custody.close().await.unwrap();
    });
}

fn waiting_can_be_cancelled() {
    block_on(async {
        let mut custody = open(&run_id("cancel"), CgroupUse::Never).await;
        custody.spawn(&launch(&["pause"]), null()).await.unwrap();
        let mut cancelled = 0;
        let exit = loop {
            tokio::select! {
                exit = custody.exited() => break exit.unwrap(),
                () = tokio::time::sleep(Duration::from_micros(50)) => cancelled += 1,
            }
            if cancelled == 20 {
                custody.end(Ending::AtOnce).await.unwrap();
            }
        };
        assert_eq!(exit.status, Status::Signal(9));
        custody.close().await.unwrap();
    });
}

fn the_lock_lives_as_long_as_the_guard() {
    let path = std::env::temp_dir().join(run_id("lock"));
    let lock = || Flock::lock(File::create(&path).unwrap(), FlockArg::LockExclusiveNonblock);
    block_on(async {
        let held = lock().unwrap();
        let options = GuardOptions {
            program: std::env::current_exe().unwrap(),
            args: vec!["guard".into()],
            run: run_id("lock"),
            lock: Some(held.try_clone().unwrap().into()),
            cgroup: CgroupUse::Never,
        };
        let custody = Custody::open(options).await.unwrap();
        // Its destructor would unlock it for the guard as well, which the death of a ralph does not.
        let ours = std::mem::ManuallyDrop::new(held);
        nix::unistd::close(ours.as_raw_fd()).unwrap();
        assert!(lock().is_err());
        custody.close().await.unwrap();
        lock().unwrap();
    });
    fs::remove_file(path).unwrap();
}

fn a_stopped_guard_is_replaced_by_ralph() {
    block_on(async {
        let run = run_id("stopped");
        let mut custody = open(&run, CgroupUse::Never).await;
        let child = custody.spawn(&launch(&["escape", "double fork", "mild"]), null()).await.unwrap();
        await_lines(child, 2).await;
        kill(Pid::from_raw(custody.guard_pid() as i32), Signal::SIGSTOP).unwrap();
        let start = Instant::now();
        custody.end(Ending::AtOnce).await.unwrap();
        assert!(matches!(custody.exited().await, Err(CustodyError::GuardLost(_))));
        assert!(start.elapsed() < Duration::from_secs(5));
        assert_eq!(judge::carriers(&format!("{RUN_MARK}={run}")), Vec::<u32>::new());
        let again = custody.spawn(&launch(&["pause"]), null()).await;
        assert!(matches!(again, Err(SpawnError::Custody(CustodyError::GuardLost(_)))), "{again:?}");
    });
}

fn a_lost_guards_unmarked_orphan_is_ended() {
    block_on(async {
        let mut ours = Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
        let mut other = open(&run_id("other"), CgroupUse::Never).await;
        let others = other.spawn(&launch(&["pause"]), null()).await.unwrap();

        let mut custody = open(&run_id("unmarked"), CgroupUse::Never).await;
        let child = custody.spawn(&launch(&["unmarked"]), null()).await.unwrap();
        let orphan: u32 = await_lines(child, 1).await[0].parse().unwrap();
        kill(Pid::from_raw(custody.guard_pid() as i32), Signal::SIGKILL).unwrap();
        assert!(matches!(custody.exited().await, Err(CustodyError::GuardLost(_))));
        assert!(!judge::is_alive(orphan));

        assert!(
            ours.try_wait().unwrap().is_none(),
            "a child that ralph started itself is none of custody's business"
        );
        assert!(judge::is_alive(others.pid), "nor is what another guard holds");
        ours.kill().unwrap();
        ours.wait().unwrap();
        other.close().await.unwrap();
        assert!(!judge::is_alive(others.pid));
    });
}

fn what_is_no_guard_is_not_trusted() {
    let attempt = |program: &str, run: &str| {
        let (program, run) = (program.into(), run.into());
        block_on(Custody::open(GuardOptions {
            program,
            args: vec![],
            run,
            lock: None,
            cgroup: CgroupUse::Never,
        }))
    };
    let error = attempt("/bin/true", "r").unwrap_err();
    assert!(matches!(error, CustodyError::NotReady { .. }), "{error:?}");
    let error = attempt("/no/such/guard", "r").unwrap_err();
    assert_eq!(error.to_string(), "cannot start the guard /no/such/guard");
    let error = attempt("/bin/true", "../r").unwrap_err();
    assert!(matches!(error, CustodyError::RunId(_)), "{error:?}");
}

fn reaping_a_run_ends_what_carries_its_mark() {
    let run = run_id("reap");
    let start = |run: &str| {
        let (ready, says) = pipe2(OFlag::O_CLOEXEC).unwrap();
        let agent = Command::new(std::env::current_exe().unwrap())
            .args(["agent", "escape", "double fork", "mild"])
            .env(RUN_MARK, run)
            .stdin(Stdio::null())
            .stdout(says)
            .spawn()
            .unwrap();
        let mut lines = io::BufRead::lines(io::BufReader::new(File::from(ready)));
        lines.next().unwrap().unwrap();
        lines.next().unwrap().unwrap();
        agent
    };
    let (mut marked, mut stranger) = (start(&run), start(&format!("{run}x")));
    assert_eq!(reap_run(&run).unwrap(), 2);
    assert_eq!(judge::carriers(&format!("{RUN_MARK}={run}")), Vec::<u32>::new());
    assert_eq!(judge::carriers(&format!("{RUN_MARK}={run}x")).len(), 2);
    assert_eq!(reap_run(&format!("{run}x")).unwrap(), 2);
    marked.wait().unwrap();
    stranger.wait().unwrap();
    assert_eq!(reap_run(&run).unwrap(), 0);
}
