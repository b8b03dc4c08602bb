//! What templates come to.

use crate::support::{attempt, full, full_run, item, minimal, rendered, surroundings};
use ralph_core::brief::compose;
use ralph_core::check::Failing;
use ralph_core::progress::{Sketch, Standing};
use ralph_core::promise::{Word, contains_literal_tag, detect};
use ralph_core::task::Task;
use ralph_templates::{Field, NAMES, Origin, Shape, Template, VARIABLES, Vars, built_in};
use serde_json::Value;

fn own(name: &str) -> Template {
    Template::compile(Origin::BuiltIn("x"), built_in(name).1).unwrap()
}

#[test]
fn ralphs_own_templates_with_everything_and_with_nothing() {
    for name in NAMES {
        let template = own(name);
        for (kind, vars) in [("full", full()), ("minimal", minimal())] {
            let brief = template.render(&vars).unwrap().text;
            assert!(!brief.contains("\n\n\n"), "{name}, {kind}: empty lines in a row:\n{brief}");
            insta::assert_snapshot!(format!("{name}-{kind}"), brief);
        }
    }
}

#[test]
fn no_brief_of_ralphs_own_completes_by_its_echo() {
    for name in NAMES {
        let template = own(name);
        assert!(template.uses_promise() && !contains_literal_tag(template.text()), "{name}");
        for vars in [full(), minimal()] {
            let brief = template.render(&vars).unwrap().text;
            assert!(
                brief.contains(crate::support::WORD) && !contains_literal_tag(&brief),
                "{name}:\n{brief}"
            );
            let word = Word::parse(crate::support::WORD).unwrap();
            assert!(!detect(&brief, &word, "").is_made(), "{name}");
        }
    }
}

#[test]
fn a_run_that_asks_for_no_promise_is_not_told_to_give_one() {
    let mut run = full_run();
    run.policy.completion.require.clear();
    let vars = Vars::of(&run, &attempt(&run, 3), &surroundings(item()));
    for name in NAMES {
        let brief = own(name).render(&vars).unwrap().text;
        assert!(
            brief.contains("End with a short account") && !brief.contains("<promise>"),
            "{name}:\n{brief}"
        );
    }
}

#[test]
fn the_parts_are_those_of_a_brief_that_is_composed_without_a_template() {
    let mut run = full_run();
    let standing = |tree: &str| Standing { tree: tree.to_owned(), commit: None, failing: Failing::default() };
    run.progress.begin(standing("a"));
    run.progress.take(1, standing("a"), Sketch::default());
    let attempt = attempt(&run, 3);
    let vars = Vars::of(&run, &attempt, &surroundings(item()));
    let composed = compose(&run, &attempt).text;
    for part in [&vars.dead_ends, &vars.handover, &vars.checks, &vars.claim, &vars.last_output, &vars.prompt]
    {
        assert!(!part.is_empty() && composed.contains(part.as_str()), "{part:?} in\n{composed}");
    }
    assert!(vars.dead_ends.starts_with("# Nothing has changed"), "{}", vars.dead_ends);
}

#[test]
fn what_a_task_says_is_never_run() {
    let evil = "{{promise}} {{{prdContent}}} {{#each tried}}x{{/each}} {{#if taskId}} \\{{x}} {{!-- {{> a}} {{{{raw}}}} }}";
    let mut task = item();
    task.title = evil.to_owned();
    task.description = evil.to_owned();
    task.acceptance_criteria = vec![evil.to_owned()];
    task.labels = vec![evil.to_owned()];
    task.metadata.insert("notes".to_owned(), Value::String(evil.to_owned()));
    let mut run = full_run();
    run.task = task.to_task();
    run.steering = vec![evil.to_owned()];
    run.tried[1].findings = vec![evil.to_owned()];
    run.tried[1].output_tail = evil.to_owned();
    let mut around = surroundings(task);
    around.memory = evil.to_owned();
    around.recent_progress = evil.to_owned();
    let vars = Vars::of(&run, &attempt(&run, 3), &around);
    let text = "{{taskTitle}}|{{taskDescription}}|{{acceptanceCriteria}}|{{labels}}|{{notes}}|{{memory}}|{{recentProgress}}|\
                {{last_output}}|{{#each steering}}{{this}}{{/each}}|{{#each findings}}{{this}}{{/each}}|{{task.metadata.notes}}";
    let expected = text.matches('|').count() + 1;
    let brief = rendered(text, &vars);
    let parts: Vec<&str> = brief.trim_end().split('|').collect();
    assert_eq!(parts.len(), expected);
    for part in parts {
        assert_eq!(part.strip_prefix("- [ ] ").unwrap_or(part), evil);
    }
    for name in NAMES {
        let brief = own(name).render(&vars).unwrap().text;
        assert!(brief.contains(evil), "{name}");
    }
}

#[test]
fn nothing_is_escaped_and_a_quotation_cannot_be_closed_from_within() {
    let vars = full();
    assert_eq!(rendered("{{taskTitle}}", &vars), "Log in with a <token> & \"key\"\n");
    assert_eq!(rendered("{{fence}}", &vars), "`````\n", "the document has four");
    assert_eq!(rendered("{{fence}}", &minimal()), "```\n");
    let mut run = full_run();
    run.steering = vec!["````````".to_owned()];
    let vars = Vars::of(&run, &attempt(&run, 3), &surroundings(item()));
    assert_eq!(vars.fence, "`".repeat(9));
}

#[test]
fn values_are_written_as_people_expect() {
    let vars = full();
    let check = |text: &str, expected: &str| assert_eq!(rendered(text, &vars).trim_end(), expected, "{text}");
    check("{{iteration}}/{{max_iterations}}/{{attempt}}", "3/10/1");
    check("{{task.labels}}", "ui, auth");
    check("{{task.labels.length}}", "2");
    check("{{config.autoCommit}} {{config.agent.name}} {{config/tracker/plugin}}", "true claude prd");
    check("{{task.metadata.estimate}} {{task.metadata.links}} {{task.metadata.nope.deep}}.", "3 a, b .");
    check("{{task.[title]}}", "Log in with a <token> & \"key\"");
    check(
        "{{prd.completedCount}}/{{prd.totalCount}} {{epic.title}} {{task.createdAt}}",
        "2/9 Accounts 2026-01-01",
    );
    check(
        "{{#each task.labels}}{{@index}}{{#unless @first}},{{/unless}}{{this}}{{#if @last}}.{{/if}} {{/each}}",
        "0ui 1,auth.",
    );
    check("{{#each task.metadata.links as |link at|}}{{at}}={{link}} {{/each}}", "0=a 1=b");
    check(
        "{{#each task.metadata}}{{@key}} {{/each}}",
        "acceptanceCriteria assignee created_at estimate links notes type",
    );
    check("{{#each task.metadata.acceptanceCriteria}}{{this}}, {{/each}}", "a form, a test,");
    check("{{#with task}}{{id}} {{../iteration}} {{@root.iteration}}{{/with}}", "US-7 3 3");
    check(
        "{{#each tried}}{{#each ../findings}}{{../iteration}}:{{../../taskId}} {{/each}}{{/each}}",
        "1:US-7 1:US-7 2:US-7 2:US-7",
    );
    check("{{#if epic}}a{{else}}b{{/if}}{{#unless epic}}a{{else}}b{{/unless}}", "ab");
    check("{{suggestions.length}} {{#each suggestions}}{{this}}{{/each}}", "1 look at the cookie");
    check("{{verificationErrors}}", "- `cargo test`: 1 of 12 fails\n- login::works: expected 200");
    check("{{currentDate}} {{currentTimestamp}}", "2026-02-03 2026-02-03T04:05:06.789Z");
    check("{{model}} {{agentName}} {{trackerName}} {{cwd}}", "sonnet claude prd /project");
    let none = minimal();
    let check = |text: &str, expected: &str| assert_eq!(rendered(text, &none).trim_end(), expected, "{text}");
    check(
        "{{#if prd}}a{{/if}}{{#if epic}}b{{/if}}{{#with epic}}c{{else}}d{{/with}}{{epic.title}}{{prd.name}}",
        "d",
    );
    check("{{#each tried}}a{{else}}b{{/each}}{{#if tried}}c{{/if}}{{#if findings.length}}d{{/if}}", "b");
    check(
        "{{taskId}} {{taskTitle}} {{taskDescription}} {{status}} {{priority}}",
        "prompt make it work make it work in_progress 2",
    );
    check("{{trackerName}} {{prompt}} {{prdTotalCount}}", "prompt make it work 0");
}

#[test]
fn tags_that_are_alone_on_a_line_take_it_with_them() {
    let vars = minimal();
    let check = |text: &str, expected: &str| assert_eq!(rendered(text, &vars), expected, "{text:?}");
    check("a\n{{#if taskId}}\nb\n{{else}}\nc\n{{/if}}\nd", "a\nb\nd\n");
    check("a\r\n{{#if taskId}}\r\nb\r\n{{/if}}\r\nd", "a\r\nb\r\nd\n");
    check("a\n  {{! x }}  \n  b", "a\n  b\n");
    check("a\n  {{!-- x\ny --}}\nb", "a\nb\n");
    check("a {{#if taskId}} b {{/if}} c", "a  b  c\n");
    check("a\n{{taskId}}\nb", "a\nprompt\nb\n");
    check("a \n {{~taskId~}} \n b", "apromptb\n");
    check("a {{~#if taskId~}} b {{~/if~}} c", "abc\n");
    check("\\{{taskId}} \\\\{{taskId}}", "{{taskId}} \\prompt\n");
    check("\u{feff}a", "a\n");
}

/// The names of an object, and whether what they hold is what is said of them.
fn compare(path: &str, value: &Value, said: &[Field]) {
    let Value::Object(map) = value else { panic!("{path} is no object") };
    let mut names: Vec<&str> = said.iter().map(|field| field.name).collect();
    names.sort_unstable();
    let mut found: Vec<&str> = map.keys().map(String::as_str).collect();
    found.sort_unstable();
    assert_eq!(names, found, "{path}");
    for Field { name, shape } in said {
        let path = format!("{path}.{name}");
        match (&map[*name], shape) {
            (Value::String(_), Shape::Text)
            | (Value::Number(_), Shape::Number)
            | (Value::Bool(_), Shape::Flag)
            | (Value::Object(_), Shape::Open) => {}
            (Value::Array(list), Shape::Names | Shape::List(Shape::Text)) => {
                assert!(!list.is_empty() && list.iter().all(Value::is_string), "{path}");
            }
            (Value::Array(list), Shape::List(of)) => {
                for one in list {
                    compare(&path, one, of.fields());
                }
                assert!(!list.is_empty(), "{path}");
            }
            (object @ Value::Object(_), Shape::Object(fields)) => {
                compare(&path, object, fields);
            }
            (value, shape) => panic!("{path} is said to be {shape:?} and is {value}"),
        }
    }
}

#[test]
fn what_is_said_of_the_variables_is_what_they_are() {
    let value = serde_json::to_value(full()).unwrap();
    let said: Vec<Field> = VARIABLES.iter().map(|variable| variable.field).collect();
    compare("vars", &value, &said);
    let empty: Vec<&String> = value
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.as_str().is_some_and(str::is_empty))
        .map(|(name, _)| name)
        .collect();
    assert!(empty.is_empty(), "these are empty where everything is known: {empty:?}");
}

#[test]
fn the_prompt_is_the_whole_task() {
    let mut run = full_run();
    run.task = Task::prompt("all of it\n\nand more");
    let vars = Vars::of(&run, &attempt(&run, 1), &surroundings(item()));
    assert_eq!(rendered("{{prompt}}", &vars), "all of it\n\nand more\n");
}
