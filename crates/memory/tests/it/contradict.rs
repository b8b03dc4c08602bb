//! What cannot both be true, and what can.

use ralph_core::note::{Citation, Draft, Kind, Observation, TerminalSnapshot};
use ralph_memory::{Ground, alike, contradict};

use super::draft;

const CONTRADICTIONS: [(&str, &str, Ground); 49] = [
    // Things of which one has one.
    ("The project uses Postgres as its database", "The project uses MySQL as its database", Ground::Choice),
    ("The project uses Postgres as its database", "We migrated from Postgres to MySQL", Ground::Choice),
    ("We use Postgres.", "We migrated from Postgres to MySQL.", Ground::Choice),
    ("The database is PostgreSQL 15", "The database is now MySQL", Ground::Choice),
    ("User sessions are stored in Redis", "User sessions are stored in Memcached", Ground::Choice),
    ("Install dependencies with npm", "Install dependencies with pnpm", Ground::Choice),
    ("We use npm", "Use pnpm, not npm", Ground::Choice),
    ("Unit tests run on Jest", "Unit tests run on Vitest", Ground::Choice),
    ("The frontend is written in JavaScript", "The frontend is written in TypeScript", Ground::Choice),
    ("The settings file is in YAML", "The settings file is in TOML", Ground::Choice),
    ("Indent Go files with tabs", "Indent Go files with spaces", Ground::Choice),
    ("It was decided to use Kafka for events", "Events use RabbitMQ", Ground::Choice),
    ("The HTTP client is reqwest", "Use ureq as the HTTP client instead of reqwest", Ground::Choice),
    ("Function names are in snake_case", "Function names are in camelCase", Ground::Choice),
    // Numbers, versions and ports.
    ("The API server listens on port 8080", "The API server listens on port 9090", Ground::Number),
    ("The server's port is 8080", "The server's port is 3000.", Ground::Number),
    ("The build needs Node 18", "The build needs Node 20", Ground::Number),
    ("Requires Python 3.9 or newer", "Requires Python 3.11 or newer", Ground::Number),
    ("Requires at least Node 20", "It runs with Node 18", Ground::Number),
    ("The request timeout is 30 seconds", "The request timeout is 60 seconds", Ground::Number),
    ("Uploads are limited to 10 MB", "Uploads are limited to 25 MB", Ground::Number),
    ("The pool has four workers", "The pool has eight workers", Ground::Number),
    ("The cache lives on redis:6379", "The cache lives on redis:6380", Ground::Number),
    ("Retries stop after 3 retries", "Retries stop after 5 retries", Ground::Number),
    ("The schema version is 12", "The schema version is 14", Ground::Number),
    // One says yes and the other says no.
    ("Handlers must return errors", "Handlers must not return errors", Ground::Denial),
    (
        "Always run the migrations before deploying",
        "Never run the migrations before deploying",
        Ground::Denial,
    ),
    ("The tests need a database", "The tests run without a database", Ground::Denial),
    ("The parser keeps comments", "The parser doesn't keep comments", Ground::Denial),
    ("The id column can be null", "The id column cannot be null", Ground::Denial),
    ("Use unwrap in library modules", "Avoid unwrap in library modules", Ground::Denial),
    ("We use npm", "Do not use npm", Ground::Denial),
    ("The scheduler supports retries", "The scheduler does not support retries.", Ground::Denial),
    ("Generated files are checked in", "Generated files are not checked in", Ground::Denial),
    ("CI caches the target directory", "CI no longer caches the target directory", Ground::Denial),
    // Words that exclude each other.
    ("Strict mode is enabled", "Strict mode is disabled", Ground::Opposite),
    ("Run the formatter before the linter", "Run the formatter after the linter", Ground::Opposite),
    ("The events are delivered synchronously", "The events are delivered asynchronously", Ground::Opposite),
    ("The token argument is required", "The token argument is optional", Ground::Opposite),
    ("Paths in the manifest are relative", "Paths in the manifest are absolute", Ground::Opposite),
    ("Lookup of headers is case-sensitive", "Lookup of headers is case-insensitive", Ground::Opposite),
    // Commands, names and places.
    ("Run the tests with `cargo test`", "Run the tests with `cargo nextest run`", Ground::Command),
    ("Use `make lint` to check style", "Use `npm run lint` to check style", Ground::Command),
    ("Start the server using `docker compose up`", "Start the server using `bin/dev start`", Ground::Command),
    ("The default branch is main", "The default branch is trunk", Ground::Name),
    ("The entry point is src/main.rs", "The entry point is src/bin/app.rs", Ground::Name),
    ("Migrations live in db/migrations", "Migrations live in sql/changes", Ground::Name),
    ("The base class is `Model`", "The base class is `Entity`", Ground::Name),
    ("Fixtures are kept in tests/data", "Fixtures are kept in spec/fixtures", Ground::Name),
];

const COMPATIBLE: [(&str, &str); 56] = [
    // The same, or more of it.
    ("The project uses Postgres as its database", "The database is PostgreSQL"),
    ("Use pnpm, not npm", "We use pnpm"),
    ("Do not use npm", "Use pnpm"),
    ("The API server listens on port 8080", "The API server listens on port 8080 by default"),
    ("Requires Node 18 or newer", "It runs with Node 20"),
    ("The build needs Python 3", "The build needs Python 3.11"),
    ("Strict mode is disabled", "Strict mode is not enabled"),
    ("Never deploy without running the migrations", "Run the migrations before deploying"),
    ("Don't forget to run the migrations", "Run the migrations"),
    ("Run the migrations before the tests", "Run the tests after the migrations"),
    ("Run the tests with `cargo test -p api`", "Run the tests with `cargo test -p web --release`"),
    ("Migrations live in db/migrations", "Migrations live in db/migrations/2024"),
    // Something else is spoken of.
    ("The billing service uses Postgres", "The auth service uses MySQL"),
    ("Tests for the Postgres adapter live in tests/pg", "Tests for the MySQL adapter live in tests/mysql"),
    ("Postgres listens on port 5432", "The web server listens on port 8080"),
    ("The API uses Redis for caching", "The API uses Postgres for orders"),
    ("The request timeout is 30 seconds", "The connect timeout is 5 seconds"),
    ("The parser keeps comments", "The printer does not keep comments"),
    ("Handlers must return errors", "Workers must not return errors"),
    ("The default branch is main", "The release branch is stable-2"),
    ("The id column can be null", "The name column cannot be null"),
    ("Run the tests with `cargo test`", "Format with `cargo fmt --all`"),
    ("Use `make lint` to check style", "Use `make db` to create tables"),
    ("The entry point is src/main.rs", "The library root is src/lib.rs"),
    ("Debug logging is enabled", "Telemetry is disabled"),
    ("Run the formatter before the linter", "Run the linter after the tests"),
    ("Python services use pytest", "Java services use maven"),
    // Under other conditions.
    ("In production the service uses Postgres", "In tests the service uses SQLite"),
    ("The service uses Postgres", "The service uses SQLite in tests"),
    ("On Windows the path separator is backslash", "The path separator is slash"),
    ("The cache is enabled in production", "The cache is disabled in development"),
    ("Handlers must not return errors when CI is set", "Handlers must return errors"),
    ("Do not run the tests if the database is down", "Run the tests"),
    ("The server listens on port 8080 locally", "The server listens on port 443"),
    ("Retries are enabled unless the queue is full", "Retries are disabled"),
    // How things were, and what was seen once.
    ("We used to use Postgres", "We use MySQL"),
    ("Previously the server listened on port 8080", "The server listens on port 9090"),
    ("The bug was in the parser", "The bug is not in the parser"),
    ("3 tests fail in the api crate", "5 tests fail in the api crate"),
    ("The panic is at line 40 of lexer.rs", "The panic is at line 92 of lexer.rs"),
    ("The suite took 3 minutes in iteration 2", "The suite took 5 minutes in iteration 7"),
    ("It failed with exit code 1", "It failed with exit code 101"),
    // Both can hold.
    ("The project uses Postgres", "The project uses Redis"),
    ("The parser is recursive", "The parser is fast"),
    ("The API accepts JSON and XML", "The API accepts JSON"),
    ("Some handlers return errors", "Handlers must not return errors"),
    ("Usually the cache is warm", "The cache is not warm"),
    ("The timeout is configurable", "The timeout is short"),
    ("The default branch is protected", "The default branch is main"),
    ("Not only the parser keeps comments", "The parser keeps comments"),
    ("The queue holds 100 items and 5 workers drain it in 10 batches", "The queue holds 200 items"),
    ("Edit the template, not the generated files", "Edit the template"),
    ("Ports 8080 and 8081 are used by the proxy", "Port 9000 is used by the worker"),
    ("The first request is slow", "The last request is slow for large pages"),
    ("Use `Parser::new` for reading", "Use `Printer::new` for writing"),
    ("", "The project uses Postgres"),
];

#[test]
fn what_cannot_both_be_true_is_found_without_a_model() {
    let missed: Vec<_> = CONTRADICTIONS
        .iter()
        .filter(|(one, other, ground)| {
            let found = |a: &str, b: &str| contradict(&draft(a), &draft(b)).map(|conflict| conflict.ground);
            found(one, other) != Some(*ground) || found(other, one) != Some(*ground)
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_can_both_be_true_is_let_stand() {
    let found: Vec<_> = COMPATIBLE
        .iter()
        .flat_map(|(one, other)| [(one, other), (other, one)])
        .filter_map(|(one, other)| Some((one, other, contradict(&draft(one), &draft(other))?)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn nothing_contradicts_itself() {
    for text in CONTRADICTIONS.iter().flat_map(|(one, other, _)| [one, other]) {
        assert_eq!(contradict(&draft(text), &draft(text)), None, "{text}");
    }
}

#[test]
fn what_a_terminal_showed_denies_nothing() {
    let terminal = TerminalSnapshot { command: "make".into(), exit_code: Some(1), text: String::new() };
    let gotcha = Kind::Gotcha { triggers: Vec::new(), terminal: Some(terminal) };
    let record = Draft::new(gotcha, "The server's port is 8080");
    assert_eq!(contradict(&record, &draft("The server's port is 3000")), None);
}

const SAME: [(&str, &str); 14] = [
    ("The tests need Postgres running on port 5432", "Tests require a running Postgres on port 5432."),
    ("the cache is warm after start", "The cache is warm after start!"),
    ("Run `make db` before the integration tests", "Before the integration tests, run `make db`"),
    ("Every handler returns an Outcome", "All handlers return an Outcome"),
    ("The parser keeps comments in the tree", "The parser keeps the comments in its tree"),
    ("Snapshots are taken before each attempt starts", "A snapshot is taken before each attempt"),
    ("The linter needs the nightly toolchain here", "The linter needs a nightly toolchain"),
    (
        "Fixtures must be rebuilt when the schema changes",
        "Fixtures have to be rebuilt when the schema is changed",
    ),
    ("Do not edit generated files by hand", "Don't edit the generated files by hand"),
    ("The worker pool is created in main.rs", "The pool of workers is created in main.rs"),
    ("Secrets are redacted before notes are stored", "Secrets get redacted before the notes are stored"),
    ("The lexer treats tabs as four columns", "Tabs are treated as four columns by the lexer"),
    ("Login cookies expire after 30 minutes of silence", "Login cookies expire after 30 minutes"),
    ("migrations run at startup of the api", "Migrations are run at the startup of the API"),
];

const DIFFERENT: [(&str, &str); 14] = [
    ("The tests need Postgres on port 5432", "The tests need Postgres on port 5433"),
    ("The parser keeps comments in the tree", "The parser does not keep comments in the tree"),
    ("Run `make db` before the integration tests", "Run `make seed` before the integration tests"),
    ("The project uses Postgres as its database", "The project uses MySQL as its database"),
    ("The worker pool is created in main.rs", "The worker pool is created in pool.rs"),
    ("The lexer treats tabs as four columns", "The printer writes four spaces for a tab"),
    ("`test_a` failed and passes since changes in a.rs", "`test_b` failed and passes since changes in a.rs"),
    ("The cache is warm", "The cache is cold"),
    ("Strict mode is enabled for all crates", "Strict mode is disabled for all crates"),
    (
        "Ports are leased",
        "Ports are leased by the broker, which keeps them for ten minutes and then gives them away",
    ),
    ("The queue is bounded by the number of workers", "The number of workers is read from the environment"),
    ("Handlers return an Outcome", "Handlers log every Request"),
    ("Use the builder to make a Config", "Use the builder to make a Session"),
    ("", "The cache is warm"),
];

#[test]
fn what_says_the_same_in_other_words_is_alike_and_what_differs_in_a_name_is_not() {
    for (one, other) in SAME {
        assert!(alike(&draft(one), &draft(other)) && alike(&draft(other), &draft(one)), "{one} / {other}");
    }
    for (one, other) in DIFFERENT {
        assert!(!alike(&draft(one), &draft(other)) && !alike(&draft(other), &draft(one)), "{one} / {other}");
    }
    for (one, other, _) in CONTRADICTIONS {
        assert!(!alike(&draft(one), &draft(other)), "{one} / {other}");
    }
}

#[test]
fn failures_are_alike_by_their_fingerprints() {
    let failure = |approach: &str, diff: &str| {
        let kind = Kind::Failure {
            approach: approach.to_owned(),
            diff: Some(diff.to_owned()),
            errors: vec!["e1".to_owned()],
        };
        Draft::new(kind, approach)
    };
    assert!(alike(&failure("rewrote the lexer", "d1"), &failure("another word for it", "d1")));
    assert!(!alike(
        &failure("rewrote the lexer by hand", "d1"),
        &failure("rewrote the lexer by hand again", "d2")
    ));
    let mut command = Draft::new(
        Kind::Observation(Observation::Command { command: "make db".into() }),
        "`make db` creates the tables",
    );
    command.citations.push(Citation::Other { text: "seen".into() });
    assert!(!alike(&failure("make db creates the tables", "d1"), &command));
}
