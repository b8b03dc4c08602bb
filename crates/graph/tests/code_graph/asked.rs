//! What a graph answers.

use ralph_graph::{Graph, How, Node, Reach, Relation, tokens};

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
    assert_eq!(order.iter().filter(|one| one.3 == How::Imported).count(), 2, "{order:?}");
    let twice: Vec<(How, u32)> = graph
        .named("twice")
        .into_iter()
        .flat_map(|id| graph.references(id))
        .map(|one| (one.how, one.others))
        .collect();
    assert_eq!(twice, [(How::Ambiguous, 1), (How::Ambiguous, 1)], "each is a candidate");
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
