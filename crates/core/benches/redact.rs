//! How fast text goes through redaction: this project's own prose and code, and made-up logs, none with a secret in it.

#![expect(clippy::disallowed_methods, reason = "a measurement reads files and the clock")]

use std::hint::black_box;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use ralph_core::redact::Redactor;

const CHUNK: usize = 64 * 1024;
const TOTAL: usize = 32 * 1024 * 1024;
const ROUNDS: usize = 5;

fn main() {
    let redactor = Redactor::new([
        ("MY_API_KEY".to_owned(), "c4nary-Value/with+some=length".to_owned()),
        ("OTHER_TOKEN".to_owned(), "another-Value-0f-th3-environment".to_owned()),
    ]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    report("prose (docs/*.md)", &redactor, &files(&root.join("docs"), "md"));
    report("code (crates/**/*.rs)", &redactor, &files(&root.join("crates"), "rs"));
    report("logs", &redactor, &repeated(LOG));
    report("logs with colours", &redactor, &repeated(COLOURED));
    report("JSON lines of an agent", &redactor, &repeated(JSON));
    report("hashes (hex)", &redactor, &random(b"0123456789abcdef", 64));
    report("base64, lines of 76", &redactor, &random(BASE64, 76));
    report("base64, one endless line", &redactor, &random(BASE64, usize::MAX));
    let start = Instant::now();
    black_box(Redactor::new([]));
    println!("{:<28}{:>8.0} µs", "make a redactor", start.elapsed().as_secs_f64() * 1e6);
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const LOG: [&str; 8] = [
    "   Compiling serde_json v1.0.154 (/home/user/.cargo/registry/src/serde_json-1.0.154)\n",
    "warning: unused variable: `task_key`\n  --> crates/engine/src/output/recorder.rs:42:9\n   |\n",
    "2026-03-14T09:26:53.589Z INFO  http request completed method=GET path=/api/v1/users/81723 status=200 took=12ms\n",
    "test output::tests::a_secret_is_hidden ... ok\n",
    "npm http fetch GET 200 https://registry.example/@babel%2fcore 123ms (cache hit)\n",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b  Author: Someone <someone@example.com>\n",
    "[error] 3817#0: *42 connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.3.7\n",
    "    let password = settings.password().ok_or(Error::NoPassword)?; // asked for once\n",
];

const COLOURED: [&str; 3] = [
    "\u{1b}[1m\u{1b}[32m   Compiling\u{1b}[0m serde_json v1.0.154 (/home/user/.cargo/registry/src/serde_json)\n",
    "\u{1b}[32m✓\u{1b}[39m src/a.test.ts \u{1b}[2m(\u{1b}[22m12 tests\u{1b}[2m)\u{1b}[22m \u{1b}[90m48ms\u{1b}[39m\n",
    "\u{1b}[33mwarning\u{1b}[0m: unused variable: `task_key` in the function that reads settings\n",
];

const JSON: [&str; 2] = [
    "{\"type\":\"assistant\",\"message\":{\"id\":\"msg_01AbCdEf\",\"content\":[{\"type\":\"text\",\"text\":\"I will now read the file.\\nThen the \\\"checks\\\" run.\"}],\"usage\":{\"input_tokens\":1234,\"output_tokens\":56}}}\n",
    "{\"type\":\"user\",\"message\":{\"content\":[{\"tool_use_id\":\"toolu_01X\",\"type\":\"tool_result\",\"content\":\"   10\\u2192fn main() {\\n   11\\u2192    println!(\\\"hello\\\");\\n\"}]}}\n",
];

fn report(what: &str, redactor: &Redactor, text: &[u8]) {
    let rounds = (0..ROUNDS).map(|_| {
        let start = spent();
        let mut stream = redactor.stream();
        let mut out = Vec::with_capacity(2 * CHUNK);
        for chunk in text.chunks(CHUNK).cycle().take(TOTAL / CHUNK) {
            out.clear();
            stream.push(chunk, &mut out);
            black_box(&out);
        }
        stream.finish(&mut out);
        spent() - start
    });
    let best = rounds.fold(f64::INFINITY, f64::min);
    println!("{what:<28}{:>8.0} MB/s", TOTAL as f64 / best / 1e6);
}

/// Seconds of processor time where the system tells, so that other programs do not count; else those of the clock.
fn spent() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |spent| spent / 1e9)
}

fn repeated<const N: usize>(lines: [&str; N]) -> Vec<u8> {
    let mut text = Vec::new();
    for number in 0.. {
        text.extend_from_slice(lines[number * 7 % N].as_bytes());
        text.extend_from_slice(format!("[{number}] step {} of disk-cache\n", number * 31 % 997).as_bytes());
        if text.len() > 8 * 1024 * 1024 {
            break;
        }
    }
    text
}

/// From a fixed seed, so that every run measures the same bytes.
fn random(alphabet: &[u8], width: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut text = Vec::new();
    let mut column = 0;
    while text.len() < 8 * 1024 * 1024 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push(alphabet[(state >> 33) as usize % alphabet.len()]);
        column += 1;
        if column == width {
            text.push(b'\n');
            column = 0;
        }
    }
    text
}

fn files(dir: &Path, extension: &str) -> Vec<u8> {
    let mut text = Vec::new();
    let Ok(entries) = std::fs::read_dir(dir) else { return text };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            text.extend(files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            text.extend(std::fs::read(&path).unwrap_or_default());
        }
    }
    text
}
