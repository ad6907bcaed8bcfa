//! Messages without a connection, for fuzzers.

use crate::transport::read_messages;

/// Reads what a server sends over standard output. Returns how many messages and how many problems it holds.
pub fn messages(chunks: &[&[u8]]) -> (usize, usize) {
    read_messages(chunks)
}
