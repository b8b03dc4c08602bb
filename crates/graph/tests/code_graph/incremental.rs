//! Whatever was changed since, a graph that was brought up to date is the one that is made from scratch.

use std::fs;

use proptest::prelude::{Strategy, any, prop_assert_eq, proptest};
use proptest::test_runner::Config;

use crate::project::Project;

const PATHS: [&str; 6] = ["a.rs", "src/b.rs", "src/c.py", "d/e.go", "d/f.ts", "run"];
const TEXTS: [&str; 7] = [
    "",
    "use crate::b::two;\npub fn one() { two(); }\nstruct Three;\n",
    "pub fn two() { one() }\nimpl Three { fn four(&self) {} }\n",
    "from src import c\nclass Five(Six):\n    def one(self):\n        return two()\n",
    "package d\n\nfunc one() { two() }\n",
    "import { one } from './e';\nexport class Three { two() { return one(); } }\n",
    "#!/bin/sh\none() { two; }\n",
];

#[derive(Debug, Clone)]
enum Edit {
    Write { path: usize, text: usize },
    Remove { path: usize },
    Rename { from: usize, to: usize },
    Ignore { path: Option<usize> },
    Update,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let path = 0..PATHS.len();
    let edit = proptest::prop_oneof![
        4 => (path.clone(), 0..TEXTS.len()).prop_map(|(path, text)| Edit::Write { path, text }),
        1 => path.clone().prop_map(|path| Edit::Remove { path }),
        1 => (path.clone(), path.clone()).prop_map(|(from, to)| Edit::Rename { from, to }),
        1 => (any::<bool>(), path).prop_map(|(none, path)| Edit::Ignore { path: (!none).then_some(path) }),
        3 => proptest::prelude::Just(Edit::Update),
    ];
    proptest::collection::vec(edit, 1..24)
}

fn perform(project: &Project, edit: &Edit) {
    match edit {
        Edit::Write { path, text } => project.write(PATHS[*path], TEXTS[*text]),
        Edit::Remove { path } => project.remove(PATHS[*path]),
        Edit::Rename { from, to } => {
            let (from, to) = (project.root().join(PATHS[*from]), project.root().join(PATHS[*to]));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            let _may_not_be_there = fs::rename(from, to);
        }
        Edit::Ignore { path } => project.write(".gitignore", path.map_or("", |path| PATHS[path])),
        Edit::Update => drop(project.update()),
    }
}

proptest! {
    #![proptest_config(Config { cases: 48, ..Config::default() })]
    #[test]
    fn incremental_is_built_anew(edits in edits()) {
        let project = Project::new(&[("a.rs", TEXTS[1])]);
        for edit in &edits {
            perform(&project, edit);
        }
        let (graph, _) = project.update();
        prop_assert_eq!(graph.fingerprint(), project.built_anew().fingerprint());
        // And once more from what was kept.
        prop_assert_eq!(project.update().0.fingerprint(), graph.fingerprint());
    }
}

/// Long enough ago for its time to be relied on.
fn age(project: &Project, path: &str) {
    let file = fs::File::options().write(true).open(project.root().join(path)).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000))
        .unwrap();
}

#[test]
fn only_what_changed_is_parsed_again() {
    let project = Project::new(&[("a.rs", "fn one() {}"), ("b.rs", "fn two() {}"), ("c.md", "# No code")]);
    let (_, first) = project.update();
    assert_eq!((first.files, first.parsed, first.symbols), (2, 2, 2));
    assert!(first.written > 0);

    let (_, again) = project.update();
    assert_eq!((again.parsed, again.removed), (0, 0), "the content is as it was");

    project.write("a.rs", "fn one() {} fn three() {}");
    project.remove("b.rs");
    let (graph, changed) = project.update();
    assert_eq!((changed.parsed, changed.removed, changed.symbols), (1, 1, 2));
    assert_eq!(graph.symbols().map(|symbol| symbol.name.to_owned()).collect::<Vec<_>>(), ["one", "three"]);
}

#[test]
fn a_change_that_keeps_size_and_time_is_seen() {
    let project = Project::new(&[("a.rs", "fn one() {}")]);
    age(&project, "a.rs");
    project.update();
    project.write("a.rs", "fn two() {}");
    age(&project, "a.rs");
    let (graph, _) = project.update();
    assert_eq!(graph.symbols().next().unwrap().name, "two");
}

#[test]
fn what_git_ignores_what_is_hidden_and_links_are_left_out() {
    let project = Project::new(&[
        ("a.rs", "fn a() {}"),
        ("target/b.rs", "fn b() {}"),
        (".hidden/c.rs", "fn c() {}"),
        ("d/.gitignore", "e.rs\n"),
        ("d/e.rs", "fn e() {}"),
        (".gitignore", "target/\n"),
    ]);
    std::os::unix::fs::symlink(project.root().join("a.rs"), project.root().join("link.rs")).unwrap();
    let own = project.root().with_file_name("excludes");
    fs::write(&own, "*.gen.rs\n").unwrap();
    project.write("x.gen.rs", "fn x() {}");
    let options = ralph_graph::Options { excludes_file: Some(own), ..crate::project::options() };
    let (graph, _) = project.update_with(&options);
    assert_eq!(graph.files().map(|(_, path, _)| path.to_owned()).collect::<Vec<_>>(), ["a.rs"]);
}

#[test]
fn a_symbols_digest_changes_with_its_text_alone() {
    let project = Project::new(&[("a.rs", "fn one() { 1 }\nfn two() { 2 }\n")]);
    let digests =
        |project: &Project| project.update().0.symbols().map(|symbol| symbol.digest).collect::<Vec<_>>();
    let before = digests(&project);
    project.write("a.rs", "// Moved.\n\nfn one() { 1 }\nfn two() { 3 }\n");
    let after = digests(&project);
    assert_eq!(before[0], after[0]);
    assert_ne!(before[1], after[1]);
}

#[test]
fn rules_above_the_tree_count_only_in_its_repository() {
    let project = Project::new(&[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}")]);
    let above = project.root().with_file_name(".gitignore");
    fs::write(&above, "a.rs\n").unwrap();
    assert_eq!(project.update().1.files, 2, "a person's directory is no repository");
    fs::create_dir(project.root().with_file_name(".git")).unwrap();
    assert_eq!(project.update().1.files, 1);
    fs::create_dir(project.root().join(".git")).unwrap();
    assert_eq!(project.update().1.files, 2, "the tree is a repository of its own");
}
