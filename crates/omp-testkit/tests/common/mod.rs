//! A raw HTTP client, small enough to be read, so that the server is not tested with its own code.
#![allow(dead_code, unreachable_pub)]

use omp_testkit::{Server, Wire};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;

/// The wires whose rules are alike enough for common tables; each of the others has a file of its own.
pub const ALIKE: [Wire; 3] = [Wire::OpenAiCompletions, Wire::OpenAiResponses, Wire::AnthropicMessages];

pub struct Response {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// `false` when the connection broke inside the body.
    pub complete: bool,
    /// Sizes of the HTTP chunks.
    pub chunks: Vec<usize>,
}

impl Response {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The error message in either wire's shape.
    pub fn error(&self) -> String {
        self.json()["error"]["message"].as_str().expect("an error message").to_owned()
    }

    /// Names and data of the events.
    pub fn events(&self) -> Vec<(String, Value)> {
        let text = self.text().replace("\r\n", "\n");
        text.split("\n\n").filter_map(event).collect()
    }

    /// Data of the events with this name.
    pub fn events_named(&self, wanted: &str) -> Vec<Value> {
        self.events().into_iter().filter(|(name, _)| name == wanted).map(|(_, data)| data).collect()
    }
}

fn event(frame: &str) -> Option<(String, Value)> {
    let mut name = String::new();
    let mut data = None;
    for line in frame.lines() {
        if let Some(value) = line.strip_prefix("event: ") {
            name = value.to_owned();
        } else if let Some(value) = line.strip_prefix("data: ") {
            data = Some(serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned())));
        }
    }
    data.map(|data| (name, data))
}

pub fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(("127.0.0.1", server.port())).expect("the server listens")
}

pub fn default_headers(wire: Wire) -> Vec<(&'static str, &'static str)> {
    match wire {
        Wire::AnthropicMessages => vec![
            ("content-type", "application/json"),
            ("anthropic-version", "2023-06-01"),
            ("x-api-key", "test-key"),
        ],
        Wire::GoogleGenerativeAi | Wire::GoogleVertex => {
            vec![("content-type", "application/json"), ("x-goog-api-key", "test-key")]
        }
        _ => vec![("content-type", "application/json"), ("authorization", "Bearer test-key")],
    }
}

pub fn path(wire: Wire) -> String {
    match wire {
        Wire::AnthropicMessages => wire.path().to_owned(),
        Wire::GoogleVertex => format!("/v1/publishers/google{}", wire.path()),
        _ => format!("/v1{}", wire.path()),
    }
}

/// The bytes of a POST.
pub fn request_bytes(path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    [head.as_bytes(), body].concat()
}

/// Posts a model request on a connection of its own.
pub fn post(server: &Server, wire: Wire, body: &Value) -> Response {
    post_with(server, wire, &default_headers(wire), body.to_string().as_bytes())
}

pub fn post_with(server: &Server, wire: Wire, headers: &[(&str, &str)], body: &[u8]) -> Response {
    let mut stream = connect(server);
    stream.write_all(&request_bytes(&path(wire), headers, body)).expect("the server reads");
    read_response(&mut stream)
}

pub fn get(server: &Server, path: &str) -> Response {
    let mut stream = connect(server);
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("the server reads");
    read_response(&mut stream)
}

/// Reads one response off a connection that may stay open.
pub fn read_response(stream: &mut TcpStream) -> Response {
    let mut reader = Source { stream, buffer: Vec::new() };
    let mut status_line = reader.line().expect("a status line");
    let mut headers = BTreeMap::new();
    while let Some(line) = reader.line().filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(": ").expect("a header");
        headers.insert(name.to_owned(), value.to_owned());
    }
    let status = status_line.split_off(9)[..3].parse().expect("a status");
    let mut response = Response { status, headers, body: Vec::new(), complete: false, chunks: Vec::new() };
    if let Some(length) = response.headers.get("content-length") {
        let body = reader.exactly(length.parse().expect("a length"));
        response.complete = body.is_some();
        response.body = body.unwrap_or_default();
    } else {
        chunked(&mut reader, &mut response);
    }
    response
}

fn chunked(reader: &mut Source<'_>, response: &mut Response) {
    while let Some(line) = reader.line() {
        let size = usize::from_str_radix(&line, 16).expect("a chunk size");
        if size == 0 {
            response.complete = reader.line().is_some_and(|line| line.is_empty());
            return;
        }
        response.chunks.push(size);
        match reader.exactly(size) {
            Some(piece) => response.body.extend(piece),
            None => return response.body.append(&mut reader.buffer),
        }
        reader.line();
    }
}

struct Source<'a> {
    stream: &'a mut TcpStream,
    buffer: Vec<u8>,
}

impl Source<'_> {
    fn fill(&mut self) -> bool {
        let mut chunk = [0; 4096];
        let count = self.stream.read(&mut chunk).unwrap_or(0);
        self.buffer.extend_from_slice(&chunk[..count]);
        count > 0
    }

    fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\r\n") {
                let line = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
                self.buffer.drain(..end + 2);
                return Some(line);
            }
            if !self.fill() {
                return None;
            }
        }
    }

    fn exactly(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.buffer.len() < count {
            if !self.fill() {
                return None;
            }
        }
        let rest = self.buffer.split_off(count);
        Some(std::mem::replace(&mut self.buffer, rest))
    }
}

/// The smallest valid request of a wire.
pub fn minimal(wire: Wire) -> Value {
    match wire {
        Wire::OpenAiCompletions => json!({
            "model": "scripted", "stream": true, "messages": [{"role": "user", "content": "hi"}],
        }),
        Wire::OpenAiResponses => json!({
            "model": "scripted", "stream": true,
            "input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
        }),
        Wire::AnthropicMessages => json!({
            "model": "scripted", "stream": true, "max_tokens": 100,
            "messages": [{"role": "user", "content": "hi"}],
        }),
        Wire::GoogleGenerativeAi | Wire::GoogleVertex => {
            json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]})
        }
        other => panic!("{other} has tests of its own"),
    }
}

/// `minimal` with one tool called `read`.
pub fn with_tool(wire: Wire) -> Value {
    let mut body = minimal(wire);
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    body["tools"] = match wire {
        Wire::OpenAiCompletions => {
            json!([{"type": "function", "function": {"name": "read", "description": "d", "parameters": schema}}])
        }
        Wire::OpenAiResponses => json!([{"type": "function", "name": "read", "parameters": schema}]),
        Wire::AnthropicMessages => json!([{"name": "read", "input_schema": schema}]),
        Wire::GoogleGenerativeAi | Wire::GoogleVertex => json!([{"functionDeclarations": [
            {"name": "read", "description": "d", "parametersJsonSchema": schema},
        ]}]),
        other => panic!("{other} has tests of its own"),
    };
    body
}

/// The content blocks of an Anthropic stream, assembled as a client would.
pub fn anthropic_blocks(response: &Response) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    let mut json_text = String::new();
    for (name, data) in response.events() {
        match name.as_str() {
            "content_block_start" => {
                blocks.push(data["content_block"].clone());
                json_text.clear();
            }
            "content_block_delta" => {
                let block = blocks.last_mut().expect("a block is open");
                for field in ["text", "thinking", "signature"] {
                    if let Some(piece) = data["delta"][field].as_str() {
                        block[field] = json!(block[field].as_str().unwrap_or_default().to_owned() + piece);
                    }
                }
                json_text.push_str(data["delta"]["partial_json"].as_str().unwrap_or_default());
            }
            "content_block_stop" if !json_text.is_empty() => {
                let input = serde_json::from_str(&json_text).expect("whole arguments");
                blocks.last_mut().expect("a block is open")["input"] = input;
            }
            _ => {}
        }
    }
    blocks
}

/// The output items of a Responses stream.
pub fn responses_output(response: &Response) -> Vec<Value> {
    let completed = response.events_named("response.completed");
    completed[0]["response"]["output"].as_array().expect("output").clone()
}

/// Appends to `messages` or `input`.
pub fn push(body: &mut Value, value: Value) {
    let field = if body.get("input").is_some() { "input" } else { "messages" };
    body[field].as_array_mut().expect("a list").push(value);
}

/// Asserts that `body` is refused with a message that contains `part`, and that this is recorded.
pub fn assert_rejected(wire: Wire, body: &Value, part: &str) {
    let server = Server::start(omp_testkit::Reply::new().text("not reached"));
    let response = post(&server, wire, body);
    let message = if response.status == 200 { "it was accepted".into() } else { response.error() };
    assert!(response.status == 400 && message.contains(part), "expected {part:?}, but: {message}\n{body}");
    assert_eq!(server.violations().len(), 1);
    assert_eq!(server.unconsumed_replies(), 1, "a refused request consumes no reply");
}

/// Asserts that `body` is accepted.
pub fn assert_accepted(wire: Wire, body: &Value) {
    let server = Server::start(omp_testkit::Reply::new().text("fine"));
    let response = post(&server, wire, body);
    assert_eq!(response.status, 200, "{}\n{body}", response.text());
    server.finish();
}

/// `base` with `change` applied, for tables of broken requests.
pub fn changed(base: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut body = base.clone();
    change(&mut body);
    body
}
