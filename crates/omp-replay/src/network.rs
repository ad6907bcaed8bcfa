//! The network, recorded and played.

use std::io;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use omp_llm::{Hearing, Tape, TapedAnswer, TapedBody, TapedRequest, unreached};
use omp_types::Failure;
use serde_json::Value;

use crate::line::{Ending, Exchange, Line};
use crate::play::Player;
use crate::record::{Recorder, Shared, now_ms};

/// The largest answer that is kept; of a longer one the beginning is.
const LARGEST: usize = 64 * 1024 * 1024;

/// Keeps what passes.
#[derive(Debug)]
pub(crate) struct Recording(pub(crate) Shared);

impl Tape for Recording {
    fn answer(&self, _request: &TapedRequest<'_>) -> Option<Result<TapedAnswer, Failure>> {
        None
    }

    fn hears(&self, request: &TapedRequest<'_>) -> Option<Box<dyn Hearing>> {
        let exchange = Exchange {
            told: self.0.told(),
            url: request.url.to_owned(),
            request: said(request.body),
            ..Exchange::default()
        };
        Some(Box::new(Ear { recorder: Arc::clone(&self.0), exchange, heard: Vec::new() }))
    }
}

/// What a request says. Bodies that are no JSON are kept as text.
pub(crate) fn said(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| String::from_utf8_lossy(body).into())
}

/// Hears one answer and writes it down when it has ended, however it does.
struct Ear {
    recorder: Arc<Recorder>,
    exchange: Exchange,
    heard: Vec<u8>,
}

impl Hearing for Ear {
    fn begun(&mut self, status: u16, headers: Vec<(String, String)>) {
        (self.exchange.status, self.exchange.headers) = (status, headers);
    }

    fn chunk(&mut self, bytes: &[u8]) {
        let room = LARGEST.saturating_sub(self.heard.len());
        self.heard.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn ended(&mut self, broken: Option<&str>) {
        self.exchange.end = broken.map_or(Ending::Whole, |reason| Ending::Broken(reason.to_owned()));
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        let mut exchange = std::mem::take(&mut self.exchange);
        exchange.at = now_ms();
        match String::from_utf8(std::mem::take(&mut self.heard)) {
            Ok(text) => {
                let text = self.recorder.hidden(text);
                exchange.withheld = self.recorder.is_secret(&spoken(&text));
                exchange.body = Some(text).filter(|_| !exchange.withheld);
            }
            Err(error) => exchange.bytes = Some(BASE64_STANDARD.encode(error.into_bytes())),
        }
        self.recorder.write(&Line::Exchange(exchange));
    }
}

/// Parts of streamed answers that continue in the next piece.
const PIECES: [&str; 9] = [
    "text",
    "content",
    "delta",
    "thinking",
    "partial_json",
    "arguments",
    "reasoning",
    "reasoning_content",
    "refusal",
];

/// What an answer says, its pieces put together. A secret can be spread over several.
fn spoken(text: &str) -> String {
    let mut words = String::new();
    for line in text.lines() {
        let line = line.strip_prefix("data:").unwrap_or(line).trim();
        if let Ok(value) = serde_json::from_str::<Value>(line) {
            collect(&value, &mut words);
        }
    }
    words
}

fn collect(value: &Value, words: &mut String) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if PIECES.contains(&name.as_str()) => words.push_str(text),
                    Value::String(_) => {}
                    other => collect(other, words),
                }
            }
        }
        _ => {}
    }
}

/// Answers from a recording.
#[derive(Debug)]
pub(crate) struct Playing(pub(crate) Arc<Player>);

impl Tape for Playing {
    fn answer(&self, request: &TapedRequest<'_>) -> Option<Result<TapedAnswer, Failure>> {
        let Some(exchange) = self.0.exchange(said(request.body)) else {
            return Some(Err(unreached("the recording has no answer to this request")));
        };
        if exchange.withheld {
            return Some(Err(unreached("the recording omits this answer because it contained a secret")));
        }
        let Exchange { status, headers, body, bytes, end, .. } = exchange;
        if status == 0 {
            let reason = match &end {
                Ending::Broken(reason) => reason.as_str(),
                Ending::Whole | Ending::Stopped => "the request was cancelled",
            };
            return Some(Err(unreached(reason)));
        }
        let sent = match (body, bytes) {
            (Some(text), _) => text.into_bytes(),
            (None, Some(coded)) => BASE64_STANDARD.decode(coded).unwrap_or_default(),
            (None, None) => Vec::new(),
        };
        Some(Ok(TapedAnswer { status, headers, body: self.body(sent, end) }))
    }

    fn hears(&self, _request: &TapedRequest<'_>) -> Option<Box<dyn Hearing>> {
        None
    }
}

impl Playing {
    /// What was sent, and then what ended it.
    fn body(&self, sent: Vec<u8>, end: Ending) -> TapedBody {
        let sent = stream::iter([Ok(Bytes::from(sent))]);
        match end {
            Ending::Whole => Box::pin(sent),
            Ending::Broken(reason) => Box::pin(sent.chain(stream::iter([Err(io::Error::other(reason))]))),
            Ending::Stopped => {
                let player = Arc::clone(&self.0);
                // Whoever reads on did not know that it would be stopped here.
                Box::pin(sent.chain(stream::once(async move {
                    player.stop_run();
                    std::future::pending().await
                })))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use omp_guard::secrets::{Matcher, Mode, SecretEntry, Secrets};

    use super::*;
    use crate::line::World;

    /// A secret that comes in pieces cannot be replaced in them, so the answer is left out; in one piece it is replaced.
    #[test]
    fn a_secret_in_pieces_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("recording.jsonl");
        let recorder = Arc::new(Recorder::create(&path).unwrap());
        let secret = SecretEntry { matcher: Matcher::Plain("hunter22".to_owned()), mode: Mode::Obfuscate };
        recorder.begin(World::default(), Secrets::new(vec![secret], "s1"));
        let tape = Recording(Arc::clone(&recorder));
        for said in [&["hunt", "er22 is it"][..], &["hunter22 is it"], &["nothing", " at all"]] {
            let request = TapedRequest { url: "http://model", body: b"{}" };
            let mut ear = tape.hears(&request).unwrap();
            ear.begun(200, Vec::new());
            for piece in said {
                ear.chunk(format!("data: {{\"delta\":{{\"text\":\"{piece}\"}}}}\n\n").as_bytes());
            }
            ear.ended(None);
        }
        assert_eq!(recorder.finish(), None);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("hunt") && !text.contains("er22"), "{text}");
        assert_eq!(text.matches("\"withheld\":true").count(), 1, "{text}");
        assert!(text.matches("is it").count() == 1 && text.contains("nothing"), "{text}");
    }
}
