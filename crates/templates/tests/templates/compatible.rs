//! Templates that were written for ralph-tui render here, and what they come to is what Handlebars makes of them.

use crate::support::{compile, full, minimal, rendered};
use handlebars::Handlebars;
use proptest::prelude::*;
use ralph_templates::VARIABLES;
use serde_json::{Value, json};

/// As ralph-tui 0.12 spells them.
const FLAT: &str = "taskId taskTitle taskDescription acceptanceCriteria epicId epicTitle trackerName labels priority \
                    status dependsOn blocks type model agentName cwd currentDate currentTimestamp notes recentProgress \
                    beadsDbPath prdName prdDescription prdContent prdCompletedCount prdTotalCount codebasePatterns \
                    selectionReason";

const TUI: &str = "\
{{!-- written for ralph-tui --}}
{{#if prdContent}}
## PRD: {{prdName}}
{{#if prdDescription}}
{{prdDescription}}
{{/if}}
{{prdCompletedCount}}/{{prdTotalCount}} {{prdContent}}
{{/if}}
{{#if codebasePatterns}}
{{codebasePatterns}}
{{/if}}
{{taskId}} {{taskTitle}}
{{#if epicId}}
- {{epicId}}{{#if epicTitle}} - {{epicTitle}}{{/if}}
{{/if}}
{{taskDescription}} {{{notes}}} {{type}} {{status}} {{priority}} {{labels}} {{dependsOn}} {{blocks}}
{{acceptanceCriteria}}
{{trackerName}} {{agentName}} {{model}} {{cwd}} {{currentDate}} {{currentTimestamp}}
{{recentProgress}} {{selectionReason}}
{{#if config.autoCommit}}
Do not commit.
{{else}}
Leave it.
{{/if}}
bd close {{taskId}} --db {{beadsDbPath}}
{{#if verificationErrors}}
{{{verificationErrors}}}
{{/if}}
{{task.title}} {{prd.name}} {{prd.completedCount}} {{epic.title}} {{config.cwd}}
<promise>COMPLETE</promise>
";

#[test]
fn a_template_of_ralph_tui_with_all_its_variables_renders() {
    let names: Vec<&str> = FLAT.split_whitespace().collect();
    assert_eq!(names.len(), 28);
    for name in &names {
        let variable = VARIABLES.iter().find(|variable| variable.field.name == *name);
        assert!(variable.is_some_and(|variable| variable.shared), "{name}");
        assert!(
            TUI.contains(&format!("{{{{{name}}}}}")) || TUI.contains(&format!("{{{{{{{name}}}}}}}")),
            "{name}"
        );
    }
    for object in ["task", "config", "prd", "epic"] {
        assert!(VARIABLES.iter().any(|variable| variable.field.name == object && variable.shared));
    }
    insta::assert_snapshot!(rendered(TUI, &full()));
    let template = compile(TUI).unwrap();
    assert!(!template.uses_promise(), "so its promise is without a nonce");
    assert!(template.render(&minimal()).is_ok());
}

/// What Handlebars makes of a template.
fn expected(text: &str, data: &Value) -> String {
    let mut handlebars = Handlebars::new();
    handlebars.register_escape_fn(handlebars::no_escape);
    let out = handlebars.render_template(text, data).unwrap();
    format!("{}\n", out.trim())
}

#[test]
fn a_template_of_ralph_tui_comes_to_what_handlebars_makes_of_it() {
    for vars in [full(), minimal()] {
        assert_eq!(rendered(TUI, &vars), expected(TUI, &json!(vars)));
    }
}

/// Pieces that are whole by themselves.
fn piece() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z ]{0,4}",
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("  \n".to_owned()),
        Just("\r\n".to_owned()),
        Just("{{taskId}}".to_owned()),
        Just("{{{taskTitle}}}".to_owned()),
        Just("{{ config.agent.name }}".to_owned()),
        Just("{{@root.iteration}}".to_owned()),
        Just("{{! x }}".to_owned()),
        Just("{{!-- {{x}} --}}".to_owned()),
        // The crate forgets that a `~` is done with until the next tag that is no comment.
        Just("x \n {{~taskId}}".to_owned()),
        Just("{{taskId~}} \n x{{taskId}}".to_owned()),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let body = proptest::collection::vec(inner, 0..5).prop_map(|parts| parts.concat());
        let on = prop_oneof![
            Just("taskId"),
            Just("epicId"),
            Just("findings"),
            Just("prd"),
            Just("config.autoCommit")
        ];
        let word = prop_oneof![Just("if"), Just("unless")];
        let newline = prop_oneof![Just(""), Just("\n"), Just("  \n")];
        (word, on, body.clone(), body, newline, any::<bool>()).prop_map(
            |(word, on, one, other, end, has_else)| {
                let other = if has_else { format!("{{{{else}}}}{end}{other}") } else { String::new() };
                format!("{{{{#{word} {on}}}}}{end}{one}{other}{{{{/{word}}}}}{end}")
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_templates_come_to_is_what_handlebars_makes_of_them(pieces in proptest::collection::vec(piece(), 0..8)) {
        let text = pieces.concat();
        for vars in [full(), minimal()] {
            prop_assert_eq!(rendered(&text, &vars), expected(&text, &json!(vars)), "{:?}", text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_makes_a_template_panic(text in any::<String>()) {
        if let Ok(template) = compile(&text) {
            let _ = template.render(&full());
        }
    }

    #[test]
    fn nothing_that_looks_like_a_template_makes_it_panic(
        parts in proptest::collection::vec(prop_oneof![
            "[{}#/~!&^>@.\\[\\]|()\\\\\\-\"' \r\n\tü]{0,4}",
            Just("{{".to_owned()), Just("}}".to_owned()), Just("{{#if ".to_owned()), Just("{{#each ".to_owned()),
            Just("{{/if}}".to_owned()), Just("{{else".to_owned()), Just("{{!--".to_owned()), Just("--}}".to_owned()),
            Just("taskId".to_owned()), Just("tried".to_owned()), Just("this".to_owned()), Just(" as |x|".to_owned()),
            Just("{{/each}}".to_owned()), Just("../".to_owned()), Just("@index".to_owned()), Just("\\{{".to_owned()),
        ], 0..24)
    ) {
        let text = parts.concat();
        match compile(&text) {
            Ok(template) => prop_assert!(template.render(&full()).is_ok()),
            Err(error) => prop_assert!(error.to_string().starts_with("own.hbs:")),
        }
    }
}
