//! Files in the layout of LoCoMo: conversations over many sessions, with questions and the turns that answer them.

use std::collections::BTreeSet;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use ralph_core::Timestamp;
use ralph_core::id::{NoteId, SessionId};
use ralph_core::note::{Draft, Kind, Observation};
use serde_json::Value;

pub(crate) struct Conversation {
    pub(crate) name: String,
    pub(crate) turns: Vec<Turn>,
    pub(crate) questions: Vec<Question>,
}

pub(crate) struct Turn {
    /// As the evidence names it: `D3:7`.
    pub(crate) id: String,
    session: u64,
    speaker: String,
    text: String,
    at: Timestamp,
}

pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) category: u64,
    pub(crate) evidence: BTreeSet<String>,
}

pub(crate) fn conversations(text: &str) -> Result<Vec<Conversation>, String> {
    let all: Vec<Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    all.iter().map(conversation).collect()
}

fn conversation(value: &Value) -> Result<Conversation, String> {
    let talk = value["conversation"].as_object().ok_or("no `conversation`")?;
    let mut sessions: Vec<(u64, &Vec<Value>)> = talk
        .iter()
        .filter_map(|(key, turns)| Some((key.strip_prefix("session_")?.parse().ok()?, turns.as_array()?)))
        .collect();
    sessions.sort_unstable_by_key(|(number, _)| *number);
    let mut turns = Vec::new();
    for (number, said) in sessions {
        let date = talk.get(&format!("session_{number}_date_time")).and_then(Value::as_str);
        let at = date.and_then(moment).unwrap_or(Timestamp::UNIX_EPOCH);
        for turn in said {
            turns.push(Turn::of(turn, number, at)?);
        }
    }
    let known: BTreeSet<&str> = turns.iter().map(|turn| turn.id.as_str()).collect();
    let asked = value["qa"].as_array().ok_or("no `qa`")?;
    let questions = asked.iter().filter_map(|one| Question::of(one, &known)).collect();
    let name = value["sample_id"].as_str().unwrap_or("conversation").to_owned();
    Ok(Conversation { name, turns, questions })
}

impl Conversation {
    /// A name for each turn, in their order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NoteId> {
        (0..).map(|number| NoteId::new(Timestamp::UNIX_EPOCH, number))
    }

    /// When the last turn was.
    pub(crate) fn end(&self) -> Timestamp {
        self.turns.iter().map(|turn| turn.at).max().unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

impl Turn {
    fn of(value: &Value, session: u64, at: Timestamp) -> Result<Turn, String> {
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        let id = references(text("dia_id")).into_iter().next().ok_or("a turn without `dia_id`")?;
        let said = [text("text"), text("blip_caption")].join(" ").trim().to_owned();
        Ok(Turn { id, session, speaker: text("speaker").to_owned(), text: said, at })
    }

    /// As a note: who spoke is its tag, the session its thread, the day its time.
    pub(crate) fn draft(&self) -> Draft {
        let mut draft = Draft::new(Kind::Observation(Observation::Discovery), self.text.clone());
        draft.tags.push(self.speaker.clone());
        draft.source.session = SessionId::parse(&format!("session-{}", self.session)).ok();
        draft.valid_from = Some(self.at);
        draft
    }
}

impl Question {
    /// None without any evidence that is there.
    fn of(value: &Value, known: &BTreeSet<&str>) -> Option<Question> {
        let named = value["evidence"].as_array()?.iter().filter_map(Value::as_str).flat_map(references);
        let evidence: BTreeSet<String> = named.filter(|id| known.contains(id.as_str())).collect();
        let text = value["question"].as_str()?.to_owned();
        (!evidence.is_empty()).then_some(Question { text, category: value["category"].as_u64()?, evidence })
    }
}

/// The turns that a reference names, however it is written: `D8:6; D9:17`, `D:11:26`, `D30:05`.
fn references(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in text.split('D').skip(1) {
        let mut numbers = piece.trim_start_matches(':').split(':');
        let mut next = || {
            let digits: String = numbers.next()?.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u64>().ok()
        };
        if let (Some(session), Some(turn)) = (next(), next()) {
            found.push(format!("D{session}:{turn}"));
        }
    }
    found
}

/// `1:56 pm on 8 May, 2023`.
fn moment(text: &str) -> Option<Timestamp> {
    let time = DateTime::strptime("%I:%M %p on %d %B, %Y", text).ok()?;
    time.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}
