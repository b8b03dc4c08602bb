//! What recall finds of the evidence for questions about long conversations: a file in the layout of LoCoMo, one store
//! for each conversation, one note for each turn. Nothing is tuned here: it is [`ralph_memory::recall`] as it is.
//!
//! `cargo xtask bench recall FILE`, and with vectors `--vectors-table FILE` or `--vectors-endpoint URL --model NAME`

#[path = "recall/locomo.rs"]
mod locomo;
#[path = "recall/measured.rs"]
mod measured;
#[path = "recall/report.rs"]
mod report;

use std::collections::HashMap;
use std::process::ExitCode;

use locomo::Conversation;
use ralph_core::note::MemoryEvent;
use ralph_core::redact::Redactor;
use ralph_memory::{Measure, Query, Ranking, Shelves, catch_up, recall, understand};
use ralph_store::{Notes as _, SqliteStore};
use report::{Answered, table};

const DEEPEST: usize = 20;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = args.first().filter(|_| args.iter().any(|flag| flag == "--bench")) else {
        // Without it this is a test run of all targets.
        return ExitCode::SUCCESS;
    };
    let measure = match measured::of(&args[1..]) {
        Ok(measure) => measure,
        Err(why) => return refused(&why),
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return refused(&format!("cannot read {path}: {error}")),
    };
    match locomo::conversations(&text) {
        Ok(conversations) => {
            let answered: Vec<Answered> =
                conversations.iter().flat_map(|one| ask(one, measure.as_deref())).collect();
            println!("{}", table(&answered));
            ExitCode::SUCCESS
        }
        Err(error) => refused(&format!("{path} is not in the layout of LoCoMo: {error}")),
    }
}

fn refused(why: &str) -> ExitCode {
    eprintln!("error: {why}");
    ExitCode::FAILURE
}

#[expect(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]
fn ask(conversation: &Conversation, measure: Option<&dyn Measure>) -> Vec<Answered> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::in_memory().unwrap();
        let mut turns = HashMap::new();
        let mut events = Vec::new();
        for (turn, note) in conversation.turns.iter().zip(conversation.ids()) {
            turns.insert(note.clone(), turn.id.clone());
            events.push(MemoryEvent::Observed { note, draft: Box::new(turn.draft()) });
        }
        let now = conversation.end();
        store.append_memory(events, now).await.unwrap();
        catch_up(&store).await.unwrap();
        let mut answered = Vec::new();
        for question in &conversation.questions {
            let meaning = match measure {
                Some(measure) => {
                    let shelves = Shelves { project: &store, global: None };
                    let understood =
                        understand(&shelves, measure, &question.text, &Redactor::new([])).await.unwrap();
                    assert_eq!(understood.trouble, None, "what is measured is measured whole");
                    understood.meaning
                }
                None => None,
            };
            let query = Query { limit: DEEPEST, meaning, ..Query::new(&question.text) };
            let found = recall(&store, &query, &Ranking::default(), now).await.unwrap();
            let ranked: Vec<String> = found.iter().map(|one| turns[&one.note.id].clone()).collect();
            answered.push(Answered {
                conversation: conversation.name.clone(),
                category: question.category,
                ranked,
                evidence: question.evidence.clone(),
            });
        }
        answered
    })
}
