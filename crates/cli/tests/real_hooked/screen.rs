//! Claude Code's own screen.

use ralph_testkit::models::{Call, Reply, Script, Turn, Usage};
use ralph_testkit::programs::Program;
use ralph_testkit::until;

use super::host::{Host, PATIENCE};
use super::terminal::Screen;
use super::{done, slow, steps};

/// The session that the newest conversation is of.
fn session(host: &Host) -> String {
    let projects = host.project.base().join(".claude/projects");
    until(PATIENCE, "a conversation", || {
        let folders = std::fs::read_dir(&projects).ok()?.flatten();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten());
        let newest = files
            .filter(|file| file.path().extension().is_some_and(|kind| kind == "jsonl"))
            .max_by_key(|file| file.metadata().and_then(|about| about.modified()).ok())?;
        Some(newest.path().file_stem()?.to_string_lossy().into_owned())
    })
}

#[test]
fn in_its_own_screen_a_loop_is_begun_completed_cancelled_and_taken_over() {
    let pondering = |number: u32| {
        Turn::from(Reply {
            say: format!("Hm, {number}. ").repeat(20),
            bytes_per_second: Some(1_000),
            ..Reply::default()
        })
    };
    let mut script = Script::default();
    for number in 1..=9 {
        for of in [60, 61] {
            script = script.on(&format!("This is iteration {number} of {of}."), [pondering(number)]);
        }
    }
    let script = steps(script, 10, 70);
    let host = Host::new(Program::Claude, script);
    let screen = Screen::open(&host, &[], &[]);
    screen.shows("for shortcuts");
    screen.types("/ralph task finish --max-iterations=70");
    screen.shows("loop complete: done after 10 iterations");
    let id = session(&host);
    host.stood(&id, 10, "completed");

    screen.types("/ralph-loop task ponder --max-iterations 60");
    screen.shows("iteration 2/60");
    screen.types("/cancel-ralph");
    screen.shows("loop cancelled");
    assert_eq!(host.stands(&id).1, "aborted");

    screen.types("/ralph task again --max-iterations 61");
    screen.shows("iteration 2/61");
    host.wait_until_asked("This is iteration 2 of 61", 1);
    screen.presses("Escape");
    screen.shows("Interrupted");
    assert_eq!(host.stands(&id).1, "running");
    screen.types("something else");
    screen.shows("a person took over");
    assert_eq!(host.stands(&id).1, "aborted");
}

#[test]
fn in_its_own_screen_the_checks_and_the_limit_decide() {
    let ready = Turn::call("Making it.", Call::Shell("touch ready".to_owned()));
    let spoil = Turn::call("Breaking it.", Call::Shell("rm ready".to_owned()));
    let script = Script::default()
        .on("This is iteration 1 of 9.", [done()])
        .on("This is iteration 2 of 9.", [ready, done()])
        .on("This is iteration 1 of 2.", [Turn::say("One.")])
        .on("This is iteration 2 of 2.", [Turn::say("Two.")])
        .on("This is iteration 1 of 8.", [spoil, done()])
        .on("task calm", [Turn::say("Calm.")]);
    let host = Host::new(Program::Claude, script);
    let checks =
        "[[check]]\nname = \"c\"\ncommand = \"test -e ready || { test -e slow && sleep 90; false; }\"\n";
    std::fs::write(host.project.user_config(), checks).unwrap();
    host.hurries(9);
    let bold = ["--allowedTools=Bash"];
    let screen = Screen::open(&host, &bold, &[]);
    screen.shows("for shortcuts");
    screen.types("/ralph task check --max-iterations 9");
    screen.shows("loop complete: done after 2 iterations");
    let id = session(&host);
    host.stood(&id, 2, "completed");

    // Another screen in the same directory, while a loop goes on here.
    let beside = Screen::open(&host, &bold, &[]);
    beside.shows("for shortcuts");
    screen.types("/ralph-loop task limit --max-iterations 2");
    beside.types("task calm");
    screen.shows("limit reached: max_iterations");
    beside.shows("Calm.");
    host.stood(&id, 2, "max_iterations");
    assert_eq!(host.asked("task calm"), 1);
    drop(beside);

    std::fs::write(host.project.tree().join("slow"), "").unwrap();
    screen.types("/ralph task slow --max-iterations 8");
    until(PATIENCE, "paused", || (host.stands(&id).1 == "paused").then_some(()));
}

#[test]
fn in_its_own_screen_a_loop_survives_a_summary_and_a_restart() {
    let full = Usage { input: 72_000, cached: 0, output: 50 };
    let full = Reply { say: "Much was read.".to_owned(), usage: full, ..Reply::default() };
    let script = steps(Script::default().on("This is iteration 5 of 9.", [Turn::from(full)]), 8, 9)
        .on("hook additional context: This is iteration 2 of 5.", [Turn::say("On it again.")])
        .on("This is iteration 1 of 5.", [Turn::say("Step 1.")])
        .on("This is iteration 2 of 5.", [slow()])
        .on("This is iteration 3 of 5.", [done()]);
    let host = Host::new(Program::Claude, script);
    let screen = Screen::open(&host, &[], &[("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000")]);
    screen.shows("for shortcuts");
    screen.types("/ralph mend the roof --max-iterations 9");
    screen.shows("loop complete: done after 8 iterations");
    let told = host.models.seen();
    let again = told.iter().find(|seen| seen.user_text.contains("What you were told last"));
    assert!(again.expect("the agent is told its task again").user_text.contains("mend the roof"));
    drop(screen);

    let id = "00000000-0000-4000-8000-000000000007";
    let screen = Screen::open(&host, &["--session-id", id], &[]);
    screen.shows("for shortcuts");
    screen.types("/ralph task restart --max-iterations 5");
    host.wait_until_asked("This is iteration 2 of 5.", 1);
    drop(screen);
    host.stood(id, 2, "running");
    let screen = Screen::open(&host, &["--resume", id], &[]);
    screen.shows("A ralph loop lives in this session");
    screen.types("go on with it now");
    screen.shows("loop complete: done after 3 iterations");
    host.stood(id, 3, "completed");
}
