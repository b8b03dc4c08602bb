//! `cargo xtask bite`: plants one bug after the other in a copy of the code; tests that let one live have no teeth.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use nix::sys::signal::Signal;

use crate::cargo::{cargo, root, succeed, target};

/// A bug that makes a test hang is caught as well.
const DEADLINE: Duration = Duration::from_secs(300);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only the patches whose names contain this
    only: Option<String>,
    /// The tests have just passed on this very code, so none is run without a bug first
    #[arg(long)]
    after_tests: bool,
    /// One in so many patches, which ones being decided by the commit; of the others it is only seen that they apply
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    one_in: u32,
}

/// How many bugs are tried at a time.
const COPIES: usize = 2;
/// How often escaped processes are looked for.
const ROUNDS: usize = 20;

/// One planted bug.
#[derive(Debug)]
struct Bite {
    name: String,
    path: PathBuf,
    breaks: String,
    /// The arguments of cargo that run the narrowest tests which must fail.
    test: Vec<String>,
}

#[derive(Debug)]
enum Ending {
    Caught(String),
    Lived,
    Broken(String),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut bites = bites(args.only.as_deref())?;
    let all = bites.len();
    if args.one_in > 1 {
        bites.iter().try_for_each(Bite::applies)?;
        bites = share(bites, args.one_in, commit()?);
    }
    let rows = in_copies(&bites, args.after_tests)?;
    println!("\n| patch | breaks | caught by | seconds |\n|---|---|---|---:|");
    rows.iter().for_each(|(row, _)| println!("{row}"));
    let lived = rows.iter().filter(|(_, caught)| !caught).count();
    println!("\nplanted bugs: {} caught, {lived} not, {} not tried", rows.len() - lived, all - rows.len());
    ensure!(lived == 0, "{lived} of {} planted bugs were not caught", rows.len());
    Ok(())
}

/// One in so many, another share with every commit.
fn share(bites: Vec<Bite>, one_in: u32, commit: u32) -> Vec<Bite> {
    let step = usize::try_from(one_in).unwrap_or(usize::MAX);
    let first = usize::try_from(commit % one_in).unwrap_or_default();
    let first = first.min(bites.len().saturating_sub(1));
    bites.into_iter().skip(first).step_by(step).collect()
}

/// The first digits of the commit that is tested.
fn commit() -> anyhow::Result<u32> {
    let out = git().args(["rev-parse", "HEAD"]).output()?;
    let digits = out.stdout.get(..7).context("git names no commit")?;
    Ok(u32::from_str_radix(std::str::from_utf8(digits)?, 16)?)
}

/// Each copy has its share of the patches: one alone leaves a core idle while it links.
fn in_copies(bites: &[Bite], after_tests: bool) -> anyhow::Result<Vec<(String, bool)>> {
    let shares: Vec<&[Bite]> = bites.chunks(bites.len().div_ceil(COPIES)).collect();
    let copies = (0..shares.len()).map(Copy::make).collect::<anyhow::Result<Vec<_>>>()?;
    std::thread::scope(|scope| {
        let work: Vec<_> = copies
            .iter()
            .zip(shares)
            .map(|(copy, share)| {
                scope.spawn(move || {
                    if !after_tests {
                        copy.tests_pass_unharmed(share)?;
                    }
                    Ok::<_, anyhow::Error>(copy.suffer_all(share))
                })
            })
            .collect();
        let mut rows = Vec::new();
        for share in work {
            rows.extend(share.join().expect("a copy does not panic")?);
        }
        Ok(rows)
    })
}

fn row(bite: &Bite, ending: &Ending, took: Duration) -> String {
    let by = match ending {
        Ending::Caught(by) => by.clone(),
        Ending::Lived => "**NOT CAUGHT**".to_owned(),
        Ending::Broken(why) => format!("**{why}**"),
    };
    format!("| {} | {} | {by} | {:.0} |", bite.name, bite.breaks, took.as_secs_f64())
}

/// Sorted by what they test, so that each build goes on from the one before.
fn bites(only: Option<&str>) -> anyhow::Result<Vec<Bite>> {
    let dir = root().join("xtask/bites");
    let mut bites = Vec::new();
    for entry in fs::read_dir(&dir).with_context(|| format!("no patches at {}", dir.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "patch") {
            bites.push(Bite::read(path)?);
        }
    }
    bites.retain(|bite| only.is_none_or(|part| bite.name.contains(part)));
    ensure!(!bites.is_empty(), "no patch to apply");
    bites.sort_by(|one, other| (&one.test, &one.name).cmp(&(&other.test, &other.name)));
    Ok(bites)
}

impl Bite {
    fn read(path: PathBuf) -> anyhow::Result<Bite> {
        let text = fs::read_to_string(&path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let said = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key));
            line.map(|line| line.trim().to_owned()).with_context(|| format!("{name} has no line `{key}`"))
        };
        let breaks = said("# breaks:")?;
        let test = said("# test: cargo")?.split_whitespace().map(str::to_owned).collect();
        Ok(Bite { name, breaks, test, path })
    }

    fn applies(&self) -> anyhow::Result<()> {
        let checked = git().args(["apply", "--check", "--whitespace=nowarn"]).arg(&self.path).output()?;
        let why = String::from_utf8_lossy(&checked.stderr);
        ensure!(checked.status.success(), "{} does not apply any more: {}", self.name, why.trim());
        Ok(())
    }
}

/// A work tree of `HEAD` of its own, removed when dropped; its build directory stays for the next time.
struct Copy {
    tree: PathBuf,
    build: PathBuf,
    log: PathBuf,
}

impl Copy {
    fn make(number: usize) -> anyhow::Result<Copy> {
        let target = target()?;
        let home = target.join("bite").join(number.to_string());
        let copy = Copy { tree: home.join("tree"), build: home.join("target"), log: home.join("log") };
        copy.remove();
        fs::create_dir_all(&home)?;
        succeed(
            git().args(["worktree", "add", "--quiet", "--force", "--detach"]).arg(&copy.tree).arg("HEAD"),
        )?;
        copy.seed(&target)?;
        Ok(copy)
    }

    fn remove(&self) {
        let _ = git().args(["worktree", "remove", "--force"]).arg(&self.tree).stderr(Stdio::null()).status();
        let _ = fs::remove_dir_all(&self.tree);
    }

    /// The libraries of others are built already. Only their files are linked: cargo overwrites its notes in place.
    fn seed(&self, target: &Path) -> anyhow::Result<()> {
        let (from, to) = (target.join("debug"), self.build.join("debug"));
        if to.exists() || !from.exists() {
            return Ok(());
        }
        fs::create_dir_all(&to)?;
        for (how, what) in [("-a", ".fingerprint"), ("-a", "build"), ("-al", "deps")] {
            succeed(Command::new("cp").arg(how).arg(from.join(what)).arg(&to))?;
        }
        Ok(())
    }

    /// One patch after the other: what is said of each, and whether it was caught.
    fn suffer_all(&self, bites: &[Bite]) -> Vec<(String, bool)> {
        let mut rows = Vec::new();
        for bite in bites {
            let begun = Instant::now();
            let ending = self.suffer_twice(bite);
            let row = row(bite, &ending, begun.elapsed());
            println!("{row}");
            rows.push((row, matches!(ending, Ending::Caught(_))));
        }
        rows
    }

    /// A test that fails anyway catches nothing.
    fn tests_pass_unharmed(&self, bites: &[Bite]) -> anyhow::Result<()> {
        let tests: BTreeSet<&Vec<String>> = bites.iter().map(|bite| &bite.test).collect();
        for test in tests {
            println!("without any bug: cargo {}", test.join(" "));
            if let Some(by) = self.failing(test)? {
                bail!("cargo {} fails without any bug: {by}; see {}", test.join(" "), self.log.display());
            }
        }
        Ok(())
    }

    /// Some bugs show only at the right moment, and a machine that is busy with another copy may miss it once.
    fn suffer_twice(&self, bite: &Bite) -> Ending {
        let once = || self.suffer(bite).unwrap_or_else(|error| Ending::Broken(format!("{error:#}")));
        match once() {
            Ending::Lived => once(),
            ending => ending,
        }
    }

    fn suffer(&self, bite: &Bite) -> anyhow::Result<Ending> {
        let applied = self.git().args(["apply", "--whitespace=nowarn"]).arg(&bite.path).output()?;
        if !applied.status.success() {
            let why = String::from_utf8_lossy(&applied.stderr);
            bail!("does not apply any more: {}", why.lines().next().unwrap_or_default());
        }
        let ending = self.failing(&bite.test);
        succeed(self.git().args(["checkout", "--quiet", "--", "."]))?;
        Ok(ending?.map_or(Ending::Lived, Ending::Caught))
    }

    /// What fails, if anything does. Code that does not build is an error: it shows nothing about the tests.
    fn failing(&self, test: &[String]) -> anyhow::Result<Option<String>> {
        ensure!(
            self.cargo(test, &["--no-run"])?.status()?.success(),
            "does not build: see {}",
            self.log.display()
        );
        let failing = self.failing_when_run(test);
        self.end_leftovers();
        failing
    }

    fn failing_when_run(&self, test: &[String]) -> anyhow::Result<Option<String>> {
        let mut child = self.cargo(test, &[])?.process_group(0).spawn()?;
        let until = Instant::now() + DEADLINE;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() < until => std::thread::sleep(Duration::from_millis(50)),
                None => {
                    let group = nix::unistd::Pid::from_raw(i32::try_from(child.id())?);
                    nix::sys::signal::killpg(group, Signal::SIGKILL)?;
                    child.wait()?;
                    return Ok(Some(format!("hangs for {} s", DEADLINE.as_secs())));
                }
            }
        };
        if status.success() {
            return Ok(None);
        }
        let log = fs::read_to_string(&self.log)?;
        let failed = log.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        let failed: Vec<&str> = failed.collect();
        Ok(Some(match failed.as_slice() {
            [] => format!("cargo {}", test.join(" ")),
            [one] => (*one).to_owned(),
            [one, rest @ ..] => format!("{one} and {} more", rest.len()),
        }))
    }

    /// Ends what a bug let escape: whatever still runs a program that was built here.
    fn end_leftovers(&self) {
        let is_ours = |pid: &i32| {
            fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| program.starts_with(&self.build))
        };
        for _ in 0..ROUNDS {
            let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
            let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
            let left: Vec<i32> = pids.filter(is_ours).collect();
            if left.is_empty() {
                return;
            }
            for pid in left {
                let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
            }
        }
    }

    fn cargo(&self, test: &[String], more: &[&str]) -> anyhow::Result<Command> {
        let log = File::create(&self.log)?;
        let mut command = cargo();
        let (verb, rest) = test.split_first().context("a test command has a verb")?;
        command.arg(verb).args(["--offline", "--locked"]).args(more).args(rest);
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.build).env("INSTA_UPDATE", "no");
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(command)
    }

    fn git(&self) -> Command {
        let mut git = git();
        git.current_dir(&self.tree);
        git
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        self.remove();
    }
}

fn git() -> Command {
    let mut git = Command::new("git");
    git.current_dir(root());
    git
}
