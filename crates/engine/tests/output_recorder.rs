//! What goes into a recording comes out of it: in order, redacted, with its gap, from another reader, after a crash.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use ralph_core::redact::Redactor;
use ralph_engine::output::{Caps, Ending, OutputError, Piece, Reader, Recorded, Recorder, Stream};
use tempfile::{TempDir, tempdir};

const CANARY: &str = "c4nary-Value-1n-the-environment";

const SMALL: Caps = Caps { head: 2000, tail: 3000, segment: 1000 };

fn redactor() -> Redactor {
    Redactor::new([("MY_SECRET".to_owned(), CANARY.to_owned())])
}

fn directory() -> TempDir {
    tempdir().expect("a temporary directory")
}

fn recorder(path: &Path, caps: Caps) -> Recorder {
    Recorder::create(path, &redactor(), caps).expect("nothing was recorded here")
}

fn record(path: &Path, caps: Caps, chunks: &[(Stream, &[u8])]) -> Recorded {
    let mut recorder = recorder(path, caps);
    for (stream, bytes) in chunks {
        recorder.push(*stream, bytes).expect("the chunk is stored");
    }
    recorder.finish().expect("the recording is finished")
}

/// What a reader yields, neighbouring bytes of one stream joined.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Bytes(Stream, Vec<u8>),
    Gap(u64),
    Torn(u64),
}

fn drain(reader: &mut Reader) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    while let Some(piece) = reader.read().expect("the recording is readable") {
        match (piece, parts.last_mut()) {
            (Piece::Bytes { stream, bytes, .. }, Some(Part::Bytes(last, joined))) if *last == stream => {
                joined.extend_from_slice(bytes);
            }
            (Piece::Bytes { stream, bytes, .. }, _) => parts.push(Part::Bytes(stream, bytes.to_vec())),
            (Piece::Gap { bytes }, _) => parts.push(Part::Gap(bytes)),
            (Piece::Torn { missing }, _) => parts.push(Part::Torn(missing)),
        }
    }
    parts
}

fn read(path: &Path) -> Vec<Part> {
    drain(&mut Reader::open(path, 0))
}

fn out(text: &str) -> Part {
    Part::Bytes(Stream::Out, text.as_bytes().to_vec())
}

fn err(text: &str) -> Part {
    Part::Bytes(Stream::Err, text.as_bytes().to_vec())
}

fn numbered_lines(count: usize) -> String {
    (0..count).map(|number| format!("line {number:05} of the output\n")).collect()
}

fn files(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).expect("a directory");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_no_line_break_released_comes_out_when_the_stream_ends() {
    let dir = tempfile::tempdir().unwrap();
    let redactor = Redactor::new([]);
    let mut recorder = Recorder::create(dir.path(), &redactor, Caps::default()).unwrap();
    assert_eq!(recorder.push(Stream::Out, b"whole\nhalf").unwrap(), b"whole\n");
    assert_eq!(recorder.flush(Stream::Out).unwrap(), b"half");
    assert_eq!(recorder.flush(Stream::Out).unwrap(), b"");
    assert_eq!(recorder.finish().unwrap().tail, "whole\nhalf");
}

#[test]
fn both_streams_come_back_in_order_and_redacted() {
    let directory = directory();
    let path = directory.path().join("deep/attempt");
    let secret = format!("key {CANARY}\n");
    let (first, second) = secret.split_at(12);
    let recorded = record(
        &path,
        Caps::default(),
        &[
            (Stream::Out, b"one\n"),
            (Stream::Err, b"oops\n"),
            (Stream::Out, first.as_bytes()),
            (Stream::Err, b"again\n"),
            (Stream::Out, second.as_bytes()),
            (Stream::Out, b"no line break"),
        ],
    );
    assert_eq!(read(&path), [out("one\n"), err("oops\nagain\n"), out("key [redacted:env]\nno line break")]);
    assert_eq!(recorded.tail, "one\noops\nagain\nkey [redacted:env]\nno line break");
    assert_eq!(recorded.bytes, 28 + 36);
    assert_eq!((recorded.kept, recorded.dropped), (47, 0));
    assert_eq!(files(&path), ["00000000.seg"]);
}

#[test]
fn nothing_is_created_for_nothing() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let recorded = record(&path, Caps::default(), &[(Stream::Out, b"")]);
    assert_eq!((recorded.bytes, recorded.on_disk, recorded.tail.as_str()), (0, 0, ""));
    assert!(!path.exists());
    assert_eq!(read(&path), []);
}

#[test]
fn only_the_user_may_read_it() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let text = numbered_lines(10_000);
    record(&path, Caps::default(), &[(Stream::Out, text.as_bytes())]);
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    assert_eq!(files(&path), ["00000000.seg.lz4"]);
    assert_eq!(mode(&path.join("00000000.seg.lz4")), 0o600);

    let open = directory.path().join("open");
    let mut recorder = recorder(&open, Caps::default());
    recorder.push(Stream::Out, b"x\n").expect("stored");
    assert_eq!(mode(&open.join("00000000.seg")), 0o600);
}

#[test]
fn large_segments_are_compressed_and_read_back() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let caps = Caps { segment: 100_000, ..Caps::default() };
    let text = numbered_lines(20_000);
    let chunks: Vec<_> = text.as_bytes().chunks(7001).map(|chunk| (Stream::Out, chunk)).collect();
    let recorded = record(&path, caps, &chunks);
    assert_eq!(read(&path), [out(&text)]);
    assert!(recorded.on_disk * 3 < recorded.kept, "{}", recorded.on_disk);
    let on_disk: u64 =
        files(&path).iter().map(|name| fs::metadata(path.join(name)).expect("a file").len()).sum();
    assert_eq!(on_disk, recorded.on_disk);
}

#[test]
fn the_middle_is_dropped_and_the_gap_is_told() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let text = numbered_lines(1000);
    let chunks: Vec<_> = text.as_bytes().chunks(100).map(|chunk| (Stream::Out, chunk)).collect();
    let recorded = record(&path, SMALL, &chunks);
    let parts = read(&path);
    let [Part::Bytes(_, head), Part::Gap(gap), Part::Bytes(_, tail)] = &parts[..] else {
        panic!("head, gap and tail: {parts:?}");
    };
    assert!(text.as_bytes().starts_with(head) && text.as_bytes().ends_with(tail));
    assert!((2000..3200).contains(&head.len()), "{}", head.len());
    assert!((3000..5200).contains(&tail.len()), "{}", tail.len());
    assert_eq!(head.len() + tail.len() + *gap as usize, text.len());
    assert_eq!((recorded.kept, recorded.dropped), ((head.len() + tail.len()) as u64, *gap));
}

#[test]
fn a_follower_sees_what_was_pushed_and_goes_on_after_the_finish() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let mut reader = Reader::open(&path, 0);
    assert_eq!(drain(&mut reader), []);
    let mut recorder = recorder(&path, SMALL);
    let mut followed = Vec::new();
    let text = numbered_lines(120);
    for chunk in text.as_bytes().chunks(300) {
        recorder.push(Stream::Err, chunk).expect("stored");
        followed.extend(drain(&mut reader));
        assert_eq!(reader.ending(), Ending::Open);
    }
    recorder.finish().expect("finished");
    followed.extend(drain(&mut reader));
    let followed: Vec<u8> = followed
        .into_iter()
        .flat_map(|part| match part {
            Part::Bytes(Stream::Err, bytes) => bytes,
            other => panic!("a follower that keeps up sees bytes only: {other:?}"),
        })
        .collect();
    assert_eq!(followed, text.as_bytes());
    assert_eq!(reader.ending(), Ending::Finished);
    assert_eq!(reader.position(), text.len() as u64);
}

#[test]
fn a_follower_left_behind_sees_a_gap() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let mut recorder = recorder(&path, SMALL);
    recorder.push(Stream::Out, b"first\n").expect("stored");
    let mut reader = Reader::open(&path, 0);
    assert_eq!(drain(&mut reader), [out("first\n")]);
    for line in numbered_lines(1000).lines() {
        recorder.push(Stream::Out, format!("{line}\n").as_bytes()).expect("stored");
    }
    let parts = drain(&mut reader);
    assert!(matches!(&parts[..], [Part::Bytes(..), Part::Gap(_), Part::Bytes(..)]), "{parts:?}");
}

#[test]
fn reading_goes_on_from_any_position() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let text = numbered_lines(1000);
    let chunks: Vec<_> = text.as_bytes().chunks(100).map(|chunk| (Stream::Out, chunk)).collect();
    let recorded = record(&path, SMALL, &chunks);
    let tail_start = match &read(&path)[..] {
        [Part::Bytes(_, head), Part::Gap(gap), _] => head.len() as u64 + gap,
        parts => panic!("head, gap and tail: {parts:?}"),
    };
    for from in (0..text.len() as u64).step_by(491).chain([text.len() as u64]) {
        let parts = drain(&mut Reader::open(&path, from));
        let rest = &text.as_bytes()[from as usize..];
        match &parts[..] {
            [] => assert_eq!(from, text.len() as u64),
            [Part::Bytes(_, bytes)] => assert!(from >= tail_start && bytes == rest, "from {from}"),
            [Part::Gap(gap), Part::Bytes(_, tail)] => {
                assert_eq!(from + gap, tail_start);
                assert!(text.as_bytes().ends_with(tail));
            }
            [Part::Bytes(_, head), Part::Gap(gap), Part::Bytes(_, _)] => {
                assert!(rest.starts_with(head));
                assert_eq!(*gap, recorded.dropped);
            }
            other => panic!("from {from}: {other:?}"),
        }
    }
}

#[test]
fn a_torn_last_record_is_reported_and_what_came_before_is_read() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let mut recorder = recorder(&path, Caps::default());
    recorder.push(Stream::Out, b"whole\n").expect("stored");
    recorder.push(Stream::Err, b"torn apart\n").expect("stored");
    // The writer dies here: no finish.
    drop(recorder);
    let file = path.join("00000000.seg");
    let whole = fs::read(&file).expect("the segment");
    let torn_record = whole.len() - 11;
    for length in 0..=whole.len() {
        fs::write(&file, &whole[..length]).expect("written");
        let mut reader = Reader::open(&path, 0);
        let parts = drain(&mut reader);
        if length == whole.len() {
            assert_eq!(parts, [out("whole\n"), err("torn apart\n")]);
            assert_eq!(reader.ending(), Ending::Open);
        } else if length > torn_record {
            assert_eq!(parts, [out("whole\n"), err(&"torn apart\n"[..length - torn_record])]);
            assert_eq!(reader.ending(), Ending::Torn { missing: (whole.len() - length) as u64 });
        }
    }
}

#[test]
fn what_came_later_is_read_back_with_a_later_time() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let mut recorder = recorder(&path, SMALL);
    recorder.push(Stream::Out, b"first\n").expect("stored");
    std::thread::sleep(Duration::from_millis(600));
    // Enough for more than one segment: each has a time of its own.
    recorder.push(Stream::Err, numbered_lines(90).as_bytes()).expect("stored");
    recorder.push(Stream::Out, b"last\n").expect("stored");
    recorder.finish().expect("finished");
    for (from, stream) in [(0, Stream::Out), (6, Stream::Err), (1500, Stream::Err)] {
        let mut reader = Reader::open(&path, from);
        let Some(Piece::Bytes { stream: of, since, .. }) = reader.read().expect("readable") else {
            panic!("bytes from {from}");
        };
        assert_eq!(of, stream, "from {from}");
        assert_eq!(since >= Duration::from_millis(600), from > 0, "{since:?} from {from}");
    }
}

#[test]
fn a_torn_record_before_another_segment_is_told_in_its_place() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let mut recorder = recorder(&path, SMALL);
    for _ in 0..2 {
        recorder.push(Stream::Out, numbered_lines(45).as_bytes()).expect("stored");
    }
    drop(recorder);
    let file = path.join("00000000.seg");
    let whole = fs::read(&file).expect("the segment");
    fs::write(&file, &whole[..whole.len() - 9]).expect("written");
    let parts = read(&path);
    assert!(matches!(&parts[..], [Part::Bytes(..), Part::Torn(9), Part::Bytes(..)]), "{parts:?}");
}

#[test]
fn other_bytes_are_no_recording() {
    let directory = directory();
    fs::write(directory.path().join("00000000.seg"), "something else entirely").expect("written");
    let error = Reader::open(directory.path(), 0).read().expect_err("not a segment");
    assert!(error.to_string().contains("00000000.seg"), "{error}");
    let taken = Recorder::create(directory.path(), &redactor(), SMALL).expect_err("taken");
    assert!(matches!(taken, OutputError::Taken { .. }));
}

#[test]
fn any_bytes_come_back_unchanged() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let bytes: Vec<u8> = (0..=255u8).cycle().take(300_000).collect();
    let chunks: Vec<_> = bytes.chunks(4097).map(|chunk| (Stream::Out, chunk)).collect();
    let recorded = record(&path, Caps::default(), &chunks);
    assert_eq!(read(&path), [Part::Bytes(Stream::Out, bytes)]);
    assert_eq!(recorded.tail.chars().count(), 250_000);
}

#[test]
fn the_secret_is_in_no_file_and_not_in_the_tail() {
    let directory = directory();
    let path = directory.path().join("attempt");
    let mut recorder = recorder(&path, SMALL);
    let text = format!("{}{CANARY}{}\n", "x".repeat(700), "y".repeat(500)).repeat(20);
    for chunk in text.as_bytes().chunks(13) {
        let released = recorder.push(Stream::Out, chunk).expect("stored");
        assert!(!String::from_utf8_lossy(released).contains(CANARY));
    }
    for name in files(&path) {
        let bytes = fs::read(path.join(&name)).expect("a segment");
        assert!(!String::from_utf8_lossy(&bytes).contains("Value-1n"), "{name}");
    }
    let recorded = recorder.finish().expect("finished");
    assert!(!recorded.tail.contains("Value-1n"));
    assert!(recorded.tail.contains("x[redacted:env]y"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_pushed_each_stream_comes_back_whole(
        chunks in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..400)), 0..60),
    ) {
        let directory = directory();
        let path = directory.path().join("attempt");
        let chunks: Vec<_> = chunks
            .iter()
            .map(|(out, bytes)| (if *out { Stream::Out } else { Stream::Err }, &bytes[..]))
            .collect();
        let caps = Caps { head: u64::MAX, ..SMALL };
        record(&path, caps, &chunks);
        let parts = read(&path);
        for stream in [Stream::Out, Stream::Err] {
            let pushed: Vec<u8> = chunks.iter().filter(|(of, _)| *of == stream).flat_map(|(_, bytes)| bytes.to_vec()).collect();
            let back: Vec<u8> = parts.iter().flat_map(|part| match part {
                Part::Bytes(of, bytes) if *of == stream => bytes.clone(),
                Part::Bytes(..) | Part::Gap(_) | Part::Torn(_) => Vec::new(),
            }).collect();
            prop_assert_eq!(&back, &pushed);
        }
    }
}
