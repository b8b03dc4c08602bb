//! ralph-core
