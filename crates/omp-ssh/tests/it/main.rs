//! What reaches a shell on the other side, read by real shells of this side.

mod hosts_file;
mod wrap;
