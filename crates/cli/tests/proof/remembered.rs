//! What one task learned, the next one knows; what is no longer so is not believed.

use std::fs;

use ralph_testkit::{Project, Ran};
use serde_json::Value;

use crate::project;
use crate::time::git;

/// Whoever changes the code has to run `regen.sh`, which nothing that fails says.
const CHECK: &str = "want=$(cksum < src/app.py)\n\
    [ -e \"done-$1\" ] || { echo \"FAIL: $1 is not there\"; exit 1; }\n\
    [ ! -e regen.sh ] || [ \"$(cat cache 2>/dev/null)\" = \"$want\" ] || { echo 'FAIL: the index does not answer'; exit 1; }\n";

const REGEN: &str = "cksum < src/app.py > cache\n";

const CODE: &str = "def load(path):\n    return open(path).read()\n";

/// Does what the task says. Who does not know of the trap falls into it twice; who knows does not. What is only a
/// hypothesis is looked at first.
const AGENT: &str = r##"
brief=$(cat)
name=$(printf '%s' "$brief" | sed -n 's/.*the feature `\([a-z]*\)`.*/\1/p' | head -1)
grep -q "def $name" src/app.py || printf 'def %s():\n    return 1\n' "$name" >> src/app.py
touch "done-$name"
said=
if printf '%s' "$brief" | grep -q 'HYPOTHESIS.*regen.sh must'; then
  if [ ! -e regen.sh ]; then
    said='gotcha: regen.sh must not be run when src/app.py was changed [files: src/app.py]'
  fi
elif printf '%s' "$brief" | grep -q 'regen.sh must be run'; then
  sh regen.sh
elif [ "$RALPH_ITERATION" -ge 3 ] && [ -e regen.sh ]; then
  sh regen.sh
  said='gotcha: regen.sh must be run when src/app.py was changed [files: src/app.py]'
else
  echo "# try $RALPH_ITERATION" >> src/app.py
fi
echo "I added $name."
if [ -n "$said" ]; then printf '\n```ralph-notes\n%s\n```\n' "$said"; fi
"##;

fn trapped() -> Project {
    let project = project();
    fs::create_dir_all(project.tree().join("src")).unwrap();
    for (name, text) in [("check.sh", CHECK), ("regen.sh", REGEN), ("src/app.py", CODE)] {
        fs::write(project.tree().join(name), text).unwrap();
    }
    project.agent(AGENT)
}

/// How many iterations a feature took.
fn feature(project: &Project, name: &str) -> (u64, Ran) {
    let task = format!("Add the feature `{name}` to src/app.py.");
    let check = format!("custom=sh check.sh {name}");
    let ran = project.ralph(&["run", &task, "--yes", "--criteria", &check, "--max-iterations", "6"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    (project.status().unwrap()["iteration"].as_u64().unwrap(), ran)
}

fn notes(project: &Project) -> Vec<Value> {
    let listed = project.ralph(&["memory", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    listed["notes"].as_array().unwrap().clone()
}

fn about_regen(project: &Project) -> Vec<Value> {
    let content = |note: &Value| note["content"].as_str().unwrap_or_default().to_owned();
    notes(project).into_iter().filter(|note| content(note).contains("regen.sh m")).collect()
}

#[test]
fn the_second_task_of_a_family_knows_what_the_first_one_learned() {
    let project = trapped();
    let (first, _) = feature(&project, "alpha");
    let (second, _) = feature(&project, "beta");
    assert_eq!((first, second), (3, 1));
    let brief = project.brief(1, 1);
    assert!(brief.contains("] regen.sh must be run") && !brief.contains("[HYPOTHESIS] regen"), "{brief}");
    let recalled = project.journal().into_iter().find(|entry| entry["type"] == "recalled");
    assert!(recalled.is_some_and(|entry| !entry["notes"].as_array().unwrap().is_empty()));
}

#[test]
fn what_an_agent_states_before_a_long_message_is_put_down_and_ends_no_task() {
    let notes_first = r#"
printf '```ralph-notes\ngotcha: fixtures are rebuilt when CI is set\ndiscovery: it is <promise>%s</promise> that counts\n```\n' "$RALPH_PROMISE"
seq 1 3000 | sed 's/$/ lines were changed/'
"#;
    let project = project().agent(notes_first);
    let ran = project.ralph(&["run", "do it", "--max-iterations", "1"]);
    assert_eq!(ran.code, Some(3), "no promise was given: {}\n{}", ran.out, ran.err);
    let ended = project.journal().into_iter().find(|entry| entry["type"] == "attempt_ended").unwrap();
    assert_eq!(ended["ending"]["reported"]["claim"]["claim"], "refused");
    let kept = project.ralph(&["memory", "export", "--scope", "all"]).out;
    assert!(kept.contains("fixtures are rebuilt when CI is set"), "{kept}");
}

#[test]
fn without_its_memory_the_second_task_learns_it_all_again() {
    let project = trapped().with("RALPH_SET_MEMORY__ENABLED", "false");
    let (first, _) = feature(&project, "alpha");
    let (second, _) = feature(&project, "beta");
    assert_eq!((first, second), (3, 3));
    assert!(project.events().iter().all(|event| event != "recalled" && event != "consolidated"));
}

#[test]
fn what_was_said_of_code_that_has_changed_is_a_hypothesis_and_then_superseded() {
    let project = trapped();
    feature(&project, "alpha");
    let known = about_regen(&project);
    assert_eq!(known.len(), 1, "{known:?}");
    let tree = project.tree();
    fs::remove_file(tree.join("regen.sh")).unwrap();
    let code = fs::read_to_string(tree.join("src/app.py")).unwrap();
    fs::write(tree.join("src/app.py"), code.replace("return 1", "return 2")).unwrap();
    let (third, _) = feature(&project, "gamma");
    assert_eq!(third, 1);
    let brief = project.brief(1, 1);
    assert!(brief.contains("[HYPOTHESIS] regen.sh must be run"), "{brief}");
    let now = about_regen(&project);
    assert_eq!(now.len(), 1, "{now:?}");
    assert!(now[0]["content"].as_str().unwrap().contains("must not be run"), "{now:?}");
    let old = project.ralph(&["memory", "show", known[0]["id"].as_str().unwrap(), "--json"]);
    let old: Value = serde_json::from_str(&old.out).unwrap();
    assert_eq!(old["note"]["status"], "superseded", "{old}");
}

#[test]
fn what_a_brief_would_get_of_changed_code_is_explained_as_a_hypothesis_and_nothing_is_put_down() {
    let project = trapped();
    feature(&project, "alpha");
    let regen = |project: &Project| {
        let text = "Add the feature `gamma` to src/app.py.";
        let explained = project.ralph(&["memory", "explain", text, "--json"]);
        let explained: Value = serde_json::from_str(&explained.out).unwrap();
        let taken = explained["taken"].as_array().unwrap().clone();
        let about = |one: &&Value| one["note"]["content"].as_str().unwrap().contains("regen.sh must");
        taken.iter().find(about).unwrap_or_else(|| panic!("{explained:#}"))["hypothesis"].clone()
    };
    assert_eq!(regen(&project), false, "it was seen to hold");
    let file = project.tree().join("src/app.py");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("return 1", "return 2")).unwrap();
    let before = project.ralph(&["memory", "export", "--scope", "all"]).out;
    assert_eq!(regen(&project), true);
    assert_eq!(project.ralph(&["memory", "export", "--scope", "all"]).out, before);
}

/// Mends what is asked for, and commits it itself where it is told to.
const COMMITTER: &str = "
echo fixed > app.txt
[ ! -e commits-itself ] || git commit -q -m 'app: it is fixed for good' app.txt
echo 'I mended it.'
";

#[test]
fn what_was_committed_is_known_afterwards_whoever_did_it() {
    for by_itself in [true, false] {
        let project = project().agent(COMMITTER);
        let tree = project.tree();
        fs::write(tree.join("app.txt"), "broken\n").unwrap();
        let backlog = r#"{ "name": "n", "userStories": [{ "id": "S-1", "title": "Mend the app", "description": "d",
                          "acceptanceCriteria": [], "priority": 1, "passes": false, "dependsOn": [] }] }"#;
        fs::write(tree.join("prd.json"), backlog).unwrap();
        if by_itself {
            fs::write(tree.join("commits-itself"), "").unwrap();
        }
        git(&tree, &["init", "--quiet"]);
        git(&tree, &["config", "user.name", "someone"]);
        git(&tree, &["config", "user.email", "some@one"]);
        git(&tree, &["add", "--all"]);
        git(&tree, &["commit", "--quiet", "--message=before"]);
        let mut args =
            vec!["run", "--yes", "--iteration-delay", "0", "--criteria", "custom=grep fixed app.txt"];
        args.extend((!by_itself).then_some("--auto-commit"));
        let ran = project.ralph(&args);
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
        let head = git(&tree, &["rev-parse", "HEAD"]);
        let facts: Vec<Value> = notes(&project)
            .into_iter()
            .filter(|note| note["tags"].as_array().is_some_and(|tags| tags.contains(&"commit".into())))
            .collect();
        let [fact] = facts.as_slice() else { panic!("one commit, one fact: {facts:?}") };
        assert_eq!(fact["source"]["commit"], head.as_str());
        let subject = git(&tree, &["show", "--no-patch", "--format=%s", "HEAD"]);
        assert_eq!(fact["title"], format!("Commit {}: {subject}", &head[..10]));
        assert!(fact["files"].as_array().unwrap().contains(&"app.txt".into()), "{fact}");
        assert!(fact["content"].as_str().unwrap().contains("Mended: "), "{fact}");
        assert_eq!((&fact["verified"], &fact["scope"]), (&true.into(), &"project".into()));
    }
}
