//! Just enough HTTP/1.1 for one client at a time: request heads by `httparse`, bodies by length or chunks.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Instant, SystemTime};

const MAX_HEAD: usize = 256 * 1024;
const MAX_BODY: usize = 512 * 1024 * 1024;
const MAX_HEADERS: usize = 128;

/// A request as read from the socket.
#[derive(Debug)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    /// Path without the query.
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) first_byte: Instant,
    pub(crate) first_byte_wall: SystemTime,
    pub(crate) keep_alive: bool,
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}

/// Reads requests off one connection and keeps what was read too much.
pub(crate) struct Reader {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Reader {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream, buffer: Vec::new() }
    }

    /// The next request, or `None` when the client closed between requests.
    pub(crate) fn next(&mut self) -> io::Result<Option<HttpRequest>> {
        if self.buffer.is_empty() && !self.fill()? {
            return Ok(None);
        }
        let (first_byte, first_byte_wall) = (Instant::now(), SystemTime::now());
        let (head, length) = self.head()?;
        self.buffer.drain(..length);
        let body = self.body(&head)?;
        let keep_alive = match header(&head.headers, "connection").map(str::to_ascii_lowercase) {
            Some(value) if value.contains("close") => false,
            Some(value) if value.contains("keep-alive") => true,
            _ => head.version == 1,
        };
        let (path, query) = head.target.split_once('?').unwrap_or((&head.target, ""));
        let (path, query) = (path.to_owned(), query.to_owned());
        let Head { method, headers, .. } = head;
        Ok(Some(HttpRequest { method, path, query, headers, body, first_byte, first_byte_wall, keep_alive }))
    }

    /// Bytes that are not HTTP; `None` when the client closes before they are there.
    pub(crate) fn bytes(&mut self, length: usize) -> Option<Vec<u8>> {
        self.take(length, "a frame").ok()
    }

    /// Reads once more; `false` at the end of the stream.
    fn fill(&mut self) -> io::Result<bool> {
        let mut chunk = [0; 64 * 1024];
        let count = self.stream.read(&mut chunk)?;
        self.buffer.extend_from_slice(&chunk[..count]);
        Ok(count > 0)
    }

    fn need(&mut self, what: &str) -> io::Result<()> {
        if self.fill()? {
            Ok(())
        } else {
            Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("the client closed inside {what}")))
        }
    }

    fn head(&mut self) -> io::Result<(Head, usize)> {
        loop {
            if let Some(parsed) = parse_head(&self.buffer)? {
                return Ok(parsed);
            }
            if self.buffer.len() > MAX_HEAD {
                return Err(invalid("the request head is too large"));
            }
            self.need("the request head")?;
        }
    }

    fn body(&mut self, head: &Head) -> io::Result<Vec<u8>> {
        if header(&head.headers, "expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        match header(&head.headers, "transfer-encoding") {
            Some(coding) if coding.eq_ignore_ascii_case("chunked") => self.chunked_body(),
            Some(coding) => Err(invalid(format!("unknown transfer coding {coding:?}"))),
            None => match header(&head.headers, "content-length") {
                None => Ok(Vec::new()),
                Some(text) => {
                    let length = text.trim().parse().map_err(|_| invalid("bad content-length"))?;
                    self.take(length, "the request body")
                }
            },
        }
    }

    fn take(&mut self, length: usize, what: &str) -> io::Result<Vec<u8>> {
        if length > MAX_BODY {
            return Err(invalid("the request body is too large"));
        }
        while self.buffer.len() < length {
            self.need(what)?;
        }
        let rest = self.buffer.split_off(length);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    fn chunked_body(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(digits, 16).map_err(|_| invalid("bad chunk size"))?;
            if size == 0 {
                while !self.line()?.is_empty() {} // trailers
                return Ok(body);
            }
            body.extend(self.take(size, "a chunk")?);
            if !self.line()?.is_empty() {
                return Err(invalid("a chunk is longer than its size"));
            }
        }
    }

    fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\r\n") {
                let line = self.take(end + 2, "a line")?;
                return Ok(String::from_utf8_lossy(&line[..end]).into_owned());
            }
            self.need("a chunk line")?;
        }
    }
}

struct Head {
    method: String,
    target: String,
    version: u8,
    headers: Vec<(String, String)>,
}

/// The head and its length, or `None` while it is incomplete.
fn parse_head(buffer: &[u8]) -> io::Result<Option<(Head, usize)>> {
    let mut storage = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut storage);
    let status = request.parse(buffer).map_err(|error| invalid(format!("bad request head: {error}")))?;
    let httparse::Status::Complete(length) = status else { return Ok(None) };
    let headers = (request.headers.iter())
        .map(|field| (field.name.to_ascii_lowercase(), String::from_utf8_lossy(field.value).into_owned()))
        .collect();
    let head = Head {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        version: request.version.unwrap_or(1),
        headers,
    };
    Ok(Some((head, length)))
}

/// How the end of a response body is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Chunked,
    Length(usize),
}

/// The status line and headers. `headers` win over the ones the server adds itself.
pub(crate) fn response_head(
    status: u16,
    headers: &[(String, String)],
    content_type: &str,
    framing: Framing,
    keep_alive: bool,
) -> Vec<u8> {
    let own = [
        ("content-type", content_type.to_owned()),
        ("cache-control", "no-cache".to_owned()),
        ("connection", if keep_alive { "keep-alive" } else { "close" }.to_owned()),
        match framing {
            Framing::Chunked => ("transfer-encoding", "chunked".to_owned()),
            Framing::Length(length) => ("content-length", length.to_string()),
        },
    ];
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason_phrase(status));
    for (name, value) in own {
        if !headers.iter().any(|(given, _)| given == name) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    head.into_bytes()
}

fn reason_phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        529 => "Overloaded",
        _ => "Scripted",
    }
}
