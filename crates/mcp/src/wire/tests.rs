//! What a client says, and every line that it gets.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::Wire;
use crate::serve::served;
use crate::tool::{Answer, Tool};

#[derive(Deserialize, JsonSchema)]
struct Numbered {
    number: u32,
}

/// A tool that writes numbers down, the first the slowest.
fn writing(written: &Arc<Mutex<Vec<u32>>>) -> Tool {
    let written = written.clone();
    Tool::new("write", "writes", move |Numbered { number }| {
        std::thread::sleep(Duration::from_millis(u64::from(20u32.saturating_sub(number))));
        written.lock().unwrap().push(number);
        Ok(Answer::Words(number.to_string()))
    })
}

fn begun(version: &str) -> Vec<Value> {
    let info = json!({ "name": "raw", "version": "0" });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": info });
    vec![
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ]
}

fn call(id: u32, number: u32) -> Value {
    let params = json!({ "name": "write", "arguments": { "number": number } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// All that is answered to these, after the answer to the beginning, and what was written down.
#[tokio::main(flavor = "current_thread")]
async fn played(version: &str, lines: &[Value]) -> (Vec<Value>, Vec<u32>) {
    let written = Arc::new(Mutex::new(Vec::new()));
    let (client, server) = tokio::io::duplex(1 << 20);
    let (read, write) = tokio::io::split(server);
    let (mut from, mut to) = tokio::io::split(client);
    let sent: String = begun(version).iter().chain(lines).map(|line| format!("{line}\n")).collect();
    to.write_all(sent.as_bytes()).await.unwrap();
    to.shutdown().await.unwrap();
    served(vec![writing(&written)], "0", "", Wire::new(read, write)).await.unwrap();
    let mut text = String::new();
    from.read_to_string(&mut text).await.unwrap();
    let mut answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.remove(0)["id"], 0);
    let written = written.lock().unwrap().clone();
    (answers, written)
}

fn codes(answers: &[Value]) -> Vec<(Value, Value)> {
    let code = |answer: &Value| (answer["id"].clone(), answer["error"]["code"].clone());
    answers.iter().map(code).collect()
}

#[test]
fn a_request_that_is_none_is_answered_with_its_id() {
    let lines = [
        json!({ "jsonrpc": "2.0", "id": 24, "method": "tools/call", "params": [1] }),
        json!({ "jsonrpc": "2.0", "id": "25", "method": "tools/call" }),
        json!({ "jsonrpc": "1.0", "id": 26, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": 27, "method": "tools/call", "params": { "name": "write", "arguments": 3 } }),
        json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": 28, "method": 5 }),
        json!({ "jsonrpc": "2.0", "id": 29 }),
        json!({ "jsonrpc": "1.0", "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": 30, "result": 3 }),
        json!({ "jsonrpc": "2.0", "method": "notifications/nonsense", "params": [1] }),
        json!([]),
        json!(null),
    ];
    let (answers, _) = played("2025-11-25", &lines);
    let expected = [
        (json!(24), json!(-32602)),
        (json!("25"), json!(-32602)),
        (json!(26), json!(-32600)),
        (json!(27), json!(-32602)),
        (json!(1.5), json!(-32600)),
        (json!(28), json!(-32600)),
        (json!(29), json!(-32600)),
        (Value::Null, json!(-32600)),
        (Value::Null, json!(-32600)),
    ];
    assert_eq!(codes(&answers), expected);
}

#[test]
fn an_unknown_method_is_still_no_method() {
    let (answers, _) =
        played("2025-11-25", &[json!({ "jsonrpc": "2.0", "id": 1, "method": "no/such", "params": {} })]);
    assert_eq!(codes(&answers), [(json!(1), json!(-32601))]);
}

#[test]
fn a_list_of_messages_is_answered_as_a_list_with_every_id() {
    let list = json!([
        call(1, 1),
        { "jsonrpc": "2.0", "id": 2, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": 1, "progress": 1 } },
        { "jsonrpc": "1.0", "id": 3, "method": "ping" },
        "nonsense",
    ]);
    let only_told = json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]);
    let too_many = Value::Array(vec![json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" }); 101]);
    let (answers, written) = played("2025-03-26", &[list, only_told, too_many]);
    assert_eq!(written, [1]);
    let (many, few): (Vec<Value>, Vec<Value>) =
        answers.into_iter().partition(|list| list.as_array().is_some_and(|list| list.len() == 101));
    assert!(
        many.len() == 1
            && codes(many[0].as_array().unwrap()).iter().all(|one| *one == (json!(9), json!(-32600)))
    );
    let [Value::Array(list)] = &few[..] else { panic!("{few:?}") };
    let mut ids: Vec<String> = list.iter().map(|answer| answer["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["1", "2", "3", "null"]);
    let first = list.iter().find(|answer| answer["id"] == 1).unwrap();
    assert_eq!(first["result"]["content"][0]["text"], "1");
}

#[test]
fn calls_that_write_are_made_one_after_another_as_they_came() {
    let calls: Vec<Value> = (0..20).map(|number| call(number + 1, number)).collect();
    let (answers, written) = played("2025-11-25", &calls);
    assert_eq!(written, (0..20).collect::<Vec<_>>());
    assert_eq!(answers.len(), 20);
}

#[tokio::test(flavor = "current_thread")]
async fn a_line_without_end_is_dropped_and_the_next_is_read() {
    let (mut to, read) = tokio::io::duplex(1 << 16);
    let writer = tokio::spawn(async move {
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..6 {
            to.write_all(&piece).await.unwrap();
        }
        to.write_all(b"\nnext\nrest").await.unwrap();
    });
    let mut lines = super::lines::Lines::new(read);
    assert_eq!(lines.next().await.as_deref(), Some(&b"next\n"[..]));
    assert_eq!(lines.next().await, None);
    writer.await.unwrap();
}
