//! One connection: reads requests, meets faults, answers.

use std::io::Write;
use std::net::TcpStream;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;

use super::grants::{self, Fields};
use super::{Fault, Shared, TokenEncoding, finish};
use crate::server::{Framing, HttpRequest, Reader, response_head};

pub(super) fn serve(mut stream: &TcpStream, shared: &Shared) {
    let Ok(incoming) = stream.try_clone() else { return };
    let mut reader = Reader::new(incoming);
    while let Ok(Some(request)) = reader.next() {
        let Some(response) = respond(&request, shared) else { return };
        if stream.write_all(&response).is_err() || !request.keep_alive {
            return;
        }
    }
}

/// `None` closes the connection without an answer.
fn respond(request: &HttpRequest, shared: &Shared) -> Option<Vec<u8>> {
    let host = request.headers.iter().find(|(name, _)| name == "host").map(|(_, value)| value.as_str());
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/authorize") => {
            let outcome = grants::authorize(&mut shared.ledger(), &form(request.query.as_bytes()));
            Some(match outcome {
                Ok(location) => plain(302, &[("location".to_owned(), location)], "text/plain", ""),
                Err(words) => plain(400, &[], "text/plain", &words),
            })
        }
        ("POST", "/device" | "/api/oauth/device_authorization") => {
            let (_, fields) = fields(request)?;
            let verification = format!("http://{}/enter", host.unwrap_or_default());
            Some(json(grants::device(&mut shared.ledger(), &fields, &verification)))
        }
        ("POST", "/deviceauth/usercode") => {
            Some(json(grants::user_code(&mut shared.ledger(), &fields(request)?.1)))
        }
        ("POST", "/deviceauth/token") => {
            Some(json(grants::poll_code(&mut shared.ledger(), &fields(request)?.1)))
        }
        ("POST", "/token" | "/api/oauth/token") => token(request, shared),
        _ => Some(match finish::respond(request, &mut shared.ledger()) {
            Some(reply) => json(reply),
            None => plain(404, &[], "text/plain", "nothing here"),
        }),
    }
}

fn token(request: &HttpRequest, shared: &Shared) -> Option<Vec<u8>> {
    let fault = shared.faults.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let is_counted = fault.is_some();
    shared.ledger().token_requests += usize::from(is_counted);
    match fault {
        Some(Fault::Answer(status, body)) => return Some(plain(status, &[], "application/json", &body)),
        Some(Fault::Slow(wait)) => std::thread::sleep(wait),
        Some(Fault::Drop) => return None,
        Some(Fault::Hang) => {
            while !shared.released.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(2));
            }
            return None;
        }
        None => {}
    }
    // Counted and answered in one step: what a test does when it sees the count comes too late for this answer.
    let mut ledger = shared.ledger();
    ledger.token_requests += usize::from(!is_counted);
    let Some((encoding, fields)) = fields(request) else {
        ledger.violations.push("token: the body is neither a form nor JSON".to_owned());
        return Some(plain(415, &[], "application/json", "{}"));
    };
    Some(json(grants::token(&mut ledger, encoding, &fields)))
}

fn fields(request: &HttpRequest) -> Option<(TokenEncoding, Fields)> {
    let kind = request.headers.iter().find(|(name, _)| name == "content-type");
    match kind.map(|(_, value)| value.as_str())? {
        "application/x-www-form-urlencoded" => Some((TokenEncoding::Form, form(&request.body))),
        "application/json" => {
            let Value::Object(members) = serde_json::from_slice(&request.body).ok()? else { return None };
            let texts = members.into_iter().map(|(name, value)| Some((name, value.as_str()?.to_owned())));
            Some((TokenEncoding::Json, texts.collect::<Option<Fields>>()?))
        }
        _ => None,
    }
}

/// Names and values of a query or a form.
pub(crate) fn form(bytes: &[u8]) -> Fields {
    let pairs = bytes.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let at = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            (decode(&pair[..at]), decode(pair.get(at + 1..).unwrap_or_default()))
        })
        .collect()
}

fn decode(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (first, hex.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                rest = &tail[2..];
                continue;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(*byte),
        }
        rest = tail;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn json((status, body): grants::Reply) -> Vec<u8> {
    plain(status, &[], "application/json", &body.to_string())
}

fn plain(status: u16, headers: &[(String, String)], content_type: &str, body: &str) -> Vec<u8> {
    let mut response = response_head(status, headers, content_type, Framing::Length(body.len()), true);
    response.extend_from_slice(body.as_bytes());
    response
}
