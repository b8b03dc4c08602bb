//! What a host waits for asks nobody what notes mean, whatever is configured.

use ralph_testkit::{Embeddings, Project};
use serde_json::json;

use super::{Session, context, project};

fn configured(server: &Embeddings) -> Project {
    let project = project();
    let config = project.user_config();
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let text = format!("[memory.vectors]\nendpoint = \"{}\"\nmodel = \"toy\"\n", server.url());
    std::fs::write(config, text).unwrap();
    project
}

#[test]
fn no_event_of_a_session_asks_an_endpoint() {
    let server = Embeddings::start();
    let project = configured(&server);
    for note in ["The roof is mended with tiles", "The fridge holds meals", "Ports are leased"] {
        assert_eq!(project.ralph(&["memory", "add", note, "--kind", "skill"]).code, Some(0));
    }
    let session = Session::of(&project, "s-1");
    session.tell("SessionStart", json!({ "source": "startup" }));
    session.types("/ralph mend the roof with tiles");
    session.tell("PostToolUse", json!({ "tool_name": "Read", "tool_input": { "file_path": "roof.rs" } }));
    let next = session.stops("One tile is there.");
    assert!(next.to_string().contains("with tiles"), "the loop goes on: {next}");
    session.tell("SessionEnd", json!({ "reason": "other" }));
    let resumed = session.tell("SessionStart", json!({ "source": "resume" }));
    assert!(context(&resumed).contains("mend the roof"), "{resumed}");
    assert_eq!(server.seen(), [], "nobody was asked");
    // Whoever searches does ask.
    let found = project.ralph(&["memory", "search", "icebox"]);
    assert!(found.out.contains("fridge"), "{found:?}");
    assert_eq!(server.seen().len(), 2);
}
