//! A connection that became a WebSocket: requests and answers, one after the other.

use super::connection::{Shared, recorded};
use super::http::{Framing, HttpRequest, Reader, response_head};
use super::journal::{OtherRequest, RecordedRequest, Violation};
use super::reply::{Body, BodyPosition, Cutoff, Reply};
use super::websocket::{self, Incoming};
use super::wire::Wire;
use crate::strict::Refusal;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const WIRE: Wire = Wire::OpenAiCodexResponses;

pub(crate) fn serve(
    mut stream: &TcpStream,
    reader: &mut Reader,
    shared: &Shared,
    request: HttpRequest,
) -> io::Result<()> {
    let fault = websocket::handshake_fault(&request);
    let wanted = shared.scenario.websocket && request.path.ends_with("/codex/responses");
    if let Some(message) = fault.clone().filter(|_| wanted) {
        shared.journal.add_violation(Violation { request: None, wire: Some(WIRE), message });
    }
    if !wanted || fault.is_some() {
        return refuse(stream, shared, request);
    }
    stream.write_all(&websocket::acceptance(&request))?;
    shared.journal.count_sockets(|count| count.opened += 1);
    let socket = Socket { stream, shared, handshake: request };
    loop {
        match websocket::receive(reader, stream)? {
            Incoming::Text(text) => {
                if !socket.answer(text)? {
                    return Ok(());
                }
            }
            Incoming::Close => {
                shared.journal.count_sockets(|count| count.closed += 1);
                return Ok(());
            }
            Incoming::Gone => return Ok(()),
            Incoming::Wrong(message) => {
                shared.journal.add_violation(Violation { request: None, wire: Some(WIRE), message });
                return Ok(());
            }
        }
    }
}

fn refuse(mut stream: &TcpStream, shared: &Shared, request: HttpRequest) -> io::Result<()> {
    shared.journal.add_other(OtherRequest {
        method: request.method,
        path: request.path,
        headers: request.headers.into_iter().collect(),
        raw_body: request.body,
        received_at: request.first_byte,
    });
    let body = json!({"error": {"message": "no WebSockets here", "type": "upgrade_refused"}}).to_string();
    let mut answer = response_head(426, &[], "application/json", Framing::Length(body.len()), false);
    answer.extend_from_slice(body.as_bytes());
    stream.write_all(&answer)
}

struct Socket<'a> {
    stream: &'a TcpStream,
    shared: &'a Shared,
    handshake: HttpRequest,
}

impl Socket<'_> {
    /// `false` when the script ends the connection.
    fn answer(&self, text: Vec<u8>) -> io::Result<bool> {
        let request = self.shared.journal.add_request(self.recorded(text));
        self.shared.write_record(&request);
        if let Err(refusal) =
            check_message(&request).map_err(Refusal::from).and_then(|()| self.shared.check(&request))
        {
            if refusal.is_violation {
                self.shared.journal.add_violation(Violation {
                    request: Some(request.index),
                    wire: Some(WIRE),
                    message: refusal.message.clone(),
                });
            }
            return self.error(refusal.status, &WIRE.error_body(refusal.status, &refusal.message));
        }
        match self.shared.script.next(&request) {
            Some(reply) => self.reply(&reply, &request),
            None => self.error(500, &WIRE.error_body(500, "script exhausted")),
        }
    }

    /// The message as if its body had been posted.
    fn recorded(&self, text: Vec<u8>) -> RecordedRequest {
        let mut headers = self.handshake.headers.clone();
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        let mut request = recorded(
            WIRE,
            HttpRequest {
                method: "WEBSOCKET".to_owned(),
                path: self.handshake.path.clone(),
                query: self.handshake.query.clone(),
                headers,
                body: text,
                first_byte: Instant::now(),
                first_byte_wall: std::time::SystemTime::now(),
                keep_alive: true,
            },
        );
        // Streaming is implied here and said everywhere else.
        if let Some(body) = request.body.as_object_mut()
            && body.get("type").is_some_and(|kind| kind == "response.create")
            && !body.contains_key("stream")
        {
            body.shift_remove("type");
            body.insert("stream".to_owned(), true.into());
        }
        request
    }

    fn reply(&self, reply: &Reply, request: &RecordedRequest) -> io::Result<bool> {
        self.silence(reply.delay_before);
        let stream = match &reply.body {
            Body::Turn => self.shared.render(reply, request).bytes,
            Body::Error => {
                return self.error(
                    reply.status,
                    &WIRE.error_body(reply.status, &format!("scripted status {}", reply.status)),
                );
            }
            Body::Raw { bytes, .. } if reply.status != 200 => {
                return self.error(reply.status, &serde_json::from_slice(bytes).unwrap_or_default());
            }
            Body::Raw { bytes, .. } => bytes.clone(),
        };
        for (index, message) in websocket::messages(&stream).into_iter().enumerate() {
            for (place, pause) in &reply.stalls {
                if *place == BodyPosition::Event(index) {
                    self.silence(*pause);
                }
            }
            if reply.cutoff == Some((BodyPosition::Event(index), Cutoff::Drop)) {
                return Ok(false);
            }
            self.send(&message)?;
        }
        Ok(true)
    }

    fn error(&self, status: u16, body: &Value) -> io::Result<bool> {
        let error = body.get("error").unwrap_or(body);
        self.send(&json!({"type": "error", "status": status, "error": error}).to_string())?;
        Ok(true)
    }

    fn send(&self, message: &str) -> io::Result<()> {
        let mut stream = self.stream;
        stream.write_all(&websocket::frame(1, message.as_bytes()))
    }

    fn silence(&self, pause: Duration) {
        let start = Instant::now();
        while start.elapsed() < pause && !self.shared.stopping.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(2).min(pause));
        }
    }
}

/// What only a message can do wrong.
fn check_message(request: &RecordedRequest) -> Result<(), String> {
    let body: Value =
        serde_json::from_slice(&request.raw_body).map_err(|_| "a message must be JSON".to_owned())?;
    if body["type"] != "response.create" {
        return Err(format!("type: must be 'response.create', not {}", body["type"]));
    }
    match ["stream", "background"].iter().find(|field| body.get(**field).is_some()) {
        Some(field) => Err(format!("{field}: not used over WebSocket")),
        None => Ok(()),
    }
}
