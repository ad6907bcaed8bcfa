//! The WebSocket side of the Responses API: a handshake, then one JSON message per request and per event.
//!
//! Written from RFC 6455, apart from the library the client uses.

use super::http::{HttpRequest, Reader};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use std::io::{self, Write};
use std::net::TcpStream;

const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Does the request ask for another protocol?
pub(crate) fn is_upgrade(request: &HttpRequest) -> bool {
    value(request, "upgrade").is_some_and(|name| name.eq_ignore_ascii_case("websocket"))
}

/// What is wrong with a handshake, if anything.
pub(crate) fn handshake_fault(request: &HttpRequest) -> Option<String> {
    let has = |name: &str, wanted: &str| {
        value(request, name).is_some_and(|given| given.eq_ignore_ascii_case(wanted))
    };
    let key = value(request, "sec-websocket-key").unwrap_or_default();
    let fault = if request.method != "GET" {
        "a handshake is a GET"
    } else if !has("connection", "upgrade") {
        "connection: must be 'upgrade'"
    } else if !has("sec-websocket-version", "13") {
        "sec-websocket-version: must be 13"
    } else if key.len() != 24 || !key.ends_with("==") {
        "sec-websocket-key: must be 16 bytes in base64"
    } else if !request.body.is_empty() || value(request, "content-type").is_some() {
        "a handshake has no body"
    } else if !has("openai-beta", "responses_websockets=2026-02-06") {
        "openai-beta: must be 'responses_websockets=2026-02-06'"
    } else {
        return None;
    };
    Some(fault.to_owned())
}

/// The head that accepts a handshake.
pub(crate) fn acceptance(request: &HttpRequest) -> Vec<u8> {
    let key = value(request, "sec-websocket-key").unwrap_or_default();
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{GUID}").as_bytes());
    let accept = base64(hash.as_ref());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: {accept}\r\n\r\n"
    )
    .into_bytes()
}

fn value<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.headers.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.trim())
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let packed =
            group.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(packed >> (18 - 6 * place) & 63) as usize] as char;
            out.push(if place <= group.len() { letter } else { '=' });
        }
    }
    out
}

/// What a client sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    Text(Vec<u8>),
    /// The client said good-bye.
    Close,
    /// The connection ended without it.
    Gone,
    Wrong(String),
}

/// The next message; pings are answered on the way.
pub(crate) fn receive(reader: &mut Reader, mut stream: &TcpStream) -> io::Result<Incoming> {
    let mut message = Vec::new();
    loop {
        let Some(head) = reader.bytes(2) else { return Ok(Incoming::Gone) };
        let (last, opcode) = (head[0] & 0x80 != 0, head[0] & 0x0f);
        if head[0] & 0x70 != 0 {
            return Ok(Incoming::Wrong("reserved bits are set and nothing was negotiated".into()));
        }
        if head[1] & 0x80 == 0 {
            return Ok(Incoming::Wrong("frames of a client must be masked".into()));
        }
        let Some(payload) = payload(reader, head[1] & 0x7f) else { return Ok(Incoming::Gone) };
        match opcode {
            0 | 1 => message.extend(payload),
            8 => {
                stream.write_all(&frame(8, &payload))?;
                return Ok(Incoming::Close);
            }
            9 => stream.write_all(&frame(10, &payload))?,
            10 => {}
            other => return Ok(Incoming::Wrong(format!("opcode {other} has no place here"))),
        }
        if opcode <= 1 && last {
            return Ok(Incoming::Text(message));
        }
    }
}

fn payload(reader: &mut Reader, short: u8) -> Option<Vec<u8>> {
    let length = match short {
        126 => reader.bytes(2)?.iter().fold(0_usize, |all, byte| all << 8 | usize::from(*byte)),
        127 => reader.bytes(8)?.iter().fold(0_usize, |all, byte| all << 8 | usize::from(*byte)),
        short => usize::from(short),
    };
    let mask = reader.bytes(4)?;
    let mut payload = reader.bytes(length)?;
    for (index, byte) in payload.iter_mut().enumerate() {
        *byte ^= mask[index % 4];
    }
    Some(payload)
}

/// One whole frame of a server, which is not masked.
pub(crate) fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | opcode];
    match payload.len() {
        length @ 0..=125 => frame.push(length as u8),
        length @ 126..=0xffff => {
            frame.push(126);
            frame.extend((length as u16).to_be_bytes());
        }
        length => {
            frame.push(127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(payload);
    frame
}

/// The data of the events of a rendered stream, one text each.
pub(crate) fn messages(stream: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stream);
    text.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_owned).collect()
}
