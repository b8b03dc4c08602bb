//! What an iteration costs above the same agent in a plain shell loop, round by round in turn.

use std::path::Path;
use std::time::Instant;

use super::{Figure, Place, median};

const ROUNDS: usize = 5;
const ITERATIONS: u32 = 200;

pub(super) fn measure(ralph: &Path) -> anyhow::Result<Vec<Figure>> {
    let (mut ours, mut shells) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let place = Place::new()?;
        let one = per_iteration(|| place.ralph(ralph, ITERATIONS))?;
        let other = per_iteration(|| place.shell(ITERATIONS))?;
        println!("round {round} of {ROUNDS}: ralph {one:.2} ms, sh {other:.2} ms an iteration");
        ours.push(one);
        shells.push(other);
    }
    let (ours, shells) = (median(ours), median(shells));
    Ok(vec![
        Figure::new("an iteration in ralph", ours, "ms"),
        Figure::new("an iteration in sh", shells, "ms"),
        Figure::new("ralph above sh", ours - shells, "ms").at_most(5.0),
        Figure::new("ralph to sh", ours / shells, "times"),
    ])
}

fn per_iteration(run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let begun = Instant::now();
    run()?;
    Ok(begun.elapsed().as_secs_f64() * 1000.0 / f64::from(ITERATIONS))
}
