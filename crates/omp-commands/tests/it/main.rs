//! What commands answer, with a real session on a scripted server.

mod about;
mod compacting;
mod conversation;
mod places;
mod provider;
mod support;
mod tasks;
mod upkeep;
