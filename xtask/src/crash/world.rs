//! The run that is disturbed: three iterations of an agent that notices when it is not alone.

use std::path::Path;

use ralph_testkit::Project;

/// Takes a lock and writes down that it could not. What it tells of itself is beside the tree. In the tree it leaves traces
/// that show when an attempt was made on top of one that was cut short.
const AGENT: &str = r#"
beside=$(dirname "$PWD")
exec 9>"$beside/only-one"
flock -n 9 || echo "attempt $RALPH_ITERATION/$RALPH_ATTEMPT was not alone" >> "$beside/violation"
echo "begin $RALPH_ITERATION $RALPH_ATTEMPT" >> "$beside/trace"
echo "iteration $RALPH_ITERATION" >> log
echo "working on $RALPH_ITERATION"
sleep 0.02
"#;

/// Asks something of its own run, until it is acknowledged.
const ASKING: &str = r#"
if [ "$RALPH_ITERATION" = 1 ] && [ ! -e "$beside/asked" ]; then
  run=$RALPH_RUN
  ask() { env -u RALPH_RUN XDG_STATE_HOME="$XDG_STATE_HOME" "$UNDER_TEST" steer "mind the gap" "$run" >/dev/null 9>&-; }
  { ask || FAILPOINTS= ask; } 2>/dev/null && touch "$beside/asked"
fi
"#;

const END: &str = r#"
echo done > "made-$RALPH_ITERATION"
echo "end $RALPH_ITERATION $RALPH_ATTEMPT" >> "$beside/trace"
if [ "$RALPH_ITERATION" -ge 3 ]; then echo "<promise>$RALPH_PROMISE</promise>"; fi
exit 0
"#;

pub(crate) const RUN: [&str; 6] = ["run", "mind it", "--max-iterations", "5", "--iteration-delay", "0"];
pub(crate) const DELAYED: [&str; 6] =
    ["run", "mind it", "--max-iterations", "5", "--iteration-delay", "10ms"];

/// For the sweep of system calls: as few of them as can be, always the same.
pub(crate) fn plain(binary: &Path) -> Project {
    Project::new(binary).agent(&format!("{AGENT}{END}"))
}

/// For the sweep of fail-points: it also waits between iterations and is asked something.
pub(crate) fn eventful(binary: &Path) -> Project {
    Project::new(binary).agent(&format!("{AGENT}{ASKING}{END}"))
}
