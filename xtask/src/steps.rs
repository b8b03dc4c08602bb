//! Steps that run one after the other, and the table that says what became of each.

use std::time::{Duration, Instant};

use anyhow::bail;

use crate::beside::Beside;

#[derive(Debug)]
enum Ending {
    Passed,
    Failed(String),
    LeftOut(&'static str),
}

#[derive(Debug)]
struct Step {
    name: &'static str,
    ending: Ending,
    took: Duration,
}

#[derive(Debug)]
pub(crate) struct Steps {
    steps: Vec<Step>,
    begun: Instant,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps { steps: Vec::new(), begun: Instant::now() }
    }
}

impl Steps {
    /// Runs a step to its end. A failed one does not keep the next from running.
    pub(crate) fn run(&mut self, name: &'static str, step: impl FnOnce() -> anyhow::Result<()>) {
        println!("\n== {name}");
        let begun = Instant::now();
        let outcome = step();
        self.ended(name, outcome, begun.elapsed());
    }

    /// Waits for what was built meanwhile.
    pub(crate) fn take(&mut self, beside: Beside) {
        println!("\n== what was built beside the tests");
        for built in beside.finish() {
            self.ended(built.name, built.outcome, built.took);
        }
    }

    fn ended(&mut self, name: &'static str, outcome: anyhow::Result<()>, took: Duration) {
        let ending = match outcome {
            Ok(()) => Ending::Passed,
            Err(error) => Ending::Failed(format!("{error:#}")),
        };
        println!("== {name}: {}, {:.1} s", word(&ending), took.as_secs_f64());
        self.steps.push(Step { name, ending, took });
    }

    /// Names a step that this time does not run, so that nobody takes it for passed.
    pub(crate) fn leave_out(&mut self, name: &'static str, why: &'static str) {
        self.steps.push(Step { name, ending: Ending::LeftOut(why), took: Duration::ZERO });
    }

    /// Prints the table; an error if any step failed.
    pub(crate) fn conclude(self) -> anyhow::Result<()> {
        println!("\n{}", self.table());
        let count = |is: fn(&Ending) -> bool| self.steps.iter().filter(|step| is(&step.ending)).count();
        let passed = count(|ending| matches!(ending, Ending::Passed));
        let failed = count(|ending| matches!(ending, Ending::Failed(_)));
        let left_out = count(|ending| matches!(ending, Ending::LeftOut(_)));
        println!("steps: {passed} passed, {failed} failed, {left_out} left out");
        if failed > 0 {
            bail!("{failed} of {} steps failed", self.steps.len());
        }
        Ok(())
    }

    fn table(&self) -> String {
        let width = self.steps.iter().map(|step| step.name.len()).max().unwrap_or_default();
        let mut text = format!("{:width$}  {:>8}  result\n", "step", "seconds");
        for step in &self.steps {
            let seconds = step.took.as_secs_f64();
            text += &format!("{:width$}  {seconds:>8.1}  {}\n", step.name, word(&step.ending));
        }
        let total = self.begun.elapsed();
        text + &format!("{:width$}  {:>8.1}  by the clock\n", "in all", total.as_secs_f64())
    }
}

fn word(ending: &Ending) -> String {
    match ending {
        Ending::Passed => "passed".to_owned(),
        Ending::Failed(why) => format!("FAILED: {why}"),
        Ending::LeftOut(why) => format!("left out: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::Steps;

    #[test]
    fn the_table_names_every_step_and_one_failure_fails_them_all() {
        let mut steps = Steps::default();
        steps.run("good", || Ok(()));
        steps.run("bad", || anyhow::bail!("it broke"));
        steps.run("after", || Ok(()));
        steps.leave_out("long", "quick");
        let table = steps.table();
        for line in ["good ", "bad ", "after ", "long "] {
            assert!(table.contains(line), "{table}");
        }
        assert!(table.contains("FAILED: it broke") && table.contains("left out: quick"), "{table}");
        assert_eq!(steps.conclude().unwrap_err().to_string(), "1 of 4 steps failed");
    }
}
