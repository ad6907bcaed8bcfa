//! Conversations as others get them: pages as a browser reads them, text, snapshots opened with other code.

mod damaged;
mod dom;
mod dump;
mod hostile;
mod page;
mod sample;
mod share;
mod trim;
mod where_to;
