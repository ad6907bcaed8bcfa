//! Discovery over real folders: a home and a project, made anew for each test.

mod bases;
mod commands;
mod context;
mod disabled;
mod faults;
mod imports;
mod kinds;
mod mcp;
mod packages;
mod rules;
mod skills;
mod sources;
mod survey;
mod world;
