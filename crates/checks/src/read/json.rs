//! Documents on one line: cargo's and rustc's messages, `go test -json`, eslint's report.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use super::go::{Ending, How, Package};
use super::sink::{Complaint, Severity, Sink};
use crate::tool::Tool;

/// Packages that `go test -json` runs at the same time.
const MOST_PACKAGES: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Documents {
    packages: HashMap<String, Package>,
    /// What a build says comes in pieces.
    colons: Option<super::colons::Colons>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "$message_type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "Action")]
    action: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct CargoMessage<'a> {
    #[serde(borrow)]
    message: Diagnostic<'a>,
}

#[derive(Deserialize)]
struct Diagnostic<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
    #[serde(borrow)]
    level: Cow<'a, str>,
    #[serde(borrow)]
    code: Option<Code<'a>>,
    #[serde(borrow, default)]
    spans: Vec<Span<'a>>,
}

#[derive(Deserialize)]
struct Code<'a> {
    #[serde(borrow)]
    code: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Span<'a> {
    #[serde(borrow)]
    file_name: Cow<'a, str>,
    line_start: u32,
    column_start: u32,
    is_primary: bool,
    #[serde(borrow)]
    label: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoEvent<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
    #[serde(borrow, default)]
    package: Cow<'a, str>,
    #[serde(borrow, default)]
    test: Cow<'a, str>,
    #[serde(borrow, default)]
    output: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LintedFile<'a> {
    #[serde(borrow)]
    file_path: Cow<'a, str>,
    #[serde(borrow)]
    messages: Vec<LintMessage<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LintMessage<'a> {
    #[serde(borrow)]
    rule_id: Option<Cow<'a, str>>,
    severity: u8,
    #[serde(borrow)]
    message: Cow<'a, str>,
    line: Option<u32>,
    column: Option<u32>,
}

impl Documents {
    /// Whether the line is a document that is understood.
    pub(super) fn line(&mut self, line: &[u8], out: &mut Sink<'_>) -> bool {
        if line.starts_with(b"[") {
            return eslint(line, out);
        }
        let Ok(kind) = serde_json::from_slice::<Line<'_>>(line) else { return false };
        if kind.reason.as_deref() == Some("compiler-message") {
            if let Ok(message) = serde_json::from_slice::<CargoMessage<'_>>(line) {
                rustc(&message.message, out);
            }
        } else if kind.kind.as_deref() == Some("diagnostic") {
            if let Ok(message) = serde_json::from_slice::<Diagnostic<'_>>(line) {
                rustc(&message, out);
            }
        } else if kind.action.is_some() {
            let Ok(event) = serde_json::from_slice::<GoEvent<'_>>(line) else { return false };
            self.go(&event, out);
        } else {
            return kind.reason.is_some();
        }
        true
    }

    pub(super) fn end(&mut self, out: &mut Sink<'_>) {
        let mut left: Vec<_> = self.packages.drain().collect();
        left.sort_by(|one, other| one.0.cmp(&other.0));
        for (name, mut package) in left {
            package.close(&name, Ending::Failed, out);
        }
    }

    fn go(&mut self, event: &GoEvent<'_>, out: &mut Sink<'_>) {
        if event.action == "build-output" {
            let colons = self.colons.get_or_insert_with(|| super::colons::Colons::new(Some(Tool::Go)));
            return super::Format::line(colons, event.output.trim_end(), out);
        }
        let is_known = self.packages.contains_key(event.package.as_ref());
        if !is_known && self.packages.len() >= MOST_PACKAGES {
            return;
        }
        let package = self.packages.entry(event.package.to_string()).or_default();
        let how = match event.action.as_ref() {
            "pass" => How::Passed,
            "fail" => How::Failed,
            "skip" => How::Skipped,
            "run" => return package.began(&event.test),
            "output" => return go_output(package, event),
            _ => return,
        };
        if !event.test.is_empty() {
            return package.ended(&event.test, how);
        }
        let ending = if how == How::Failed { Ending::Failed } else { Ending::Passed };
        if let Some(mut package) = self.packages.remove(event.package.as_ref()) {
            package.close(&event.package, ending, out);
        }
    }
}

/// What a test printed, without the lines about it.
fn go_output(package: &mut Package, event: &GoEvent<'_>) {
    let line = event.output.trim_end();
    let is_about = line.trim_start().starts_with("--- ") || line.starts_with("=== ");
    if !event.test.is_empty() && !is_about {
        package.say(&event.test, line);
    }
}

fn rustc(diagnostic: &Diagnostic<'_>, out: &mut Sink<'_>) {
    let severity = match diagnostic.level.as_ref() {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return,
    };
    // Those without a place only sum up the others.
    let Some(span) = diagnostic.spans.iter().find(|span| span.is_primary) else { return };
    let code = diagnostic.code.as_ref().map_or("", |code| code.code.as_ref());
    // As text, only the compiler's own codes are shown.
    let code = if code.starts_with('E') { code } else { "" };
    out.complaint(
        Tool::Rustc,
        &Complaint {
            severity,
            file: &span.file_name,
            line: Some(span.line_start),
            column: Some(span.column_start),
            code,
            message: &diagnostic.message,
            more: span.label.as_deref().unwrap_or_default(),
        },
    );
}

fn eslint(line: &[u8], out: &mut Sink<'_>) -> bool {
    let Ok(files) = serde_json::from_slice::<Vec<LintedFile<'_>>>(line) else { return false };
    for file in &files {
        for message in &file.messages {
            let severity = if message.severity >= 2 { Severity::Error } else { Severity::Warning };
            out.complaint(
                Tool::Eslint,
                &Complaint {
                    severity,
                    file: &file.file_path,
                    line: message.line,
                    column: message.column,
                    code: message.rule_id.as_deref().unwrap_or_default(),
                    message: &message.message,
                    more: "",
                },
            );
        }
    }
    true
}
