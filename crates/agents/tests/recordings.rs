//! Every recording, as events and as a conclusion.

mod listening;

use listening::{hear, recordings};

#[test]
fn every_recording_is_read_as_events_and_a_conclusion() {
    for recording in recordings() {
        let heard = recording.heard();
        let events: Vec<String> =
            heard.events.iter().map(|event| serde_json::to_string(event).expect("json")).collect();
        let text = format!(
            "{} {} {}\n{}\n\n{}\n{:#?}",
            recording.agent,
            recording.version,
            recording.args,
            recording.exit(),
            events.join("\n"),
            heard.conclusion
        );
        let name = format!("{}_{}", recording.agent, recording.name);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, text);
        });
    }
}

#[test]
fn the_pieces_in_which_output_comes_make_no_difference() {
    for recording in recordings() {
        let (stdout, whole) = (recording.stdout(), recording.heard());
        for size in [1, 7, 1000] {
            let mut parser = recording.parser();
            let mut events = Vec::new();
            for piece in stdout.chunks(size) {
                parser.push(piece, &mut |event| events.push(event));
            }
            let rest = hear(parser, b"", &recording.stderr(), &recording.exit());
            events.extend(rest.events);
            assert_eq!(events, whole.events, "{} {} in pieces of {size}", recording.agent, recording.name);
            assert_eq!(rest.conclusion, whole.conclusion);
        }
    }
}

#[test]
fn no_line_of_a_recording_is_malformed() {
    for recording in recordings() {
        assert_eq!(recording.heard().conclusion.malformed, 0, "{} {}", recording.agent, recording.name);
    }
}
