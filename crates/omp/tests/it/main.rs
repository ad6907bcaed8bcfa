//! The program as a user runs it: hermetic homes, the strict scripted server, real processes.

mod aliases;
mod arguments;
mod attachments;
mod config;
mod dialects;
mod effects;
mod environment;
mod faults;
mod google;
mod hosts;
mod interrupt;
mod json_mode;
mod login;
mod models;
mod models_choice;
mod models_list;
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
