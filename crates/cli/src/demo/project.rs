//! A small Rust crate with three bugs and a test for each.

use std::io;
use std::path::Path;
use std::process::Command;

const MANIFEST: &str =
    "[package]\nname = \"basket\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";

const SOURCE: &str = r#"/// What a basket costs in cents: price times quantity, summed.
pub fn total(items: &[(u32, u32)]) -> u32 {
    items.iter().map(|(price, _quantity)| price).sum()
}

/// Ten per cent off from 100.00 on.
pub fn discounted(total: u32) -> u32 {
    if total > 10_000 { total * 90 / 100 } else { total }
}

/// `1234` is shown as `12.34`.
pub fn shown(cents: u32) -> String {
    format!("{}.{}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_count() {
        assert_eq!(total(&[(250, 2), (100, 3)]), 800);
    }

    #[test]
    fn the_discount_begins_at_exactly_100() {
        assert_eq!(discounted(10_000), 9_000);
    }

    #[test]
    fn cents_have_two_digits() {
        assert_eq!(shown(905), "9.05");
    }
}
"#;

/// A bug and its repair.
pub(super) struct Repair {
    pub(super) what: &'static str,
    wrong: &'static str,
    right: &'static str,
}

pub(super) const REPAIRS: [Repair; 3] = [
    Repair {
        what: "total() ignored the quantity",
        wrong: "|(price, _quantity)| price)",
        right: "|(price, quantity)| price * quantity)",
    },
    Repair {
        what: "the discount began one cent too late",
        wrong: "total > 10_000",
        right: "total >= 10_000",
    },
    Repair { what: "cents were shown with one digit", wrong: "\"{}.{}\"", right: "\"{}.{:02}\"" },
];

impl Repair {
    /// The source with this bug mended, if it is still there.
    pub(super) fn applied(&self, source: &str) -> Option<String> {
        source.contains(self.wrong).then(|| source.replace(self.wrong, self.right))
    }
}

pub(super) fn create(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir.join("src"))?;
    std::fs::write(dir.join("Cargo.toml"), MANIFEST)?;
    std::fs::write(dir.join("src/lib.rs"), SOURCE)
}

/// The project's tests, run by cargo: whether they passed, and what it printed.
pub(super) struct Tested {
    pub(super) passed: bool,
    pub(super) output: String,
}

pub(super) fn test(dir: &Path) -> io::Result<Tested> {
    let ran = Command::new("cargo")
        .args(["test", "--offline", "--lib", "--color", "never", "--quiet"])
        .current_dir(dir)
        .env("CARGO_TARGET_DIR", dir.join("target"))
        .env("RUST_BACKTRACE", "0")
        .env_remove("RUSTFLAGS")
        .output()?;
    let output = [ran.stdout, ran.stderr].concat();
    Ok(Tested { passed: ran.status.success(), output: String::from_utf8_lossy(&output).into_owned() })
}

impl Tested {
    /// The lines that say which tests failed, with what, and how many passed.
    pub(super) fn summary(&self) -> Vec<&str> {
        const TELLING: [&str; 5] = ["test result", "tests::", "left:", "right:", "error"];
        let tells = |line: &&str| TELLING.iter().any(|start| line.trim_start().starts_with(start));
        self.output.lines().filter(tells).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{REPAIRS, SOURCE};

    #[test]
    fn each_bug_is_there_once_and_can_be_mended() {
        let mut source = SOURCE.to_owned();
        for repair in &REPAIRS {
            source = repair.applied(&source).expect(repair.what);
            assert_eq!(repair.applied(&source), None, "{}", repair.what);
        }
    }
}
