//! Decoding without a connection, for fuzzers.

use std::collections::HashMap;

use crate::answer::Answer;
use crate::bounds;
use crate::demo;
use crate::frames::{FrameError, Frames};
use crate::model::{Api, Compat, Model};
use crate::sse::{SseDecoder, SseError};
use crate::wire::{self, Progress};

/// The wires by number.
const APIS: [Api; 8] = [
    Api::OpenAiCompletions,
    Api::OpenAiResponses,
    Api::AnthropicMessages,
    Api::BedrockConverseStream,
    Api::OllamaChat,
    Api::GoogleGenerativeAi,
    Api::GoogleGeminiCli,
    Api::OpenAiCodexResponses,
];

/// Decodes server-sent events: name and data of each.
pub fn sse(limit: usize, chunks: &[&[u8]]) -> Result<Vec<(String, String)>, SseError> {
    let (mut decoder, mut events) = (SseDecoder::new(limit), Vec::new());
    for chunk in chunks {
        decoder.feed(chunk, |event| {
            events.push((event.name.to_owned(), event.data.to_owned()));
            Ok::<(), SseError>(())
        })?;
    }
    Ok(events)
}

/// Decodes the body of an answer as a client does and returns its message, or why there is none.
pub fn answer(wire: u8, chunks: &[&[u8]]) -> String {
    let api = APIS[usize::from(wire) % APIS.len()];
    let model = Model { api, compat: Compat::detect(api, "", "fuzzed"), ..demo::model() };
    let mut answer = Answer::new(&model, HashMap::new(), 0);
    let (mut decoder, mut frames) = (wire::decoder(&model), Frames::new(&model, 1 << 16));
    answer.start();
    let mut progress = Progress::More;
    let mut result = Ok(());
    for chunk in chunks {
        result = frames.feed(chunk, |event| {
            if progress == Progress::Finished {
                return Ok(());
            }
            bounds::check_event(event.data).map_err(|failure| Ended(failure.message))?;
            progress = decoder.event(event, &mut answer).map_err(|failure| Ended(failure.message))?;
            Ok(())
        });
        if result.is_err() || progress == Progress::Finished {
            break;
        }
    }
    if result.is_ok() && progress == Progress::More {
        result = decoder.end(&mut answer).map_err(|failure| Ended(failure.message));
    }
    let events = answer.take_events().len();
    match result {
        Ok(()) => format!("{events} events"),
        Err(Ended(why)) => format!("{events} events, then: {why}"),
    }
}

/// Why an answer ended early.
struct Ended(String);

impl From<SseError> for Ended {
    fn from(error: SseError) -> Self {
        Self(error.to_string())
    }
}

impl From<FrameError> for Ended {
    fn from(error: FrameError) -> Self {
        Self(error.to_string())
    }
}
