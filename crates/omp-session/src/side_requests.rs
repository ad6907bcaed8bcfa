//! Requests that a session made beside its conversation, in a file among its artifacts.
//!
//! They are no entries of the session file: an entry has a place in the tree, and other programs continue below the last one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use omp_types::SideRequest;
use serde_json::json;

use crate::artifacts::artifacts_directory;
use crate::file;
use crate::header::Header;

/// More than this was not written by us.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Adds requests to those of the session in this file.
pub fn append_side_requests(session: &Path, header: &Header, requests: &[SideRequest]) -> io::Result<()> {
    let directory = artifacts_directory(session);
    file::create_directory(&directory)?;
    let path = directory.join(SideRequest::FILE);
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    let mut text = String::new();
    if file.metadata()?.len() == 0 {
        text = format!("{}\n", json!({"type": "side_requests", "id": header.id, "cwd": header.cwd}));
    }
    for request in requests {
        text.push_str(&serde_json::to_string(request)?);
        text.push('\n');
    }
    file.write_all(text.as_bytes())
}

/// The requests beside the session in this file. What cannot be read counts as none.
pub fn side_requests(session: &Path) -> Vec<SideRequest> {
    let path = artifacts_directory(session).join(SideRequest::FILE);
    let small = fs::metadata(&path).is_ok_and(|facts| facts.len() <= LARGEST);
    let text = if small { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
