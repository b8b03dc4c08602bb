//! What goes into the brief of a run by what it means.

use std::fs;

use ralph_testkit::{Embeddings, Manner, Project};

use crate::project;

fn configured(server: &Embeddings) -> Project {
    let project = project().agent("cat > /dev/null; echo done");
    let config = project.user_config();
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    let text =
        format!("[memory.vectors]\nendpoint = \"{}\"\nmodel = \"toy\"\ntimeout = \"500ms\"\n", server.url());
    fs::write(config, text).unwrap();
    for note in [
        "Physicians see patients in the morning only",
        "The parser keeps comments",
        "Ports are leased",
        "Tiles are glazed twice",
        "Two kilns share one chimney",
    ] {
        assert_eq!(project.ralph(&["memory", "add", note, "--kind", "gotcha"]).code, Some(0));
    }
    project
}

fn run(project: &Project) -> String {
    project.ralph(&["run", "Call the doctors", "--yes", "--max-iterations", "1"]);
    project.brief(1, 1)
}

#[test]
fn a_brief_has_what_means_the_task_and_a_run_goes_on_without_it() {
    let server = Embeddings::start();
    let project = configured(&server);
    let brief = run(&project);
    assert!(brief.contains("Physicians see patients"), "{brief}");
    assert!(!brief.contains("Ports are leased"), "{brief}");
    assert_eq!(server.seen().len(), 2, "the task, and the notes");
    server.behave(Manner::Hangs);
    let brief = run(&project);
    assert!(!brief.contains("Physicians"), "{brief}");
    let notices: Vec<String> = project
        .journal()
        .iter()
        .filter(|entry| entry["event"]["type"] == "notice" || entry["type"] == "notice")
        .map(ToString::to_string)
        .filter(|text| text.contains("did not answer within 500 ms"))
        .collect();
    assert_eq!(notices.len(), 1, "{notices:?}");
}
