//! One thing at a time.

use std::fs;

use ralph_snapshot::{ChangeKind, Exclusions, Options, Reason, Restore, SnapshotError, TextLimits, Vault};

use crate::place::{Place, assert_same, bytes, tree};

fn whole() -> Restore {
    Restore::default()
}

fn sample() -> Place {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\nthree\n");
    place.write("src/main.rs", "fn main() {}\n");
    place.write("src/deep/er/x", vec![0, 1, 2, 255]);
    place.mode("src/main.rs", 0o4751);
    place.link("../outside", "dangling");
    place.link("src", "alias");
    place.pipe("pipe");
    fs::create_dir(place.path("empty")).unwrap();
    fs::write(place.root.join(bytes(b"new\nline\xff ")), "odd").unwrap();
    place.write("nested/.git/HEAD", "ref: refs/heads/main\n");
    place.write("nested/.git/logs/HEAD", "x");
    place.write(".git/HEAD", "mine");
    place
}

#[test]
fn a_tree_is_put_back_exactly() {
    let place = sample();
    let vault = place.vault();
    let before = place.tree();
    let taken = vault.take().unwrap();
    assert_eq!((taken.files, taken.links, taken.pipes), (6, 2, 1));
    for name in ["a.txt", "dangling", "pipe"] {
        fs::remove_file(place.path(name)).unwrap();
    }
    fs::remove_dir_all(place.path("nested")).unwrap();
    fs::remove_dir(place.path("empty")).unwrap();
    fs::remove_dir_all(place.path("src")).unwrap();
    place.write("src", "now a file");
    place.write("new/deep/file", "new");
    place.write(".git/HEAD", "moved");
    place.write("dangling/inside", "a directory now");
    let changed = place.tree();
    let report = vault.restore(taken.id, &whole()).unwrap();
    assert_eq!(report.problems, []);
    assert_eq!(place.tree(), before);
    assert_eq!(fs::read(place.path(".git/HEAD")).unwrap(), b"moved");
    assert_eq!(vault.take().unwrap().tree_hash(), taken.tree_hash());
    let undone = vault.restore(report.before, &whole()).unwrap();
    assert_eq!(undone.problems, []);
    assert_eq!(place.tree(), changed);
    assert_eq!(vault.pending_restore().unwrap(), None);
}

#[test]
fn a_tree_without_news_is_the_same_snapshot_and_costs_nothing() {
    let place = sample();
    let first = place.vault().take().unwrap();
    let files = || fs::read_dir(place.home.path().join("vault")).unwrap().count();
    let count = files();
    let again = place.vault().take().unwrap();
    assert_eq!((again.id, again.stored), (first.id, 0));
    assert_eq!(files(), count);
    place.write("a.txt", "one\ntwo\nfour\n");
    let other = place.vault().take().unwrap();
    assert_ne!(other.tree_hash(), first.tree_hash());
    place.write("a.txt", "one\ntwo\nthree\n");
    let back = place.vault().take().unwrap();
    assert_eq!((back.id, back.tree_hash()), (first.id, first.tree_hash()));
    assert_eq!(place.vault().list().unwrap().len(), 2);
}

#[test]
fn a_file_changed_within_one_tick_of_the_clock_is_noticed() {
    let place = Place::new();
    let vault = place.vault();
    for round in 0..200 {
        let content = format!("{round:08}");
        place.write("a", &content);
        let taken = vault.take().unwrap();
        let other = format!("{:08}", round + 1000);
        place.write("a", &other);
        let changed = vault.take().unwrap();
        assert_ne!(taken.tree_hash(), changed.tree_hash(), "round {round}");
    }
}

#[test]
fn ignored_files_are_neither_kept_nor_touched() {
    let place = Place::new();
    place.write(".gitignore", "*.log\n/target/\n");
    place.write("src/.gitignore", "!keep.log\ntmp\n");
    place.write(".git/info/exclude", "secret\n");
    for name in ["a.log", "target/x/y", "src/tmp/z", "secret", "deep/secret"] {
        place.write(name, name);
    }
    place.write("src/keep.log", "kept");
    place.write("nested/.git/x.log", "of a nested repository");
    let vault = place.vault();
    let taken = vault.take().unwrap();
    assert_eq!(taken.files, 4, "two files of rules, one that they except, and one that no rule is for");
    let before = place.tree();
    place.write("src/keep.log", "changed");
    fs::remove_file(place.path("nested/.git/x.log")).unwrap();
    let report = vault.restore(taken.id, &whole()).unwrap();
    assert_eq!((report.changes.len(), report.problems.as_slice()), (2, [].as_slice()));
    assert_eq!(place.tree(), before);
}

#[test]
fn rules_that_came_later_do_not_keep_the_older_tree_from_coming_back() {
    let place = Place::new();
    place.write("build/out", "was there");
    place.write("notes", "was there");
    let vault = place.vault();
    let taken = vault.take().unwrap();
    place.write(".gitignore", "*\n");
    place.write("build/out", "changed");
    place.write("build/other", "new and ignored");
    place.write("notes", "changed");
    let changed = place.tree();
    let report = vault.restore(taken.id, &whole()).unwrap();
    assert_eq!(report.problems, []);
    assert_eq!(fs::read(place.path("build/out")).unwrap(), b"was there");
    assert_eq!(fs::read(place.path("build/other")).unwrap(), b"new and ignored", "no snapshot holds it");
    vault.restore(report.before, &whole()).unwrap();
    assert_eq!(place.tree(), changed);
}

#[test]
fn what_a_restore_brought_back_goes_again_when_it_is_undone_though_it_is_ignored() {
    let place = Place::new();
    for name in ["x.log", "kept", "old/y.log", "turned"] {
        place.write(name, "was there");
    }
    let vault = place.vault();
    let taken = vault.take().unwrap();
    place.write(".gitignore", "*.log\n");
    place.write("new/z", "is there");
    place.write("ignored.log", "is there");
    fs::remove_file(place.path("x.log")).unwrap();
    fs::remove_dir_all(place.path("old")).unwrap();
    fs::remove_file(place.path("turned")).unwrap();
    place.write("turned/into", "a directory");
    let (changed, paths) = (place.tree(), ["x.log", "old", "turned"].map(std::path::PathBuf::from));
    let back = Restore { paths: paths.to_vec(), ..whole() };
    let report = vault.restore(taken.id, &back).unwrap();
    let rolled_back = place.tree();
    assert!(place.path("x.log").exists() && place.path("old/y.log").exists());
    let undone = vault.restore(report.before, &back).unwrap();
    assert_same(&place.tree(), &changed, "undone");
    vault.restore(undone.before, &back).unwrap();
    assert_same(&place.tree(), &rolled_back, "and that undone");
    vault.restore(report.before, &back).unwrap();
    assert_same(&place.tree(), &changed, "and once more");
}

#[test]
fn what_the_targets_rules_ignore_is_not_deleted() {
    let place = Place::new();
    place.write(".gitignore", "cache/\n");
    let vault = place.vault();
    let taken = vault.take().unwrap();
    fs::remove_file(place.path(".gitignore")).unwrap();
    place.write("cache/x", "precious");
    place.write("other/y", "goes");
    let report = vault.restore(taken.id, &whole()).unwrap();
    assert!(place.path("cache/x").exists() && !place.path("other").exists());
    assert_eq!(report.kept, ["cache", "cache/x"].map(std::path::PathBuf::from));
}

#[test]
fn only_the_paths_that_are_named_are_put_back() {
    let place = sample();
    let vault = place.vault();
    let taken = vault.take().unwrap();
    let before = place.tree();
    fs::remove_dir_all(place.path("src")).unwrap();
    place.write("a.txt", "changed");
    let restore = Restore { paths: vec!["./src/deep".into()], dry_run: true };
    let planned = vault.restore(taken.id, &restore).unwrap();
    assert!(!place.path("src").exists());
    let done = vault.restore(taken.id, &Restore { dry_run: false, ..restore }).unwrap();
    assert_eq!(done, planned);
    assert!(place.path("src/deep/er/x").exists() && !place.path("src/main.rs").exists());
    assert_eq!(fs::read(place.path("a.txt")).unwrap(), b"changed");
    vault.restore(taken.id, &whole()).unwrap();
    assert_eq!(place.tree(), before);
}

#[test]
fn the_callers_own_paths_are_left_alone() {
    let place = Place::new();
    place.write(".ralph/progress.md", "one");
    place.write(".ralph/logs/1", "one");
    place.write(".ralph/config.toml", "kept");
    let exclusions = Exclusions::new([".ralph/progress.md", ".ralph/logs"]).unwrap();
    let vault = place.vault_with(Options { exclusions, ..Options::default() });
    let taken = vault.take().unwrap();
    assert_eq!(taken.files, 1);
    place.write(".ralph/progress.md", "two");
    place.write(".ralph/logs/2", "two");
    assert_eq!(vault.take().unwrap().tree_hash(), taken.tree_hash());
    fs::remove_dir_all(place.path(".ralph")).unwrap();
    place.write(".ralph/logs/3", "three");
    vault.restore(taken.id, &whole()).unwrap();
    assert!(place.path(".ralph/logs/3").exists() && place.path(".ralph/config.toml").exists());
    assert!(!place.path(".ralph/progress.md").exists());
}

#[test]
fn a_difference_names_every_path_and_shows_text() {
    let place = sample();
    let vault = place.vault();
    let from = vault.take().unwrap();
    place.write("a.txt", "one\n2\nthree\n");
    place.mode("src/main.rs", 0o644);
    fs::remove_file(place.path("alias")).unwrap();
    place.write("alias/b", vec![0; 10]);
    fs::remove_dir(place.path("empty")).unwrap();
    let to = vault.take().unwrap();
    let changes = vault.diff(from.id, to.id).unwrap();
    let seen: Vec<_> = changes.iter().map(|change| (change.path.to_str().unwrap(), change.kind)).collect();
    let expected = [
        ("a.txt", ChangeKind::Modified),
        ("alias", ChangeKind::Type),
        ("alias/b", ChangeKind::Added),
        ("empty", ChangeKind::Removed),
        ("src/main.rs", ChangeKind::Mode),
    ];
    assert_eq!(seen, expected);
    let text = vault.text_diff(from.id, to.id, &TextLimits::default()).unwrap();
    for line in [
        "changed file a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
        "alias: link became directory\n",
        "added file alias/b (0644)\n  binary (0 to 10 bytes)\n",
        "removed directory empty\n",
        "changed file src/main.rs (4751 to 0644)\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let cut = vault.text_diff(from.id, to.id, &TextLimits { total: 40, ..TextLimits::default() }).unwrap();
    assert!(cut.contains("cut: ") && cut.ends_with("and 4 more\n"), "{cut}");
}

#[test]
fn what_cannot_be_kept_is_listed_and_left_alone() {
    let place = Place::new();
    place.write("big", vec![7; 5000]);
    let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    let mut options = Options::default();
    options.limits.file = 4999;
    let vault = place.vault_with(options);
    let taken = vault.take().unwrap();
    let seen: Vec<_> = taken.uncovered.iter().map(|one| (one.path.to_str().unwrap(), &one.reason)).collect();
    assert_eq!(seen, [("big", &Reason::TooLarge { bytes: 5000 }), ("socket", &Reason::Socket)]);
    place.write("new", "");
    vault.restore(taken.id, &whole()).unwrap();
    assert!(place.path("big").exists() && place.path("socket").exists() && !place.path("new").exists());
}

#[test]
fn a_large_file_is_kept_in_a_stream_and_a_tree_too_large_is_refused() {
    let place = Place::new();
    let large: Vec<u8> = (0..3_000_000_u32).flat_map(|number| (number % 251).to_le_bytes()).collect();
    place.write("large", &large);
    place.write("copy", &large);
    let vault = place.vault();
    let taken = vault.take().unwrap();
    assert!(taken.stored < large.len() as u64 && taken.bytes == 2 * large.len() as u64);
    fs::remove_file(place.path("large")).unwrap();
    vault.restore(taken.id, &whole()).unwrap();
    assert!(fs::read(place.path("large")).unwrap() == large);
    let mut options = Options::default();
    options.limits.news = 1000;
    let vault = place.vault_with(options);
    place.write("more", vec![1; 2000]);
    assert!(matches!(vault.take(), Err(SnapshotError::TooLarge { limit: 1000, .. })));
    let left = fs::read_dir(place.home.path().join("vault")).unwrap();
    assert!(
        left.map(|entry| entry.unwrap().file_name()).all(|name| !name.to_str().unwrap().starts_with("tmp-"))
    );
}

#[test]
fn a_vault_inside_the_tree_and_an_unknown_snapshot_are_refused() {
    let place = Place::new();
    let inside = Vault::open(&place.path("state/vault"), &place.root, Options::default());
    assert!(matches!(inside, Err(SnapshotError::Inside { .. })));
    let unknown = "0".repeat(64).parse().unwrap();
    assert!(matches!(place.vault().find(unknown), Err(SnapshotError::Unknown { .. })));
}

#[test]
fn the_index_and_the_cache_are_only_for_speed() {
    let place = sample();
    let taken = place.vault().take().unwrap();
    let before = place.tree();
    for entry in fs::read_dir(place.home.path().join("vault")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".index") {
            fs::remove_file(&path).unwrap();
        } else if name == "cache" {
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(&path, bytes).unwrap();
        }
    }
    fs::remove_dir_all(place.path("src")).unwrap();
    let vault = place.vault();
    assert_eq!(vault.restore(taken.id, &whole()).unwrap().problems, []);
    assert_eq!(place.tree(), before);
    assert_eq!(vault.take().unwrap().id, taken.id);
}

#[test]
fn the_recipe_needs_nothing_of_ours() {
    let place = sample();
    place.write("it's ~ a $(name) %s \\n `x`", "\r\n\0");
    place.link("line\nend\n", "odd link");
    place.mode("empty", 0o1555);
    let vault = place.vault();
    let first = vault.take().unwrap();
    let before = place.tree();
    place.write("a.txt", "changed");
    vault.take().unwrap();
    let mut shell = std::process::Command::new("sh");
    let done = shell.arg("-c").arg(vault.recipe(first.id)).current_dir(place.home.path()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(tree(&place.home.path().join("restored")), before);
}

#[test]
fn only_the_owner_can_read_a_vault() {
    use std::os::unix::fs::PermissionsExt;
    let place = sample();
    place.vault().take().unwrap();
    let vault = place.home.path().join("vault");
    assert_eq!(fs::metadata(&vault).unwrap().permissions().mode() & 0o777, 0o700);
    for entry in fs::read_dir(&vault).unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_mode_is_never_changed_through_another_name_of_the_file() {
    let place = Place::new();
    let outside = place.home.path().join("outside");
    fs::write(&outside, "shared").unwrap();
    fs::hard_link(&outside, place.path("inside")).unwrap();
    place.mode("inside", 0o644);
    let vault = place.vault();
    let taken = vault.take().unwrap();
    place.mode("inside", 0o600);
    assert_eq!(vault.restore(taken.id, &whole()).unwrap().problems, []);
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(fs::metadata(&outside).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(place.path("inside")).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn a_change_that_hides_its_time_and_size_is_noticed() {
    let place = Place::new();
    place.write("a", "one");
    let then = fs::metadata(place.path("a")).unwrap().modified().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(50));
    let vault = place.vault();
    let first = vault.take().unwrap();
    place.write("a", "two");
    fs::File::open(place.path("a")).unwrap().set_modified(then).unwrap();
    assert_ne!(vault.take().unwrap().tree_hash(), first.tree_hash());
}
