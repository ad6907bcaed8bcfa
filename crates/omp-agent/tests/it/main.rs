//! The loop's contracts, proved with scripted models and tools in virtual time.

mod common;

mod agents;
mod arguments;
mod companions;
mod conduct;
mod corrections;
mod demands;
mod fallbacks;
mod interruptions;
mod leaks;
mod properties;
mod queues;
mod retries;
mod runs;
mod tools;
