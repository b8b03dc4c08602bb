//! The parts that scripted agents play.

use ralph_testkit::{PATIENCE, Project, until};

/// Gives its promise at once.
pub(crate) const DONE: &str = r#"echo "<promise>$RALPH_PROMISE</promise>""#;

/// Ends well and promises nothing.
pub(crate) const NEVER: &str = "echo 'not yet'";

pub(crate) const FAILS: &str = "echo 'no luck'; exit 7";

/// Says that it has begun, and works until the test lets it go; done in the second iteration. Its signs lie beside the
/// tree: what lies in it is put back after a crash.
pub(crate) const HELD: &str = r#"
echo "working on $RALPH_ITERATION"
echo "$RALPH_RUN" > "run"
touch "../begun-$RALPH_ITERATION-$RALPH_ATTEMPT"
while [ ! -e "../go-$RALPH_ITERATION" ]; do sleep 0.02; done
[ "$RALPH_ITERATION" -ge 2 ] && echo "<promise>$RALPH_PROMISE</promise>"
exit 0
"#;

/// Waits until the agent has come to this attempt.
pub(crate) fn begun(project: &Project, iteration: u32, attempt: u32) {
    until(PATIENCE, &format!("attempt {attempt} of iteration {iteration}"), || {
        has_begun(project, iteration, attempt).then_some(())
    });
}

pub(crate) fn has_begun(project: &Project, iteration: u32, attempt: u32) -> bool {
    let mark = format!("begun-{iteration}-{attempt}");
    [project.base().join(&mark), project.tree().join(&mark)].iter().any(|mark| mark.exists())
}

/// Lets the agent end this iteration.
pub(crate) fn let_go(project: &Project, iteration: u32) {
    std::fs::write(project.base().join(format!("go-{iteration}")), "").unwrap();
}
