//! How long a command takes that does next to nothing, beside a program that does nothing at all.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::ensure;

use super::{Figure, Place, median};

const TIMES: usize = 50;

pub(super) fn measure(ralph: &Path) -> anyhow::Result<Vec<Figure>> {
    let place = Place::new()?;
    place.ralph(ralph, 3)?;
    let (mut nothing, mut version, mut status) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TIMES {
        nothing.push(milliseconds(&mut place.command(Path::new("/bin/true")))?);
        version.push(milliseconds(place.command(ralph).arg("--version"))?);
        status.push(milliseconds(place.command(ralph).arg("status"))?);
    }
    Ok(vec![
        Figure::new("`/bin/true`", median(nothing), "ms"),
        Figure::new("`ralph --version`", median(version), "ms").at_most(5.0),
        Figure::new("`ralph status`", median(status), "ms"),
    ])
}

fn milliseconds(command: &mut Command) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let status = command.status()?;
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    ensure!(status.success(), "{:?} ended with {status}", command.get_program());
    Ok(took)
}
