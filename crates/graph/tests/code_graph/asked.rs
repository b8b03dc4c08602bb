//! What a graph answers.

use ralph_graph::{Graph, How, Node, Reach, Relation, SymbolId, tokens};

use crate::project::Project;

fn shop() -> Graph {
    let project = Project::new(&[
        ("src/lib.rs", "mod price;\nmod order;\nmod log;\n"),
        (
            "src/price.rs",
            "pub struct Price;\nimpl Price {\n    pub fn sum(&self) -> u64 { round() }\n}\nfn round() -> u64 { 1 }\n",
        ),
        (
            "src/order.rs",
            "use crate::price::Price;\npub fn order() -> u64 { Price::sum(&Price) }\npub fn send() { order(); crate::log::log(); }\n",
        ),
        ("src/log.rs", "pub fn log() {}\n"),
        ("src/other/a.rs", "pub fn twice() {}\n"),
        ("src/other/b.rs", "pub fn twice() {}\n"),
        ("src/other/c.rs", "pub fn asks() { twice(); }\n"),
    ]);
    project.update().0
}

fn names(graph: &Graph, nodes: &[Node]) -> Vec<String> {
    let name = |node: &Node| match node {
        Node::Symbol(id) => graph.symbol(*id).qualified(),
        Node::File(id) => graph.path(*id).to_owned(),
    };
    nodes.iter().map(name).collect()
}

#[test]
fn things_are_found_as_people_call_them() {
    let graph = shop();
    let found = |text: &str| names(&graph, &graph.find(text));
    assert_eq!(found("src/log.rs"), ["src/log.rs"]);
    assert_eq!(found("Price::sum"), ["Price::sum"]);
    assert_eq!(found("Price.sum"), ["Price::sum"]);
    assert_eq!(found("sum"), ["Price::sum"]);
    assert_eq!(found("Other::sum"), Vec::<String>::new());
    assert_eq!(found("src/price.rs:3"), ["Price::sum"]);
    assert_eq!(found("src/other/b.rs:twice").len(), 1);
    assert_eq!(found("twice").len(), 2);
    assert_eq!(found("src/price.rs:99"), Vec::<String>::new());
    assert_eq!(found(""), Vec::<String>::new());
}

#[test]
fn references_say_where_from_and_how_sure() {
    let graph = shop();
    let told = |name: &str| -> Vec<(String, u32, Relation, How)> {
        let references = graph.named(name).into_iter().flat_map(|id| graph.references(id));
        references.map(|one| (graph.path(one.file).to_owned(), one.line, one.relation, one.how)).collect()
    };
    assert_eq!(told("round"), [("src/price.rs".to_owned(), 3, Relation::Calls, How::SameFile)]);
    assert_eq!(told("sum"), [("src/order.rs".to_owned(), 2, Relation::Calls, How::Qualified)]);
    assert_eq!(told("log"), [("src/order.rs".to_owned(), 3, Relation::Calls, How::Qualified)]);
    let order = told("Price");
    let imported: Vec<(u32, Relation)> =
        order.iter().filter(|one| one.3 == How::Imported).map(|one| (one.1, one.2)).collect();
    assert_eq!(
        imported,
        [(1, Relation::Imports), (2, Relation::References), (2, Relation::References)],
        "{order:?}"
    );
    let twice: Vec<(How, u32)> = graph
        .named("twice")
        .into_iter()
        .flat_map(|id| graph.references(id))
        .map(|one| (one.how, one.others))
        .collect();
    assert_eq!(twice, [(How::Ambiguous, 1), (How::Ambiguous, 1)], "each is a candidate");
}

#[test]
fn symbols_that_are_asked_for_together_have_the_references_that_each_has_alone() {
    for language in ["rust", "typescript", "javascript", "python", "cpp", "csharp"] {
        let graph = Project::fixture(language).update().0;
        let mut all: Vec<SymbolId> = graph.symbols().map(|symbol| symbol.id).collect();
        all.reverse();
        let alone: Vec<_> = all.iter().map(|id| graph.references(*id)).collect();
        assert!(alone.iter().any(|references| references.len() > 1), "{language}");
        assert_eq!(graph.references_to(&all), alone, "{language}");
    }
}

#[test]
fn an_impact_goes_through_others_and_fades() {
    let graph = shop();
    let affected = graph.impact(&graph.find("round"), Reach::default());
    let nodes: Vec<Node> = affected.iter().map(|one| one.node).collect();
    assert_eq!(names(&graph, &nodes), ["Price::sum", "order", "send"]);
    assert_eq!(affected.iter().map(|one| one.depth).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(affected.windows(2).all(|pair| pair[0].sure >= pair[1].sure));

    let near = graph.impact(&graph.find("round"), Reach { depth: 1, ..Reach::default() });
    assert_eq!(near.len(), 1);
    let sure = graph.impact(&graph.find("src/other/a.rs"), Reach { least: 0.4, ..Reach::default() });
    assert_eq!(sure, [], "half of a maybe is not sure enough");

    let of_file = graph.impact(&graph.find("src/price.rs"), Reach::default());
    let nodes: Vec<Node> = of_file.iter().map(|one| one.node).collect();
    assert_eq!(
        names(&graph, &nodes),
        ["order", "src/order.rs", "Price::sum", "send"]
            .map(str::to_owned)
            .into_iter()
            .filter(|name| name != "Price::sum")
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_map_keeps_to_its_budget_and_to_its_focus() {
    let graph = shop();
    for budget in [0, 5, 20, 60, 10_000] {
        let map = graph.map(&[], budget);
        let lines = map.files.iter().map(|(file, symbols)| {
            let lines =
                symbols.iter().map(|one| tokens(&ralph_graph::map_line(&graph, one.symbol))).sum::<usize>();
            tokens(&ralph_graph::map_head(graph.path(*file))) + lines
        });
        assert_eq!(map.tokens, lines.sum::<usize>());
        assert!(map.tokens <= budget);
    }
    let first = |focus: &str| {
        let map = graph.map(&graph.find(focus), 10_000);
        graph.path(map.files[0].0).to_owned()
    };
    assert_eq!(first("src/other/b.rs"), "src/other/b.rs");
    assert_eq!(first("log"), "src/log.rs");
    assert_eq!(graph.map(&[], 10_000).left_out, 0);
}

#[test]
fn what_is_imported_from_elsewhere_is_not_ours() {
    let project = Project::new(&[
        ("crates/store/src/lib.rs", "mod path;\npub use path::Path;\n"),
        ("crates/store/src/path.rs", "pub struct Path;\nimpl Path {\n    pub fn new() -> Path { Path }\n}\n"),
        ("crates/a/src/lib.rs", "use std::path::Path;\npub fn a(at: &Path) { Path::new(\"x\"); }\n"),
        ("crates/b/src/lib.rs", "use shop_store::Path;\npub fn b(at: &Path) {}\n"),
        ("web/price.ts", "export class Price {}\n"),
        ("web/mine.ts", "import { Price } from './price'\nexport const one = new Price()\n"),
        ("web/theirs.ts", "import { Price } from 'money'\nexport const two = new Price()\n"),
    ]);
    let graph = project.update().0;
    let used = |name: &str| -> Vec<&str> {
        let from = graph.named(name).into_iter().flat_map(|id| graph.references(id));
        from.map(|one| graph.path(one.file)).collect()
    };
    let path = used("Path");
    assert!(!path.contains(&"crates/a/src/lib.rs"), "{path:?}");
    assert!(path.contains(&"crates/b/src/lib.rs"), "a crate called after its folder: {path:?}");
    assert!(!used("new").contains(&"crates/a/src/lib.rs"));
    let price = used("Price");
    assert!(price.contains(&"web/mine.ts") && !price.contains(&"web/theirs.ts"), "{price:?}");
}

#[test]
fn a_hundred_guesses_are_no_fame() {
    let mut files = vec![
        ("src/lib.rs".to_owned(), "mod many;\nmod heart;\n".to_owned()),
        ("src/many.rs".to_owned(), "pub struct Many;\nimpl Many {\n    pub fn len(&self) {}\n}\n".to_owned()),
        ("src/heart.rs".to_owned(), "pub fn heart() {}\n".to_owned()),
    ];
    for at in 0..100 {
        let call = if at < 40 { "crate::heart::heart();" } else { "" };
        files.push((format!("src/one_{at}.rs"), format!("pub fn f{at}(v: &[u8]) {{ v.len(); {call} }}\n")));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let graph = Project::new(&files).update().0;
    assert_eq!(graph.path(graph.map(&[], 10_000).files[0].0), "src/heart.rs");
}

#[test]
fn a_definition_keeps_its_digest_when_it_moves_and_loses_it_when_it_changes() {
    let text = "struct A;\nimpl A {\n    fn one(&self) {}\n    fn two(&self) {}\n}\nfn f() {}\n#[cfg(x)]\nfn f() { 1; }\n";
    let project = Project::new(&[("a.rs", text), ("b.rs", "fn f() {}\n")]);
    let before = project.update().0;
    let names: Vec<String> = before.definitions("a.rs").into_iter().map(|one| one.symbol).collect();
    assert_eq!(names, ["A", "A::one", "A::two", "f"], "two of one name are one");
    assert_eq!(before.definitions("none.rs"), []);

    project.write("a.rs", format!("// Moved.\n{}", text.replace("fn two(&self) {}", "fn two(&self) { 2; }")));
    let after = project.update().0;
    let same = |symbol: &str| before.definition(symbol, "a.rs") == after.definition(symbol, "a.rs");
    assert!(same("A::one") && same("f") && same("A") && !same("A::two"));
    project.write("a.rs", text.replace("1;", "3;"));
    let third = project.update().0;
    assert_ne!(before.definition("f", "a.rs"), third.definition("f", "a.rs"), "the second of the name");
    assert_eq!(before.definition("f", "b.rs"), third.definition("f", "b.rs"));

    // What is no longer in its file is looked for elsewhere.
    let elsewhere = after.definition("f", "gone.rs");
    assert_eq!(elsewhere.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["a.rs", "b.rs"]);
    assert_eq!(after.definition("one", "a.rs"), [], "without its container it is another");
}

#[test]
fn changed_lines_are_those_of_the_innermost_symbol() {
    let text = "class A:\n    x = 1\n\n    def one(self):\n        return 1\n\n    def two(self):\n        def inner():\n            pass\n        return inner\n\ndef last():\n    pass\n";
    let graph = Project::new(&[("a.py", text)]).update().0;
    let at = |lines: &[(u32, u32)]| -> Vec<String> {
        let lines: Vec<_> = lines.iter().map(|(first, last)| *first..=*last).collect();
        graph.definitions_at("a.py", &lines).into_iter().map(|one| one.symbol).collect()
    };
    assert_eq!(at(&[(2, 2)]), ["A"]);
    assert_eq!(at(&[(4, 5)]), ["A.one"]);
    assert_eq!(at(&[(5, 7)]), ["A", "A.one", "A.two"], "the line between them is the class's");
    assert_eq!(at(&[(9, 9)]), ["A.two.inner"]);
    assert_eq!(at(&[(10, 10), (13, 99)]), ["A.two", "last"]);
    assert_eq!(at(&[(11, 11), (50, 60)]), Vec::<String>::new());
    assert_eq!(at(&[(1, u32::MAX)]), ["A", "A.one", "A.two", "A.two.inner", "last"]);
}

#[test]
fn what_is_near_fades_with_every_step_and_is_bounded() {
    let graph = shop();
    let near = graph.near(&graph.find("Price::sum"), 100);
    assert!(!near.contains_key("Price::sum"), "{near:?}");
    assert!(near["round"] > near["send"] && near["order"] > near["send"], "both ways: {near:?}");
    assert!(near["src/price.rs"] > near["src/log.rs"], "{near:?}");
    assert!(near.values().all(|value| (0.0..1.0).contains(value)));
    assert!(!near.contains_key("twice") && !near.contains_key("src/other/a.rs"), "{near:?}");
    let two = graph.near(&graph.find("Price::sum"), 2);
    assert_eq!(two.len(), 2);
    assert!(two.iter().all(|(name, value)| near[name] == *value));
    assert!(graph.near(&[], 10).is_empty());
}

#[test]
fn the_symbols_of_a_file_are_told_with_what_they_are_tied_to() {
    let graph = shop();
    let files: Vec<_> = ["src/order.rs"].iter().filter_map(|path| graph.file(path)).collect();
    let told = graph.scope(&files, 10_000);
    assert_eq!(
        told.text,
        "src/order.rs\n  2: pub fn order() -> u64\n      calls Price::sum (src/price.rs:3)\n      called by send (src/order.rs:3)\n  3: pub fn send()\n      calls order (src/order.rs:2), log (src/log.rs:1)\n"
    );
    assert_eq!((told.symbols, told.left_out), (2, 0));
    let lines: usize = told.text.lines().map(|line| tokens(&format!("{line}\n"))).sum();
    assert_eq!(told.tokens, lines);
    let little = graph.scope(&files, lines - 1);
    assert_eq!((little.symbols, little.left_out), (1, 1));
    assert!(little.tokens < lines);
    assert_eq!(graph.scope(&files, 3).text, "");
    assert_eq!(graph.scope(&[], 100).text, "");
}
