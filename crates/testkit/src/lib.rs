//! ralph-testkit
