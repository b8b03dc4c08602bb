//! What is a person's to do is not done for an agent that ralph drives.

use crate::agents::DONE;
use crate::project;

#[test]
fn a_driven_agent_is_no_operator_on_the_command_line_either() {
    let guarded = r#"
for words in "set iterations +5" "steer more" "answer yes" "resume" \
    "loop start --host claude --session s1 -- x" "loop cancel --host claude --session s1"; do
    "$UNDER_TEST" $words >> ../told 2>&1; echo "$? $words" >> ../codes
done
"$UNDER_TEST" status > /dev/null; echo "$? status" >> ../codes
"$UNDER_TEST" pause > /dev/null; echo "$? pause" >> ../codes
"$UNDER_TEST" stop > /dev/null; echo "$? stop" >> ../codes
"#;
    let project = project().agent(&format!("{guarded}{DONE}"));
    let ran = project.ralph(&["run", "x", "--max-iterations", "1"]);
    let read = |name: &str| std::fs::read_to_string(project.base().join(name)).unwrap();
    let codes = read("codes");
    let codes: Vec<&str> = codes.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(codes, ["2", "2", "2", "2", "2", "2", "0", "0", "0"], "{}{}", read("told"), ran.err);
    assert_eq!(read("told").matches("an agent that ralph drives is no operator").count(), 6);
    let asked: Vec<String> =
        project.journal().iter().filter_map(|entry| entry["control"].as_str().map(str::to_owned)).collect();
    assert_eq!(asked, ["pause", "stop"]);
}
