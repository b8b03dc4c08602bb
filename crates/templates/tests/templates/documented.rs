//! The published page lists the variables there are.

use std::fmt::Write;
use std::path::Path;

use ralph_templates::{NAMES, VARIABLES};

const BEGIN: &str = "<!-- variables: made from crates/templates/src/variables.rs, `RALPH_BLESS=1 cargo test -p ralph-templates` -->\n";
const END: &str = "<!-- end of variables -->\n";

fn table() -> String {
    let mut text = "| variable | holds | what |\n|---|---|---|\n".to_owned();
    for variable in VARIABLES {
        let field = &variable.field;
        let own = if variable.shared { "" } else { " ¹" };
        writeln!(text, "| `{}`{own} | {} | {} |", field.name, field.shape.name(), variable.about).unwrap();
    }
    text.push_str("\n¹ ralph-tui has no such variable.\n\n");
    for variable in VARIABLES.iter().filter(|variable| !variable.field.shape.fields().is_empty()) {
        let fields = variable.field.shape.fields().iter().map(|field| format!("`{}`", field.name));
        let below = fields.collect::<Vec<_>>().join(", ");
        writeln!(text, "- `{}`: {below}", variable.field.name).unwrap();
    }
    text
}

#[test]
fn the_page_lists_every_variable_and_every_name() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/templates.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let current = format!("{before}{BEGIN}\n{}\n{END}{after}", table());
    if std::env::var_os("RALPH_BLESS").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page == current, "{} is stale: run the tests with RALPH_BLESS=1", path.display());
    for name in NAMES {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
