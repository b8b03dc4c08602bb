//! Secrets of every known kind, wherever an agent or a check puts them, are in no byte that ralph keeps or tells.

#[path = "../../core/tests/corpus/secrets/fill.rs"]
mod fill;

use std::path::{Path, PathBuf};

use fill::{Sample, samples};
use ralph_testkit::{PATIENCE, Project};

/// Prints them on both streams, in pieces, in its last message, in a block of notes, and writes them into a file.
const LEAKS: &str = r#"
cat "$SECRETS"; cat "$SECRETS" >&2
while IFS= read -r line; do
  printf 'piece: %s' "${line%????????}"; printf '%s\n' "${line#"${line%????????}"}"
done < "$LINES"
cp "$SECRETS" leaked.txt
echo '```ralph-notes'
while IFS= read -r line; do echo "discovery: it is $line"; done < "$LINES"
echo '```'
cat "$SECRETS"
echo "<promise>$RALPH_PROMISE</promise>"
"#;

#[test]
fn no_byte_of_what_is_kept_or_told_has_a_secret() {
    let all = samples();
    let project = Project::new(env!("CARGO_BIN_EXE_ralph"));
    let secrets = project.base().join("secrets.txt");
    let text: String = all.iter().map(|sample| format!("{}\n", sample.text)).collect();
    std::fs::write(&secrets, &text).unwrap();
    // A line of a key that lost the lines around it is a word like any other.
    let single = all.iter().filter(|sample| !sample.text.contains('\n'));
    let lines = project.base().join("lines.txt");
    std::fs::write(&lines, single.map(|sample| format!("{}\n", sample.text)).collect::<String>()).unwrap();
    let path = secrets.display().to_string();
    let project = project.agent(LEAKS).with("SECRETS", &path).with("LINES", &lines.display().to_string());
    let check = format!("custom=cat {path}; cat {path} >&2; test -e leaked.txt");
    let args = ["run", "print it all", "--max-iterations", "2", "--criteria", &check, "--yes"];
    let ran = project.start(&args).end(PATIENCE);
    for sample in all.iter().step_by(7) {
        project.ralph(&["memory", "add", &format!("the key is {}", sample.text)]);
    }
    clean(&all, ran.out.as_bytes(), "the screen");
    clean(&all, ran.err.as_bytes(), "the errors");
    let mut kept = files(&project.state_home());
    kept.extend(files(&project.tree().join(".ralph")));
    assert!(kept.len() > 3, "{kept:?}");
    for path in kept {
        clean(&all, &std::fs::read(&path).unwrap(), &path.display().to_string());
    }
    // Segments of output are compressed: what they hold is told by ralph.
    for args in [
        &["logs", "--json"][..],
        &["logs"],
        &["replay", "--json"],
        &["status", "--json"],
        &["memory", "list", "--json"],
        &["memory", "export"],
    ] {
        let told = project.ralph(args).out;
        clean(&all, told.as_bytes(), &args.join(" "));
    }
    assert!(project.ralph(&["logs"]).out.contains("[redacted:github]"), "{}", ran.err);
}

#[track_caller]
fn clean(all: &[Sample], bytes: &[u8], place: &str) {
    for sample in all {
        for line in sample
            .secret
            .lines()
            .filter(|line| line.len() >= 8 && !line.contains("KEY") && !line.contains(':'))
        {
            let found = memchr::memmem::find(bytes, line.as_bytes());
            let around = |at: usize| &bytes[at.saturating_sub(80)..bytes.len().min(at + 120)];
            let shown = found.map(|at| String::from_utf8_lossy(around(at)).into_owned());
            assert_eq!(shown, None, "{} in {place}", sample.kind);
        }
    }
}

/// Snapshots are the user's own bytes.
fn files(dir: &Path) -> Vec<PathBuf> {
    if dir.file_name().is_some_and(|name| name == "snapshots" || name == "vault") {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(dir) else {
        return if dir.is_file() { vec![dir.to_owned()] } else { Vec::new() };
    };
    entries.flatten().flat_map(|entry| files(&entry.path())).collect()
}
