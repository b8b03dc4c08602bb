//! Agents, and the ways in which what they start slips away.

use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::{Signal, raise};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, pause, setpgid, setsid};

/// The exit code of an agent that was told to finish.
pub(crate) const FINISHED: i32 = 7;

pub(crate) const SHAPES: [&str; 9] = [
    "plain child",
    "own group",
    "own session",
    "double fork",
    "nohup",
    "deaf",
    "stopped",
    "forking",
    "headless",
];

pub(crate) fn play(part: &[&str]) {
    match part {
        ["escape", shape, is_stubborn] => escape(shape, *is_stubborn == "stubborn"),
        ["unmarked"] => unmarked(),
        ["pause"] => pause_forever(),
        ["environment"] => println!("{}", std::env::vars_os().map(|(k, v)| k.len() + v.len()).sum::<usize>()),
        ["descriptors"] => println!("{}", descriptors().join(" ")),
        ["signals"] => signals(),
        other => panic!("no such part: {other:?}"),
    }
}

fn escape(shape: &str, is_stubborn: bool) {
    if let Some(child) = forked(|| run_away(shape))
        && shape == "double fork"
    {
        waitpid(child, None).unwrap();
    }
    say("main");
    if is_stubborn {
        be_stubborn(shape);
    }
    for line in std::io::stdin().lock().lines() {
        if line.unwrap() == "finish" {
            exit(FINISHED);
        }
    }
    // The end of input is no reason to end: a killed ralph must not be what ends this agent.
    pause_forever();
}

fn run_away(shape: &str) {
    match shape {
        "own group" => setpgid(Pid::from_raw(0), Pid::from_raw(0)).unwrap(),
        "own session" | "headless" => drop(setsid().unwrap()),
        "double fork" => {
            setsid().unwrap();
            if forked(|| {}).is_some() {
                exit(0);
            }
        }
        "nohup" => ignore(&[libc::SIGHUP]),
        "deaf" | "forking" => be_stubborn("deaf"),
        "plain child" | "stopped" => {}
        other => panic!("no such shape: {other}"),
    }
    say("escaped");
    match shape {
        "stopped" => be_stubborn(shape),
        "forking" => fork_and_exit(),
        "headless" => lose_first_thread(),
        _ => {}
    }
    pause_forever();
}

/// A new pid every millisecond. Ends by itself in the end, lest a test that fails floods the machine.
fn fork_and_exit() {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(12) {
        if forked(|| {}).is_some() {
            exit(0);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    exit(0);
}

/// Looks like a zombie from then on, yet runs.
#[expect(unsafe_code, reason = "a thread that ends in no proper way is the point")]
fn lose_first_thread() {
    std::thread::spawn(pause_forever);
    // SAFETY: ends this thread without unwinding; nothing it owns is used by the other.
    unsafe { libc::syscall(libc::SYS_exit, 0) };
}

fn be_stubborn(shape: &str) {
    match shape {
        "deaf" => ignore(&[libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1]),
        "stopped" => loop {
            raise(Signal::SIGSTOP).unwrap();
        },
        _ => {}
    }
}

/// A grandchild in a session of its own that carries no mark.
fn unmarked() {
    forked(|| {
        setsid().unwrap();
        if forked(|| {}).is_some() {
            exit(0);
        }
        say(&std::process::id().to_string());
        let program = std::env::current_exe().unwrap();
        panic!("{}", Command::new(program).args(["agent", "pause"]).env_clear().exec());
    });
    pause_forever();
}

fn descriptors() -> Vec<String> {
    let listing = std::fs::read_dir("/proc/self/fd").unwrap();
    let mut open: Vec<String> = listing.map(|fd| fd.unwrap().file_name().into_string().unwrap()).collect();
    open.sort();
    // The listing has a descriptor of its own, which is closed by now.
    open.retain(|fd| std::fs::symlink_metadata(format!("/proc/self/fd/{fd}")).is_ok());
    open
}

fn signals() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let set = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    // The Rust runtime ignores SIGPIPE before main, and the C library keeps 32 and 33 to itself.
    let not_ours = 1 << 12 | 1 << 31 | 1 << 32;
    println!("blocked {:x} ignored {:x}", set("SigBlk:"), set("SigIgn:") & !not_ours);
}

/// Runs `child` in a fork that then goes on from here with `None`; `Some` in the parent.
#[expect(unsafe_code, reason = "forking is the point")]
fn forked(child: impl FnOnce()) -> Option<Pid> {
    // SAFETY: an agent has one thread.
    match unsafe { fork() }.unwrap() {
        ForkResult::Parent { child } => Some(child),
        ForkResult::Child => {
            child();
            None
        }
    }
}

#[expect(unsafe_code, reason = "there is no safe way to ignore a signal")]
fn ignore(signals: &[i32]) {
    for &signal in signals {
        // SAFETY: installs no function.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

fn pause_forever() {
    loop {
        pause();
    }
}

fn say(word: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{word}").unwrap();
    out.flush().unwrap();
}
