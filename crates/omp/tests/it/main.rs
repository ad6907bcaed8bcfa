//! The program as a user runs it: hermetic homes, the strict scripted server, real processes.

mod arguments;
mod attachments;
mod faults;
mod interrupt;
mod json_mode;
mod models;
mod print_mode;
mod proxy;
mod sessions;
mod start;
mod support;
mod tidy;
mod tls;
mod turns;
