//! Claude Code without a screen.

use ralph_testkit::models::{Call, Reply, Script, Seen, Turn, Usage};
use ralph_testkit::programs::Program;
use ralph_testkit::{kill_nine, until};

use super::host::{Host, PATIENCE};
use super::{done, slow, steps};

fn session(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

#[test]
fn a_loop_outlasts_the_hosts_own_cap_and_ends_at_its_promise_or_its_limit() {
    let script = steps(Script::default(), 12, 50)
        .on("This is iteration 1 of 2.", [Turn::say("One.")])
        .on("This is iteration 2 of 2.", [Turn::say("Two.")])
        .on("task calm", [Turn::say("Calm.")]);
    let host = Host::new(Program::Claude, script);
    let (finish, beside, limit) = (session(1), session(2), session(3));
    let mut loops =
        host.begins(&finish, "/ralph task \"finish\"; !`touch pwned` $(touch pwned) --max-iterations=50");
    host.says(&beside, "task calm");
    assert!(loops.wait().unwrap().success());
    host.stood(&finish, 12, "completed");
    assert!(!host.project.tree().join("pwned").exists(), "nothing that is typed reaches a shell");
    assert_eq!((host.asked("task calm"), host.stands(&beside)), (1, (0, "none".to_owned())));
    assert_eq!(host.status(&finish)["usage"]["output_tokens"], 12 * 50);

    host.says(&limit, "/ralph-loop task limit --max-iterations 2");
    host.stood(&limit, 2, "max_iterations");
    let told = host.says(&session(4), "/ralph status");
    assert!(told.contains("No ralph loop was started in this session."), "{told}");
    assert_eq!(host.asked("<command-args>status"), 0);
}

#[test]
fn a_promise_counts_only_with_the_checks_and_checks_that_take_too_long_pause_the_loop() {
    let ready = Turn::call("Making it.", Call::Shell("touch ready".to_owned()));
    let script = Script::default()
        .on("This is iteration 1 of 9.", [done()])
        .on("This is iteration 2 of 9.", [ready, done()])
        .on(
            "This is iteration 1 of 8.",
            [Turn::call("Breaking it.", Call::Shell("rm ready".to_owned())), done()],
        );
    let host = Host::new(Program::Claude, script);
    let checks =
        "[[check]]\nname = \"c\"\ncommand = \"test -e ready || { test -e slow && sleep 90; false; }\"\n";
    std::fs::write(host.project.user_config(), checks).unwrap();
    host.says(&session(1), "/ralph task check --max-iterations 9");
    host.stood(&session(1), 2, "completed");
    assert_eq!(host.status(&session(1))["iteration"], 2);

    std::fs::write(host.project.tree().join("slow"), "").unwrap();
    host.hurries(4);
    let told = host.says(&session(2), "/ralph task slow --max-iterations 8");
    host.stood(&session(2), 1, "paused");
    assert!((0..=4).any(|left| told.contains(&format!("took longer than {left} s"))), "{told}");
}

#[test]
fn a_loop_survives_the_end_of_its_program_and_goes_on_when_the_session_does() {
    let script = Script::default()
        .on("hook additional context: This is iteration 2 of 5.", [Turn::say("On it again.")])
        .on("This is iteration 1 of 5.", [Turn::say("Step 1.")])
        .on("This is iteration 2 of 5.", [slow()])
        .on("This is iteration 3 of 5.", [done()]);
    let host = Host::new(Program::Claude, script);
    let [finish, cancel] = [session(1), session(2)];
    for (id, task) in [(&finish, "task restart"), (&cancel, "task cancel")] {
        let mut child = host.begins(id, &format!("/ralph {task} --max-iterations 5"));
        let asked = |seen: &Seen| {
            seen.user_text.contains(task) && seen.user_text.contains("This is iteration 2 of 5.")
        };
        until(PATIENCE, "the slow answer", || host.models.seen().iter().any(asked).then_some(()));
        kill_nine(child.id());
        child.wait().unwrap();
        host.stood(id, 2, "running");
    }
    host.goes_on(&finish, "go on with it now");
    host.stood(&finish, 3, "completed");
    assert!(
        host.models.seen().iter().any(|seen| seen.user_text.contains("A ralph loop lives in this session"))
    );
    let told = host.goes_on(&cancel, "/cancel-ralph");
    assert!(told.contains("The ralph loop of this session is cancelled."), "{told}");
    host.stood(&cancel, 2, "aborted");
}

#[test]
fn the_task_survives_a_summary_of_the_conversation() {
    let full = Usage { input: 72_000, cached: 0, output: 50 };
    let full = Reply { say: "Much was read.".to_owned(), usage: full, ..Reply::default() };
    let script = Script::default().on("This is iteration 5 of 9.", [Turn::from(full)]);
    let host = Host::new(Program::Claude, steps(script, 8, 9));
    let mut command = host.command();
    command.env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000");
    command.args(["-p", "--session-id", &session(1), "/ralph mend the roof --max-iterations 9"]);
    assert!(command.output().unwrap().status.success());
    host.stood(&session(1), 8, "completed");
    let kept = host.events(&session(1));
    assert!(kept.contains("SessionStart"), "it was never summarised: {kept}");
    let seen = host.models.seen();
    let again = seen.iter().find(|seen| seen.user_text.contains("What you were told last"));
    let again = again.expect("the agent is told its task again");
    assert!(
        again.user_text.contains("mend the roof") && !again.user_text.contains("This is iteration 1 of 9")
    );
}

#[test]
fn what_ralph_drives_from_outside_is_not_driven_twice() {
    let script = Script::default()
        .on("This is iteration 2 of 4", [done()])
        .on("This is iteration 1 of 4", [Turn::say("A step.")]);
    let host = Host::new(Program::Claude, script);
    let ran = host.is_driven(&["task driven", "--max-iterations", "4"]);
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(host.asked("This is iteration"), 2);
    let run = host.project.run_id().unwrap();
    let kept = host.project.state().join("output").join(run).join("host-events.jsonl");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert_eq!(kept.matches("\"event\":\"Stop\"").count(), 2, "{kept}");
}

#[test]
fn as_a_plugin_it_is_the_same_until_the_hosts_own_cap() {
    let host = Host::bare(Program::Claude, steps(steps(Script::default(), 3, 7), 40, 50));
    let folder = host.project.base().join("plugin");
    let installed = host.project.ralph(&["install", "claude", &format!("--plugin={}", folder.display())]);
    assert_eq!(installed.code, Some(0), "{installed:?}");
    let folder = folder.to_string_lossy().into_owned();
    let says = |id: &str, prompt: &str| {
        host.run(&[
            "-p",
            "--plugin-dir",
            &folder,
            "--dangerously-skip-permissions",
            "--session-id",
            id,
            prompt,
        ])
    };
    says(&session(1), "/ralph:ralph task plugin --max-iterations 7");
    host.stood(&session(1), 3, "completed");
    // A plugin cannot raise the cap, so ralph stops in time and says so.
    says(&session(2), "/ralph:ralph task capped --max-iterations 50");
    host.stood(&session(2), 10, "paused");
}

#[test]
fn an_error_of_the_model_pauses_the_loop() {
    use ralph_testkit::models::Fault;
    let failing = Turn::fault(Fault::Status { code: 400, times: Fault::ALWAYS });
    let script = Script::default().on("This is iteration 1 of 5.", [failing]);
    let host = Host::new(Program::Claude, script);
    host.begins(&session(1), "/ralph task error --max-iterations 5").wait().unwrap();
    until(PATIENCE, "paused", || (host.stands(&session(1)).1 == "paused").then_some(()));
}
