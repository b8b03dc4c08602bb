//! ralph-store
