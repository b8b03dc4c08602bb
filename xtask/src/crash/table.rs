//! What was tried, per kind of point and victim.

use std::collections::BTreeMap;
use std::fmt;

use super::points::Victim;
use super::trial::Trial;

#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: BTreeMap<String, [Cell; 3]>,
    nested: Cell,
}

#[derive(Debug, Default, Clone, Copy)]
struct Cell {
    tried: usize,
    failed: usize,
}

impl Table {
    /// Answers with how many there are now.
    pub(crate) fn add(&mut self, trial: &Trial, held: bool) -> usize {
        let cell = match trial {
            Trial::AtStep(pass, victim) => self.cell(&pass.point, *victim),
            Trial::AtCall(call, victim) => self.cell(&format!("call {}", call.name), *victim),
            Trial::Nested(_) => &mut self.nested,
        };
        cell.tried += 1;
        cell.failed += usize::from(!held);
        self.tried() + self.nested.tried
    }

    fn cell(&mut self, kind: &str, victim: Victim) -> &mut Cell {
        &mut self.rows.entry(kind.to_owned()).or_default()[victim as usize]
    }

    /// Single blows; nested ones are a sample in any case.
    pub(crate) fn tried(&self) -> usize {
        self.rows.values().flatten().map(|cell| cell.tried).sum()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<24} {:>10} {:>10} {:>10}", "killed at", "ralph", "guard", "both")?;
        let mut sums = [Cell::default(); 3];
        for (kind, cells) in &self.rows {
            writeln!(f, "{kind:<24} {:>10} {:>10} {:>10}", cells[0], cells[1], cells[2])?;
            for (sum, cell) in sums.iter_mut().zip(cells) {
                sum.tried += cell.tried;
                sum.failed += cell.failed;
            }
        }
        writeln!(f, "{:<24} {:>10} {:>10} {:>10}", "all", sums[0], sums[1], sums[2])?;
        write!(f, "{:<24} {:>10}", "three in a row", self.nested)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Cell { tried: 0, .. } => "-".to_owned(),
            Cell { tried, failed: 0 } => tried.to_string(),
            Cell { tried, failed } => format!("{tried} ({failed} bad)"),
        };
        f.pad(&text)
    }
}
