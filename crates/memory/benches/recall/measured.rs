//! Who says what texts mean, as the command line has it: the same that a search asks.

use std::path::PathBuf;
use std::time::Duration;

use ralph_memory::{Measure, Pace};
use ralph_vectors::{Address, Endpoint, Model, Table};

/// A measurement waits for all vectors.
const PACE: Pace = Pace { question: Duration::from_secs(60), notes: Duration::from_secs(3_600), batch: 64 };

pub(super) fn of(args: &[String]) -> Result<Option<Box<dyn Measure>>, String> {
    let value = |flag: &str| {
        let at = args.iter().position(|arg| arg == flag)?;
        args.get(at + 1).cloned()
    };
    match (value("--vectors-endpoint"), value("--vectors-table")) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err("vectors come from an endpoint or from a table".to_owned()),
        (Some(url), None) => {
            let address = Address::parse(&url).map_err(|why| format!("{url}: {why}"))?;
            let name = value("--model").ok_or("an endpoint needs --model")?;
            let model = Model { address, name, dimensions: None, key: None };
            Ok(Some(Box::new(Endpoint::new(model, PACE))))
        }
        (None, Some(table)) => {
            let dir = std::env::temp_dir().join("ralph-bench-vectors");
            Ok(Some(Box::new(Table::new(PathBuf::from(table), dir, PACE, |_| {}))))
        }
    }
}
