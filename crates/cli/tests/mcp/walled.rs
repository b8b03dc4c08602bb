//! Nobody below an agent that ralph drives is an operator, whatever is left of the environment there.

use std::fs;
use std::path::Path;

use ralph_testkit::Project;
use ralph_testkit::models::{Script, Server, Turn};
use ralph_testkit::programs::{Program, install, offline_env, target_dir};

use crate::project;

/// A program that starts an operator's server, and writes down what became of it and what it had of the run's mark.
fn starter(project: &Project, name: &str) -> String {
    let ralph = env!("CARGO_BIN_EXE_ralph");
    let script = project.script(
        name,
        &format!(
            "beside=${{0%/*}}\necho \"${{RALPH_RUN:-none}}\" > \"$beside/mark\"\n\
             {ralph} mcp --operator 2> \"$beside/why\"\necho $? > \"$beside/code\""
        ),
    );
    script.to_string_lossy().into_owned()
}

fn kept(project: &Project, name: &str) -> String {
    fs::read_to_string(project.base().join(name)).unwrap_or_default().trim().to_owned()
}

fn was_refused(project: &Project) {
    assert_eq!(kept(project, "mark"), "none", "the server was started without the mark");
    assert_eq!(kept(project, "code"), "2", "{}", kept(project, "why"));
    let why = kept(project, "why");
    assert!(why.contains("an agent that ralph drives is no operator"), "{why}");
}

#[test]
fn whoever_takes_the_mark_off_is_found_below_the_agent_and_below_its_guard() {
    for detached in ["", "setsid -f "] {
        let project = project();
        let starter = starter(&project, "starter.sh");
        let wait = "until [ -s \"$beside/code\" ]; do sleep 0.05; done";
        let project = project.agent(&format!(
            "cat > /dev/null\nbeside=${{0%/*}}\nenv -u RALPH_RUN {detached}{starter} < /dev/null\n{wait}"
        ));
        project.ralph(&["run", "Do it", "--max-iterations", "1"]);
        was_refused(&project);
    }
}

#[test]
fn codex_hands_the_mark_to_no_server_and_the_wall_holds_all_the_same() {
    let programs = install(&target_dir()).unwrap();
    let models = Server::start(Script::of([Turn::say("It is done.")])).unwrap();
    let project = project();
    let starter = starter(&project, "starter.sh");
    let environment = offline_env(Program::Codex, &models.url(), project.base()).unwrap();
    let settings = project.base().join(".codex/config.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, format!("{text}\n[mcp_servers.operator]\ncommand = {starter:?}\n")).unwrap();
    let path = format!("{}:{}", programs.bin().display(), std::env::var("PATH").unwrap());
    let mut run = project.command(&["run", "Do it", "--agent", "codex", "--max-iterations", "1", "--yes"]);
    let state = run.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    let state: Vec<_> = state.collect();
    run.envs(environment).envs(state).env("PATH", &path);
    let ran = run.output().unwrap();
    assert!(!models.seen().is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    was_refused(&project);
    let offered = models.seen().iter().flat_map(|seen| seen.tools.clone()).collect::<Vec<_>>();
    assert!(!offered.iter().any(|tool| tool.contains("loop_start")), "{offered:?}");
    assert!(Path::new(&starter).exists());
}
