//! `cargo xtask bench`: what a loop costs. Timings are printed with their target beside them and never asserted.

mod alone;
mod counted;
mod hooks;
mod looped;
mod memory;
mod place;
mod startup;

use crate::cargo::{cargo, release_binary, succeed};
use alone::Alone;
use place::Place;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    only: Option<Alone>,
    /// Leave out the throughput of recorded output
    #[arg(long)]
    without_output: bool,
    /// Leave out snapshots of a large tree, for which git needs minutes
    #[arg(long)]
    without_snapshots: bool,
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Figure {
    what: String,
    value: f64,
    unit: &'static str,
    target: Option<f64>,
}

impl Figure {
    fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Figure {
        Figure { what: what.into(), value, unit, target: None }
    }

    fn at_most(mut self, target: f64) -> Figure {
        self.target = Some(target);
        self
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(only) = &args.only {
        return only.measure();
    }
    let ralph = release_binary()?;
    let mut figures = looped::measure(&ralph)?;
    figures.extend(counted::measure(&ralph)?);
    figures.extend(startup::measure(&ralph)?);
    figures.extend(hooks::measure(&ralph)?);
    figures.extend(memory::measure(&ralph)?);
    println!("\n{}", table(&figures));
    println!("{}", bars(&figures, "ms"));
    println!("{}", bars(&figures, "MB"));
    if !args.without_output {
        succeed(cargo().args(["bench", "--locked", "-p", "ralph-engine", "--bench", "output"]))?;
    }
    if !args.without_snapshots {
        succeed(cargo().args(["bench", "--locked", "-p", "ralph-snapshot", "--bench", "trees"]))?;
    }
    succeed(cargo().args(["bench", "--locked", "-p", "ralph-trackers", "--bench", "backlogs"]))?;
    succeed(cargo().args(["bench", "--locked", "-p", "ralph-templates", "--bench", "briefs"]))?;
    Alone::Graph { tree: None }.measure()
}

/// Markdown, so that it can go into `docs/proof.md` as it is.
fn table(figures: &[Figure]) -> String {
    let mut text = "| what | measured | target |\n|---|---:|---:|\n".to_owned();
    for Figure { what, value, unit, target } in figures {
        let target = target.map_or("–".to_owned(), |most| format!("≤ {most} {unit}"));
        text += &format!("| {what} | {value:.2} {unit} | {target} |\n");
    }
    text
}

/// The figures of one unit to look at rather than to read; `|` marks the target.
fn bars(figures: &[Figure], unit: &str) -> String {
    const WIDTH: f64 = 50.0;
    let of_unit: Vec<&Figure> = figures.iter().filter(|figure| figure.unit == unit).collect();
    let largest = of_unit.iter().map(|figure| figure.value.max(figure.target.unwrap_or(0.0)));
    let scale = WIDTH / largest.fold(f64::MIN_POSITIVE, f64::max);
    let name = of_unit.iter().map(|figure| figure.what.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for figure in of_unit {
        let columns = |value: f64| (value.max(0.0) * scale).round() as usize;
        let mut bar: Vec<char> = vec!['█'; columns(figure.value)];
        if let Some(target) = figure.target {
            let at = columns(target);
            bar.resize(bar.len().max(at + 1), ' ');
            bar[at] = '|';
        }
        text += &format!("{:name$}  {}\n", figure.what, bar.into_iter().collect::<String>());
    }
    text
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{Figure, bars, median};

    #[test]
    fn a_bar_shows_the_value_and_its_target() {
        let figures = [Figure::new("a", 5.0, "ms").at_most(10.0), Figure::new("bb", 2.0, "MB")];
        let expected = format!("a  {}{}|\n", "█".repeat(25), " ".repeat(25));
        assert_eq!(bars(&figures, "ms"), expected);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert!((median(vec![9.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
    }
}
