//! Files that nobody wrote for people: nothing hangs, nothing panics, and what is left out is named.

use std::time::{Duration, Instant};

use ralph_graph::{Options, Skipped};

use crate::project::{Project, options};

/// Deep enough for anything that goes down by calling itself to run out of stack.
const DEEP: usize = 50_000;

fn endings() -> [&'static str; 13] {
    ["rs", "py", "ts", "tsx", "js", "go", "java", "c", "cpp", "cs", "rb", "php", "sh"]
}

#[test]
fn deep_nesting_and_noise_are_survived_in_every_language() {
    let project = Project::new(&[]);
    // With line breaks, so that they are not taken for minified and left out before anything is tried.
    let shapes = [
        "(\n".repeat(DEEP),
        "{\n".repeat(DEEP),
        "f(\n[".repeat(DEEP),
        "function f() {\n".repeat(2_000),
        "class A {\n fn f() {\n".repeat(2_000),
        "if (x) {\n a.b(\n".repeat(5_000),
        "\"\n'\n`\n/*\n".repeat(5_000),
        "a.b::c->d\n".repeat(20_000),
        "\\\n\r\u{2028}\u{feff}\u{202e}ä\u{0301}\n".repeat(3_000),
    ];
    for ending in endings() {
        let head = if ending == "php" { "<?php\n" } else { "" };
        for (at, shape) in shapes.iter().enumerate() {
            project.write(&format!("{at}.{ending}"), format!("{head}{shape}"));
        }
    }
    let limited = Options { patience: Duration::from_millis(500), ..options() };
    let begun = Instant::now();
    let (graph, report) = project.update_with(&limited);
    assert_eq!(report.files, endings().len() * shapes.len());
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
    // All questions, over all of it.
    let map = graph.map(&[], 1_000);
    assert!(map.tokens <= 1_000);
    let all: Vec<_> = graph.symbols().map(|symbol| symbol.id).collect();
    for id in all.iter().take(20) {
        graph.references(*id);
        graph.impact(&[ralph_graph::Node::Symbol(*id)], ralph_graph::Reach::default());
    }
}

#[test]
fn what_is_no_source_is_left_out_with_the_reason() {
    let project = Project::new(&[]);
    project.write("binary.rs", b"fn a() {}\0\x01\x02");
    project.write("large.rs", "// x\n".repeat(300_000));
    project.write("minified.js", format!("var a={{{}}};", "b:function(){return 1},".repeat(1_000)));
    project.write("sound.rs", "fn sound() {}");
    let (graph, report) = project.update();
    let skipped: Vec<(&str, Skipped)> =
        report.skipped.iter().map(|(path, why)| (path.as_str(), *why)).collect();
    let expected =
        [("binary.rs", Skipped::Binary), ("large.rs", Skipped::TooLarge), ("minified.js", Skipped::Minified)];
    assert_eq!(skipped, expected);
    assert_eq!(graph.symbol_count(), 1);
}

#[test]
fn what_has_no_name_in_utf8_is_named_with_the_reason() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new(&[("sound.rs", "fn sound() {}")]);
    for path in [&b"caf\xe9.rs"[..], b"m\xfcll/inside.py", b"caf\xe9.txt"] {
        let path = project.root().join(std::ffi::OsStr::from_bytes(path));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    for _again in 0..2 {
        let (graph, report) = project.update();
        let reason = |path: &str| (path.to_owned(), Skipped::NotUtf8);
        assert_eq!(report.skipped, [reason("caf\u{fffd}.rs"), reason("m\u{fffd}ll/inside.py")]);
        assert_eq!(graph.symbol_count(), 1);
    }
}

#[test]
fn a_file_that_takes_too_long_is_left_out_and_the_others_are_read() {
    let project = Project::new(&[]);
    project.write("slow.cpp", "template<a<b<c<\n".repeat(40_000));
    let impatient = Options { patience: Duration::from_millis(1), threads: Some(1), ..options() };
    let (_, report) = project.update_with(&impatient);
    assert_eq!(report.skipped, [("slow.cpp".to_owned(), Skipped::TooSlow)]);
    // The parser that gave up is used for the next one.
    project.write("slow2.rs", "fn after() {}");
    assert_eq!(project.update_with(&Options { threads: Some(1), ..impatient }).1.symbols, 1);
}

#[test]
fn text_that_is_no_utf8_still_has_symbols() {
    let project = Project::new(&[]);
    project.write(
        "latin.c",
        b"/* \xe4\xf6\xfc */\nint gr\xf6\xdfe(void) { return 0; }\nint main(void) { return 1; }\n",
    );
    project.write("empty.py", "");
    project.write("bom.py", b"\xef\xbb\xbfdef first():\n    pass\n");
    let (graph, report) = project.update();
    assert_eq!(report.skipped, []);
    let names: Vec<String> = graph.symbols().map(|symbol| symbol.name.to_owned()).collect();
    assert!(names.contains(&"main".to_owned()) && names.contains(&"first".to_owned()), "{names:?}");
}

#[test]
fn one_huge_line_within_a_file_is_bounded() {
    let project = Project::new(&[]);
    let line = format!("const DATA: &[u8] = &[{}];", "0, ".repeat(100_000));
    project.write("data.rs", format!("{line}\nfn after() {{}}\n{}", "// a line\n".repeat(2_000)));
    let (graph, report) = project.update();
    assert_eq!(report.skipped, []);
    let signatures: Vec<&str> = graph.symbols().map(|symbol| symbol.signature).collect();
    assert_eq!(signatures.len(), 2);
    assert!(signatures[0].chars().count() <= 161, "{}", signatures[0].len());
}
