//! A small shell program with three bugs, and its tests. It needs nothing but `sh`.

use std::io;
use std::path::Path;

pub(super) const PROGRAM: &str = "basket.sh";
pub(super) const TESTS: &str = "test.sh";
/// How the tests are run, by ralph as by a person.
pub(super) const CHECK: &str = "sh test.sh";

const SOURCE: &str = r#"# Prices are in cents; 250x2 is two of something for 250.

# What a basket costs: price times quantity, summed.
total() {
  sum=0
  for item in "$@"; do
    sum=$((sum + ${item%x*}))
  done
  echo "$sum"
}

# Ten per cent off from 100.00 on.
discounted() {
  if [ "$1" -gt 10000 ]; then echo $(($1 * 90 / 100)); else echo "$1"; fi
}

# 1234 is shown as 12.34.
shown() {
  printf '%d.%d\n' $(($1 / 100)) $(($1 % 100))
}
"#;

pub(super) const TEST: &str = r##"# Prints TAP, and fails if a test does.
. ./basket.sh
number=0 code=0
check() {
  number=$((number + 1))
  if [ "$2" = "$3" ]; then echo "ok $number - $1"; return; fi
  echo "not ok $number - $1"
  echo "# expected $2, got $3"
  code=1
}
echo "TAP version 13"
check "an empty basket costs nothing" 0 "$(total)"
check "quantities count" 800 "$(total 250x2 100x3)"
check "the discount begins at exactly 100.00" 9000 "$(discounted 10000)"
check "cents have two digits" 9.05 "$(shown 905)"
echo "1..$number"
exit $code
"##;

/// A bug and its repair.
pub(super) struct Repair {
    pub(super) what: &'static str,
    wrong: &'static str,
    right: &'static str,
}

pub(super) const REPAIRS: [Repair; 3] = [
    Repair {
        what: "total() ignored the quantity",
        wrong: "sum + ${item%x*}))",
        right: "sum + ${item%x*} * ${item#*x}))",
    },
    Repair {
        what: "the discount began one cent too late",
        wrong: "\"$1\" -gt 10000",
        right: "\"$1\" -ge 10000",
    },
    Repair { what: "cents were shown with one digit", wrong: "'%d.%d\\n'", right: "'%d.%02d\\n'" },
];

impl Repair {
    /// The source with this bug mended, if it is still there.
    pub(super) fn applied(&self, source: &str) -> Option<String> {
        source.contains(self.wrong).then(|| source.replace(self.wrong, self.right))
    }
}

/// The tests without those that fail while the last two bugs are there.
pub(super) fn weakened() -> String {
    let fails = |line: &&str| line.contains("discounted") || line.contains("shown 905");
    TEST.lines().filter(|line| !fails(line)).map(|line| format!("{line}\n")).collect()
}

pub(super) fn create(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    std::fs::write(dir.join(TESTS), TEST)?;
    std::fs::write(dir.join(PROGRAM), SOURCE)
}

#[cfg(test)]
mod tests {
    use super::{REPAIRS, SOURCE, TEST, weakened};

    #[test]
    fn each_bug_is_there_once_and_can_be_mended() {
        let mut source = SOURCE.to_owned();
        for repair in &REPAIRS {
            source = repair.applied(&source).expect(repair.what);
            assert_eq!(repair.applied(&source), None, "{}", repair.what);
        }
    }

    #[test]
    fn two_tests_are_missing_from_the_weakened_ones() {
        assert_eq!(weakened().lines().count(), TEST.lines().count() - 2);
    }
}
