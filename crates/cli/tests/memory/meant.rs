//! Notes are found by what they mean, where somebody says what that is; and by their words, whatever becomes of that.

use std::process::Output;
use std::time::{Duration, Instant};

use ralph_testkit::{Embeddings, Manner, Request};

use super::{Place, said};

const NOTES: [&str; 5] = [
    "The fridge holds yesterday's meals",
    "Automobiles need winter tyres",
    "Migrations run before deploying",
    "Two servers cannot share a port",
    "The parser keeps comments",
];

/// With a person's own configuration.
fn configured(server: &Embeddings, more: &str) -> Place {
    let place = Place::new();
    place.configure(&format!("[memory.vectors]\nendpoint = \"{}\"\nmodel = \"toy\"\n{more}", server.url()));
    place
}

fn filled(place: &Place) -> Vec<String> {
    NOTES.map(|note| place.add(&[note])).to_vec()
}

impl Place {
    fn configure(&self, text: &str) {
        let dir = self.home.path().join(".config/ralph");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("config.toml"), text).unwrap();
    }

    fn configure_project(&self, text: &str) {
        std::fs::create_dir_all(self.root.path().join(".ralph")).unwrap();
        std::fs::write(self.root.path().join(".ralph/config.toml"), text).unwrap();
    }

    fn search(&self, text: &str) -> (Vec<String>, Output) {
        let out = self.run(&["search", text]);
        let found = NOTES.iter().filter(|note| said(&out.stdout).contains(**note));
        (found.map(|note| (*note).to_owned()).collect(), out)
    }
}

fn texts(requests: &[Request]) -> Vec<usize> {
    requests.iter().map(|request| request.texts.len()).collect()
}

#[test]
fn a_note_without_a_word_of_the_question_is_found_by_what_it_means() {
    let server = Embeddings::start();
    let place = configured(&server, "");
    filled(&place);
    assert_eq!(server.seen(), [], "to put something down asks nobody");
    let (found, out) = place.search("icebox");
    assert_eq!((found, said(&out.stderr)), (vec![NOTES[0].to_owned()], String::new()));
    let why = place.run(&["search", "icebox", "--why"]);
    assert!(said(&why.stdout).contains("vectors +"), "{}", said(&why.stdout));
    let explained = place.run(&["explain", "mend the vehicle", "--json"]);
    assert!(said(&explained.stdout).contains("left_out"), "{}", said(&explained.stderr));
    let off =
        place.command(&["memory", "search", "icebox"]).env("RALPH_SET_MEMORY__VECTORS__USE", "off").output();
    assert_eq!(off.unwrap().status.code(), Some(4));
    let plain = place.beside();
    plain.configure("");
    filled(&plain);
    assert_eq!(plain.run(&["search", "icebox"]).status.code(), Some(4), "by its words it is not found");
}

#[test]
fn notes_are_sent_once_in_batches_and_then_the_question_alone() {
    let server = Embeddings::start();
    let place = configured(&server, "batch = 2\nkey_env = \"TOY_KEY\"\n");
    filled(&place);
    let search = |text: &str| {
        let out =
            place.command(&["memory", "search", text]).env("TOY_KEY", "toy-key-0123456789").output().unwrap();
        assert_eq!(said(&out.stderr), "");
        server.seen()
    };
    let first = search("icebox of hunter2-hunter2-hunter2");
    assert_eq!(texts(&first), [1, 2, 2, 1]);
    assert!(!format!("{first:?}").contains("hunter2"), "no secret is sent: {first:?}");
    let mut sent: Vec<&String> = first[1..].iter().flat_map(|request| &request.texts).collect();
    sent.sort();
    let mut notes: Vec<&str> = NOTES.to_vec();
    notes.sort_unstable();
    assert_eq!(sent, notes);
    assert!(first.iter().all(|one| one.model == "toy"));
    assert!(first.iter().all(|one| one.authorization.as_deref() == Some("Bearer toy-key-0123456789")));
    assert_eq!(texts(&search("physician")), [1]);
    place.add(&["The sixth note"]);
    assert_eq!(texts(&search("physician")), [1, 1]);
    let out = place.run(&["search", ""]);
    assert_eq!((out.status.code(), server.seen()), (Some(0), vec![]), "without a question nobody is asked");
    let keyless = place.run(&["search", "fridge"]);
    assert!(said(&keyless.stderr).contains("TOY_KEY, which has no key in it"), "{}", said(&keyless.stderr));
    assert_eq!((keyless.status.code(), server.seen()), (Some(0), vec![]));
}

#[test]
fn another_model_makes_vectors_anew_and_what_is_forgotten_has_none() {
    let server = Embeddings::start();
    let place = configured(&server, "");
    let ids = filled(&place);
    place.search("icebox");
    server.seen();
    let other = |text: &str| {
        let mut command = place.command(&["memory", "search", text, "--json"]);
        command.env("RALPH_SET_MEMORY__VECTORS__MODEL", "other").output().unwrap();
        server.seen()
    };
    assert_eq!(texts(&other("icebox")), [1, 5]);
    assert_eq!(texts(&other("icebox")), [1]);
    place.search("icebox");
    assert_eq!(texts(&server.seen()), [1], "the one before is still there");
    assert!(place.run(&["forget", &ids[0], "--yes"]).status.success());
    let (found, _) = place.search("icebox");
    assert_eq!(found, [] as [&str; 0]);
    assert!(place.run(&["rebuild"]).status.success());
    server.seen();
    let (found, _) = place.search("car");
    assert_eq!(found, [NOTES[1]]);
    assert_eq!(texts(&server.seen()), [1], "notes that are made again keep their vectors");
    let exported = place.run(&["export"]);
    assert!(!said(&exported.stdout).contains("vector"), "{}", said(&exported.stdout));
}

#[test]
fn whatever_the_endpoint_does_notes_are_found_by_their_words_and_one_line_says_so() {
    let server = Embeddings::start();
    let place = configured(&server, "timeout = \"400ms\"\ncatch_up = \"400ms\"\n");
    filled(&place);
    for (manner, why) in [
        (Manner::Fails, "500 Internal Server Error): out of memory"),
        (Manner::Hangs, "did not answer within 400 ms"),
        (Manner::Garbles, "a web page and not with JSON"),
        (Manner::NotANumber, "its answer is not as expected"),
        (Manner::SendsElsewhere, "nothing is sent elsewhere"),
    ] {
        server.behave(manner);
        let begun = Instant::now();
        let (found, out) = place.search("which port do servers share");
        let told = said(&out.stderr);
        assert!(found.contains(&NOTES[3].to_owned()), "{manner:?}: {found:?}");
        assert!(told.contains(why) && told.contains("next: "), "{manner:?}: {told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{manner:?} hangs");
    }
    // One that takes a single text at a time is asked for one at a time.
    server.behave(Manner::OnlyOne);
    let (found, out) = place.search("icebox");
    assert_eq!((found, said(&out.stderr)), (vec![NOTES[0].to_owned()], String::new()), "nothing was lost");
    server.behave(Manner::Of(7));
    let (found, out) = place.search("which port do servers share");
    assert!(found.contains(&NOTES[3].to_owned()));
    assert!(said(&out.stderr).contains("7 dimensions now, and 32 for the notes"), "{}", said(&out.stderr));
}

#[test]
fn an_endless_answer_is_cut_off_and_one_that_is_down_is_not_waited_for() {
    let server = Embeddings::start();
    let place = configured(&server, "timeout = \"1m\"\n");
    filled(&place);
    server.behave(Manner::Endlessly);
    let (found, out) = place.search("port");
    assert_eq!(found, [NOTES[3]]);
    assert!(said(&out.stderr).contains("more than 64 MiB"), "{}", said(&out.stderr));
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    place.configure(&format!(
        "[memory.vectors]\nendpoint = \"http://127.0.0.1:{port}/v1/embeddings\"\nmodel = \"m\"\n"
    ));
    let (found, out) = place.search("port");
    assert_eq!(found, [NOTES[3]]);
    assert!(said(&out.stderr).contains("cannot be reached"), "{}", said(&out.stderr));
    let doctor = place.command(&["doctor"]).output().unwrap();
    assert!(said(&doctor.stdout).contains("--   vectors    http://127.0.0.1:"), "{}", said(&doctor.stdout));
}

#[test]
fn a_project_sends_nothing_anywhere_before_it_is_trusted() {
    let server = Embeddings::start();
    let place = Place::new();
    place.configure_project(&format!("[memory.vectors]\nendpoint = \"{}\"\nmodel = \"toy\"\n", server.url()));
    filled(&place);
    let (found, out) = place.search("icebox");
    assert_eq!((found, server.seen()), (vec![], vec![]));
    let told = said(&out.stderr);
    for part in ["not trusted", "sends what is remembered", &server.url(), "next: ", "ralph trust"] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    assert!(place.command(&["trust", "--yes"]).output().unwrap().status.success());
    let (found, out) = place.search("icebox");
    assert_eq!((found, said(&out.stderr)), (vec![NOTES[0].to_owned()], String::new()));
    let doctor = place.command(&["doctor"]).output().unwrap();
    assert!(said(&doctor.stdout).contains(&format!("toy at {}: 32 dimensions", server.url())));
    // Nor is it turned on by a project, where a person has turned it off.
    let own = format!("[memory.vectors]\nendpoint = \"{}\"\nmodel = \"toy\"\nuse = \"off\"\n", server.url());
    place.configure(&own);
    for more in ["use = \"endpoint\"", "dimensions = 8", "catch_up = \"9m\""] {
        place.configure_project(&format!("[memory.vectors]\n{more}\n"));
        server.seen();
        let (_, out) = place.search("icebox");
        let is_on = more.starts_with("use");
        assert_eq!(said(&out.stderr).contains("not trusted"), is_on, "{more}: {}", said(&out.stderr));
        assert_eq!(server.seen(), [], "{more}");
    }
    place.configure("");
    // Another address is another question.
    place.configure_project("[memory.vectors]\nendpoint = \"https://example.invalid/v1\"\nmodel = \"toy\"\n");
    let (_, out) = place.search("icebox");
    assert!(said(&out.stderr).contains("not trusted"), "{}", said(&out.stderr));
}

#[test]
fn a_table_of_words_needs_nobody_and_says_which_line_is_wrong() {
    let place = Place::new();
    filled(&place);
    let table = place.home.path().join("words.vec");
    place.configure(&format!("[memory.vectors]\ntable = \"{}\"\n", table.display()));
    let rows = "fridge 1 0 0 0\nicebox 0.9 0.1 0 0\nmeals 0.4 0 0.4 0\nautomobiles 0 1 0 0\ntyres 0 0.8 0 0\n\
                migrations 0 0 1 0\nservers 0 0 0 1\nport 0 0 0.1 1\nparser 0 0 0.5 0.5\ncomments 0 0 0.5 0.4\n";
    for text in [rows.to_owned(), format!("10 4\n{}", rows.replace('\n', " \n"))] {
        std::fs::write(&table, text).unwrap();
        let (found, out) = place.search("icebox");
        assert_eq!(found, [NOTES[0]], "{}", said(&out.stderr));
        assert!(said(&out.stderr).contains("words.vec, once"), "{}", said(&out.stderr));
        let (found, out) = place.search("icebox");
        assert_eq!((found, said(&out.stderr)), (vec![NOTES[0].to_owned()], String::new()), "it is read once");
    }
    for (text, why) in [
        ("fridge 1 0\nicebox 1\n", "words.vec:2: there are 1 numbers, and 2 in the lines before"),
        ("3 2\nfridge 1 0\n", "says that it has 3 words, and has 1"),
        ("fridge 1 x\n", "words.vec:1: `x` is no number"),
        ("", "has no words"),
    ] {
        std::fs::write(&table, text).unwrap();
        let (found, out) = place.search("which port do servers share");
        assert!(
            found.contains(&NOTES[3].to_owned()) && said(&out.stderr).contains(why),
            "{}",
            said(&out.stderr)
        );
    }
    std::fs::remove_file(&table).unwrap();
    let (_, out) = place.search("port");
    assert!(said(&out.stderr).contains("cannot be read"), "{}", said(&out.stderr));
    let both =
        format!("[memory.vectors]\ntable = \"{}\"\nendpoint = \"https://x.invalid\"\n", table.display());
    place.configure(&both);
    let (_, out) = place.search("port");
    assert!(said(&out.stderr).contains("both an endpoint and a table"), "{}", said(&out.stderr));
    let check = place.command(&["run", "x", "--agent", "y"]).output().unwrap();
    assert!(said(&check.stderr).contains("both an endpoint and a table"), "{}", said(&check.stderr));
}
