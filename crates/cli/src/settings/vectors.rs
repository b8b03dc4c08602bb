//! Whether notes are also found by what they mean, and who says what that is.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_core::nearest::shortened;
use ralph_memory::Pace;
use ralph_vectors::{Address, Key, Model};
use schemars::JsonSchema;

use super::catalogue::{DurationText, VectorsUseName};
use super::origin::Set;
use super::raw::Raw;
use super::reader::Reader;
use super::value::count::count_u32;
use super::value::duration::deadline;
use super::value::{Refused, plain};
use crate::problem::Problem;

const SECTION: &str = "memory.vectors";
const LONGEST: Duration = Duration::from_secs(10 * 60);
const MOST_DIMENSIONS: u32 = 16_384;
const MOST_IN_A_BATCH: u32 = 2_048;

/// Notes are also found by what they mean: `vectors` are made of them where somebody searches, by a model that an endpoint
/// has, or by a table of words on this machine. Off unless one of both is named.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct VectorsPart {
    /// "endpoint", "table" or "off"; unset, whichever of both is named.
    #[schemars(rename = "use", with = "Option<VectorsUseName>", extend("examples" = ["off"]))]
    pub(crate) source: Option<Set<Source>>,
    /// Where a model is asked as OpenAI's `/v1/embeddings` is (Ollama, llama.cpp, LM Studio); what notes and questions say
    /// is sent there. https, or this machine.
    #[schemars(with = "Option<String>", extend("examples" = ["http://127.0.0.1:11434/v1/embeddings"]))]
    pub(crate) endpoint: Option<Set<Address>>,
    /// The model that the endpoint is asked for.
    #[schemars(with = "Option<String>", extend("examples" = ["nomic-embed-text"]))]
    pub(crate) model: Option<Set<String>>,
    /// The environment variable that has the key for the endpoint, if it wants one.
    #[schemars(with = "Option<String>", extend("examples" = ["OPENAI_API_KEY"]))]
    pub(crate) key_env: Option<Set<String>>,
    /// How many dimensions the endpoint is asked for; unset, as many as the model has.
    #[schemars(with = "Option<u32>", range(min = 1, max = MOST_DIMENSIONS), extend("examples" = [256]))]
    pub(crate) dimensions: Option<Set<NonZeroU32>>,
    /// A table of words, a line each with its numbers, as fastText (.vec) and GloVe have it: an absolute path. Nothing leaves
    /// the machine.
    #[schemars(with = "Option<String>", extend("examples" = ["~/glove.6B.300d.txt"]))]
    pub(crate) table: Option<Set<PathBuf>>,
    /// How long a search waits for what the question means before it goes on without.
    #[schemars(with = "Option<DurationText>", extend("default" = "2s"))]
    pub(crate) timeout: Option<Set<Duration>>,
    /// How long a search is at notes that have no vector yet; the others are left to the next one.
    #[schemars(with = "Option<DurationText>", extend("default" = "10s"))]
    pub(crate) catch_up: Option<Set<Duration>>,
    /// How many notes go into one request.
    #[schemars(with = "Option<u32>", range(min = 1, max = MOST_IN_A_BATCH), extend("default" = 32))]
    pub(crate) batch: Option<Set<NonZeroU32>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Endpoint,
    Table,
    Off,
}

/// Who says what notes mean, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Vectors {
    pub(crate) by: By,
    pub(crate) pace: Pace,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum By {
    Endpoint(Model),
    /// The variable that is to have its key has none; a run does not fail for that.
    Keyless {
        variable: String,
    },
    Table(PathBuf),
}

impl Source {
    pub(crate) const ALL: [Source; 3] = [Source::Endpoint, Source::Table, Source::Off];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Source::Endpoint => "endpoint",
            Source::Table => "table",
            Source::Off => "off",
        }
    }
}

impl VectorsPart {
    pub(super) fn take(from: &mut Reader<'_>) -> VectorsPart {
        VectorsPart {
            source: from.take(SECTION, "use", source),
            endpoint: from.take(SECTION, "endpoint", address),
            model: from.take(SECTION, "model", |raw| line(raw, "the name of a model")),
            key_env: from.take(SECTION, "key_env", variable),
            dimensions: from.take(SECTION, "dimensions", |raw| count_u32(raw, MOST_DIMENSIONS)),
            table: from.take(SECTION, "table", plain::directory),
            timeout: from.take(SECTION, "timeout", |raw| deadline(raw, LONGEST)),
            catch_up: from.take(SECTION, "catch_up", |raw| deadline(raw, LONGEST)),
            batch: from.take(SECTION, "batch", |raw| count_u32(raw, MOST_IN_A_BATCH)),
        }
    }

    /// A layer that names one of both has chosen between them, and a key belongs to the endpoint that it was named with.
    pub(super) fn over(self, mut lower: VectorsPart) -> VectorsPart {
        match (&self.endpoint, &self.table) {
            (Some(_), None) => (lower.table, lower.source, lower.key_env) = (None, None, None),
            (None, Some(_)) => (lower.endpoint, lower.source) = (None, None),
            (Some(_), Some(_)) => (lower.source, lower.key_env) = (None, None),
            (None, None) => {}
        }
        VectorsPart {
            source: self.source.or(lower.source),
            endpoint: self.endpoint.or(lower.endpoint),
            model: self.model.or(lower.model),
            key_env: self.key_env.or(lower.key_env),
            dimensions: self.dimensions.or(lower.dimensions),
            table: self.table.or(lower.table),
            timeout: self.timeout.or(lower.timeout),
            catch_up: self.catch_up.or(lower.catch_up),
            batch: self.batch.or(lower.batch),
        }
    }

    pub(super) fn defaults() -> VectorsPart {
        VectorsPart {
            timeout: Set::default(Duration::from_secs(2)),
            catch_up: Set::default(Duration::from_secs(10)),
            batch: Set::default(NonZeroU32::new(32).expect("it is not zero")),
            ..VectorsPart::default()
        }
    }

    /// None where notes are found by their words alone.
    pub(super) fn resolve(&self, env: &BTreeMap<OsString, OsString>) -> Result<Option<Vectors>, Problem> {
        let by = match self.chosen()? {
            Source::Off => return Ok(None),
            Source::Endpoint => self.endpoint(env)?,
            Source::Table => By::Table(self.table(env)?),
        };
        fn value<T: Copy>(set: &Option<Set<T>>) -> T {
            set.as_ref().expect("the lowest layer sets it").value
        }
        let batch = value(&self.batch).get() as usize;
        let pace = Pace { question: value(&self.timeout), notes: value(&self.catch_up), batch };
        Ok(Some(Vectors { by, pace }))
    }

    fn chosen(&self) -> Result<Source, Problem> {
        match (&self.source, &self.endpoint, &self.table) {
            (Some(chosen), _, _) => Ok(chosen.value),
            (None, None, None) => Ok(Source::Off),
            (None, Some(_), None) => Ok(Source::Endpoint),
            (None, None, Some(_)) => Ok(Source::Table),
            (None, Some(_), Some(table)) => {
                let problem = Problem::new("memory.vectors names both an endpoint and a table");
                Err(problem
                    .at(table.origin.place())
                    .next("keep one of both, or say use = \"endpoint\" or \"table\""))
            }
        }
    }

    fn endpoint(&self, env: &BTreeMap<OsString, OsString>) -> Result<By, Problem> {
        let Some(endpoint) = &self.endpoint else { return Err(self.missing("endpoint")) };
        let Some(model) = &self.model else {
            let problem =
                Problem::new("memory.vectors.endpoint is set, and no model").at(endpoint.origin.place());
            return Err(problem.next("name it: model = \"nomic-embed-text\""));
        };
        let variable = self.key_env.as_ref().map(|set| &set.value);
        let key = variable.and_then(|name| Key::parse(env.get(OsStr::new(name))?.to_str()?));
        if let (Some(variable), None) = (variable, &key) {
            return Ok(By::Keyless { variable: variable.clone() });
        }
        let dimensions = self.dimensions.as_ref().map(|set| set.value);
        let (address, name) = (endpoint.value.clone(), model.value.clone());
        Ok(By::Endpoint(Model { address, name, dimensions, key }))
    }

    fn table(&self, env: &BTreeMap<OsString, OsString>) -> Result<PathBuf, Problem> {
        let Some(table) = &self.table else { return Err(self.missing("table")) };
        let Ok(below_home) = table.value.strip_prefix("~") else { return Ok(table.value.clone()) };
        match env.get(OsStr::new("HOME")).map(Path::new).filter(|home| home.is_absolute()) {
            Some(home) => Ok(home.join(below_home)),
            None => {
                let problem = Problem::new("memory.vectors.table begins with ~ and HOME is not set");
                Err(problem.at(table.origin.place()).next("set HOME, or write an absolute path"))
            }
        }
    }

    /// It was chosen and is not there.
    fn missing(&self, key: &str) -> Problem {
        let problem = Problem::new(format!("memory.vectors.use is \"{key}\", and no {key} is named"));
        let problem = match &self.source {
            Some(chosen) => problem.at(chosen.origin.place()),
            None => problem,
        };
        problem.next(format!("set {key} in [memory.vectors], or say use = \"off\""))
    }

    /// Whether this layer says to whom notes are sent, that they are, or which file is read.
    pub(crate) fn reaches_out(&self) -> bool {
        let is_turned_on = self.source.as_ref().is_some_and(|chosen| chosen.value != Source::Off);
        let is_reshaped = self.dimensions.is_some() || self.batch.is_some();
        let is_timed = self.timeout.is_some() || self.catch_up.is_some();
        let is_named =
            self.endpoint.is_some() || self.model.is_some() || self.key_env.is_some() || self.table.is_some();
        is_named || is_turned_on || is_reshaped || is_timed
    }
}

fn source(raw: &Raw) -> Result<Source, Refused> {
    let rule = format!("one of {}", Source::ALL.map(|source| format!("\"{}\"", source.name())).join(", "));
    let name = plain::text(raw, &rule)?;
    Source::ALL.into_iter().find(|source| source.name() == name).ok_or_else(|| {
        Refused::new(format!("`{}` is nothing that has vectors", shortened(name)), format!("write {rule}"))
    })
}

fn address(raw: &Raw) -> Result<Address, Refused> {
    const RULE: &str = "an address such as \"http://127.0.0.1:11434/v1/embeddings\"";
    let text = plain::text(raw, RULE)?;
    Address::parse(text)
        .map_err(|why| Refused::new(format!("`{}`: {why}", shortened(text)), format!("write {RULE}")))
}

fn line(raw: &Raw, rule: &str) -> Result<String, Refused> {
    let text = plain::text(raw, rule)?.trim();
    if text.is_empty() || text.contains(char::is_control) {
        return Err(Refused::new(format!("`{}` is not {rule}", shortened(text)), format!("write {rule}")));
    }
    Ok(text.to_owned())
}

fn variable(raw: &Raw) -> Result<String, Refused> {
    const RULE: &str = "the name of an environment variable such as OPENAI_API_KEY";
    let text = plain::text(raw, RULE)?;
    let is_name = !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        // It may be the key itself, which is not shown.
        let what = "this is not the name of an environment variable";
        return Err(Refused::new(what, format!("write {RULE}; the key itself is never in a file")));
    }
    Ok(text.to_owned())
}
