//! What makes a failure another one and what does not.

use std::path::Path;

use proptest::prelude::*;
use ralph_checks::{Exit, Failure, Findings, Output, Root, read};

/// What differs from one run to the next.
#[derive(Debug, Clone)]
struct Run {
    root: String,
    line: u32,
    millis: u32,
    pid: u32,
    address: u64,
    uuid: u128,
    temporary: String,
    order: Vec<usize>,
}

fn runs() -> impl Strategy<Value = Run> {
    let numbers = (1..9_000_u32, 0..100_000_u32, 2..4_000_000_u32, any::<u64>(), any::<u128>());
    let order = Just((0..FAILURES.len()).collect::<Vec<_>>()).prop_shuffle();
    ("/(home|srv)/[a-z]{1,9}/[a-zA-Z0-9_-]{1,9}", "[A-Za-z0-9]{6}", numbers, order).prop_map(
        |(root, temporary, (line, millis, pid, address, uuid), order)| {
            let address = 0x7000_0000_0000 | (address & 0xffff_ffff);
            Run { root, line, millis, pid, address, uuid, temporary, order }
        },
    )
}

/// Name, file and what is said, with marks for what differs.
const FAILURES: [(&str, &str, &str); 4] = [
    ("adds", "src/a", "got 3, want 4 in ROOT/src/a.rs:LINE"),
    ("parses", "src/b", "<Parser object at ADDRESS> is not <Parser object at ADDRESS>"),
    ("saves", "src/b", "cannot write /tmp/TEMPORARY/out.txt after MILLISms (pid PID, id UUID)"),
    (
        "listens",
        "src/c",
        "connection to 127.0.0.1:PID refused at 2026-11-15T23:29:34.5Z on line LINE, seed PID",
    ),
];

impl Run {
    fn said(&self, text: &str) -> String {
        let uuid = format!("{:032x}", self.uuid);
        let parts = [&uuid[..8], &uuid[8..12], &uuid[12..16], &uuid[16..20], &uuid[20..]].join("-");
        text.replace("ROOT", &self.root)
            .replace("LINE", &self.line.to_string())
            .replace("MILLIS", &self.millis.to_string())
            .replace("PID", &self.pid.to_string())
            .replace("ADDRESS", &format!("{:#x}", self.address))
            .replace("UUID", &parts)
            .replace("TEMPORARY", &self.temporary)
    }

    fn all(&self, failures: &[(&str, &str, &str)], each: impl Fn(&str, &str, &str) -> String) -> String {
        self.order
            .iter()
            .filter_map(|at| failures.get(*at))
            .map(|(name, file, text)| each(name, file, &self.said(text)))
            .collect()
    }

    fn read(&self, text: &str) -> Findings {
        let root = Root::new(Path::new(&self.root));
        read(&Output { tool: None, exit: Exit::Code(1), root: &root, bytes: text.as_bytes() })
    }
}

type Render = fn(&Run, &[(&str, &str, &str)]) -> String;

const FORMATS: [(&str, Render); 12] = [
    ("cargo test", |run, failures| {
        run.all(failures, |name, file, text| {
            format!(
                "     Running {file}.rs (target/debug/deps/x-{:016x})\n\nrunning 1 test\n\n---- {name} stdout ----\n\nthread '{name}' ({}) \
                 panicked at {file}.rs:{}:5:\n{text}\nnote: run with\n\n\nfailures:\n    {name}\n\ntest result: FAILED. 0 passed; 1 \
                 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.{}s\n",
                run.address, run.pid, run.line, run.millis
            )
        })
    }),
    ("nextest", |run, failures| {
        run.all(failures, |name, file, text| {
            format!("        FAIL [   0.{}s] (1/9) {file} {name}\n  stderr ───\n    thread 'x' panicked at a.rs:{}:1:\n    {text}\n", run.millis, run.line)
        })
    }),
    ("pytest", |run, failures| {
        let body = run.all(failures, |name, file, text| {
            format!(
                "____ test_{name} ____\n\n>    assert\nE    {text}\n\n{file}.py:{}: AssertionError\n",
                run.line
            )
        });
        let list = run.all(failures, |name, file, _| format!("FAILED {file}.py::test_{name} - cut off...\n"));
        format!(
            "==== FAILURES ====\n{body}==== short test summary info ====\n{list}==== 4 failed in 0.{}s ====\n",
            run.millis
        )
    }),
    ("jest", |run, failures| {
        run.all(failures, |name, file, text| {
            format!("FAIL {file}.test.js\n  ● group › {name}\n\n    {text}\n\n      at Object.toBe ({file}.test.js:{}:1)\n\n", run.line)
        })
    }),
    ("vitest", |run, failures| {
        run.all(failures, |name, file, text| {
            format!(" FAIL  {file}.test.ts > {name}\nError: {text}\n ❯ {file}.test.ts:{}:1\n\n", run.line)
        })
    }),
    ("go test", |run, failures| {
        run.all(failures, |name, file, text| {
            format!(
                "--- FAIL: Test{name} (0.{}s)\n    a_test.go:{}: {text}\nFAIL\nFAIL\t{file}\t0.{}s\n",
                run.millis, run.line, run.millis
            )
        })
    }),
    ("tap", |run, failures| {
        let points = run.all(failures, |name, file, text| {
            format!("not ok 1 - {file} {name}\n  ---\n  message: {text}\n  ...\n")
        });
        format!("TAP version 13\n1..4\n{points}")
    }),
    ("junit", |run, failures| {
        let cases = run.all(failures, |name, file, text| {
            let text = text.replace('<', "&lt;").replace('>', "&gt;");
            format!("<testcase classname=\"{file}\" name=\"{name}\" time=\"0.{}\"><failure message=\"{text}\">x</failure></testcase>", run.millis)
        });
        format!("<testsuite>{cases}</testsuite>")
    }),
    ("rustc", |run, failures| {
        run.all(failures, |name, file, text| {
            format!("error[E{name}]: {text}\n --> {file}.rs:{}:5\n  |\n1 | x\n  | ^ here\n\n", run.line)
        })
    }),
    ("gcc", |run, failures| {
        run.all(failures, |name, file, text| {
            format!("{}/{file}.c:{}:5: error: {text} [-W{name}]\n", run.root, run.line)
        })
    }),
    ("tsc", |run, failures| {
        run.all(failures, |name, file, text| {
            format!("{file}.ts({},5): error TS{}: {text}\n", run.line, name.len())
        })
    }),
    ("eslint", |run, failures| {
        run.all(failures, |name, file, text| {
            format!("{}/{file}.js\n  {}:5  error  {text}  {name}\n\n", run.root, run.line)
        })
    }),
];

/// The failure that is about this; every format shows it in its title or beside it.
fn about<'a>(found: &'a Findings, file: &str, said: &str) -> &'a Failure {
    let of = |failure: &&Failure| failure.message.contains(said) && !file.is_empty();
    found.failures.iter().find(of).unwrap_or_else(|| panic!("{said} is not in {found:#?}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn another_run_of_the_same_is_the_same(one in runs(), other in runs()) {
        for (name, render) in FORMATS {
            let (first, second) = (one.read(&render(&one, &FAILURES)), other.read(&render(&other, &FAILURES)));
            prop_assert_eq!(first.failures.len(), FAILURES.len(), "{}: {:#?}", name, first);
            prop_assert_eq!(first.details(), second.details(), "{}: {:#?}\n{:#?}", name, first, second);
        }
    }

    #[test]
    fn fewer_failures_are_a_part_of_the_same(run in runs(), left in 0..FAILURES.len()) {
        for (name, render) in FORMATS {
            let all = run.read(&render(&run, &FAILURES)).fingerprints();
            let some = run.read(&render(&run, &FAILURES[..left])).fingerprints();
            // Nothing is left to be recognised when all are gone.
            prop_assert!(left == 0 || some.len() == left && some.is_subset(&all), "{}", name);
        }
    }

    #[test]
    fn another_name_file_or_message_is_another_failure(run in runs()) {
        for (name, render) in FORMATS {
            let base = run.read(&render(&run, &FAILURES));
            let is_test = !["rustc", "gcc", "tsc", "eslint"].contains(&name);
            let changed = |at: usize, failure: (&'static str, &'static str, &'static str)| {
                let mut failures = FAILURES;
                failures[at] = failure;
                run.read(&render(&run, &failures))
            };
            let renamed = changed(0, ("subtracts", FAILURES[0].1, FAILURES[0].2));
            prop_assert_eq!(base.fingerprints().intersection(&renamed.fingerprints()).count(), 3, "{}", name);
            let moved = changed(0, (FAILURES[0].0, "src/z", FAILURES[0].2));
            prop_assert_eq!(base.fingerprints().intersection(&moved.fingerprints()).count(), 3, "{}", name);
            let other_value = changed(0, (FAILURES[0].0, FAILURES[0].1, "got 5, want 4 in ROOT/src/a.rs:LINE"));
            prop_assert_eq!(base.details().intersection(&other_value.details()).count(), 3, "{}", name);
            // The same test fails in another way; a compiler that says something else says something else.
            let kept = base.fingerprints().intersection(&other_value.fingerprints()).count();
            prop_assert_eq!(kept, if is_test { 4 } else { 3 }, "{}", name);
            prop_assert_eq!(about(&base, "src/a", "got 3").title.is_empty(), false);
        }
    }
}

fn details(one: &str, other: &str) -> bool {
    let of = |text: &str| {
        let text = format!("---- a stdout ----\n{text}\n\nfailures:\n");
        let root = Root::new(Path::new("/project"));
        read(&Output { tool: None, exit: Exit::Code(1), root: &root, bytes: text.as_bytes() }).details()
    };
    of(one) == of(other)
}

#[test]
fn these_say_the_same() {
    let pairs = [
        ("failed after 0.02s", "failed after 13.9s"),
        ("failed after 12 ms", "failed after 9 ms"),
        ("took 3 seconds", "took 1.5 seconds"),
        ("at src/a.rs:10:5", "at src/a.rs:11:9"),
        ("see line 10, column 5", "see line 9, column 77"),
        ("<A object at 0x7f3a12345678>", "<A object at 0x7f0000000010>"),
        ("shop.A@1b6d3586 failed", "shop.A@7a81197d failed"),
        ("A@1b6d3586ffff0000aa", "A@ffffaaaa00001111bb"),
        ("id 6f1c0a9e-1111-4222-8333-444455556666", "id 00000000-0000-4000-8000-000000000000"),
        ("on 2026-11-15 23:29:34.123", "on 2025-01-02 03:04:05.9"),
        ("at 2026-11-15T23:29:34+01:00", "at 2025-01-02T03:04:05Z"),
        ("in /tmp/.tmpAbC123/out.txt", "in /tmp/.tmpZZZ/out.txt"),
        ("in /tmp/pytest-of-root/pytest-1/test_a0/x", "in /tmp/pytest-of-me/pytest-77/test_a0/x"),
        ("in /var/folders/zz/abc/T/tmp1/x", "in /private/var/folders/yy/q/T/tmp2/x"),
        ("in /project/src/a", "in src/a"),
        ("file:///project/src/a.js:1:2", "src/a.js:3:4"),
        ("pid 123, port 8080", "pid 9, port 61000"),
        ("http://127.0.0.1:4312/x", "http://127.0.0.1:99/x"),
        ("localhost:4312 refused", "localhost:80 refused"),
        ("random seed: 123456", "random seed: 9"),
        ("goroutine 7 [running]", "goroutine 12 [running]"),
        ("target/debug/deps/a-0123456789abcdef", "target/debug/deps/a-fedcba9876543210"),
        ("a   b\tc", "a b c"),
    ];
    for (one, other) in pairs {
        assert!(details(one, other), "{one} and {other}");
    }
}

#[test]
fn these_do_not() {
    let pairs = [
        ("got 3, want 4", "got 5, want 4"),
        ("index 3 out of range", "index 4 out of range"),
        ("left: \"a:1\"", "left: \"a:2\""),
        ("0x10", "0x11"),
        ("deadbeef", "deadbee0"),
        ("version 1.2.3", "version 1.2.4"),
        ("5 items", "6 items"),
        ("3 sheep", "4 sheep"),
        ("in src/a.rs", "in src/b.rs"),
        ("in /tmp/x/out.txt", "in /tmp/x/other.txt"),
        ("in /projects/a", "in projects/a"),
        ("facade", "facades"),
        ("expected true", "expected false"),
    ];
    for (one, other) in pairs {
        assert!(!details(one, other), "{one} and {other}");
    }
}

#[test]
fn the_same_complaint_twice_in_a_file_is_two_and_shown_twice_is_one() {
    let read = |text: &str| {
        read(&Output { tool: None, exit: Exit::Code(1), root: &Root::unknown(), bytes: text.as_bytes() })
    };
    let twice = read("a.c:1:1: error: x\na.c:9:1: error: x\n");
    assert_eq!(twice.fingerprints().len(), 2);
    let once = read("a.c:5:1: error: x\n");
    assert!(once.fingerprints().is_subset(&twice.fingerprints()));
    assert_eq!(read("a.c:1:1: error: x\na.c:1:1: error: x\n").failures.len(), 1);
}

#[test]
fn what_is_not_understood_is_one_failure_by_its_exit_status() {
    let read = |text: &str, code: i32| {
        read(&Output { tool: None, exit: Exit::Code(code), root: &Root::unknown(), bytes: text.as_bytes() })
    };
    let (one, other) = (read("boom after 3 ms\n", 1), read("boom after 9 ms\n", 1));
    assert_eq!((one.failures.len(), one.counts), (1, None));
    assert_eq!(one.details(), other.details());
    assert_eq!(one.fingerprints(), read("something else\n", 1).fingerprints());
    assert_ne!(one.details(), read("something else\n", 1).details());
    assert_ne!(one.fingerprints(), read("boom after 3 ms\n", 2).fingerprints());
    assert!(read("boom\n", 0).failures.is_empty());
}
