//! One prd.json, worked on by ralph and by the real ralph-tui in turn, with the same agent and ralph-tui's own template.
//!
//! ralph-tui comes from the package registry, pinned by a lock file, and is installed once per target directory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ralph_testkit::programs::target_dir;
use ralph_testkit::{PATIENCE, Project, RalphTui, Ran, install_ralph_tui, until};
use serde_json::{Value, json};

/// Knows its story by the brief alone, as both programs give it, and promises in the form that it is asked for. At the
/// story in `hold` it stays, and what stayed does nothing more.
const AGENT: &str = r###"
case "$1" in --version) echo '2.1.197 (Claude Code)'; exit 0 ;; esac
beside=${0%/*}/..
cat > "$beside/brief.new"
story=$(sed -n 's/^## Your Task: \([^ ]*\) - .*/\1/p' "$beside/brief.new" | head -n 1)
if [ "$story" = "$(cat "$beside/hold" 2> /dev/null)" ]; then
    echo $$ > "$beside/held"
    while [ -e "$beside/hold" ]; do sleep 0.05; done
    exit 1
fi
mv "$beside/brief.new" "$beside/brief.$story"
echo "$story" >> "$beside/order"
echo done > "$story.txt"
promise='<promise>COMPLETE</promise>'
case "$*" in
    *stream-json*)
        echo '{"type":"assistant","message":{"content":[{"type":"text","text":"'"$promise"'"}]}}'
        echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$promise"'"}' ;;
    *) echo "$promise" ;;
esac
"###;

const STORIES: usize = 9;

fn name(at: usize) -> String {
    format!("US-{at:03}")
}

/// Each story waits for the one three before it; all have a key that neither program knows.
fn prd() -> Value {
    let story = |at: usize| {
        let needs: Vec<String> = if at > 3 { vec![name(at - 3)] } else { Vec::new() };
        json!({
            "id": name(at), "title": format!("Story {at} of \"<many>\" & more"), "description": "As a user\nI want it",
            "acceptanceCriteria": ["it is done", "it's `tested`"], "priority": 1 + at % 5, "passes": false,
            "notes": "", "labels": ["shop"], "dependsOn": needs, "ofAnother": {"estimate": at, "tags": ["ä", null]},
        })
    };
    json!({
        "name": "Shop", "description": "All of it", "branchName": "shop", "ofAnother": [1, 2.50, "x"],
        "userStories": (1..=STORIES).map(story).collect::<Vec<_>>(),
        "metadata": {"createdAt": "2026-01-01T00:00:00Z", "sourcePrd": "plan.md"},
    })
}

/// One project for the two of them.
struct Shared {
    project: Project,
    tui: RalphTui,
    template: PathBuf,
}

impl Shared {
    /// None if ralph-tui cannot be had, which on a machine of CI is a failure.
    fn new() -> Option<Shared> {
        let tui = match install_ralph_tui(&target_dir()) {
            Ok(tui) => tui,
            Err(error) => {
                assert!(std::env::var_os("CI").is_none(), "no ralph-tui: {error}");
                println!("LEFT OUT: no ralph-tui: {error}");
                return None;
            }
        };
        let project = Project::new(env!("CARGO_BIN_EXE_ralph"));
        fs::create_dir(project.base().join("bin")).unwrap();
        let agent = project.script("bin/claude", AGENT);
        let project = project.with("RALPH_SET_AGENT__COMMAND", agent.to_str().unwrap());
        let template = project.base().join("json.hbs");
        let shared = Shared { project, tui, template };
        fs::write(shared.tree().join("prd.json"), format!("{:#}\n", prd())).unwrap();
        fs::write(shared.tree().join("plan.md"), "# Plan\n\nSell {{things}}.\n").unwrap();
        let told = shared.tui(&[
            "template",
            "init",
            "--tracker",
            "json",
            "--output",
            shared.template.to_str().unwrap(),
        ]);
        assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
        Some(shared)
    }

    fn tree(&self) -> PathBuf {
        self.project.tree()
    }

    fn tui_command(&self, args: &[&str]) -> Command {
        let mut command = self.tui.command(&self.tree(), self.project.base());
        let machine = std::env::var_os("PATH").unwrap();
        let path = [self.project.base().join("bin")].into_iter().chain(std::env::split_paths(&machine));
        command.args(args).env("PATH", std::env::join_paths(path).unwrap());
        command
    }

    fn tui(&self, args: &[&str]) -> Ran {
        self.tui_command(args).output().unwrap().into()
    }

    fn tui_run(iterations: &str) -> Vec<&str> {
        let args =
            ["run", "--headless", "--no-setup", "--no-notify", "--prd", "prd.json", "--agent", "claude"];
        args.into_iter().chain(["--delay", "0", "--iterations", iterations]).collect()
    }

    fn ralph_run<'a>(&'a self, iterations: &'a str) -> Vec<&'a str> {
        let template = self.template.to_str().unwrap();
        let args = ["run", "--new", "--prd", "prd.json", "--template", template, "--promise", "COMPLETE"];
        args.into_iter()
            .chain(["--no-nonce", "--iteration-delay", "0", "--max-iterations", iterations])
            .collect()
    }

    /// Who is turned to does so many stories; when nothing is left it says so.
    fn turn_of_ralph(&self, stories: usize) {
        let (before, document) = (self.passing(), self.document());
        let ran = self.project.ralph(&self.ralph_run(&stories.to_string()));
        let after = self.passing();
        let code = if after.len() == STORIES { 0 } else { 3 };
        assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
        assert_eq!(after.len(), before.len() + stories, "{}{}", ran.out, ran.err);
        let new: Vec<&String> = after.difference(&before).collect();
        let mut expected = document;
        for story in expected["userStories"].as_array_mut().unwrap() {
            if new.iter().any(|id| story["id"] == **id) {
                story["passes"] = true.into();
                story["completionNotes"] = "the promise was given on line 1 of the final message".into();
            }
        }
        let document = self.document();
        if let Some(updated) = expected["metadata"].get_mut("updatedAt") {
            updated.clone_from(&document["metadata"]["updatedAt"]);
        }
        assert!(
            document == expected,
            "ralph changes nothing but what it completes: {document:#}\n{expected:#}"
        );
        let completed = self.project.status().unwrap()["backlog"]["completed"].clone();
        let told: BTreeSet<&str> =
            completed.as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        assert_eq!(told, new.into_iter().map(String::as_str).collect());
    }

    fn turn_of_tui(&self, stories: usize) {
        let before = self.passing();
        let ran = self.tui(&Shared::tui_run(&stories.to_string()));
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        assert_eq!(self.passing().len(), before.len() + stories, "{}{}", ran.out, ran.err);
        let status: Value = serde_json::from_str(&self.tui(&["status", "--json"]).out).unwrap();
        if before.len() + stories < STORIES {
            // It counts what its session has done, of all there is.
            let progress = &status["session"]["progress"];
            let counts = (&progress["completed"], &progress["total"]);
            assert_eq!(counts, (&stories.into(), &STORIES.into()), "{status}");
        }
    }

    fn document(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.tree().join("prd.json")).unwrap()).unwrap()
    }

    /// What the file says is done, which is exactly what was done, with all that nobody but its author knows.
    fn passing(&self) -> BTreeSet<String> {
        let document = self.document();
        let original = prd();
        let mut done = BTreeSet::new();
        for (story, first) in document["userStories"]
            .as_array()
            .unwrap()
            .iter()
            .zip(original["userStories"].as_array().unwrap())
        {
            let id = story["id"].as_str().unwrap();
            for key in
                ["id", "title", "description", "acceptanceCriteria", "priority", "dependsOn", "ofAnother"]
            {
                assert_eq!(story[key], first[key], "{key} of {id}");
            }
            let is_there = self.tree().join(format!("{id}.txt")).exists();
            assert_eq!(story["passes"], is_there, "{id}");
            done.extend(is_there.then(|| id.to_owned()));
        }
        assert_eq!(done, self.order().into_iter().collect());
        done
    }

    fn order(&self) -> Vec<String> {
        let text = fs::read_to_string(self.project.base().join("order")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Everything, nothing before what it waits for, and both say that nothing is left.
    fn is_all_done(&self) {
        let order = self.order();
        assert_eq!(self.passing().len(), STORIES);
        let place = |at: usize| order.iter().position(|id| *id == name(at)).unwrap();
        assert!((4..=STORIES).all(|at| place(at - 3) < place(at)), "{order:?}");

        let nothing = self.project.ralph(&self.ralph_run("3"));
        assert_eq!(nothing.code, Some(4), "{}{}", nothing.out, nothing.err);
        let status = self.project.status().unwrap();
        assert_eq!((&status["stop_reason"], &status["backlog"]["open"]), (&"no_tasks".into(), &0.into()));
        let ran = self.tui(&Shared::tui_run("3"));
        assert!(ran.out.contains("All tasks complete! Total: 0 tasks in 0 iterations."), "{}", ran.out);
        // It forgets a session that is completed.
        let status: Value = serde_json::from_str(&self.tui(&["status", "--json"]).out).unwrap();
        assert_eq!(status, json!({"status": "no-session"}));
        assert_eq!(self.order(), order, "nobody did anything more");
    }

    fn hold(&self, story: &str) {
        fs::write(self.project.base().join("hold"), story).unwrap();
    }

    /// The agent that stays, once it does.
    fn held(&self) -> String {
        let held = self.project.base().join("held");
        until(PATIENCE, "a story that is held", || {
            fs::read_to_string(&held).ok().filter(|pid| pid.ends_with('\n'))
        })
    }

    /// Lets the one that stayed end, unless it was ended.
    fn release(&self, agent: &str) {
        fs::remove_file(self.project.base().join("hold")).unwrap();
        fs::remove_file(self.project.base().join("held")).unwrap();
        let process = Path::new("/proc").join(agent.trim());
        until(PATIENCE, "the end of the agent", || (!process.exists()).then_some(()));
    }
}

/// Killed with the test, if the test fails first.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _already_over = self.0.kill();
        let _already_waited_for = self.0.wait();
    }
}

#[test]
fn ralph_and_ralph_tui_go_on_where_the_other_left_off() {
    let Some(shared) = Shared::new() else { return };
    shared.turn_of_ralph(2);
    assert_eq!(shared.document()["ofAnother"], prd()["ofAnother"]);
    shared.turn_of_tui(2);
    shared.turn_of_ralph(2);
    shared.turn_of_tui(1);
    shared.turn_of_ralph(2);
    assert_eq!(shared.order().len(), STORIES, "each once");
    shared.is_all_done();
}

#[test]
fn either_goes_on_where_the_other_was_killed() {
    let Some(shared) = Shared::new() else { return };
    shared.turn_of_tui(2);
    let next = {
        let told = shared.project.ralph(&["tasks", "--prd", "prd.json", "--json"]);
        serde_json::from_str::<Value>(&told.out).unwrap()["tasks"][1]["id"].as_str().unwrap().to_owned()
    };
    shared.hold(&next);
    let mut run = shared.project.start(&shared.ralph_run("9"));
    let agent = shared.held();
    run.kill();
    assert_eq!(shared.passing().len(), 3, "one, and the second is not done");
    shared.release(&agent);
    shared.turn_of_tui(2);

    let last = name(STORIES);
    shared.hold(&last);
    let mut command = shared.tui_command(&Shared::tui_run("9"));
    let tui = Killed(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let agent = shared.held();
    drop(tui);
    shared.release(&agent);
    assert_eq!(shared.passing().len(), STORIES - 1);
    let resumed = shared.project.ralph(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.out, resumed.err);
    // It did not see who closed what it was at, and agents are not believed.
    let order = shared.order();
    assert_eq!(order[STORIES - 1..], [next, last], "nothing else is done twice: {order:?}");
    shared.is_all_done();
}

#[test]
fn the_same_brief_is_made_of_the_same_template() {
    let Some(shared) = Shared::new() else { return };
    let first = shared.tree().join("prd.json");
    let document = fs::read_to_string(&first).unwrap();
    let story = name(1);
    let only = |flags: Vec<&str>| {
        flags.into_iter().chain(["--task", "US-001"]).map(str::to_owned).collect::<Vec<_>>()
    };
    let flags = only(shared.ralph_run("1"));
    let ran = shared.project.ralph(&flags.iter().map(String::as_str).collect::<Vec<_>>());
    let brief = shared.project.base().join(format!("brief.{story}"));
    let of_ralph = fs::read_to_string(&brief).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err));
    fs::write(&first, document).unwrap();
    fs::remove_file(&brief).unwrap();
    let ran = shared.tui(&Shared::tui_run("9"));
    let of_tui = fs::read_to_string(&brief).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err));
    assert_eq!(of_ralph.trim_end(), of_tui.trim_end());
    for said in ["Sell {{things}}.", "US-001 - Story 1 of \"<many>\" & more", "- [ ] it's `tested`"] {
        assert!(of_tui.contains(said), "{said}: {of_tui}");
    }
}
