//! Agents that take their brief as an argument: whole, without a shell, and from a file where the kernel takes no more.

use std::io::Write;
use std::process::Stdio;

use ralph_testkit::Project;

use crate::project;

/// Writes down what it was given, each time; the brief is the second of three arguments, or in the file named there.
const AGENT: &str = r#"
echo "$# $1 $3" > given
printf '%s' "$2" > argument
cat > input
file=$(sed -n 's/^Your whole task is in the file \(.*\)\. Read all.*/\1/p' argument)
if [ -n "$file" ]; then cat "$file" > brief || exit 9; else cp argument brief; fi
echo "<promise>$RALPH_PROMISE</promise>"
"#;

fn by_argument() -> Project {
    let project = project();
    let program = project.script("agent.sh", AGENT);
    let config = format!(
        "[agents.mine]\nprogram = \"{}\"\nformat = \"text\"\nprompt = \"argument\"\nlogin = \"none\"\n\
         args = [\"--ask\", \"{{prompt}}\", \"--end\"]\n",
        program.display()
    );
    std::fs::write(project.user_config(), config).unwrap();
    std::fs::create_dir(project.base().join("tmp")).unwrap();
    let temporary = project.base().join("tmp").to_string_lossy().into_owned();
    project.with("TMPDIR", &temporary).with("RALPH_SET_AGENT__NAME", "mine")
}

fn run(project: &Project, prompt: &str, args: &[&str]) {
    let mut command = project.command(&[&["run", "-"], args].concat());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(prompt.as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = [ended.stdout, ended.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!(ended.status.code(), Some(0), "{said:?}");
}

fn found(project: &Project, name: &str) -> String {
    std::fs::read_to_string(project.tree().join(name)).unwrap()
}

#[test]
fn a_brief_is_one_argument_and_no_shell_reads_it() {
    let project = by_argument();
    run(&project, "-say \"it's\" $(touch pwned); `touch pwned`\n--help\n*", &[]);
    assert_eq!(found(&project, "given"), "3 --ask --end\n");
    assert_eq!(found(&project, "argument"), project.brief(1, 1));
    assert_eq!(found(&project, "input"), "", "standard input is empty");
    assert!(!project.tree().join("pwned").exists());
}

#[test]
fn a_brief_that_no_argument_holds_is_read_from_a_file_also_in_a_sandbox() {
    for sandbox in ["off", "landlock", "bubblewrap"] {
        let project = by_argument();
        run(&project, &format!("begin {} end", "long ".repeat(40_000)), &[&format!("--sandbox={sandbox}")]);
        let told = found(&project, "argument");
        assert!(told.len() < 1000 && told.contains("brief.md"), "{sandbox}: {told}");
        assert_eq!(found(&project, "brief"), project.brief(1, 1), "{sandbox}");
        assert_eq!(found(&project, "given"), "3 --ask --end\n", "{sandbox}");
    }
}
