//! What happened, shared between connection threads and the test.

use super::http::HttpRequest;
use super::wire::Wire;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime};

/// A model request as it arrived.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// Position among the model requests of this server, from 0.
    pub index: usize,
    pub wire: Wire,
    pub method: String,
    /// Without the query.
    pub path: String,
    /// What follows `?`, or nothing.
    pub query: String,
    /// Lower-case names; of a repeated header the last value.
    pub headers: BTreeMap<String, String>,
    /// Lower-case names, in order, with repetitions.
    pub headers_multi: Vec<(String, String)>,
    pub raw_body: Vec<u8>,
    /// `Value::Null` when the body is not JSON. Of Cloud Code Assist what is inside the envelope.
    pub body: Value,
    /// What is around the body, on the wire that has an envelope.
    pub envelope: Value,
    /// When the first byte of the request arrived.
    pub received_at: Instant,
    /// The same moment, comparable between processes.
    pub received_at_wall: SystemTime,
}

impl RecordedRequest {
    /// Does it ask for the conversation in a shorter form, not for an answer?
    pub fn is_compaction(&self) -> bool {
        self.path.ends_with("/responses/compact")
    }

    /// The texts of the results of calls that it holds, on the wire of chat completions.
    pub fn tool_results(&self) -> Vec<String> {
        let messages = self.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let results = messages.iter().filter(|message| message["role"] == "tool");
        results.map(|result| result["content"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(&name.to_ascii_lowercase()).map(String::as_str)
    }
}

/// A request that was not for a model turn.
#[derive(Clone, Debug)]
pub struct OtherRequest {
    pub method: String,
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub raw_body: Vec<u8>,
    pub received_at: Instant,
}

impl From<HttpRequest> for OtherRequest {
    fn from(request: HttpRequest) -> Self {
        Self {
            method: request.method,
            path: request.path,
            headers: request.headers.into_iter().collect(),
            raw_body: request.body,
            received_at: request.first_byte,
        }
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The model request that broke it; `None` for a request of another kind.
    pub request: Option<usize>,
    pub wire: Option<Wire>,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.request, self.wire) {
            (Some(index), Some(wire)) => write!(f, "request {index} ({wire}): {}", self.message),
            _ => f.write_str(&self.message),
        }
    }
}

/// A client that closed the connection before its reply was complete.
#[derive(Clone, Debug)]
pub struct Disconnect {
    pub request: usize,
    /// When the server noticed.
    pub at: Instant,
    /// Bytes of the body handed to the socket before that.
    pub bytes_written: usize,
}

/// What became of WebSockets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SocketCount {
    pub opened: usize,
    /// The client sent a close frame.
    pub closed: usize,
}

#[derive(Default)]
struct Entries {
    requests: VecDeque<RecordedRequest>,
    /// How many there were, also those that are no longer kept.
    count: usize,
    others: Vec<OtherRequest>,
    violations: Vec<Violation>,
    disconnects: Vec<Disconnect>,
    largest_body: usize,
    sockets: SocketCount,
}

#[derive(Default)]
pub(crate) struct Journal {
    entries: Mutex<Entries>,
    changed: Condvar,
    /// How many model requests are kept; all if it is not said.
    kept: Option<usize>,
}

impl Journal {
    /// Keeps the newest model requests only.
    pub(crate) fn keeping(kept: Option<usize>) -> Self {
        Self { kept, ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().expect("no thread panics while holding the journal")
    }

    /// Gives the request its index and keeps it.
    pub(crate) fn add_request(&self, mut request: RecordedRequest) -> RecordedRequest {
        let mut entries = self.lock();
        request.index = entries.count;
        entries.count += 1;
        entries.requests.push_back(request.clone());
        if self.kept.is_some_and(|kept| entries.requests.len() > kept) {
            entries.requests.pop_front();
        }
        self.changed.notify_all();
        request
    }

    pub(crate) fn add_other(&self, request: OtherRequest) {
        self.lock().others.push(request);
        self.changed.notify_all();
    }

    pub(crate) fn add_violation(&self, violation: Violation) {
        self.lock().violations.push(violation);
        self.changed.notify_all();
    }

    pub(crate) fn add_disconnect(&self, request: usize, bytes_written: usize) {
        self.lock().disconnects.push(Disconnect { request, at: Instant::now(), bytes_written });
        self.changed.notify_all();
    }

    pub(crate) fn note_body(&self, bytes: usize) {
        let mut entries = self.lock();
        entries.largest_body = entries.largest_body.max(bytes);
    }

    pub(crate) fn largest_body(&self) -> usize {
        self.lock().largest_body
    }

    pub(crate) fn count_sockets(&self, count: impl FnOnce(&mut SocketCount)) {
        count(&mut self.lock().sockets);
        self.changed.notify_all();
    }

    pub(crate) fn sockets(&self) -> SocketCount {
        self.lock().sockets
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.lock().requests.iter().cloned().collect()
    }

    pub(crate) fn other_requests(&self) -> Vec<OtherRequest> {
        self.lock().others.clone()
    }

    pub(crate) fn violations(&self) -> Vec<Violation> {
        self.lock().violations.clone()
    }

    pub(crate) fn disconnects(&self) -> Vec<Disconnect> {
        self.lock().disconnects.clone()
    }

    pub(crate) fn wait_for_requests(&self, count: usize, timeout: Duration) -> Vec<RecordedRequest> {
        let (entries, _) = self
            .changed
            .wait_timeout_while(self.lock(), timeout, |entries| entries.count < count)
            .expect("no thread panics while holding the journal");
        let seen: Vec<RecordedRequest> = entries.requests.iter().cloned().collect();
        let (came, violations) = (entries.count, entries.violations.clone());
        drop(entries); // before a panic, so that the journal stays usable for other threads
        assert!(
            came >= count,
            "{count} requests expected within {timeout:?}, {came} came; violations: {violations:?}",
        );
        seen
    }
}
