//! An agent that is driven from outside has its hooks heard and not answered.

use serde_json::json;

use super::{Answer, Session, project, told};

#[test]
fn what_happens_in_a_driven_agent_is_kept_and_not_answered() {
    let project = project();
    let session = Session::of(&project, "ses_1");
    session.command("fix it");
    let run = session.status()["run"].as_str().unwrap().to_owned();
    std::fs::create_dir_all(project.state().join("output").join(&run)).unwrap();
    let driven = |run: &str| {
        let mut command = project.command(&["hook", "opencode"]);
        command.env("RALPH_RUN", run);
        let message = json!({ "message": { "id": "m1", "text": "x", "finish": "stop" } });
        Answer::of(&told(command, session.event("idle", message).to_string().as_bytes()))
    };
    assert_eq!(driven(&run).kinds(), [""; 0]);
    assert_eq!(driven("../../../etc").kinds(), [""; 0]);
    assert_eq!(session.stands(), (1, "running".to_owned()));
    let kept =
        std::fs::read_to_string(project.state().join("output").join(&run).join("host-events.jsonl")).unwrap();
    assert!(kept.contains("\"event\":\"idle\"") && kept.contains("ses_1"), "{kept}");
}

#[test]
fn a_plugin_that_is_not_to_be_heard_is_not_answered() {
    let project = project();
    std::fs::write(project.user_config(), "[opencode]\nenabled = false\n").unwrap();
    let session = Session::of(&project, "ses_1");
    assert_eq!(session.command("fix it").kinds(), [""; 0]);
    assert!(!project.state_home().exists());
}
