//! ralph-engine
