//! A ralph that does not answer the plugin.

use std::os::unix::fs::PermissionsExt;

use ralph_testkit::is_alive;
use ralph_testkit::models::Script;
use ralph_testkit::until;

use super::serve::{PATIENCE, Serve};
use super::{done, said};

/// Of the turns that it is told, it fails those that a file has a line for, each in the way that the line says.
const UNSTEADY: &str = r#"#!/bin/sh
told=$(cat)
case "$told" in *'"event":"idle"'*)
  how=$(head -n 1 BASE/fails)
  sed -i 1d BASE/fails
  case "$how" in
    exit) echo "ralph: the disk is on fire" >&2; exit 1 ;;
    kill) kill -9 $$ ;;
    noise) echo "what is JSON?"; exit 0 ;;
    hang) sleep 4711 & echo $! > BASE/hung; wait ;;
  esac ;;
esac
printf '%s' "$told" | RALPH "$@"
"#;

fn unsteady(serve: &Serve, plugin: String) -> String {
    let base = serve.project.base();
    let program = base.join("unsteady");
    let ralph = serve.project.command(&[]).get_program().to_str().unwrap().to_owned();
    let text = UNSTEADY.replace("BASE", &base.to_string_lossy()).replace("RALPH", &ralph);
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(base.join("fails"), "").unwrap();
    let swaps = [
        (ralph.as_str(), program.to_str().unwrap()),
        ("[1_000, 5_000, 20_000]", "[200, 400, 800]"),
        ("6 * 3_600_000", "10_000"),
    ];
    swaps.iter().fold(plugin, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

#[test]
fn a_hook_that_fails_is_asked_again_ended_if_need_be_and_in_the_end_the_person_is_told() {
    let script = Script::default()
        .on("This is iteration 2 of", [done()])
        .on("task mended", [said()])
        .on("task hangs", [said()])
        .on("task given up", [said()])
        .on("go on with it", [said()]);
    let serve = Serve::start_with(script, unsteady);
    let fails = |how: &str| std::fs::write(serve.project.base().join("fails"), how).unwrap();
    let toasts = serve.toasts();
    let complaints = || toasts.lock().unwrap().iter().filter(|toast| toast.contains("no answer")).count();

    let mended = serve.session();
    fails("exit\nkill\nnoise\n");
    serve.command(&mended, "ralph", "task mended --max-iterations=5");
    serve.wait(&mended, 2, "completed");

    let hangs = serve.session();
    fails("hang\n");
    serve.command(&hangs, "ralph", "task hangs --max-iterations=5");
    serve.wait(&hangs, 2, "completed");
    let hung = std::fs::read_to_string(serve.project.base().join("hung")).unwrap().trim().parse().unwrap();
    assert!(!is_alive(hung), "what hung was left behind");
    assert_eq!(complaints(), 0, "{:?}", toasts.lock().unwrap());

    let given_up = serve.session();
    fails("exit\nkill\nnoise\nexit\n");
    serve.command(&given_up, "ralph", "task given up --max-iterations=5");
    until(PATIENCE, "the person is told", || (complaints() == 1).then_some(()));
    let told = toasts.lock().unwrap().iter().find(|toast| toast.contains("no answer")).cloned().unwrap();
    assert!(told.contains("the disk is on fire") && told.contains("ralph doctor"), "{told}");
    assert_eq!(serve.stands(&given_up), (1, "running".to_owned()));
    serve.say(&given_up, "go on with it");
    serve.wait(&given_up, 2, "completed");
}
