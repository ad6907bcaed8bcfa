//! Standard input and the first prompt.

use std::io::{IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use omp_sdk::{Attached, Prompt};
use omp_types::{UserBlock, UserContent};

use crate::output;

/// A prompt larger than this is a mistake, not a question.
const MAX_STDIN: u64 = 25 * 1024 * 1024;

/// Text piped into the program; `None` for a terminal or blank input.
pub(crate) fn piped() -> Result<Option<String>, String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(None);
    }
    let bytes = with_notice(move || {
        let mut bytes = Vec::new();
        let outcome = stdin.lock().take(MAX_STDIN + 1).read_to_end(&mut bytes);
        outcome.map(|_| bytes)
    });
    let bytes = match bytes {
        Ok(bytes) => bytes,
        // A closed or unreadable standard input is no input.
        Err(_) => return Ok(None),
    };
    if bytes.len() as u64 > MAX_STDIN {
        return Err(
            "standard input exceeds 25 MB; attach a file with @path or let the model read it".to_owned()
        );
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            output::warn("standard input is not valid UTF-8; invalid bytes were replaced");
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
    };
    Ok((!text.trim().is_empty()).then_some(text))
}

/// Someone who waits at a prompt that is not one should be told.
fn with_notice<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = mpsc::channel::<()>();
    let notice = std::thread::spawn(move || {
        if wait.recv_timeout(Duration::from_secs(1)) == Err(mpsc::RecvTimeoutError::Timeout) {
            output::note("Reading the prompt from standard input until EOF (Ctrl+C to abort)");
        }
    });
    let value = read();
    drop(done);
    let _ = notice.join();
    value
}

/// A piped text that is longer is no prompt that somebody typed.
const LONGEST_TYPED: usize = 10_000;

/// A prompt, and what of it was typed.
pub(crate) struct Turn {
    pub(crate) prompt: Prompt,
    pub(crate) typed: Option<String>,
}

/// The turns to run: piped text, attachments and the first message form the first one, each further message
/// its own.
pub(crate) fn turns(piped: Option<&str>, attached: Attached, messages: Vec<String>) -> Vec<Turn> {
    let mut messages = messages.into_iter();
    let first_message = messages.next();
    let mut first = String::new();
    if let Some(text) = piped {
        first.push_str(text.strip_suffix('\n').unwrap_or(text));
        first.push('\n');
    }
    first.push_str(&attached.text);
    first.push_str(first_message.as_deref().unwrap_or_default());
    let first = first.strip_suffix('\n').filter(|_| first_message.is_none()).unwrap_or(&first).to_owned();

    let mut turns = Vec::new();
    if !first.trim().is_empty() || !attached.images.is_empty() {
        let short = piped.filter(|text| text.len() <= LONGEST_TYPED).map(str::to_owned);
        let typed = first_message.or(short);
        turns.push(Turn { prompt: Prompt::words(content(first, attached.images)), typed });
    }
    turns.extend(messages.map(|text| Turn { prompt: Prompt::text(text.as_str()), typed: Some(text) }));
    turns
}

fn content(text: String, images: Vec<UserBlock>) -> UserContent {
    if images.is_empty() {
        return UserContent::Text(text);
    }
    let mut blocks = vec![UserBlock::text(text)];
    blocks.extend(images);
    UserContent::Blocks(blocks)
}
