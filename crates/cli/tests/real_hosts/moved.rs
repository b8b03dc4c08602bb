//! A session that takes the place of another, where that does not go well.

use ralph_testkit::models::Script;
use ralph_testkit::until;

use super::serve::{PATIENCE, Serve};
use super::{done, said};

/// Another plugin through which three prompts in a row fail.
const SABOTEUR: &str = r#"export const Saboteur = async ({ client }) => {
  const prompt = client.session.promptAsync.bind(client.session)
  let left = 3
  client.session.promptAsync = async (asked) =>
    left-- > 0 ? { error: { message: "sabotaged" }, response: { status: 500 } } : prompt(asked)
  return {}
}
"#;

#[test]
fn a_conversation_is_deleted_only_when_the_brief_was_taken_elsewhere() {
    let script =
        Script::default().on("This is iteration 2 of 5, attempt 2", [done()]).on("task moved", [said()]);
    let mut serve = Serve::prepare(script, None);
    std::fs::write(serve.project.tree().join(".opencode/plugins/a.js"), SABOTEUR).unwrap();
    serve.again();
    let toasts = serve.toasts();
    let first = serve.session();
    serve.command(&first, "ralph", "task moved --strategy reset --max-iterations=5");
    let last = until(PATIENCE, "the loop is completed in another session", || {
        let is_done = |id: &String| *id != first && serve.stands(id) == (2, "completed".to_owned());
        serve.sessions().into_iter().find(is_done)
    });
    assert!(toasts.lock().unwrap().iter().any(|toast| toast.contains("sabotaged")), "the person was told");
    until(PATIENCE, "the empty session is deleted", || (serve.sessions().len() == 2).then_some(()));
    assert!(serve.sessions().contains(&first) && serve.sessions().contains(&last), "{:?}", serve.sessions());
}
