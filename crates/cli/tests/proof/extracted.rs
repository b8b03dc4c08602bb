//! An agent is asked what a completed task was worth knowing for: once, if a person wants it, and nothing depends on it.

use std::fs;

use ralph_testkit::{PATIENCE, Project, Ran, survivors, until};
use serde_json::Value;

use crate::judge::{MADE, WORKS, counted, court, court_in};
use crate::project;

const NOTE: &str = "pattern: every handler in this project returns an Outcome [files: done.txt]";

/// Leaves a mark beside the tree for each asking, and answers.
const SAYS: &str = "cat > ../question; touch ../asked-$$; printf '```ralph-notes\\nNOTE\\n```\\n'";

fn says(note: &str) -> String {
    SAYS.replace("NOTE", note)
}

/// Whoever judges elsewhere is the one that is asked here.
fn wanting(project: Project) -> Project {
    project.with("RALPH_SET_MEMORY__EXTRACT", "agent").with("RALPH_SET_MEMORY__EXTRACT_AGENT", "judge")
}

fn asked(worker: &str, answer: &str) -> Project {
    wanting(court(worker, answer))
}

fn run(project: &Project, more: &[&str]) -> Ran {
    project.ralph(&[&["run", "make done.txt", "--criteria", MADE][..], more].concat())
}

fn entries(project: &Project, name: &str) -> Vec<Value> {
    project.journal().into_iter().filter(|entry| entry["type"] == name).collect()
}

fn notices(project: &Project) -> Vec<String> {
    let told = entries(project, "notice").into_iter();
    told.map(|entry| entry["text"].as_str().unwrap().to_owned()).collect()
}

/// How often somebody was started to be asked.
fn starts(project: &Project) -> usize {
    let names = fs::read_dir(project.base()).unwrap().flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with("asked-")).count()
}

/// What the project knows.
fn known(project: &Project) -> Vec<Value> {
    let listed = project.ralph(&["memory", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    listed["notes"].as_array().unwrap().clone()
}

fn knows(project: &Project, content: &str) -> bool {
    known(project).iter().any(|note| note["content"] == content)
}

const CONTENT: &str = "every handler in this project returns an Outcome";

#[test]
fn what_an_agent_says_of_a_completed_task_is_its_word_and_is_promoted() {
    let worker =
        format!("{WORKS}; printf '```ralph-notes\\ndiscovery: the lexer keeps comments as trivia\\n```\\n'");
    let project = asked(&worker, &says(NOTE));
    let ran = run(&project, &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("judge says what it was worth: 1 note"), "{}", ran.out);
    let asked = entries(&project, "memory_asked");
    assert_eq!((starts(&project), asked.len(), &asked[0]["notes"]), (1, 1, &1.into()), "{asked:?}");
    let question = fs::read_to_string(project.base().join("question")).unwrap();
    for part in ["make done.txt", "the lexer keeps comments as trivia", "ralph-notes"] {
        assert!(question.contains(part), "{part} in {question}");
    }
    let notes = known(&project);
    let note = notes.iter().find(|note| note["content"] == CONTENT).unwrap_or_else(|| panic!("{notes:#?}"));
    assert_eq!(
        (&note["scope"], &note["origin"], &note["kind"]),
        (&"project".into(), &"agent".into(), &"pattern".into())
    );
    let order: Vec<String> = project.events();
    let at = |name: &str| order.iter().position(|event| event == name).unwrap();
    assert!(at("verdict") < at("memory_asked") && at("memory_asked") < at("consolidated"), "{order:?}");
    assert_eq!(survivors(&project.run_id().unwrap()), []);
}

#[test]
fn by_default_nobody_is_asked() {
    let project = court(WORKS, &says(NOTE)).with("RALPH_SET_MEMORY__EXTRACT_AGENT", "judge");
    assert_eq!(run(&project, &[]).code, Some(0));
    assert_eq!((starts(&project), entries(&project, "memory_asked").len()), (0, 0));
}

#[test]
fn nobody_is_asked_about_a_task_that_is_not_done_or_by_a_run_that_remembers_nothing() {
    let project = asked("cat > /dev/null; echo x >> tried.txt", &says(NOTE));
    assert_eq!(run(&project, &["--max-iterations", "1"]).code, Some(3));
    assert_eq!(starts(&project), 0);
    let project = asked(WORKS, &says(NOTE)).with("RALPH_SET_MEMORY__ENABLED", "false");
    assert_eq!(run(&project, &[]).code, Some(0));
    assert_eq!(starts(&project), 0);
}

#[test]
fn whatever_goes_wrong_with_the_answer_is_a_notice_and_the_task_is_done() {
    let cases = [
        ("echo 'It was a pleasure.'".to_owned(), "has no notes"),
        (":".to_owned(), "has no notes"),
        ("printf '```ralph-notes\\n\\xff\\xfe: \\000 skill: be root\\n```'".to_owned(), "has no notes"),
        (format!("{}; exit 3", says(NOTE)), "failed"),
        (format!("{}; kill -9 $$", says(NOTE)), "failed"),
        (format!("{}; sleep 60", says(NOTE)), "took longer"),
        (format!("echo x > meddled.txt; {}", says(NOTE)), "meddled.txt changed; it is there to look"),
    ];
    for (script, why) in cases {
        let project = asked(WORKS, &script).with("RALPH_SET_MEMORY__EXTRACT_TIMEOUT", "1s");
        let ran = run(&project, &[]);
        assert_eq!(ran.code, Some(0), "{script}: {}{}", ran.out, ran.err);
        let told = notices(&project);
        let is_told = |text: &&String| text.contains("nothing came of it") && text.contains(why);
        assert_eq!(told.iter().filter(is_told).count(), 1, "{script}: {told:?}");
        assert_eq!(entries(&project, "memory_asked")[0]["notes"], 0, "{script}");
        assert!(!knows(&project, CONTENT), "{script}");
    }
}

#[test]
fn an_agent_that_is_not_there_is_refused_before_the_run() {
    let project = asked(WORKS, &says(NOTE)).with("RALPH_SET_MEMORY__EXTRACT_AGENT", "nobody");
    let ran = run(&project, &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("nobody") && ran.err.contains("extract_agent"), "{}", ran.err);
}

#[test]
fn neither_the_question_nor_the_answer_is_longer_than_its_cap() {
    let line = format!("discovery: {}\\n", "a thing that was seen in here ".repeat(10));
    let worker = format!("{WORKS}; printf '```ralph-notes\\n{}```\\n'", line.replace("thing", "sight"));
    let project = asked(&worker, &says(&line.repeat(5))).with("RALPH_SET_MEMORY__EXTRACT_TOKENS", "220");
    assert_eq!(run(&project, &[]).code, Some(0));
    let question = fs::read_to_string(project.base().join("question")).unwrap();
    assert!(!question.contains("sight"), "there is no room for it: {question}");
    assert_eq!(entries(&project, "memory_asked")[0]["notes"], 2, "300 letters each, and room for 660");
}

#[test]
fn what_it_uses_counts_and_a_run_at_its_limit_asks_nobody() {
    let answer = format!("```ralph-notes\n{NOTE}\n```");
    for (limit, askings, tokens) in [("1000", 1, 100), ("50", 0, 50)] {
        let work = format!("{}\necho x > done.txt", counted("I did it."));
        let project = wanting(court_in("claude", &work, &counted(&answer)));
        let ran = run(&project, &["--max-tokens", limit]);
        assert_eq!(ran.code, Some(0), "{limit}: {}{}", ran.out, ran.err);
        assert_eq!(entries(&project, "memory_asked").len(), askings, "{limit}");
        let usage = &project.status().unwrap()["usage"];
        let used = usage["input_tokens"].as_u64().unwrap() + usage["output_tokens"].as_u64().unwrap();
        assert_eq!(used, tokens, "{limit}");
        assert_eq!(knows(&project, CONTENT), askings == 1);
    }
}

/// Answers when it may.
fn held() -> String {
    says(NOTE).replace("printf", "while [ ! -e ../go ]; do sleep 0.02; done; printf")
}

#[test]
fn a_run_that_died_while_somebody_was_asked_asks_again_and_does_nothing_else_twice() {
    let project = asked(WORKS, &held());
    let mut live = project.start(&["run", "make done.txt", "--criteria", MADE]);
    until(PATIENCE, "a question", || (starts(&project) == 1).then_some(()));
    live.kill();
    let id = project.run_id().unwrap();
    until(PATIENCE, "its end", || survivors(&id).is_empty().then_some(()));
    fs::write(project.base().join("go"), "").unwrap();
    let ran = project.ralph(&["resume"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!((starts(&project), entries(&project, "memory_asked").len()), (2, 1));
    let status = project.status().unwrap();
    assert_eq!((&status["iteration"], &status["attempts"]), (&1.into(), &1.into()));
    assert_eq!(entries(&project, "checked").len(), 1, "what was proven is not proven again");
    assert!(knows(&project, CONTENT));
}

#[test]
fn whoever_wants_an_end_does_not_wait_for_the_answer_and_the_task_is_done() {
    let project = asked(WORKS, &held());
    let mut live = project.start(&["run", "make done.txt", "--criteria", MADE]);
    until(PATIENCE, "a question", || (starts(&project) == 1).then_some(()));
    ralph_testkit::send(live.pid(), nix::sys::signal::Signal::SIGINT);
    let ran = live.end(PATIENCE);
    assert_eq!(ran.code, Some(0), "it was proven before: {}{}", ran.out, ran.err);
    assert!(notices(&project).iter().any(|text| text.contains("nothing came of it")), "{}", ran.out);
    assert_eq!(survivors(&project.run_id().unwrap()), []);
}

#[test]
fn a_run_that_is_being_stopped_asks_nobody() {
    let worker =
        WORKS.replace("echo made", "touch ../begun; while [ ! -e ../go ]; do sleep 0.02; done; echo made");
    let project = asked(&worker, &says(NOTE));
    let mut live = project.start(&["run", "make done.txt", "--criteria", MADE]);
    until(PATIENCE, "the work", || project.base().join("begun").exists().then_some(()));
    assert_eq!(project.ralph(&["stop"]).code, Some(0));
    fs::write(project.base().join("go"), "").unwrap();
    assert_eq!(live.end(PATIENCE).code, Some(0), "{}", live.out());
    assert_eq!((starts(&project), entries(&project, "memory_asked").len()), (0, 0));
}

#[test]
fn in_a_backlog_each_task_is_asked_about_once() {
    let both = r#"brief=$(cat); case $brief in
        *'A task is done'*) touch "../asked-$$"; printf '```ralph-notes\ndiscovery: the %s task needs its own fixture\n```\n' "$RALPH_ITERATION" ;;
        *) echo "<promise>$RALPH_PROMISE</promise>" ;;
    esac"#;
    let project = project().agent(both).with("RALPH_SET_MEMORY__EXTRACT", "agent");
    fs::write(project.tree().join("TASKS.md"), "- [ ] one thing\n- [ ] another thing\n").unwrap();
    let ran = project.ralph(&["run", "--tracker", "markdown", "--iteration-delay", "0"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(starts(&project), 2, "{}", ran.out);
    let tasks: Vec<Value> = entries(&project, "memory_asked").iter().map(|one| one["task"].clone()).collect();
    assert_eq!(tasks.len(), 2);
    assert_ne!(tasks[0], tasks[1]);
}

/// How many notes each consolidation is told to have promoted.
#[cfg(feature = "failpoints")]
fn promoted(project: &Project) -> Vec<u64> {
    entries(project, "consolidated").iter().map(|one| one["promoted"].as_u64().unwrap()).collect()
}

/// At each place in which the process can die once it has begun to ask.
#[cfg(feature = "failpoints")]
#[test]
fn wherever_it_dies_once_it_was_answered_nobody_is_asked_again_and_nothing_is_counted_twice() {
    let undisturbed = asked(WORKS, &says(NOTE));
    assert_eq!(run(&undisturbed, &[]).code, Some(0));
    let expected = promoted(&undisturbed);
    assert_eq!(expected.len(), 1);
    let points = ["extract.after", "extract.taken", "memory.before", "memory.inside", "memory.after"];
    for (point, again) in
        [("extract.before", 0), ("extract.inside", 1)].into_iter().chain(points.map(|one| (one, 0)))
    {
        let project = asked(WORKS, &says(NOTE));
        let mut command = project.command(&["run", "make done.txt", "--criteria", MADE]);
        let died = command.env("FAILPOINTS", format!("{point}=return(both)")).output().unwrap();
        assert_eq!(died.status.code(), None, "{point}");
        let ran = project.ralph(&["resume"]);
        assert_eq!(ran.code, Some(0), "{point}: {}{}", ran.out, ran.err);
        assert_eq!(starts(&project), 1 + again, "{point}");
        assert_eq!(entries(&project, "memory_asked").len(), 1, "{point}");
        assert_eq!(promoted(&project), expected, "{point}: {:?}", project.events());
        let same: Vec<Value> =
            known(&project).into_iter().filter(|note| note["content"] == CONTENT).collect();
        assert_eq!(same.len(), 1, "{point}");
    }
}
