//! The demo: a small project whose tests really fail, a scripted agent that claims too much, the real engine.

pub(crate) mod agent;
mod project;
pub(crate) mod show;
