//! A secret is nowhere in any byte that ralph keeps.

use std::io::Read;
use std::path::{Path, PathBuf};

use ralph_testkit::{PATIENCE, Project};

use crate::project;

const FROM_ENVIRONMENT: &str = "canary-7d1f0c2b9e8a4655";
/// Of the shape of a key, so it is known without being told.
const FROM_SHAPE: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// Prints the secrets at the beginning, in a flood that is compressed, across a write, and at the end.
const LEAKS: &str = r#"
leak() { echo "the key is $SERVICE_API_KEY and ghp_16C7e42F292c6912E7710c838347Ae178B4a"; }
leak; leak >&2
i=0
while [ $i -lt 40 ]; do
  head -c 8000 /dev/zero | tr '\0' x; leak; i=$((i+1))
done
printf 'split: canary-7d1f'; sleep 0.05; printf '0c2b9e8a4655 done\n'
printf %s "$SERVICE_API_KEY"
echo
echo "<promise>$RALPH_PROMISE</promise>"
"#;

#[test]
fn no_byte_of_the_state_has_the_secret() {
    let project = project().agent(LEAKS).with("SERVICE_API_KEY", FROM_ENVIRONMENT);
    let prompt = format!("use {FROM_ENVIRONMENT} or {FROM_SHAPE} to log in");
    let ran = project.start(&["run", &prompt, "--verbose"]).end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    project.ralph(&["steer", FROM_ENVIRONMENT]);

    let kept = files(&project.state_home());
    assert!(kept.iter().any(|path| path.extension().is_some_and(|extension| extension == "lz4")), "{kept:?}");
    for path in kept {
        // Segments are compressed: what they hold is seen through ralph's own eyes below.
        let mut bytes = Vec::new();
        std::fs::File::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
        assert_clean(&bytes, &path.display().to_string());
    }
    for args in [&["logs", "--json"][..], &["logs"], &["replay", "--json"], &["status", "--json"]] {
        assert_clean(project.ralph(args).out.as_bytes(), &args.join(" "));
    }
    assert_clean(ran.out.as_bytes(), "the screen");
    assert!(shown(&project) > 300_000, "the flood itself is kept");
}

/// Objects with both secrets in its reason, whole, across a line and in a form that URLs have.
const OBJECTS: &str = r#"
[[hook]]
name = "guard"
on = ["EVENT"]
veto = true
command = ["sh", "-c", """
printf '{"veto": true, "reason": "not with %s nor\\\\n%s, at https://x:%s@host/"}' \
  "$SERVICE_API_KEY" ghp_16C7e42F292c6912E7710c838347Ae178B4a "$SERVICE_API_KEY"
"""]
"#;

#[test]
fn a_hooks_reason_is_stored_without_its_secrets() {
    for event in ["iteration_started", "verdict"] {
        let agent = r#"echo "<promise>$RALPH_PROMISE</promise>""#;
        let project = project().agent(agent).with("SERVICE_API_KEY", FROM_ENVIRONMENT);
        std::fs::write(project.user_config(), OBJECTS.replace("EVENT", event)).unwrap();
        let ran = project.start(&["run", "do it", "--max-iterations", "2"]).end(PATIENCE);
        assert!(matches!(ran.code, Some(3 | 130)), "{}", ran.err);
        let told = project.ralph(&["logs", "--json"]).out;
        assert!(told.contains("not with [redacted"), "the objection itself is kept: {told}");
        for path in files(&project.state_home()) {
            assert_clean(&std::fs::read(&path).unwrap(), &path.display().to_string());
        }
        for args in [&["logs", "--json"][..], &["logs"], &["replay"], &["status", "--json"], &["status"]] {
            assert_clean(project.ralph(args).out.as_bytes(), &args.join(" "));
        }
        assert_clean(ran.out.as_bytes(), "the screen");
        assert_clean(ran.err.as_bytes(), "the errors");
    }
}

#[test]
fn a_secret_in_the_agents_command_is_refused() {
    let project = project();
    let ran = project.ralph(&["run", "x", "--agent-command", &format!("/bin/echo {FROM_SHAPE}")]);
    assert_eq!(ran.code, Some(2));
    assert_clean(ran.err.as_bytes(), "the refusal");
    for path in files(&project.state_home()) {
        assert_clean(&std::fs::read(&path).unwrap(), &path.display().to_string());
    }
}

#[track_caller]
fn assert_clean(bytes: &[u8], place: &str) {
    for secret in [FROM_ENVIRONMENT, FROM_SHAPE] {
        let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!found, "{secret} in {place}");
    }
}

fn shown(project: &Project) -> usize {
    project.ralph(&["logs"]).out.len()
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return vec![dir.to_owned()] };
    entries.flatten().flat_map(|entry| files(&entry.path())).collect()
}
