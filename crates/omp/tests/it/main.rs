//! The program as a user runs it: hermetic homes, the strict scripted server, real processes.

mod aliases;
mod arguments;
mod attachments;
mod config;
mod effects;
mod environment;
mod faults;
mod interrupt;
mod json_mode;
mod models;
mod print_mode;
mod profiles;
mod prompt;
mod proxy;
mod sessions;
mod start;
mod support;
mod tidy;
mod tls;
mod turns;
