//! What no client would send: it is refused, and the server neither fails nor stays.

use std::io::{Read, Write};
use std::process::{ChildStdin, Output, Stdio};
use std::time::Duration;

use ralph_testkit::{Project, until};
use serde_json::{Value, json};

use crate::project;

const PATIENCE: Duration = Duration::from_secs(20);

/// A server that was sent this until its input was closed.
fn sent(project: &Project, args: &[&str], feed: impl FnOnce(&mut ChildStdin)) -> Output {
    let mut command = project.command(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes).map(|_| bytes)
    });
    feed(&mut input);
    drop(input);
    let status = until(PATIENCE, "the server to end", || child.try_wait().unwrap());
    let mut stderr = Vec::new();
    child.stderr.take().unwrap().read_to_end(&mut stderr).unwrap();
    Output { status, stdout: reader.join().unwrap().unwrap(), stderr }
}

fn line(input: &mut ChildStdin, message: &Value) {
    writeln!(input, "{message}").unwrap();
}

fn begin(input: &mut ChildStdin) {
    let info = json!({ "name": "raw", "version": "0" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    line(input, &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
    line(input, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
}

fn request(input: &mut ChildStdin, id: u32, method: &str, params: Value) {
    line(input, &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
}

/// The answers by their ids; every line of the output is one message.
fn answers(out: &Output) -> Vec<(Value, Value)> {
    let text = String::from_utf8(out.stdout.clone()).unwrap();
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    messages.map(|message| (message["id"].clone(), message)).collect()
}

fn answer(out: &Output, id: u32) -> Value {
    let found = answers(out).into_iter().find(|(of, _)| *of == json!(id));
    found.unwrap_or_else(|| panic!("no answer to {id} in {out:?}")).1
}

fn is_calm(out: &Output) {
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(!err.contains("panicked"), "{err}");
}

#[test]
fn garbage_is_passed_over_and_what_comes_after_it_is_answered() {
    let project = project();
    for args in [&["mcp"][..], &["mcp", "--operator"]] {
        let out = sent(&project, args, |input| {
            begin(input);
            for garbage in [
                &b"garbage"[..],
                b"\xff\xfe\0\x01",
                b"",
                b"[",
                b"{}",
                b"[]",
                b"null",
                b"{\"jsonrpc\":\"1.0\"}",
            ] {
                input.write_all(garbage).unwrap();
                input.write_all(b"\n").unwrap();
            }
            line(input, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "none" }));
            request(input, 2, "no/such/method", json!({}));
            request(input, 3, "tools/call", json!({ "name": "no_such_tool" }));
            request(input, 4, "tools/call", json!({ "name": "status", "arguments": { "surplus": [] } }));
            let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
            writeln!(input, "{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\",\"params\":{deep}}}")
                .unwrap();
            request(input, 6, "tools/list", json!({}));
        });
        assert!(out.status.success(), "{out:?}");
        is_calm(&out);
        assert_eq!(answer(&out, 2)["error"]["code"], -32601, "{args:?}");
        assert_eq!(answer(&out, 3)["error"]["code"], -32602, "{args:?}");
        let fourth = answer(&out, 4);
        assert!(fourth["error"]["code"] == -32602 || fourth["result"]["isError"] == true, "{fourth}");
        assert!(answer(&out, 6)["result"]["tools"].is_array(), "{args:?}");
        assert_eq!(answer(&out, 1)["error"]["code"], -32602, "{args:?}");
    }
}

#[test]
fn a_line_without_end_costs_no_memory_and_the_next_is_answered() {
    let project = project();
    let out = sent(&project, &["mcp"], |input| {
        begin(input);
        let piece = vec![b'x'; 1 << 20];
        (0..64).for_each(|_| input.write_all(&piece).unwrap());
        input.write_all(b"\n").unwrap();
        request(input, 1, "tools/list", json!({}));
    });
    is_calm(&out);
    assert!(answer(&out, 1)["result"]["tools"].is_array());
}

#[test]
fn whoever_never_begins_is_let_go() {
    let project = project();
    let silent = sent(&project, &["mcp"], |_| {});
    assert!(silent.status.success() && silent.stdout.is_empty(), "{silent:?}");
    let impatient = sent(&project, &["mcp"], |input| request(input, 1, "tools/list", json!({})));
    is_calm(&impatient);
    assert!(answer(&impatient, 1)["error"].is_object());
    let cut = sent(&project, &["mcp"], |input| input.write_all(b"{\"jsonrpc\":").unwrap());
    is_calm(&cut);
    assert!(cut.status.success() && cut.stdout.is_empty(), "{cut:?}");
}
