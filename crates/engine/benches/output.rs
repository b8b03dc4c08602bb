//! How fast output goes through redaction and to disk, beside a plain copy of the same bytes in the same run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ralph_core::redact::Redactor;
use ralph_engine::output::{Caps, Reader, Recorder, Stream};

const CHUNK: usize = 64 * 1024;
const TOTAL: usize = 256 * 1024 * 1024;

fn main() {
    let redactor = Redactor::new([
        ("MY_API_KEY".to_owned(), "c4nary-Value/with+some=length".to_owned()),
        ("OTHER_TOKEN".to_owned(), "another-Value-0f-th3-environment".to_owned()),
        ("DB_PASSWORD".to_owned(), "hunter2hunter2".to_owned()),
    ]);
    let ordinary = ordinary_text();
    let secrets = text_with_secrets(&ordinary);
    let line: Vec<u8> = ordinary.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }).collect();
    report("plain copy", &ordinary, copy);
    report("redact, ordinary text", &ordinary, |text| redact(&redactor, text));
    report("redact, a secret every 500 bytes", &secrets, |text| redact(&redactor, text));
    report("redact, one endless line", &line, |text| redact(&redactor, text));
    report("record, ordinary text, to finish", &ordinary, |text| record(&redactor, text));
    report("record, a secret every 500 bytes", &secrets, |text| record(&redactor, text));
    tiny(&redactor);
}

fn report(what: &str, text: &[u8], mut run: impl FnMut(&[u8])) {
    let best = (0..3).map(|_| {
        let start = Instant::now();
        run(text);
        start.elapsed()
    });
    let best = best.min().unwrap_or(Duration::MAX).as_secs_f64();
    println!("{what:<36}{:>8.0} MB/s", TOTAL as f64 / best / 1e6);
}

/// The text over and over, in chunks as a pipe gives them.
fn chunks(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.chunks(CHUNK).cycle().take(TOTAL / CHUNK)
}

fn copy(text: &[u8]) {
    let mut out = Vec::with_capacity(CHUNK);
    for chunk in chunks(text) {
        out.clear();
        out.extend_from_slice(black_box(chunk));
        black_box(&out);
    }
}

fn redact(redactor: &Redactor, text: &[u8]) {
    let mut stream = redactor.stream();
    let mut out = Vec::with_capacity(2 * CHUNK);
    for chunk in chunks(text) {
        out.clear();
        stream.push(chunk, &mut out);
        black_box(&out);
    }
    stream.finish(&mut out);
}

fn record(redactor: &Redactor, text: &[u8]) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("attempt");
    let mut recorder = Recorder::create(&path, redactor, Caps::default()).expect("a recorder");
    for chunk in chunks(text) {
        recorder.push(Stream::Out, chunk).expect("the chunk is stored");
    }
    black_box(recorder.finish().expect("the recording is finished"));
}

fn tiny(redactor: &Redactor) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let start = Instant::now();
    let count = 1000u32;
    for number in 0..count {
        let path = directory.path().join(number.to_string());
        let mut recorder = Recorder::create(&path, redactor, Caps::default()).expect("a recorder");
        recorder.push(Stream::Out, b"hello\nworld\n").expect("the chunk is stored");
        black_box(recorder.finish().expect("the recording is finished"));
    }
    println!("{:<36}{:>8.1} µs each", "record, two lines", (start.elapsed() / count).as_secs_f64() * 1e6);
    let start = Instant::now();
    let mut reader = Reader::open(&directory.path().join("0"), 0);
    while reader.read().expect("the recording is readable").is_some() {}
    println!("{:<36}{:>8.1} µs", "read, two lines", start.elapsed().as_secs_f64() * 1e6);
    let start = Instant::now();
    black_box(Redactor::new([]));
    println!("{:<36}{:>8.1} µs", "make a redactor", start.elapsed().as_secs_f64() * 1e6);
}

fn ordinary_text() -> Vec<u8> {
    let lines = [
        "   Compiling serde_json v1.0.154 (/home/user/.cargo/registry/src/serde_json-1.0.154)\n",
        "warning: unused variable: `task_key`\n  --> crates/engine/src/output/recorder.rs:42:9\n   |\n",
        "{\"type\":\"assistant\",\"message\":{\"id\":\"msg_01AbCdEf\",\"usage\":{\"input_tokens\":1234,\"output_tokens\":56}}}\n",
        "test output::tests::a_secret_is_hidden ... ok\n",
        "npm http fetch GET 200 https://registry.example/@babel%2fcore 123ms (cache hit)\n",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b  Author: Someone <someone@example.com>\n",
        "The loop reads the task, asks the agent for a change and runs the checks; a failed check restores the snapshot.\n",
        "    let password = settings.password().ok_or(Error::NoPassword)?; // asked for once\n",
    ];
    let mut text = Vec::new();
    for number in 0.. {
        text.extend_from_slice(lines[number * 7 % lines.len()].as_bytes());
        text.extend_from_slice(format!("[{number}] step {} of disk-cache\n", number * 31 % 997).as_bytes());
        if text.len() > 16 * 1024 * 1024 {
            break;
        }
    }
    text
}

fn text_with_secrets(ordinary: &[u8]) -> Vec<u8> {
    let key = format!("token {}{} \n", "ghp_", "a8Kd03LmQz7Xw1Rt5Yb9Hc2Vn6Jp4Gs0Fe8U");
    let mut text = Vec::new();
    for piece in ordinary.chunks(500) {
        text.extend_from_slice(piece);
        text.extend_from_slice(key.as_bytes());
    }
    text
}
