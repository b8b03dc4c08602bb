//! What the tests stand on: scripted models, the real agent programs, temporary worlds.

pub mod models;
pub mod programs;
