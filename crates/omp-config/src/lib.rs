//! Placeholder until its first code is written.
