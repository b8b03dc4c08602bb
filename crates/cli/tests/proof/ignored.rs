//! What git ignores is nobody's to take away, wherever the rule stands.

use std::fs;
use std::path::Path;

use ralph_testkit::Project;

use crate::project;
use crate::time::git;

/// A run that makes these files, and a rollback of it; says which of them are still there.
fn left_of(project: Project, files: &[&str]) -> Vec<String> {
    let made = files.join(" ");
    let project = project.agent(&format!("cat > /dev/null; touch {made}"));
    assert_eq!(project.ralph(&["run", "x", "--max-iterations", "1"]).code, Some(3));
    let ran = project.ralph(&["rollback", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let root = project.tree();
    files.iter().filter(|file| root.join(file).exists()).map(|file| (*file).to_owned()).collect()
}

#[test]
fn by_the_repository_around_the_project() {
    let project = project();
    git(project.base(), &["init", "-q"]);
    fs::create_dir(project.tree().join(".ralph")).unwrap();
    fs::write(project.base().join(".gitignore"), ".env\n/tree/out\n").unwrap();
    fs::write(project.base().join(".git/info/exclude"), "/tree/local\n").unwrap();
    assert_eq!(left_of(project, &[".env", "out", "local", "new", "out.rs"]), [".env", "out", "local"]);
}

#[test]
fn by_the_repository_of_a_linked_work_tree() {
    let project = project();
    let (main, root) = (project.base().join("main"), project.tree());
    fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["commit", "-q", "--allow-empty", "-m", "x"]);
    fs::write(main.join(".git/info/exclude"), ".env\n").unwrap();
    git(&main, &["worktree", "add", "-q", root.to_str().unwrap()]);
    assert!(Path::new(&root.join(".git")).is_file());
    assert_eq!(left_of(project, &[".env", "new"]), [".env"]);
}

#[test]
fn by_a_persons_own_file() {
    for (configured, left) in [(false, "a.swp"), (true, "a.mine")] {
        let project = project();
        let home = project.base();
        git(&project.tree(), &["init", "-q"]);
        fs::create_dir_all(home.join("config/git")).unwrap();
        fs::write(home.join("config/git/ignore"), "*.swp\n").unwrap();
        fs::write(home.join("mine"), "*.mine\n").unwrap();
        if configured {
            fs::write(home.join(".gitconfig"), "[core]\n\texcludesfile = ~/mine\n").unwrap();
        }
        assert_eq!(
            left_of(project, &["a.swp", "a.mine", "new"]),
            [left],
            "the one that counts, and no other"
        );
    }
}
