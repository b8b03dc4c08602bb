//! Memory stays bounded whatever comes. One test in its own process, because it looks at the peak of the process.

use ralph_core::redact::Redactor;
use ralph_engine::output::{Caps, Recorded, Recorder, Stream};

const MIB: usize = 1024 * 1024;

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_ascii_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

fn record(chunk: &[u8], times: usize) -> Recorded {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("attempt");
    let secret = ("MY_SECRET".to_owned(), "c4nary-Value-1n-the-environment".to_owned());
    let mut recorder =
        Recorder::create(&path, &Redactor::new([secret]), Caps::default()).expect("a recorder");
    for number in 0..times {
        let stream = if number % 2 == 0 { Stream::Out } else { Stream::Err };
        recorder.push(stream, chunk).expect("stored");
    }
    recorder.finish().expect("finished")
}

#[test]
fn three_hundred_megabytes_and_an_endless_line_take_a_few_megabytes_of_memory() {
    let line = b"warning: something ordinary happened in crates/engine/src/output.rs:12:34\n";
    let chunk: Vec<u8> = line.iter().copied().cycle().take(64 * 1024).collect();
    let endless = vec![b'x'; 64 * 1024];
    let before = peak_kib();

    let recorded = record(&chunk, 300 * MIB / chunk.len());
    assert_eq!(recorded.bytes, 300 * MIB as u64);
    assert_eq!(recorded.kept + recorded.dropped, recorded.bytes);
    assert!((64..76).contains(&(recorded.kept / MIB as u64)), "{}", recorded.kept);
    assert_eq!(recorded.tail.chars().count(), 250_000);
    let after_lines = peak_kib();

    let recorded = record(&endless, 100 * MIB / endless.len());
    assert_eq!(recorded.kept + recorded.dropped, 100 * MIB as u64);
    let after_line = peak_kib();

    assert!(after_lines - before < 12 * 1024, "{} KiB", after_lines - before);
    assert!(after_line - before < 12 * 1024, "{} KiB", after_line - before);
    println!("peak grew by {} KiB, then {} KiB", after_lines - before, after_line - before);
}
