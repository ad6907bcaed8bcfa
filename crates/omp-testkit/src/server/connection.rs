//! One thread per connection: read a request, check it, ask the script, deliver.

use super::deliver::{Delivery, Outlet};
use super::google_token::{self, Granted};
use super::http::{Framing, HttpRequest, Reader, response_head};
use super::journal::{Journal, RecordedRequest, Violation};
use super::mint::Mint;
use super::reply::{Body, Reply};
use super::route::{Route, route};
use super::scenario::{Scenario, Script};
use super::sse::Rendered;
use super::turn::Turns;
use super::wire::Wire;
use super::{compaction, render, side_routes, sockets, websocket};
use crate::strict::{self, Checker, Refusal};
use rustix::net::sockopt;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, UNIX_EPOCH};

/// What all connections of a server share.
pub(crate) struct Shared {
    pub(crate) scenario: Scenario,
    pub(crate) script: Script,
    pub(crate) journal: Journal,
    pub(crate) stopping: AtomicBool,
    mint: Mint,
    turns: Turns,
    /// The last request that was accepted, for the stable prefix rule.
    accepted: Mutex<Option<RecordedRequest>>,
    connections: Mutex<HashMap<u64, TcpStream>>,
    next_connection: AtomicU64,
    record: Option<Mutex<File>>,
    started: Instant,
}

impl Shared {
    pub(crate) fn new(scenario: Scenario, record: Option<&Path>) -> Self {
        let record = record.map(|path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            Mutex::new(file.unwrap_or_else(|error| panic!("cannot open {}: {error}", path.display())))
        });
        Self {
            script: scenario.script(),
            mint: Mint::new(scenario.secret.clone(), scenario.id_seed.clone()),
            journal: Journal::keeping(scenario.keeps),
            scenario,
            stopping: AtomicBool::new(false),
            turns: Turns::default(),
            accepted: Mutex::new(None),
            connections: Mutex::default(),
            next_connection: AtomicU64::new(0),
            record,
            started: Instant::now(),
        }
    }

    pub(crate) fn close_connections(&self) {
        for (_, stream) in self.connections().drain() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn connections(&self) -> MutexGuard<'_, HashMap<u64, TcpStream>> {
        self.connections.lock().expect("no thread panics while holding the list")
    }

    /// All rules; a request that passes is the one the next is compared with.
    pub(crate) fn check(&self, request: &RecordedRequest) -> Result<(), Refusal> {
        let mut accepted = self.accepted.lock().expect("no check panics");
        let checker = Checker {
            rules: &self.scenario.rules,
            mint: &self.mint,
            turns: &self.turns,
            previous: accepted.as_ref(),
        };
        strict::check(request, &checker)?;
        if !request.is_compaction() {
            *accepted = Some(request.clone());
        }
        Ok(())
    }

    /// A turn as the request's wire streams it, remembered for the requests that follow.
    pub(crate) fn render(&self, reply: &Reply, request: &RecordedRequest) -> Rendered {
        if request.is_compaction() {
            return compaction::render(request, &self.mint);
        }
        let (rendered, turn) = render::turn(reply, request, &self.mint);
        // Before the bytes leave: the client's next request may be faster than this thread.
        self.turns.add(turn);
        rendered
    }

    pub(crate) fn write_record(&self, request: &RecordedRequest) {
        let Some(file) = &self.record else { return };
        let unix = request.received_at_wall.duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = json!({
            "index": request.index,
            "wire": request.wire.api(),
            "path": request.path,
            "body_bytes": request.raw_body.len(),
            "monotonic_ns": request.received_at.saturating_duration_since(self.started).as_nanos() as u64,
            "unix_ns": unix.as_nanos() as u64,
        });
        let mut file = file.lock().expect("no thread panics while holding the record");
        writeln!(file, "{line}").expect("the record file can be written");
    }
}

pub(crate) fn accept_loop(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            let id = shared.next_connection.fetch_add(1, Ordering::Relaxed);
            if let Ok(handle) = stream.try_clone() {
                shared.connections().insert(id, handle);
            }
            // A client that breaks off is no error of the server; what matters is in the journal.
            let _ = serve(&stream, &shared);
            shared.connections().remove(&id);
            if sockopt::socket_linger(&stream) != Ok(Some(Duration::ZERO)) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
    }
}

fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = Reader::new(stream.try_clone()?);
    loop {
        let request = match reader.next() {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return refuse_bytes(stream, shared, &error);
            }
            Err(error) => return Err(error),
        };
        if websocket::is_upgrade(&request) {
            return sockets::serve(stream, &mut reader, shared, request);
        }
        let keep_alive = request.keep_alive;
        let mut exchange = Exchange { stream, shared, keep_alive };
        if !exchange.answer(request) || !keep_alive {
            return Ok(());
        }
    }
}

/// What came is not HTTP.
fn refuse_bytes(mut stream: &TcpStream, shared: &Shared, error: &io::Error) -> io::Result<()> {
    shared.journal.add_violation(Violation { request: None, wire: None, message: error.to_string() });
    let body = error.to_string();
    let mut answer = response_head(400, &[], "text/plain", Framing::Length(body.len()), false);
    answer.extend_from_slice(body.as_bytes());
    stream.write_all(&answer)
}

/// One request and its answer.
struct Exchange<'a> {
    stream: &'a TcpStream,
    shared: &'a Shared,
    keep_alive: bool,
}

impl Exchange<'_> {
    /// `false` when the connection is of no more use.
    fn answer(&mut self, request: HttpRequest) -> bool {
        match route(&request.method, &request.path) {
            Route::Model(wire) | Route::Compaction(wire) => self.model(wire, request),
            other => self.side(other, request),
        }
    }

    fn model(&mut self, wire: Wire, request: HttpRequest) -> bool {
        let request = self.shared.journal.add_request(recorded(wire, request));
        self.shared.write_record(&request);
        match self.shared.check(&request) {
            Ok(()) => {}
            Err(refusal) => return self.refuse(&request, &refusal),
        }
        let Some(reply) = self.shared.script.next(&request) else {
            let message = format!("script exhausted after {} requests", request.index);
            return self.refuse(&request, &Refusal::new(500, message));
        };
        self.reply(&request, &reply)
    }

    fn refuse(&mut self, request: &RecordedRequest, refusal: &Refusal) -> bool {
        if refusal.is_violation {
            self.shared.journal.add_violation(Violation {
                request: Some(request.index),
                wire: Some(request.wire),
                message: refusal.message.clone(),
            });
        }
        let body = request.wire.error_body(refusal.status, &refusal.message);
        self.json(Some(request.index), refusal.status, &body)
    }

    fn reply(&mut self, request: &RecordedRequest, reply: &Reply) -> bool {
        match &reply.body {
            Body::Turn => {
                let rendered = self.shared.render(reply, request);
                let kind =
                    if request.is_compaction() { "application/json" } else { request.wire.stream_type() };
                self.send(Some(request.index), reply, kind, &rendered, true)
            }
            Body::Error => {
                let message = format!("scripted status {}", reply.status);
                let body = request.wire.error_body(reply.status, &message).to_string();
                let rendered = Rendered { bytes: body.into_bytes(), event_ends: Vec::new() };
                self.send(Some(request.index), reply, "application/json", &rendered, false)
            }
            Body::Raw { content_type, bytes, chunked } => {
                let rendered = Rendered::from_raw(bytes.clone());
                self.send(Some(request.index), reply, content_type, &rendered, *chunked)
            }
        }
    }

    fn send(
        &mut self,
        request: Option<usize>,
        reply: &Reply,
        content_type: &str,
        body: &Rendered,
        chunked: bool,
    ) -> bool {
        self.shared.journal.note_body(body.bytes.len());
        let framing = if chunked { Framing::Chunked } else { Framing::Length(body.bytes.len()) };
        let head = response_head(reply.status, &reply.headers, content_type, framing, self.keep_alive);
        let mut outlet = Outlet { stream: self.stream, stopping: &self.shared.stopping };
        match outlet.deliver(head, body, framing, reply) {
            Delivery::Complete => true,
            Delivery::Dropped => false,
            Delivery::Reset => {
                // Closing a socket that does not linger resets its connection.
                let _ = sockopt::set_socket_linger(self.stream, Some(Duration::ZERO));
                false
            }
            Delivery::ClientGone(written) => {
                if let Some(index) = request.filter(|_| !self.shared.stopping.load(Ordering::SeqCst)) {
                    self.shared.journal.add_disconnect(index, written);
                }
                false
            }
        }
    }

    fn side(&mut self, route: Route, request: HttpRequest) -> bool {
        if route == Route::GoogleToken {
            return self.google_token(request);
        }
        let ollama = self.shared.scenario.ollama.as_deref();
        let answer = match (route, ollama) {
            (Route::ModelList, _) => Some(side_routes::model_list(&self.shared.scenario)),
            (Route::OllamaTags, Some(names)) => Some(side_routes::ollama_tags(names)),
            (Route::OllamaShow, Some(names)) => side_routes::ollama_show(names, &request.body),
            _ => None,
        };
        if answer.is_none() && route == Route::Unknown && request.method == "POST" {
            let message = format!("{} {}: no such path", request.method, request.path);
            self.shared.journal.add_violation(Violation { request: None, wire: None, message });
        }
        self.shared.journal.add_other(request.into());
        match answer {
            Some(body) => self.json(None, 200, &body),
            None => self.json(None, 404, &json!({"error": "not found"})),
        }
    }

    fn google_token(&mut self, request: HttpRequest) -> bool {
        let count = self.shared.journal.other_requests().len();
        let Granted { status, body, violation } = google_token::grant(&request, &self.shared.mint, count);
        if let Some(message) = violation {
            self.shared.journal.add_violation(Violation { request: None, wire: None, message });
        }
        self.shared.journal.add_other(request.into());
        self.json(None, status, &body)
    }

    fn json(&mut self, request: Option<usize>, status: u16, body: &Value) -> bool {
        let reply = Reply::status(status);
        let rendered = Rendered { bytes: body.to_string().into_bytes(), event_ends: Vec::new() };
        self.send(request, &reply, "application/json", &rendered, false)
    }
}

pub(crate) fn recorded(wire: Wire, request: HttpRequest) -> RecordedRequest {
    let mut body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let mut envelope = Value::Null;
    if wire == Wire::GoogleGeminiCli {
        let inside = body.get_mut("request").map(Value::take).unwrap_or_default();
        envelope = std::mem::replace(&mut body, inside);
    }
    RecordedRequest {
        index: 0,
        wire,
        method: request.method,
        path: request.path,
        query: request.query,
        headers: request.headers.iter().cloned().collect(),
        headers_multi: request.headers,
        body,
        envelope,
        raw_body: request.body,
        received_at: request.first_byte,
        received_at_wall: request.first_byte_wall,
    }
}
