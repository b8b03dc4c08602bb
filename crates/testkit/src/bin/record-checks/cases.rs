//! What is recorded: which project, in which state, under which command.

/// One recording.
pub(crate) struct Case {
    pub(crate) tool: &'static str,
    pub(crate) name: &'static str,
    /// Whose version the recording names.
    pub(crate) program: &'static str,
    pub(crate) fixture: &'static str,
    pub(crate) state: State,
    pub(crate) edits: &'static [(&'static str, &'static str)],
    /// Empty for the project's own command.
    pub(crate) command: &'static [&'static str],
    pub(crate) colour: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// With its three failures.
    Given,
    Mended,
}

const fn case(tool: &'static str, name: &'static str, program: &'static str, fixture: &'static str) -> Case {
    Case { tool, name, program, fixture, state: State::Given, edits: &[], command: &[], colour: false }
}

impl Case {
    const fn mended(mut self) -> Case {
        self.state = State::Mended;
        self
    }

    const fn with(mut self, edits: &'static [(&'static str, &'static str)]) -> Case {
        self.edits = edits;
        self
    }

    const fn run(mut self, command: &'static [&'static str]) -> Case {
        self.command = command;
        self
    }

    const fn colour(mut self) -> Case {
        self.colour = true;
        self
    }
}

const RUST_ABORTS: &str = "#[test]\nfn every_price_counts() {\n    std::process::abort();\n}\n";
const RUST_DOC: &str = "/// ```\n/// assert_eq!(shop::slug::slug(\"A B\"), \"a_b\");\n/// ```\npub fn slug(title: &str) -> String {\n    title.to_lowercase().replace(' ', \"-\")\n}\n";
const RUST_IGNORED: &str = "#[test]\n#[ignore]\nfn slow() {}\n\n#[test]\nfn returns_an_error() -> Result<(), std::num::ParseIntError> {\n    \"x\".parse::<u32>().map(|_| ())\n}\n\n#[test]\n#[should_panic]\nfn should_panic() {}\n\n#[test]\nfn says_more() {\n    println!(\"line of the test\");\n    panic!(\"two\\nlines\");\n}\n";
const RUST_WRONG_TYPE: &str = "pub fn total(prices: &[u32]) -> u32 {\n    prices.len()\n}\n";
const RUST_UNUSED: &str = "use std::fmt;\n\npub fn total(prices: &[u32]) -> u32 {\n    let unused = 1;\n    prices.iter().sum::<u32>()\n}\n";
const RUST_LINTED: &str =
    "pub fn total(prices: &[u32]) -> u32 {\n    return prices.iter().map(|price| *price).sum();\n}\n";
const PY_ALL: &str = "import unittest\n\nimport pytest\n\n\n@pytest.fixture\ndef broken():\n    raise RuntimeError(\"no database on port 5432\")\n\n\ndef test_setup(broken):\n    pass\n\n\n@pytest.mark.parametrize(\"text\", [\"a - b\", \"c\"])\ndef test_text(text):\n    assert text == \"x\"\n\n\nclass TestGroup:\n    def test_inner(self):\n        raise KeyError(\"price\")\n\n\nclass Case(unittest.TestCase):\n    def test_equal(self):\n        self.assertEqual([1, 2], [1, 3])\n\n\n@pytest.mark.skip(reason=\"later\")\ndef test_skipped():\n    pass\n\n\n@pytest.mark.xfail\ndef test_expected():\n    assert False\n";
const PY_UNKNOWN_IMPORT: &str =
    "from shop.totals import total\n\n\ndef test_it():\n    assert total([]) == 0\n";
const PY_NO_SYNTAX: &str = "def total(prices:\n    return sum(prices)\n";
const JS_BROKEN: &str = "const { total } = require('../src/totals');\n\ntest('it', () => {});\n";
const JS_SKIPPED: &str = "describe('outer', () => {\n  describe('inner', () => {\n    it('throws', () => {\n      throw new TypeError('no price');\n    });\n  });\n  it.skip('is skipped', () => {});\n});\n";
const JS_HOOK: &str = "describe('outer', function () {\n  before('the database', () => {\n    throw new Error('no database');\n  });\n  it('is never run', () => {});\n});\n\ndescribe('other', () => {\n  it('waits for nothing');\n  it('times out', (done) => {}).timeout(20);\n});\n";
const VITEST_MANY: &str = "import { describe, expect, it } from 'vitest';\n\ndescribe('many', () => {\n  it.each([1, 2])('fails for %i', () => {\n    expect('a').toBe('b');\n  });\n  it.skip('is skipped', () => {});\n  it.todo('is to come');\n  it('throws', () => {\n    throw new TypeError('no price');\n  });\n});\n";
const VITEST_BROKEN: &str = "import { total } from '../src/totals.js';\n";
const NODE_MANY: &str = "import assert from 'node:assert';\nimport { describe, it } from 'node:test';\n\ndescribe('outer', () => {\n  describe('inner', () => {\n    it('throws', () => {\n      throw new TypeError('no price');\n    });\n  });\n  it('is skipped', { skip: true }, () => {});\n  it('is to come', { todo: true }, () => {\n    assert.ok(false);\n  });\n});\n";
const BUN_MANY: &str = "import { describe, expect, it } from 'bun:test';\n\ndescribe('outer', () => {\n  describe('inner', () => {\n    it('throws', () => {\n      throw new TypeError('no price');\n    });\n  });\n  it.skip('is skipped', () => {});\n  it.todo('is to come');\n  it('expects', () => {\n    expect({ a: 1 }).toEqual({ a: 2 });\n  });\n});\n";
const ESLINT_MORE: &str = "export default [\n  { rules: { eqeqeq: 'warn', 'no-unused-vars': 'error', 'prefer-const': 'warn' } },\n];\n";
const ESLINT_WARNS: &str = "export default [\n  { rules: { eqeqeq: 'warn', 'no-unused-vars': 'warn', 'prefer-const': 'warn' } },\n];\n";
const GO_MANY: &str = "package shop\n\nimport \"testing\"\n\nfunc TestGroup(t *testing.T) {\n\tt.Run(\"good\", func(t *testing.T) {})\n\tt.Run(\"bad\", func(t *testing.T) {\n\t\tt.Fatalf(\"got %d\\nwant %d\", 1, 2)\n\t})\n}\n\nfunc TestSkipped(t *testing.T) {\n\tt.Skip(\"later\")\n}\n\nfunc TestParallelOne(t *testing.T) {\n\tt.Parallel()\n\tt.Log(\"one\")\n\tt.Error(\"one is wrong\")\n}\n\nfunc TestParallelTwo(t *testing.T) {\n\tt.Parallel()\n\tt.Log(\"two\")\n\tt.Error(\"two is wrong\")\n}\n";
const GO_PANICS: &str = "package shop\n\nimport \"testing\"\n\nfunc TestPanics(t *testing.T) {\n\tvar prices []int\n\t_ = prices[3]\n}\n";
const GO_BROKEN: &str = "package shop\n\nfunc Total(prices []int) int {\n\tsum := 0\n\treturn summ\n}\n";
const GO_VETTED: &str = "package shop\n\nimport \"fmt\"\n\nfunc Total(prices []int) int {\n\tfmt.Printf(\"%s\\n\", 3)\n\tsum := 0\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n";
const C_UNLINKED: &str = "#include \"shop.h\"\n\nint rounded(int value);\n\nint total(const int *prices, size_t count) {\n    int result = 0;\n    for (size_t i = 0; i < count; i++) {\n        result += rounded(prices[i]);\n    }\n    return result;\n}\n";
const C_WARNED: &str = "#include \"shop.h\"\n\nint total(const int *prices, size_t count) {\n    int result, unused;\n    for (int i = 0; i < count; i++) {\n        result += prices[i];\n    }\n    return result;\n}\n";
const JUNIT_OF_PYTEST: &[&str] = &[
    "sh",
    "-c",
    "python3 -m pytest -q --junit-xml=report.xml >/dev/null; code=$?; cat report.xml; exit $code",
];

pub(crate) const CASES: &[Case] = &[
    case("cargo_test", "failing", "cargo", "cargo-test"),
    case("cargo_test", "passing", "cargo", "cargo-test").mended(),
    case("cargo_test", "colour", "cargo", "cargo-test")
        .run(&["cargo", "test", "--no-fail-fast", "--color=always", "--", "--color=always"])
        .colour(),
    case("cargo_test", "does-not-compile", "cargo", "cargo-test").with(&[("src/total.rs", RUST_WRONG_TYPE)]),
    case("cargo_test", "aborts", "cargo", "cargo-test").mended().with(&[("tests/total.rs", RUST_ABORTS)]),
    case("cargo_test", "kinds", "cargo", "cargo-test")
        .mended()
        .with(&[("tests/total.rs", RUST_IGNORED), ("src/slug.rs", RUST_DOC)]),
    case("nextest", "failing", "cargo-nextest", "cargo-nextest"),
    case("nextest", "passing", "cargo-nextest", "cargo-nextest").mended(),
    case("nextest", "colour", "cargo-nextest", "cargo-nextest")
        .run(&["cargo", "nextest", "run", "--no-fail-fast", "--color=always"])
        .colour(),
    case("nextest", "retries", "cargo-nextest", "cargo-nextest").run(&[
        "cargo",
        "nextest",
        "run",
        "--no-fail-fast",
        "--retries=1",
    ]),
    case("nextest", "kinds", "cargo-nextest", "cargo-nextest")
        .mended()
        .with(&[("tests/total.rs", RUST_IGNORED), ("tests/leap.rs", RUST_ABORTS)]),
    case("rustc", "failing", "cargo", "cargo-build"),
    case("rustc", "json", "cargo", "cargo-build").run(&["cargo", "build", "--message-format=json"]),
    case("rustc", "colour", "cargo", "cargo-build").run(&["cargo", "build", "--color=always"]).colour(),
    case("rustc", "warnings", "cargo", "cargo-build").mended().with(&[("src/total.rs", RUST_UNUSED)]),
    case("rustc", "clippy", "cargo", "cargo-build").mended().with(&[("src/total.rs", RUST_LINTED)]).run(&[
        "cargo",
        "clippy",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]),
    case("pytest", "failing", "pytest", "pytest"),
    case("pytest", "passing", "pytest", "pytest").mended(),
    case("pytest", "colour", "pytest", "pytest").run(&["python3", "-m", "pytest", "--color=yes"]).colour(),
    case("pytest", "short", "pytest", "pytest").run(&["python3", "-m", "pytest", "-q", "--tb=short"]),
    case("pytest", "no-summary", "pytest", "pytest").run(&["python3", "-m", "pytest", "-rN"]),
    case("pytest", "kinds", "pytest", "pytest").mended().with(&[("tests/test_kinds.py", PY_ALL)]),
    case("pytest", "not-collected", "pytest", "pytest")
        .mended()
        .with(&[("tests/test_total.py", PY_UNKNOWN_IMPORT)]),
    case("junit", "pytest", "pytest", "pytest").run(JUNIT_OF_PYTEST),
    case("junit", "kinds", "pytest", "pytest")
        .mended()
        .with(&[("tests/test_kinds.py", PY_ALL)])
        .run(JUNIT_OF_PYTEST),
    case("junit", "vitest", "vitest", "vitest").run(&[
        "npx",
        "--no-install",
        "vitest",
        "run",
        "--reporter=junit",
    ]),
    case("ruff", "failing", "ruff", "ruff"),
    case("ruff", "passing", "ruff", "ruff").mended(),
    case("ruff", "concise", "ruff", "ruff").run(&["ruff", "check", "--output-format=concise"]),
    case("ruff", "grouped", "ruff", "ruff").run(&["ruff", "check", "--output-format=grouped"]),
    case("ruff", "no-syntax", "ruff", "ruff").mended().with(&[("shop/total.py", PY_NO_SYNTAX)]),
    case("mypy", "failing", "mypy", "mypy"),
    case("mypy", "passing", "mypy", "mypy").mended(),
    case("mypy", "columns", "mypy", "mypy").run(&["mypy", "--show-column-numbers", "."]),
    case("mypy", "no-syntax", "mypy", "mypy").mended().with(&[("shop/total.py", PY_NO_SYNTAX)]),
    case("jest", "failing", "jest", "jest"),
    case("jest", "passing", "jest", "jest").mended(),
    case("jest", "colour", "jest", "jest").run(&["npx", "--no-install", "jest", "--colors"]).colour(),
    case("jest", "verbose", "jest", "jest").run(&["npx", "--no-install", "jest", "--verbose"]),
    case("jest", "broken", "jest", "jest").mended().with(&[("test/total.test.js", JS_BROKEN)]),
    case("jest", "kinds", "jest", "jest").mended().with(&[("test/kinds.test.js", JS_SKIPPED)]),
    case("vitest", "failing", "vitest", "vitest"),
    case("vitest", "passing", "vitest", "vitest").mended(),
    case("vitest", "colour", "vitest", "vitest").colour(),
    case("vitest", "kinds", "vitest", "vitest").mended().with(&[("test/kinds.test.js", VITEST_MANY)]),
    case("vitest", "broken", "vitest", "vitest").mended().with(&[("test/total.test.js", VITEST_BROKEN)]),
    case("mocha", "failing", "mocha", "mocha"),
    case("mocha", "passing", "mocha", "mocha").mended(),
    case("mocha", "colour", "mocha", "mocha").run(&["npx", "--no-install", "mocha", "--color"]).colour(),
    case("mocha", "hooks", "mocha", "mocha").mended().with(&[("test/hooks.js", JS_HOOK)]),
    case("mocha", "kinds", "mocha", "mocha").mended().with(&[("test/kinds.js", JS_SKIPPED)]),
    case("mocha", "tap", "mocha", "mocha").run(&["npx", "--no-install", "mocha", "--reporter=tap"]),
    case("node_test", "tap", "node", "node-test"),
    case("node_test", "passing", "node", "node-test").mended(),
    case("node_test", "spec", "node", "node-test").run(&["node", "--test", "--test-reporter=spec"]),
    case("node_test", "spec-passing", "node", "node-test").mended().run(&[
        "node",
        "--test",
        "--test-reporter=spec",
    ]),
    case("node_test", "kinds", "node", "node-test").mended().with(&[("test/kinds.test.js", NODE_MANY)]),
    case("node_test", "spec-kinds", "node", "node-test")
        .mended()
        .with(&[("test/kinds.test.js", NODE_MANY)])
        .run(&["node", "--test", "--test-reporter=spec"]),
    case("node_test", "broken", "node", "node-test").mended().with(&[("test/total.test.js", VITEST_BROKEN)]),
    case("bun_test", "failing", "bun", "bun-test"),
    case("bun_test", "passing", "bun", "bun-test").mended(),
    case("bun_test", "kinds", "bun", "bun-test").mended().with(&[("test/kinds.test.js", BUN_MANY)]),
    case("bun_test", "broken", "bun", "bun-test").mended().with(&[("test/total.test.js", VITEST_BROKEN)]),
    case("tsc", "failing", "tsc", "tsc"),
    case("tsc", "passing", "tsc", "tsc").mended(),
    case("tsc", "pretty", "tsc", "tsc").run(&["npx", "--no-install", "tsc", "--noEmit", "--pretty"]).colour(),
    case("tsc", "then-vitest", "tsc", "tsc-vitest"),
    case("eslint", "failing", "eslint", "eslint"),
    case("eslint", "passing", "eslint", "eslint").mended(),
    case("eslint", "json", "eslint", "eslint").run(&["npx", "--no-install", "eslint", ".", "--format=json"]),
    case("eslint", "colour", "eslint", "eslint")
        .run(&["npx", "--no-install", "eslint", ".", "--color"])
        .colour(),
    case("eslint", "warnings", "eslint", "eslint").with(&[("eslint.config.js", ESLINT_MORE)]),
    case("eslint", "only-warnings", "eslint", "eslint").with(&[("eslint.config.js", ESLINT_WARNS)]).run(&[
        "npx",
        "--no-install",
        "eslint",
        ".",
        "--max-warnings=0",
    ]),
    case("go_test", "failing", "go", "go-test"),
    case("go_test", "passing", "go", "go-test").mended(),
    case("go_test", "verbose", "go", "go-test").run(&["go", "test", "-v", "./..."]),
    case("go_test", "json", "go", "go-test").run(&["go", "test", "-json", "./..."]),
    case("go_test", "kinds", "go", "go-test").mended().with(&[("kinds_test.go", GO_MANY)]),
    case("go_test", "kinds-verbose", "go", "go-test")
        .mended()
        .with(&[("kinds_test.go", GO_MANY)])
        .run(&["go", "test", "-v", "./..."]),
    case("go_test", "kinds-json", "go", "go-test")
        .mended()
        .with(&[("kinds_test.go", GO_MANY)])
        .run(&["go", "test", "-json", "./..."]),
    case("go_test", "panics", "go", "go-test").mended().with(&[("panics_test.go", GO_PANICS)]),
    case("go_test", "does-not-compile", "go", "go-test").with(&[("total.go", GO_BROKEN)]),
    case("go_test", "vet", "go", "go-test")
        .mended()
        .with(&[("total.go", GO_VETTED)])
        .run(&["go", "vet", "./..."]),
    case("cc", "gcc", "gcc", "gcc-make"),
    case("cc", "gcc-passing", "gcc", "gcc-make").mended(),
    case("cc", "clang", "clang", "gcc-make").run(&["make", "--keep-going", "build", "CC=clang"]),
    case("cc", "linker", "gcc", "gcc-make").mended().with(&[("total.c", C_UNLINKED)]),
    case("cc", "warnings", "gcc", "gcc-make").mended().with(&[("total.c", C_WARNED)]),
    case("cc", "werror", "gcc", "gcc-make").mended().with(&[("total.c", C_WARNED)]).run(&[
        "make",
        "--keep-going",
        "build",
        "CFLAGS=-Wall -Wextra -Werror -fdiagnostics-color=always",
    ]),
    case("tap", "just", "just", "just"),
    case("tap", "just-passing", "just", "just").mended(),
];
