//! Who says what notes mean, from what the layers say together.

use super::Written;
use crate::settings::vectors::{By, Vectors};

const OWN: &str =
    "[memory.vectors]\nendpoint = \"https://own.invalid/v1\"\nmodel = \"m\"\nkey_env = \"OWN_KEY\"\n";

fn resolved(user: &str, project: &str, env: &[(&str, &str)]) -> Result<Option<Vectors>, String> {
    let written = Written { user: user.to_owned(), project: project.to_owned(), ..Written::env(env) };
    written.settings().map(|settings| settings.vectors).map_err(|problems| problems.to_string())
}

fn named(vectors: Option<Vectors>) -> String {
    match vectors.map(|vectors| vectors.by) {
        None => "none".to_owned(),
        Some(By::Table(path)) => path.display().to_string(),
        Some(By::Keyless { variable }) => format!("no {variable}"),
        Some(By::Endpoint(model)) => {
            format!(
                "{} {}{}",
                model.address,
                model.name,
                if model.key.is_some() { " with a key" } else { "" }
            )
        }
    }
}

#[test]
fn one_of_both_is_chosen_and_a_key_goes_to_no_other_endpoint() {
    let key = [("OWN_KEY", "k-123")];
    let off = [("OWN_KEY", "k-123"), ("RALPH_SET_MEMORY__VECTORS__USE", "off")];
    let elsewhere = "[memory.vectors]\nendpoint = \"https://project.invalid/v1\"\n";
    for (user, project, env, expected) in [
        ("", "", &key[..], "none"),
        (OWN, "", &key, "https://own.invalid/v1 m with a key"),
        (OWN, "", &[], "no OWN_KEY"),
        (OWN, elsewhere, &key, "https://project.invalid/v1 m"),
        (OWN, "[memory.vectors]\ntable = \"~/words.vec\"\n", &key, "/home/ralph/words.vec"),
        (OWN, "[memory.vectors]\nuse = \"off\"\n", &key, "none"),
        (OWN, "", &off, "none"),
    ] {
        assert_eq!(named(resolved(user, project, env).unwrap()), expected, "{user} {project}");
    }
}

#[test]
fn what_does_not_go_together_is_told_with_what_to_do() {
    for (text, what) in [
        (
            "endpoint = \"https://x.invalid\"\nmodel = \"m\"\ntable = \"/t\"\n",
            "names both an endpoint and a table",
        ),
        ("endpoint = \"https://x.invalid\"\n", "and no model"),
        ("use = \"table\"\n", "no table is named"),
        ("use = \"endpoint\"\ntable = \"/t\"\n", "no endpoint is named"),
        ("use = \"magic\"\n", "is nothing that has vectors"),
        ("endpoint = \"http://example.com\"\nmodel = \"m\"\n", "in the clear"),
        ("key_env = \"sk-123-456\"\n", "not the name of an environment variable"),
        ("table = \"words.vec\"\n", "not an absolute path"),
        ("timeout = 2\n", "has no unit"),
        ("batch = 0\n", "0 is refused"),
        ("colour = 1\n", "unknown key `memory.vectors.colour`"),
    ] {
        let told = resolved("", &format!("[memory.vectors]\n{text}"), &[]).unwrap_err();
        assert!(told.contains(what), "no {what:?} in {told}");
        assert!(told.contains("next: ") && told.contains("config.toml:"), "{told}");
    }
    let told = resolved("", "[memory]\nvectors = true\n", &[]).unwrap_err();
    assert!(told.contains("write the heading [memory.vectors]"), "{told}");
}
