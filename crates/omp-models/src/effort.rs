//! How hard the model thinks: a level the user chose, or one that is found for each prompt.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use omp_agent::Model;
use omp_types::{Message, ModelRequest, RequestOptions, StreamEvent, ThinkingLevel};
use tokio_util::sync::CancellationToken;

const CLASSIFY: &str = include_str!("../prompts/classify-effort.md");

/// How long a prompt may wait for its rating.
const PATIENCE: Duration = Duration::from_secs(3);
/// As much of a prompt as is rated.
const RATED_BYTES: usize = 4000;
/// Used when nobody can rate the prompt.
const UNRATED: ThinkingLevel = ThinkingLevel::High;

/// The user's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Always this level.
    Fixed(ThinkingLevel),
    /// Each prompt is rated by the model of the `smol` role.
    Auto,
}

impl Effort {
    /// The effort of a word in settings and flags.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            _ => ThinkingLevel::parse(word).map(Self::Fixed),
        }
    }

    /// Its word in settings and flags.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fixed(level) => level.name(),
            Self::Auto => "auto",
        }
    }

    /// The level until a prompt says otherwise.
    pub fn start(self) -> ThinkingLevel {
        match self {
            Self::Fixed(level) => level,
            Self::Auto => UNRATED,
        }
    }
}

/// Rates prompts.
pub struct EffortClassifier {
    /// The model of the `smol` role, if there is one.
    pub model: Option<Arc<dyn Model>>,
}

impl EffortClassifier {
    /// The level for a prompt. Never fails and never takes long: a prompt that cannot be rated gets a fixed level.
    pub async fn rate(&self, prompt: &str, cancel: &CancellationToken) -> ThinkingLevel {
        let Some(model) = &self.model else { return UNRATED };
        let cancel = cancel.child_token();
        let answer = tokio::time::timeout(PATIENCE, ask(model.as_ref(), prompt, cancel.clone())).await;
        cancel.cancel();
        answer.ok().flatten().and_then(|answer| level(&answer)).unwrap_or(UNRATED)
    }
}

async fn ask(model: &dyn Model, prompt: &str, cancel: CancellationToken) -> Option<String> {
    let request = ModelRequest {
        system: Arc::from([CLASSIFY.trim_end().to_owned()]),
        messages: vec![Arc::new(Message::user(head(prompt), 0))],
        options: RequestOptions { max_tokens: Some(64), ..RequestOptions::default() },
        ..ModelRequest::default()
    };
    let mut stream = model.stream(request, cancel);
    while let Some(batch) = stream.next().await {
        for event in batch {
            match event {
                StreamEvent::Done { message, .. } => return Some(message.texts().collect()),
                StreamEvent::Error { .. } => return None,
                _ => {}
            }
        }
    }
    None
}

fn head(prompt: &str) -> &str {
    let mut end = prompt.len().min(RATED_BYTES);
    while !prompt.is_char_boundary(end) {
        end -= 1;
    }
    &prompt[..end]
}

/// The first rating in an answer, whatever else stands around it.
fn level(answer: &str) -> Option<ThinkingLevel> {
    answer.split(|letter: char| !letter.is_ascii_alphabetic()).find_map(|word| {
        match word.to_ascii_lowercase().as_str() {
            "low" => Some(ThinkingLevel::Low),
            "medium" => Some(ThinkingLevel::Medium),
            "high" => Some(ThinkingLevel::High),
            "xhigh" => Some(ThinkingLevel::Xhigh),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_found_in_any_wording() {
        assert_eq!(level("xhigh"), Some(ThinkingLevel::Xhigh));
        assert_eq!(level("**Medium**."), Some(ThinkingLevel::Medium));
        assert_eq!(level("I would say low, not high"), Some(ThinkingLevel::Low));
        assert_eq!(level("minimal"), None);
        assert_eq!(head(&"ä".repeat(3000)).len(), 4000);
    }
}
