//! The grammar from outside: argv in, values, help and completions out. The scripts run in real shells.

mod bash;
mod command;
mod fish;
mod grammar;
mod help;
mod profile;
mod properties;
mod support;
mod zsh;
