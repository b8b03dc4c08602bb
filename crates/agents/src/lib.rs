//! ralph-agents
