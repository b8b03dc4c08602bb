//! The language of `ralph` and the decisions it makes.
//!
//! Nothing here reads a clock, a file, the environment or a random source, and nothing waits:
//! time, entropy and what happened are passed in as values. `clippy.toml` beside this crate bans
//! the calls that would break that, and a test reads the dependencies.
//!
//! # Glossary
//!
//! One word per concept, in code, flags, documents and screens.
//!
//! | word | meaning |
//! |---|---|
//! | **Run** | one loop from start to stop |
//! | **Task** | a unit of work: the one prompt given, or an entry of a backlog |
//! | **Item** | an entry of a backlog, as its tracker has it; a task is made of it when its turn comes |
//! | **Tracker** | where a backlog is kept |
//! | **Agenda** | what a run over a backlog knows of it beyond what its tracker says |
//! | **Iteration** | one numbered pass of a run over one task |
//! | **Attempt** | one try at an iteration; a crash or an error of the agent makes a second attempt, not a second iteration |
//! | **Brief** | the prompt that an attempt sends |
//! | **Report** | what the agent did |
//! | **Claim** | the agent's word that it is done |
//! | **Check** | something ralph runs itself |
//! | **Verdict** | what ralph concludes |
//! | **Step** | what a run does next; a run's position is its next step |
//! | **Control** | what a person asks of a running loop |
//! | **Event** | one line of the journal |
//! | **Route** | a rule that chooses agent, model and effort for an iteration |
//! | **Note** | something remembered; a fold of the events about it |
//! | **Recall** | finding the notes that matter for a question |
//! | **Host** | an agent program that ralph lives inside of |

pub mod account;
pub mod agenda;
pub mod agent_event;
pub mod assignment;
pub mod attempt;
pub mod backlog;
pub mod brief;
pub mod check;
pub mod choice;
pub mod control;
pub mod crew;
pub mod draft;
pub mod event;
pub mod id;
pub mod in_session;
pub mod judge;
pub mod ledger;
pub mod machine;
pub mod moment;
pub mod nearest;
pub mod note;
pub mod policy;
pub mod progress;
pub mod promise;
pub mod put_back;
pub mod question;
pub mod recollection;
pub mod redact;
pub mod report;
pub mod route;
pub mod run;
pub mod sandbox;
pub mod sessions;
pub mod stop;
pub mod task;
pub mod verdict;
pub mod view;

pub use jiff::Timestamp;
