//! Files that go with a prompt.

use ralph_testkit::{PATIENCE, Project, until};

use crate::agents::DONE;
use crate::project;

/// With an agent that takes pictures by a flag, and files beside the tree.
fn with_files() -> Project {
    let project = project();
    let program = project.script(
        "agent.sh",
        &format!("echo \"$@\" >> ../given; cat > ../brief\n[ -e ../go ] || exit 0\n{DONE}"),
    );
    let config = format!(
        "[agents.mine]\nprogram = \"{}\"\nformat = \"text\"\nargs = [\"{{file}}\", \"--end\"]\nlogin = \"none\"\n\
         file = {{ args = [\"--picture={{value}}\"], only = [\"png\"] }}\n",
        program.display()
    );
    std::fs::write(project.user_config(), config).unwrap();
    std::fs::write(project.base().join("notes.md"), "mind the ```gap```\n").unwrap();
    std::fs::write(project.base().join("picture.png"), b"\x89PNG\r\n\x1a\n\0").unwrap();
    std::fs::write(project.base().join("table.bin"), [0_u8; 9]).unwrap();
    project
}

const FILES: [&str; 6] = ["--file", "../notes.md", "--file", "../picture.png", "--file", "../table.bin"];

#[test]
fn texts_are_in_every_brief_and_other_files_are_named_or_handed_over() {
    let project = with_files();
    let args = [&["run", "look", "--agent", "mine", "--max-iterations", "1"], &FILES[..]].concat();
    let ran = project.ralph(&args);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    std::fs::write(project.base().join("go"), "").unwrap();
    let args = [&["run", "look", "--agent", "mine", "--max-iterations", "2", "--new"], &FILES[..]].concat();
    assert_eq!(project.ralph(&args).code, Some(0));
    let base = project.base().canonicalize().unwrap();
    let picture = base.join("picture.png").to_string_lossy().into_owned();
    let given = std::fs::read_to_string(base.join("given")).unwrap();
    assert_eq!(given, format!("--picture={picture} --end\n").repeat(2), "each attempt gets it");
    let brief = std::fs::read_to_string(base.join("brief")).unwrap();
    assert!(brief.contains("`../notes.md`:\n\n````\nmind the ```gap```\n````\n"), "{brief}");
    for path in [&picture, &*base.join("table.bin").to_string_lossy()] {
        assert!(brief.contains(&format!("The file `{path}`")), "{path} in {brief}");
    }
    let prompt = project.status().unwrap()["prompt"].as_str().unwrap().to_owned();
    assert!(prompt.contains("mind the") && prompt.contains("table.bin"), "it is recorded: {prompt}");
}

#[test]
fn a_resumed_run_hands_over_the_files_that_are_still_there() {
    let project = with_files();
    std::fs::copy(project.base().join("picture.png"), project.base().join("second.png")).unwrap();
    let mut live = project.start(
        &[
            &["run", "look", "--agent", "mine", "--iteration-delay", "2", "--file", "../second.png"],
            &FILES[..],
        ]
        .concat(),
    );
    let given = || std::fs::read_to_string(project.base().join("given")).unwrap_or_default();
    until(PATIENCE, "an attempt", || (!given().is_empty()).then_some(()));
    live.kill();
    live.end(PATIENCE);
    std::fs::remove_file(project.base().join("second.png")).unwrap();
    std::fs::write(project.base().join("go"), "").unwrap();
    let ran = project.start(&["resume"]).end(PATIENCE * 5);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let count = |line: Option<&str>| line.unwrap_or_default().matches("--picture=").count();
    let given = given();
    assert_eq!((count(given.lines().next()), count(given.lines().last())), (2, 1), "{given}");
}

#[test]
fn a_file_that_is_not_there_is_told_before_anything_begins() {
    let project = with_files();
    let ran = project.ralph(&["run", "look", "--agent", "mine", "--file", "../nowhere.md"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    for text in ["cannot attach the file: No such file", "../nowhere.md", "--file"] {
        assert!(ran.err.contains(text), "{text} in {}", ran.err);
    }
    assert_eq!(project.status(), None);
}
