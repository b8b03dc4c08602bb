use super::{Catalogue, CatalogueError, PromptChannel, Provenance, Unsupported};
use crate::stream::Format;

/// As it is started, without the slots of files.
fn words(catalogue: &Catalogue, agent: &str, choice: (Option<&str>, Option<&str>, Option<&str>)) -> String {
    let entry = catalogue.get(agent).expect("an entry");
    let invocation = entry.invocation(choice.0, choice.1, choice.2).expect("an invocation");
    let args = invocation
        .args
        .iter()
        .filter(|arg| **arg != *super::FILE && **arg != *super::MCP)
        .map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once(invocation.program.to_string_lossy().into_owned())
        .chain(args)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn every_agent_of_the_specification_is_there_with_a_source_for_each_field() {
    let catalogue = Catalogue::builtin();
    let names: Vec<&str> = catalogue.names().map(|name| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "aider",
            "amp",
            "claude",
            "codex",
            "copilot",
            "cursor",
            "droid",
            "gemini",
            "goose",
            "kimi",
            "kiro",
            "opencode",
            "opencode-server",
            "pi",
            "qwen"
        ]
    );
    for name in names {
        let entry = catalogue.get(name).expect("an entry");
        assert!(entry.provenance_of("args").is_some(), "{name} says nowhere where it comes from");
        assert!(!entry.manners.login.is_empty(), "{name}");
    }
}

#[test]
fn a_field_that_says_nowhere_where_it_comes_from_is_refused() {
    let told = |provenance: &str| {
        let text =
            format!("[agents.x]\nprogram = \"x\"\nargs = [\"-p\"]\n[agents.x.provenance]\n{provenance}");
        Catalogue::read(&text).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(told("all = { verified = \"1.0\" }"), Ok(()));
    assert_eq!(
        told("program = { verified = \"1.0\" }\nargs = { read = \"https://x.example/docs\" }"),
        Ok(())
    );
    let refused = |provenance: &str, why: &str| {
        let told = told(provenance).expect_err("refused");
        assert!(told.contains(why), "{told}");
    };
    refused("", "does not say where `program` comes from");
    refused("program = { verified = \"1.0\" }", "does not say where `args` comes from");
    refused("all = { verified = \"yes\" }", "names no version and no page");
    refused("all = { read = \"docs\" }", "names no version and no page");
}

#[test]
fn a_prompt_goes_by_standard_input_wherever_the_agent_takes_it() {
    let catalogue = Catalogue::builtin();
    let by_argument: Vec<&str> = catalogue
        .names()
        .map(|name| name.as_str())
        .filter(|name| catalogue.get(name).is_some_and(|entry| entry.prompt == PromptChannel::Argument))
        .collect();
    assert_eq!(by_argument, ["cursor"]);
}

#[test]
fn only_what_was_seen_is_called_verified() {
    let catalogue = Catalogue::builtin();
    let verified: Vec<&str> = catalogue
        .names()
        .map(|name| name.as_str())
        .filter(|name| {
            let all = catalogue.get(name).and_then(|entry| entry.provenance_of("all"));
            matches!(all, Some(Provenance::Verified(_)))
        })
        .collect();
    assert_eq!(verified, ["claude", "codex", "gemini", "opencode", "opencode-server", "qwen"]);
}

#[test]
fn invocations_are_what_the_programs_take() {
    let catalogue = Catalogue::builtin();
    let listing: Vec<String> = catalogue
        .names()
        .map(|name| {
            let entry = catalogue.get(name.as_str()).expect("an entry");
            let model = (!entry.model.is_empty()).then_some("MODEL");
            let effort = (!entry.effort.args.is_empty()).then_some("high");
            let resume = (!entry.resume.is_empty()).then_some("SESSION");
            let plain = words(&catalogue, name.as_str(), (None, None, None));
            format!("{plain}\n    {}", words(&catalogue, name.as_str(), (model, effort, resume)))
        })
        .collect();
    insta::assert_snapshot!(listing.join("\n"));
}

#[test]
fn what_an_agent_does_not_take_is_refused_and_not_dropped() {
    let catalogue = Catalogue::builtin();
    let refused = |agent: &str, model, effort, resume| {
        let entry = catalogue.get(agent).expect("an entry");
        entry.invocation(model, effort, resume).expect_err("refused")
    };
    assert_eq!(refused("amp", Some("m"), None, None), Unsupported::Model { agent: "amp".to_owned() });
    assert_eq!(
        refused("gemini", None, Some("high"), None),
        Unsupported::Effort { agent: "gemini".to_owned() }
    );
    assert_eq!(refused("aider", None, None, Some("s")), Unsupported::Resume { agent: "aider".to_owned() });
    assert_eq!(
        refused("pi", None, Some("huge"), None).to_string(),
        "pi knows no effort `huge`; it knows off, minimal, low, medium, high, xhigh"
    );
}

#[test]
fn a_value_stays_one_argument_whatever_it_holds() {
    let catalogue = Catalogue::builtin();
    let entry = catalogue.get("claude").expect("claude");
    let invocation = entry.invocation(Some("a b; rm -rf {yolo}"), None, None).expect("an invocation");
    assert_eq!(invocation.args.last().expect("an argument"), "a b; rm -rf {yolo}");
}

#[test]
fn a_person_s_fields_take_the_place_of_ours_one_by_one() {
    let catalogue = Catalogue::builtin()
        .with_user("[limits]\nmax_iterations = 3\n[agents.claude]\nprogram = \"/opt/claude\"\nyolo = []")
        .expect("a catalogue");
    assert_eq!(
        words(&catalogue, "claude", (None, None, None)),
        "/opt/claude -p --output-format stream-json --verbose"
    );
    let entry = catalogue.get("claude").expect("claude");
    assert_eq!(entry.provenance_of("program"), Some(&Provenance::Read("your configuration".to_owned())));
    assert_eq!(entry.provenance_of("args"), Some(&Provenance::Verified("2.1.197".to_owned())));
    assert_eq!(entry.manners, Catalogue::builtin().get("claude").expect("claude").manners);
}

#[test]
fn arguments_without_a_slot_take_no_choice() {
    let catalogue = Catalogue::builtin().with_user("[agents.claude]\nargs = [\"-p\"]").expect("a catalogue");
    let entry = catalogue.get("claude").expect("claude");
    assert_eq!(
        entry.invocation(Some("m"), None, None),
        Err(Unsupported::Model { agent: "claude".to_owned() })
    );
    assert_eq!(words(&catalogue, "claude", (None, None, None)), "claude -p");
}

#[test]
fn a_new_name_makes_a_new_agent() {
    let catalogue = Catalogue::builtin()
        .with_user(
            "[agents.mine]\nprogram = \"my-agent\"\nargs = [\"go\", \"{model}\"]\nmodel = [\"-m={value}\"]",
        )
        .expect("a catalogue");
    assert_eq!(words(&catalogue, "mine", (Some("x"), None, None)), "my-agent go -m=x");
    assert_eq!(catalogue.get("mine").expect("mine").format, Format::Text);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let told = |text: &str| {
        Catalogue::builtin().with_user(text).expect_err("refused").to_string().replace("\n\n", "\n")
    };
    let cases = [
        "[agents.claude]\nprogramm = \"x\"",
        "\n[agents.mine]\nargs = []",
        "[agents.claude]\nformat = \"xml\"",
        "[agents.\"a b\"]\nprogram = \"x\"",
        "x = 1\n[agents.claude]\nargs = [\"{modell}\"]",
        "[agents.claude]\nmodel = [\"--model\"]",
        "[agents.claude]\nargs = [\"{prompt}\"]",
        "[agents.claude]\nfile = { args = [\"-f\", \"{value}\"] }",
        "[agents.claude]\nargs = [",
        "[agents.claude]\nprovenance = { nothing = { read = \"x\" } }",
        "[[agents.claude.signals]]\nmeans = \"angry\"",
    ];
    insta::assert_snapshot!(cases.map(told).join("\n---\n"));
}

#[test]
fn an_unreadable_text_leaves_a_span() {
    let error = Catalogue::builtin().with_user("[agents.claude]\nprogramm = \"x\"").expect_err("refused");
    let CatalogueError::Unreadable(error) = error else { panic!("{error}") };
    assert_eq!(error.span(), Some(16..24));
}

#[test]
fn versions_are_read_from_what_the_programs_print() {
    let catalogue = Catalogue::builtin();
    let check = |agent: &str, printed: &str, expected: Option<&str>| {
        let version = catalogue.get(agent).expect("an entry").version.clone().expect("a version");
        assert_eq!(version.read(printed), expected, "{agent}");
    };
    check("claude", "2.1.197 (Claude Code)\n", Some("2.1.197"));
    check("codex", "WARNING: x\ncodex-cli 0.166.0\n", Some("0.166.0"));
    check("gemini", "0.61.0\n", Some("0.61.0"));
    check("gemini", "command not found\n", None);
}
