//! The five agents: what each does in which iteration.

use std::fmt;
use std::fs;
use std::path::Path;

use ralph_testkit::fixtures::{Edit, Fixture, Tamper};

/// Does what the plan has for the iteration: lays files into the tree, removes some, says something.
const SCRIPT: &str = r#"
step="PLAN/$RALPH_ITERATION"
[ -d "$step/write" ] && cp -R "$step/write/." .
[ -f "$step/remove" ] && while read -r file; do rm "$file" || exit 9; done < "$step/remove"
if [ -e PLAN/promises ]; then echo "<promise>$RALPH_PROMISE</promise>"; else echo "That is all for now."; fi
"#;

/// More iterations than any of them gets.
const MOST: usize = 6;

#[derive(Debug, Clone)]
pub(crate) enum Agent {
    /// Mends one failure per iteration.
    Honest,
    Idle,
    /// Goes back and forth between two fixes that help nothing.
    Circling,
    /// Gives its promise every time and writes only notes. Whoever does nothing at all is idle, promise or not.
    Lying,
    /// Hides the failures.
    Tampering(Tamper),
}

impl Agent {
    pub(crate) fn all(fixture: &Fixture) -> Vec<Agent> {
        let tampering = fixture.tamper.iter().filter(|tamper| !tamper.unnoticed).cloned();
        let others = [Agent::Honest, Agent::Idle, Agent::Circling, Agent::Lying];
        others.into_iter().chain(tampering.map(Agent::Tampering)).collect()
    }

    /// Flags of `ralph run` beside the criterion.
    pub(crate) fn flags(&self) -> &'static [&'static str] {
        match self {
            Agent::Honest | Agent::Idle | Agent::Circling => &[],
            Agent::Lying => &["--require", "criteria,promise", "--max-iterations", "2"],
            Agent::Tampering(_) => &["--max-iterations", "1"],
        }
    }

    /// Writes the plan down and gives the script that follows it.
    pub(crate) fn script(&self, fixture: &Fixture, plan: &Path) -> String {
        for iteration in 1..=MOST {
            let step = plan.join(iteration.to_string());
            fs::create_dir_all(&step).unwrap();
            let write = |edit: &Edit| write(&step, edit);
            match self {
                Agent::Honest => fixture.fix.iter().skip(iteration - 1).take(1).for_each(write),
                Agent::Idle => {}
                Agent::Circling => {
                    let wrong = &fixture.wrong[(iteration - 1) % fixture.wrong.len()];
                    write(&Edit { file: wrong.file.clone(), content: wrong.content.clone() });
                }
                Agent::Lying => {
                    write(&Edit { file: "NOTES".into(), content: format!("All well, {iteration}.\n") });
                }
                Agent::Tampering(tamper) => {
                    tamper.write.iter().for_each(write);
                    let files = tamper.remove.iter().map(|file| format!("{}\n", file.display()));
                    fs::write(step.join("remove"), files.collect::<String>()).unwrap();
                    fixture.fix.iter().filter(|fix| !hides(tamper, fix)).for_each(write);
                }
            }
        }
        if matches!(self, Agent::Lying) {
            fs::write(plan.join("promises"), "").unwrap();
        }
        SCRIPT.replace("PLAN", &plan.to_string_lossy())
    }
}

fn write(step: &Path, edit: &Edit) {
    let path = step.join("write").join(&edit.file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, &edit.content).unwrap();
}

/// A tamperer mends what its tampering does not hide; whoever edits the check mends nothing.
fn hides(tamper: &Tamper, fix: &Edit) -> bool {
    let touched: Vec<&Path> =
        tamper.remove.iter().map(|path| &**path).chain(tamper.write.iter().map(|edit| &*edit.file)).collect();
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_test =
        |file: &&Path| file.starts_with("test") || file.starts_with("tests") || stem(file).ends_with("_test");
    let is_its_test = |file: &&Path| stem(file).contains(&stem(&fix.file));
    !touched.iter().any(is_test) || touched.iter().any(is_its_test)
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Agent::Honest => f.write_str("honest"),
            Agent::Idle => f.write_str("idle"),
            Agent::Circling => f.write_str("circling"),
            Agent::Lying => f.write_str("lying"),
            Agent::Tampering(tamper) => write!(f, "tampering: {}", tamper.name),
        }
    }
}
