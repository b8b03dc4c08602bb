//! What a loop that has run for a while keeps in memory, as the kernel counts it.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::{Figure, Place};

/// Fifty quick iterations, then one that stays.
const AGENT: &str = "#!/bin/sh\ncat > /dev/null
echo x >> count\n[ $(wc -l < count) -le 50 ] || exec sleep 600\n";
const DEADLINE: Duration = Duration::from_secs(60);

pub(super) fn measure(ralph: &Path) -> anyhow::Result<Vec<Figure>> {
    let place = Place::new()?;
    place.agent(AGENT)?;
    let mut running = place.command(ralph).args(Place::run_args(51)).spawn()?;
    let figures = look(&place, &running);
    end(&mut running)?;
    figures
}

fn look(place: &Place, running: &Child) -> anyhow::Result<Vec<Figure>> {
    let guard = guard_at_rest(place, running.id())?;
    let (resident, peak) = sizes(running.id())?;
    let (guard_resident, guard_peak) = sizes(guard)?;
    Ok(vec![
        Figure::new("ralph, resident", resident, "MB").at_most(14.0),
        Figure::new("ralph, at its peak", peak, "MB"),
        Figure::new("its guard, resident", guard_resident, "MB"),
        Figure::new("its guard, at its peak", guard_peak, "MB"),
    ])
}

/// The guard, once the agent that stays is up.
fn guard_at_rest(place: &Place, ralph: u32) -> anyhow::Result<u32> {
    let until = Instant::now() + DEADLINE;
    while Instant::now() < until {
        let count = fs::read_to_string(place.path().join("count")).unwrap_or_default();
        let sleeps =
            |guard: &u32| children(*guard).iter().any(|child| name(*child).as_deref() == Some("sleep"));
        if count.lines().count() > 50
            && let Some(guard) = children(ralph).into_iter().find(sleeps)
        {
            return Ok(guard);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    bail!("no guard with a sleeping agent within {DEADLINE:?}")
}

fn children(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let wanted = parent.to_string();
    pids.filter(|pid| field(*pid, "PPid").as_deref() == Some(&wanted)).collect()
}

fn name(pid: u32) -> Option<String> {
    field(pid, "Name")
}

fn field(pid: u32, key: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(line.trim().to_owned())
}

/// Resident now and at its peak, in megabytes.
fn sizes(pid: u32) -> anyhow::Result<(f64, f64)> {
    let megabytes = |key: &str| -> anyhow::Result<f64> {
        let text = field(pid, key).with_context(|| format!("process {pid} shows no {key}"))?;
        let kib: f64 = text.trim_end_matches(" kB").parse()?;
        Ok(kib * 1024.0 / 1e6)
    };
    Ok((megabytes("VmRSS")?, megabytes("VmHWM")?))
}

/// Twice interrupted, ralph ends its agent and itself.
fn end(running: &mut Child) -> anyhow::Result<()> {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(running.id())?);
    for _ in 0..2 {
        let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT);
        std::thread::sleep(Duration::from_millis(200));
    }
    running.wait()?;
    Ok(())
}
