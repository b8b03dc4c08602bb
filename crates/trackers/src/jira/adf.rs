//! The documents in which Jira Cloud keeps descriptions and comments (Atlassian Document Format), as text and from it.

use serde_json::{Value, json};

/// Deeper than anybody writes; what is below is left out.
const DEEPEST: usize = 40;

/// As Markdown, near enough for reading. Jira itself has plain text where it has no document.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Object(_) => blocks(value, 0).trim().to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => String::new(),
    }
}

pub(super) fn document(text: &str) -> Value {
    let paragraph = |text: &str| {
        let mut content = Vec::new();
        for (no, line) in text.split('\n').enumerate() {
            if no > 0 {
                content.push(json!({"type": "hardBreak"}));
            }
            // A text without characters is refused.
            if !line.is_empty() {
                content.push(json!({"type": "text", "text": line}));
            }
        }
        json!({"type": "paragraph", "content": content})
    };
    let paragraphs: Vec<Value> = text.split("\n\n").map(paragraph).collect();
    json!({"type": "doc", "version": 1, "content": paragraphs})
}

fn kind(node: &Value) -> &str {
    node["type"].as_str().unwrap_or_default()
}

fn children(node: &Value) -> impl Iterator<Item = &Value> {
    node["content"].as_array().into_iter().flatten()
}

/// What is in a node, block by block.
fn blocks(node: &Value, depth: usize) -> String {
    if depth > DEEPEST {
        return "…".to_owned();
    }
    let parts: Vec<String> =
        children(node).map(|child| block(child, depth + 1)).filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

fn block(node: &Value, depth: usize) -> String {
    match kind(node) {
        "paragraph" => inline(node, depth),
        "heading" => {
            let level = node["attrs"]["level"].as_u64().unwrap_or(1).clamp(1, 6);
            format!("{} {}", "#".repeat(usize::try_from(level).unwrap_or(1)), inline(node, depth))
        }
        "codeBlock" => {
            let language = node["attrs"]["language"].as_str().unwrap_or_default();
            format!("```{language}\n{}\n```", inline(node, depth))
        }
        "bulletList" => list(node, depth, |_, _| "- ".to_owned()),
        "orderedList" => {
            let first = node["attrs"]["order"].as_u64().unwrap_or(1);
            list(node, depth, |no, _| format!("{}. ", first.saturating_add(no as u64)))
        }
        "taskList" | "decisionList" => list(node, depth, |_, item| {
            let is_done = item["attrs"]["state"].as_str() == Some("DONE");
            (if is_done { "- [x] " } else { "- [ ] " }).to_owned()
        }),
        "blockquote" => indented(&blocks(node, depth), "> ", "> "),
        "rule" => "---".to_owned(),
        "tableRow" => {
            let cells: Vec<String> =
                children(node).map(|cell| blocks(cell, depth + 1).replace('\n', " ")).collect();
            format!("| {} |", cells.join(" | "))
        }
        "table" => {
            let rows: Vec<String> = children(node).map(|row| block(row, depth + 1)).collect();
            rows.join("\n")
        }
        _ if node.get("text").is_some() || is_inline(kind(node)) => word(node),
        _ => blocks(node, depth),
    }
}

fn list(node: &Value, depth: usize, mark: impl Fn(usize, &Value) -> String) -> String {
    if depth > DEEPEST {
        return "…".to_owned();
    }
    let item = |(no, item): (usize, &Value)| {
        // A list within a list stands beside the items, not in one.
        if matches!(kind(item), "taskList" | "bulletList" | "orderedList") {
            return indented(&block(item, depth + 1), "  ", "  ");
        }
        let is_plain = children(item).all(|child| child.get("text").is_some() || is_inline(kind(child)));
        let text = if is_plain { inline(item, depth) } else { blocks(item, depth).replace("\n\n", "\n") };
        let mark = mark(no, item);
        indented(&text, &mark, &" ".repeat(mark.len()))
    };
    children(node).enumerate().map(item).collect::<Vec<_>>().join("\n")
}

fn indented(text: &str, first: &str, others: &str) -> String {
    let line = |(no, line): (usize, &str)| format!("{}{line}", if no == 0 { first } else { others });
    text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}

fn inline(node: &Value, depth: usize) -> String {
    if depth > DEEPEST {
        return "…".to_owned();
    }
    children(node).map(word).collect()
}

fn is_inline(kind: &str) -> bool {
    matches!(kind, "hardBreak" | "mention" | "emoji" | "inlineCard" | "blockCard" | "date" | "status")
}

fn word(node: &Value) -> String {
    let attribute = |name: &str| node["attrs"][name].as_str().unwrap_or_default().to_owned();
    match kind(node) {
        "hardBreak" => "\n".to_owned(),
        "mention" | "status" => attribute("text"),
        "emoji" => {
            Some(attribute("text")).filter(|text| !text.is_empty()).unwrap_or_else(|| attribute("shortName"))
        }
        "inlineCard" | "blockCard" => attribute("url"),
        "date" => attribute("timestamp"),
        _ => {
            let text = node["text"].as_str().unwrap_or_default();
            let marks = node["marks"].as_array().into_iter().flatten();
            marks.fold(text.to_owned(), |text, mark| match kind(mark) {
                "code" => format!("`{text}`"),
                "link" => match mark["attrs"]["href"].as_str() {
                    Some(href) if href != text => format!("{text} ({href})"),
                    Some(_) | None => text,
                },
                _ => text,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{document, text};

    fn paragraph(text: &str) -> Value {
        json!({"type": "paragraph", "content": [{"type": "text", "text": text}]})
    }

    #[test]
    fn a_document_reads_as_text() {
        let item = |content: &[Value]| json!({"type": "listItem", "content": content});
        let nested = json!({"type": "bulletList", "content": [item(&[paragraph("inner")])]});
        let document = json!({"type": "doc", "version": 1, "content": [
            {"type": "heading", "attrs": {"level": 2}, "content": [{"type": "text", "text": "What"}]},
            {"type": "paragraph", "content": [
                {"type": "text", "text": "see ", "marks": [{"type": "strong"}]},
                {"type": "text", "text": "here", "marks": [{"type": "link", "attrs": {"href": "https://x"}}]},
                {"type": "hardBreak"},
                {"type": "text", "text": "a()", "marks": [{"type": "code"}]},
                {"type": "mention", "attrs": {"text": "@ann"}},
            ]},
            {"type": "bulletList", "content": [item(&[paragraph("one"), nested]), item(&[paragraph("two")])]},
            {"type": "orderedList", "attrs": {"order": 3}, "content": [item(&[paragraph("three")])]},
            {"type": "taskList", "content": [
                {"type": "taskItem", "attrs": {"state": "DONE"}, "content": [{"type": "text", "text": "did"}]},
                {"type": "taskItem", "attrs": {"state": "TODO"}, "content": [{"type": "text", "text": "do"}]},
            ]},
            {"type": "codeBlock", "attrs": {"language": "rust"}, "content": [{"type": "text", "text": "fn a() {\n}"}]},
            {"type": "blockquote", "content": [paragraph("q")]},
            {"type": "panel", "content": [paragraph("p")]},
            {"type": "table", "content": [{"type": "tableRow", "content": [
                {"type": "tableHeader", "content": [paragraph("h")]}, {"type": "tableCell", "content": [paragraph("c")]}]}]},
            {"type": "mediaSingle", "content": [{"type": "media", "attrs": {"id": "1"}}]},
        ]});
        let expected = "## What\n\nsee here (https://x)\n`a()`@ann\n\n- one\n  - inner\n- two\n\n3. three\n\n- [x] did\n- [ ] do\n\n\
            ```rust\nfn a() {\n}\n```\n\n> q\n\np\n\n| h | c |";
        assert_eq!(text(&document), expected);
    }

    #[test]
    fn what_is_written_is_read_again() {
        for reason in ["done", "a\nb\n\nc", "it's \"x\"; $(y)\n<!-- [ ] -->\u{202e}", "a\n\n\nb"] {
            assert_eq!(text(&document(reason)), reason);
        }
        assert_eq!(
            document("a\n")["content"][0]["content"],
            json!([{"type": "text", "text": "a"}, {"type": "hardBreak"}])
        );
    }

    #[test]
    fn nothing_is_too_deep_or_too_strange() {
        let mut deep = paragraph("bottom");
        for _ in 0..200 {
            deep = json!({"type": "blockquote", "content": [deep]});
        }
        let told = text(&json!({"type": "doc", "content": [deep]}));
        assert!(told.ends_with('…') && told.len() < 200, "{}", told.len());
        let mut deep = paragraph("bottom");
        for _ in 0..60 {
            deep = json!({"type": "bulletList", "content": [{"type": "listItem", "content": [deep]}]});
        }
        assert!(text(&json!({"type": "doc", "content": [deep]})).ends_with('…'));
        for strange in [
            json!(null),
            json!(7),
            json!([]),
            json!({}),
            json!({"content": 1}),
            json!({"content": [1, null, []]}),
        ] {
            assert_eq!(text(&strange), "");
        }
    }
}
