//! Whole prompts as the model families were trained on them, for servers that complete raw text.
//!
//! Behind a chat interface the server's own template does this, and only calls and results are written into the
//! messages. These functions are for the other case, and they say what the templates are expected to do.

mod deepseek;
mod deepseek_legacy;
mod gemini;
mod gemma;
mod glm;
mod harmony;
mod kimi;
mod typescript;

use omp_types::ToolDefinition;
use serde_json::Value;

use super::{Dialect, Outcome, WrittenCall, WrittenResult};

/// A conversation to be written out.
#[derive(Clone, Debug, Default)]
pub struct RawPrompt<'a> {
    /// System texts, in order.
    pub system: &'a [String],
    pub tools: &'a [ToolDefinition],
    pub turns: &'a [RawTurn],
    pub thinking: RawThinking,
    /// `YYYY-MM-DD`, for the one family that is told.
    pub date: Option<&'a str>,
    pub generation: RawGeneration,
}

/// Which of a family's templates, where an older one differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RawGeneration {
    #[default]
    Newest,
    /// DeepSeek before V3.1; the same as the newest everywhere else.
    Legacy,
}

/// How much the model is to think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RawThinking {
    Off,
    Low,
    #[default]
    Medium,
    High,
}

#[derive(Clone, Debug)]
pub enum RawTurn {
    User(String),
    Assistant(RawAnswer),
    /// What the calls of the answer before gave, in their order.
    Results(Vec<RawResult>),
}

#[derive(Clone, Debug, Default)]
pub struct RawAnswer {
    pub thinking: String,
    pub text: String,
    pub calls: Vec<RawCall>,
}

#[derive(Clone, Debug)]
pub struct RawCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

#[derive(Clone, Debug)]
pub struct RawResult {
    pub id: String,
    pub name: String,
    pub text: String,
}

impl Dialect {
    /// The prompt up to where the model continues. `None` for dialects without a template of their own.
    pub fn write_prompt(self, prompt: &RawPrompt<'_>) -> Option<String> {
        match self {
            Self::DeepSeek if prompt.generation == RawGeneration::Legacy => {
                Some(deepseek_legacy::write(prompt))
            }
            Self::DeepSeek => Some(deepseek::write(prompt)),
            Self::Gemini => Some(gemini::write(prompt)),
            Self::Gemma => Some(gemma::write(prompt)),
            Self::Glm => Some(glm::write(prompt)),
            Self::Harmony => Some(harmony::write(prompt)),
            Self::Kimi => Some(kimi::write(prompt)),
            Self::Anthropic | Self::Minimax | Self::Qwen3 | Self::Xml => None,
        }
    }

    fn calls(self, calls: &[RawCall]) -> String {
        if calls.is_empty() {
            return String::new();
        }
        let written: Vec<WrittenCall<'_>> = calls
            .iter()
            .map(|call| WrittenCall { id: &call.id, name: &call.name, arguments: &call.arguments })
            .collect();
        self.write_calls(&written)
    }

    fn results(self, results: &[RawResult]) -> String {
        let written: Vec<WrittenResult<'_>> = results
            .iter()
            .map(|result| WrittenResult {
                id: &result.id,
                name: &result.name,
                text: &result.text,
                outcome: Outcome::Fine,
            })
            .collect();
        self.write_results(&written)
    }
}

impl RawPrompt<'_> {
    /// The system texts as one.
    fn joined_system(&self) -> String {
        self.system.join("\n\n")
    }

    /// Where the user spoke last.
    fn last_user(&self) -> usize {
        self.turns.iter().rposition(|turn| matches!(turn, RawTurn::User(_))).unwrap_or(0)
    }
}
