//! A server that lists models, in good and in bad ways. It knows its paths exactly and refuses everything else.

use std::collections::HashMap;
use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::acceptor::{Acceptor, Stopping, listen};
use crate::server::{Framing, HttpRequest, Reader, response_head};

/// What a path answers.
#[derive(Clone, Debug)]
pub enum ListReply {
    Json(Value),
    /// As [`ListReply::Json`], after a while.
    Slow(Duration, Value),
    Status(u16),
    /// Anything else: kind and text.
    Page(&'static str, String),
    /// So many bytes of a list that does not end.
    Flood(usize),
    /// Half an answer, then the end of the connection.
    Broken,
    /// Nothing, until the server is gone.
    Hang,
}

/// One request that came.
#[derive(Clone, Debug)]
pub struct ListRequest {
    pub method: String,
    pub path: String,
    pub query: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl ListRequest {
    /// A header's value, if it was sent.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct ListsState {
    replies: HashMap<String, ListReply>,
    required: Vec<(String, String)>,
    requests: Vec<ListRequest>,
    violations: Vec<String>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<ListsState>,
    stopping: Stopping,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, ListsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }
}

/// Listens on `127.0.0.1` until dropped.
pub struct ListServer {
    shared: Arc<Shared>,
    acceptor: Acceptor,
}

impl ListServer {
    /// Paths and what they answer. `/api/show` is written `/api/show/<model>`, once for each model;
    /// `…/chat/completions` may stand beside the list.
    ///
    /// # Panics
    /// When the system has no free port.
    pub fn start<'a>(replies: impl IntoIterator<Item = (&'a str, ListReply)>) -> Self {
        let shared = Arc::new(Shared::default());
        shared.state().replies = replies.into_iter().map(|(path, reply)| (path.to_owned(), reply)).collect();
        let acceptor = Acceptor::start(listen(), &shared.stopping, &shared, talk);
        Self { shared, acceptor }
    }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.acceptor.address())
    }

    /// From now on a path answers this.
    pub fn set(&self, path: &str, reply: ListReply) {
        self.shared.state().replies.insert(path.to_owned(), reply);
    }

    /// Requests without this header are answered with 401 and are a violation.
    #[must_use]
    pub fn require(self, name: &str, value: &str) -> Self {
        self.shared.state().required.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<ListRequest> {
        self.shared.state().requests.clone()
    }

    /// `METHOD path`, in the order of arrival.
    pub fn calls(&self) -> Vec<String> {
        self.requests().iter().map(|request| format!("{} {}", request.method, request.path)).collect()
    }

    /// Waits until so many requests came.
    ///
    /// # Panics
    /// When they do not come within `limit`.
    pub fn wait_for(&self, count: usize, limit: Duration) {
        let deadline = Instant::now() + limit;
        while self.requests().len() < count {
            assert!(Instant::now() < deadline, "{count} requests expected, saw {:?}", self.calls());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Stops the server.
    ///
    /// # Panics
    /// When a request broke a rule.
    pub fn finish(self) {
        let violations = self.shared.state().violations.clone();
        assert!(violations.is_empty(), "the list server is not content:\n  {}", violations.join("\n  "));
    }
}

fn talk(stream: &TcpStream, shared: &Shared) {
    // A client that breaks off is no error of the server.
    let _ = serve(stream, shared);
}

fn serve(stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut reader = Reader::new(stream.try_clone()?);
    while let Some(request) = reader.next()? {
        let reply = judge(request, shared);
        if !answer(stream, shared, &reply)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Writes the request down and says what it gets.
fn judge(request: HttpRequest, shared: &Shared) -> ListReply {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let path = match body["model"].as_str().filter(|_| request.path == "/api/show") {
        Some(model) => format!("/api/show/{model}"),
        None => request.path.clone(),
    };
    let speaks = path.ends_with("/chat/completions");
    let wanted = if speaks || path.starts_with("/api/show/") { "POST" } else { "GET" };
    let mut state = shared.state();
    let request = ListRequest {
        method: request.method,
        path: request.path,
        query: request.query,
        headers: request.headers,
        body,
    };
    let call = format!("{} {}", request.method, request.path);
    let missing =
        state.required.iter().find(|(name, value)| request.header(name) != Some(value)).map(|(name, _)| name);
    let problem = match (missing, state.replies.get(&path)) {
        (Some(name), _) => Some((401, format!("{call}: header {name} is not as it must be"))),
        (None, None) => Some((404, format!("{call}: no such path"))),
        (None, Some(_)) if request.method != wanted => Some((405, format!("{call}: must be {wanted}"))),
        (None, Some(_)) if !speaks && !accepts_json(&request) => {
            Some((406, format!("{call}: must accept application/json")))
        }
        _ => None,
    };
    let reply = match problem {
        Some((status, problem)) => {
            state.violations.push(problem);
            ListReply::Status(status)
        }
        None => state.replies[&path].clone(),
    };
    state.requests.push(request);
    reply
}

fn accepts_json(request: &ListRequest) -> bool {
    request.header("accept").is_some_and(|kinds| kinds.contains("application/json"))
}

/// `false` when the connection is of no more use.
fn answer(stream: &TcpStream, shared: &Shared, reply: &ListReply) -> std::io::Result<bool> {
    match reply {
        ListReply::Json(value) => send(stream, 200, "application/json", value.to_string().as_bytes()),
        ListReply::Slow(wait, value) => {
            std::thread::sleep(*wait);
            send(stream, 200, "application/json", value.to_string().as_bytes())
        }
        ListReply::Status(status) => send(stream, *status, "application/json", b"{\"error\":\"scripted\"}"),
        ListReply::Page(kind, text) => send(stream, 200, kind, text.as_bytes()),
        ListReply::Flood(bytes) => flood(stream, *bytes),
        ListReply::Broken => {
            let mut out = response_head(200, &[], "application/json", Framing::Length(4096), false);
            out.extend_from_slice(b"{\"data\": [{\"id\": \"half\"");
            let mut stream = stream;
            stream.write_all(&out)?;
            Ok(false)
        }
        ListReply::Hang => {
            while !shared.is_stopping() {
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(false)
        }
    }
}

fn send(mut stream: &TcpStream, status: u16, kind: &str, body: &[u8]) -> std::io::Result<bool> {
    let mut out = response_head(status, &[], kind, Framing::Length(body.len()), true);
    out.extend_from_slice(body);
    stream.write_all(&out)?;
    Ok(true)
}

fn flood(mut stream: &TcpStream, bytes: usize) -> std::io::Result<bool> {
    let entry = br#"{"id": "again"},"#;
    let begin = b"{\"data\": [";
    let chunk = entry.repeat(4096);
    let count = bytes / chunk.len() + 1;
    let length = begin.len() + count * chunk.len();
    stream.write_all(&response_head(200, &[], "application/json", Framing::Length(length), false))?;
    stream.write_all(begin)?;
    for _ in 0..count {
        stream.write_all(&chunk)?;
    }
    Ok(false)
}
