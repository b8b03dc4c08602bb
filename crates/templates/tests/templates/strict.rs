//! What is wrong with a template is told with its place, in whatever branch it stands, and bombs are defused.

use std::time::{Duration, Instant};

use crate::support::{compile, full, minimal};
use ralph_templates::{LARGEST, RenderError, TemplateError, built_in};

/// Everything that is wrong, a line each.
fn told(text: &str) -> String {
    match compile(text) {
        Ok(_) => panic!("nothing is found to be wrong with {text:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn unknown_names_are_told_with_line_column_and_the_nearest() {
    insta::assert_snapshot!(told("Task {{taskId}}\nis {{taskTitel}}, {{ descripton }}\n\tü {{{prdname}}} {{qqq}}"), @r"
    own.hbs:2:6: there is no variable `taskTitel` (did you mean `taskTitle`?)
    own.hbs:2:22: there is no variable `descripton` (did you mean `taskDescription`?)
    own.hbs:3:7: there is no variable `prdname` (did you mean `prdName`?)
    own.hbs:3:20: there is no variable `qqq`
    ");
    insta::assert_snapshot!(told("{{task.titel}} {{config.auto_commit}} {{taskId.x}} {{config.agent.nam}}"), @r"
    own.hbs:1:3: `task` has no `titel` (did you mean `title`?)
    own.hbs:1:18: `config` has no `auto_commit` (did you mean `autoCommit`?)
    own.hbs:1:41: `taskId` has nothing below it: there is no `x`
    own.hbs:1:54: `config.agent` has no `nam` (did you mean `name`?)
    ");
}

#[test]
fn names_are_checked_in_every_branch() {
    let text = "{{#if taskId}}{{a1}}{{else if epicId}}{{a2}}{{else}}{{#unless taskId}}{{a3}}{{else}}{{a4}}{{/unless}}{{/if}}\
                {{#each tried}}{{a5}}{{else}}{{a6}}{{/each}}{{#with epic}}{{a7}}{{else}}{{a8}}{{/with}}{{#if a9}}{{/if}}";
    let told = told(text);
    for name in ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"] {
        assert!(told.contains(&format!("`{name}`")), "{name} in {told}");
    }
}

#[test]
fn a_name_means_what_is_below_its_block() {
    insta::assert_snapshot!(told("{{#each tried}}{{outcom}} {{taskId}} {{../nope}}{{/each}}{{#with task}}{{prd.name}}{{/with}}"), @r"
    own.hbs:1:18: there is no variable `outcom` (did you mean `outcome`?)
    own.hbs:1:29: there is no variable `taskId` (inside of this block it is `@root.taskId`)
    own.hbs:1:40: there is no variable `nope` (did you mean `notes`?)
    own.hbs:1:74: there is no variable `prd` (inside of this block it is `@root.prd.name`)
    ");
    insta::assert_snapshot!(told("{{#each findings}}{{this.x}}{{../../x}}{{/each}} {{../taskId}} {{@index}} {{@indx}} {{@}}"), @r"
    own.hbs:1:21: what this block is about has nothing below it: there is no `x`
    own.hbs:1:31: `../../x` leads out of the template: there is no block around it
    own.hbs:1:52: `../taskId` leads out of the template: there is no block around it
    own.hbs:1:66: `@index` is only there in an `each`
    own.hbs:1:77: there is no `@indx` (did you mean `@index`?)
    own.hbs:1:87: `@` is not a name
    ");
}

#[test]
fn what_cannot_be_written_or_walked_through_is_told() {
    insta::assert_snapshot!(told("{{findings}} {{task}} {{tried}} {{#each labels}}{{x}}{{/each}} {{#with taskId}}{{x}}{{/with}}"), @r"
    own.hbs:1:3: `findings` is a list ({{#each findings}}- {{this}}{{/each}})
    own.hbs:1:16: `task` is an object (it has id, title, status, priority, description, acceptanceCriteria, labels, type, parentId, dependsOn, blocks, assignee, createdAt, updatedAt, metadata)
    own.hbs:1:25: `tried` is a list ({{#each tried}}- {{this}}{{/each}})
    own.hbs:1:41: `labels` is not a list (`ralph template vars` tells which are)
    own.hbs:1:72: `taskId` is not an object (`with` is for task, config, prd and epic)
    ");
}

/// Each with its place and what is said of it.
const MALFORMED: &[(&str, &str)] = &[
    ("{{", "1:1: this tag is not closed: its `}}` is missing"),
    ("{{{", "1:1: this tag is not closed: its `}}}` is missing"),
    ("a\n b {{taskId", "2:4: this tag is not closed"),
    ("{{taskId}", "1:1: this tag is not closed"),
    ("{{{taskId}}", "1:1: this tag is not closed: its `}}}` is missing"),
    ("{{taskId {{taskTitle}}", "1:1: this tag is not closed"),
    ("{{}}", "1:1: this tag is empty"),
    ("{{ }}", "1:1: this tag is empty"),
    ("{{~~}}", "1:1: this tag is empty"),
    ("{{{}}}", "1:1: this tag is empty"),
    ("{{! never closed", "1:1: this comment is not closed: its `}}` is missing"),
    ("{{!-- never }} closed", "1:1: this comment is not closed: its `--}}` is missing"),
    ("{{#if}}x{{/if}}", "1:1: `if` needs a variable"),
    ("{{#each }}x{{/each}}", "1:1: `each` needs a variable"),
    ("{{#if taskId}}x", "1:1: this block is never closed: its `{{/if}}` is missing"),
    ("{{#if taskId}}\n{{#each tried}}x{{/if}}", "2:17: `each` was opened on line 2, and `if` is closed"),
    ("x{{/if}}", "1:2: `if` closes no block"),
    ("{{#if taskId}}{{/}}", "1:15: `if` was opened on line 1, and `` is closed"),
    ("{{else}}", "1:1: this `else` is in no block"),
    ("{{^}}", "1:1: this `else` is in no block"),
    ("{{#if taskId}}{{else}}{{else}}{{/if}}", "1:23: nothing comes after the `else` of a block"),
    ("{{#if taskId}}{{else}}{{else if epicId}}{{/if}}", "1:23: nothing comes after the `else`"),
    ("{{#if taskId}}{{else fi epicId}}{{/if}}", "1:22: there is no block `fi`"),
    ("{{#fi taskId}}{{/fi}}", "1:4: there is no block `fi`"),
    ("{{#eech tried}}{{/eech}}", "1:4: there is no block `eech` (did you mean `each`?)"),
    ("{{#labels}}{{/labels}}", "1:4: there is no block `labels` (there are `if`"),
    ("{{#}}{{/}}", "1:4: there is no block ``"),
    ("{{^labels}}{{/labels}}", "1:1: `{{^` before a name is not understood"),
    ("{{> header}}", "1:1: partials are not understood: a template is one file"),
    ("{{#> layout}}{{/layout}}", "1:1: partials and decorators are not understood"),
    ("{{* inline}}", "1:1: decorators are not understood"),
    ("{{#*inline \"a\"}}{{/inline}}", "1:1: partials and decorators are not understood"),
    ("{{{{raw}}}}{{x}}{{{{/raw}}}}", "1:1: raw blocks (four braces) are not understood"),
    ("{{lookup task 'id'}}", "1:3: there is no helper `lookup`"),
    ("{{log \"x\"}}", "1:3: there is no helper `log`"),
    ("{{len findings}}", "1:3: there is no helper `len`"),
    ("{{#if (eq status \"open\")}}{{/if}}", "1:7: `(eq status \"open\")` is an expression"),
    ("{{(taskId)}}", "1:3: `(taskId)` is an expression"),
    ("{{\"text\"}}", "1:3: `\"text\"` is text, not a variable"),
    ("{{'text'}}", "1:3: `'text'` is text, not a variable"),
    ("{{#if taskId includeZero=true}}{{/if}}", "1:7: `if` takes one variable and nothing else"),
    ("{{#each tried findings}}{{/each}}", "1:9: `each` takes one variable and nothing else"),
    ("{{task.}}", "1:3: `task.` is not a name"),
    ("{{task..id}}", "1:3: `task..id` is not a name"),
    ("{{.task}}", "1:3: `.task` is not a name"),
    ("{{task.[id}}", "1:3: `task.[id` is not a name"),
    ("{{task,id}}", "1:3: `task,id` is not a name"),
    ("{{a=b}}", "1:3: `a=b` is not a name"),
    ("{{1}}", "1:3: there is no variable `1`"),
    ("{{true}}", "1:3: there is no variable `true`"),
    ("{{TASKID}}", "1:3: there is no variable `TASKID` (did you mean `taskId`?)"),
    ("{{constructor}}", "1:3: there is no variable `constructor`"),
    ("{{__proto__}}", "1:3: there is no variable `__proto__`"),
    ("{{#each tried as |}}{{/each}}", "1:1: the names after `as` are not closed"),
    ("{{#each tried as |a b c|}}{{/each}}", "1:1: `as` gives one name, or two"),
    ("{{#each tried as ||}}{{/each}}", "1:1: `as` gives one name, or two"),
    ("{{#if taskId as |a|}}{{/if}}", "1:1: `as` gives one name, or two"),
    ("{{#each tried as |one|}}{{one.nope}}{{/each}}", "1:27: there is no variable `nope`"),
    ("{{taskId\u{0}}}", "1:3: there is no variable `taskId\u{0}`"),
    ("{{\u{202e}taskId}}", "1:3: there is no variable `\u{202e}taskId`"),
    ("{{taskId}}\r\n{{\r\nnope\r\n}}", "3:1: there is no variable `nope`"),
];

#[test]
fn malformed_templates_are_told_with_their_place() {
    assert!(MALFORMED.len() >= 40);
    for (text, expected) in MALFORMED {
        let told = told(text);
        assert!(told.starts_with(&format!("own.hbs:{expected}")), "{text:?}: {told}");
        assert_eq!(
            told.lines().count(),
            1 + told.matches("\u{2028}").count(),
            "one slip is one fault: {told}"
        );
    }
}

/// Far less where nothing else is going on.
fn quickly<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    assert!(begun.elapsed() < Duration::from_secs(10), "{what} took {:?}", begun.elapsed());
    done
}

#[test]
fn bombs_of_many_kinds_are_refused_or_bounded() {
    let most = |unit: &str| unit.repeat(LARGEST / unit.len());
    let refused = [
        ("deep blocks", most("{{#if taskId}}")),
        ("deep blocks that are closed", "{{#if taskId}}".repeat(5_000) + &"{{/if}}".repeat(5_000)),
        ("deep loops", "{{#each tried}}".repeat(33) + &"{{/each}}".repeat(33)),
        ("closing tags", most("{{/if}}")),
        ("braces", most("{")),
        ("closed braces", "{{".to_owned() + &most("}")[2..]),
        ("parentheses", format!("{{{{{}}}}}", most("(").split_at(LARGEST - 8).0)),
        ("brackets", format!("{{{{{}}}}}", most("[").split_at(LARGEST - 8).0)),
        ("dots", format!("{{{{task{}}}}}", most(".a").split_at(LARGEST - 8).0)),
        ("ways out", format!("{{{{{}taskId}}}}", most("../").split_at(LARGEST - 11).0)),
        ("comments that never end", most("{{!-- ")),
        ("a long name", format!("{{{{{}}}}}", most("a").split_at(LARGEST - 8).0)),
        ("unknown names", most("{{a}}")),
        ("too large", most("a") + "aaaaaaaaaa"),
    ];
    for (what, text) in &refused {
        let error = quickly(what, || compile(text)).expect_err(what);
        assert!(error.to_string().len() < 4_000, "{what}: {} bytes", error.to_string().len());
        let TemplateError::Faulty { faults, .. } = error else { panic!("{what}: {error}") };
        assert!((1..=20).contains(&faults.len()), "{what}: {} faults", faults.len());
    }
}

#[test]
fn a_large_template_is_read_and_rendered_in_time() {
    let most = |unit: &str| unit.repeat(LARGEST / unit.len());
    let chain = "{{#if epicId}}".to_owned() + &most("{{else if epicId}}")[..180_000] + "{{/if}}";
    let long = [
        ("values", most("{{iteration}}")),
        ("comments", most("{{!}}")),
        ("comments with dashes", most("{{!----}}")),
        ("escapes", most("\\{{x")),
        ("backslashes", most("\\")),
        ("blocks on one line", most("{{#if taskId}} {{/if}}")),
        ("a chain", chain),
        ("blanks", "{{#if taskId}}".to_owned() + &" ".repeat(200_000) + "{{/if}}"),
    ];
    for (what, text) in &long {
        let template = quickly(what, || compile(text)).unwrap();
        quickly(what, || template.render(&minimal())).unwrap();
    }
}

#[test]
fn loops_in_loops_end_in_time_and_memory() {
    let mut vars = full();
    vars.findings = vec!["x".to_owned(); 1_000];
    let nested = |inner: &str| "{{#each @root.findings}}".repeat(20) + inner + &"{{/each}}".repeat(20);
    for inner in ["", "{{#if @root.epic.description}}{{/if}}", "{{this}}"] {
        let template = compile(&nested(inner)).unwrap();
        let error = quickly(inner, || template.render(&vars)).expect_err(inner);
        assert!(matches!(error, RenderError::Busy { .. }), "{error}");
    }
    vars.prd_content = "x".repeat(100_000);
    let template = compile("{{#each findings}}{{@root.prdContent}}{{/each}}").unwrap();
    let error = quickly("a long one", || template.render(&vars)).expect_err("it is 100 MB");
    assert!(matches!(error, RenderError::Long { .. }), "{error}");
}

#[test]
fn whether_a_template_tells_the_promise() {
    let uses = |text: &str| compile(text).unwrap().uses_promise();
    for text in [
        "{{promise}}",
        "{{claim}}",
        "{{{ promise }}}",
        "{{&promise}}",
        "{{this.promise}}",
        "{{#each tried}}{{@root.promise}}{{../promise}}{{/each}}",
        "{{#if epic}}{{else}}{{promise}}{{/if}}",
    ] {
        assert!(uses(text), "{text}");
    }
    for text in [
        "",
        "<promise>COMPLETE</promise>",
        "\\{{promise}}",
        "{{! {{promise}}",
        "{{!-- {{promise}} --}}",
        "{{#if promise}}COMPLETE{{/if}}",
        "{{prompt}}",
        "{{task.metadata.promise}}",
        "{{#each tried as |promise|}}{{promise.outcome}}{{/each}}",
    ] {
        assert!(!uses(text), "{text}");
    }
    assert!(uses(built_in("prd").1));
}
