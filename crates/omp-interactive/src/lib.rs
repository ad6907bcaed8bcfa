//! The interactive program: what people see and type when they talk to an agent in their terminal.

pub mod commands;
pub mod link;
pub mod transcript;
