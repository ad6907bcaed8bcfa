//! What fills the context window.

use std::sync::Arc;

use omp_tokens::{Billing, Family, estimate_for};
use omp_types::{AssistantBlock, Message, UserBlock, UserContent};

/// A part of what a model is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextPart {
    /// The system prompt.
    System,
    /// The tools with their descriptions.
    Tools,
    /// What the user said.
    User,
    /// What the model said.
    Answers,
    /// What the model thought.
    Thinking,
    /// The calls of tools.
    Calls,
    /// What the tools gave back.
    Results,
    /// Pictures of all kinds.
    Pictures,
    /// What stands for messages that were summarized.
    Summary,
    /// Remarks of the program.
    Notes,
}

impl ContextPart {
    /// Every part, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::System,
        Self::Tools,
        Self::Summary,
        Self::User,
        Self::Answers,
        Self::Thinking,
        Self::Calls,
        Self::Results,
        Self::Pictures,
        Self::Notes,
    ];

    /// The part's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "System prompt",
            Self::Tools => "Tools",
            Self::User => "User",
            Self::Answers => "Answers",
            Self::Thinking => "Thinking",
            Self::Calls => "Tool calls",
            Self::Results => "Tool results",
            Self::Pictures => "Pictures",
            Self::Summary => "Summary",
            Self::Notes => "Notes",
        }
    }

    /// Is it a part of the conversation?
    pub fn is_message(self) -> bool {
        !matches!(self, Self::System | Self::Tools)
    }
}

/// What fills the context window of the model, in tokens. The parts and what is free make the window, unless it is too
/// full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextUse {
    /// What the model can read.
    pub window: u64,
    /// Parts that there are, each with its tokens.
    pub parts: Vec<(ContextPart, u64)>,
    /// All parts together.
    pub used: u64,
    /// What is left.
    pub free: u64,
    /// What the provider counted with the last answer, which the estimates were fitted to.
    pub counted: Option<u64>,
}

/// Does a message stand for others that were summarized?
pub fn is_summary(message: &Message) -> bool {
    matches!(message, Message::User(user) if user.content.text().contains("<summary>"))
}

/// Counts tokens by part.
pub struct ContextMeter {
    family: Family,
    billing: Billing,
    tokens: [u64; ContextPart::ALL.len()],
}

impl ContextMeter {
    /// Counts nothing yet.
    pub fn new(family: Family, billing: Billing) -> Self {
        Self { family, billing, tokens: [0; ContextPart::ALL.len()] }
    }

    /// Adds tokens that were counted elsewhere.
    pub fn add(&mut self, part: ContextPart, tokens: u64) {
        let at = ContextPart::ALL.iter().position(|other| *other == part);
        if let Some(place) = at.and_then(|at| self.tokens.get_mut(at)) {
            *place += tokens;
        }
    }

    fn text(&mut self, part: ContextPart, text: &str) {
        self.add(part, estimate_for(self.family, text));
    }

    /// Adds a message; `summary`: it stands for others that were summarized.
    pub fn message(&mut self, message: &Arc<Message>, summary: bool) {
        match &**message {
            Message::User(user) if summary => self.content(ContextPart::Summary, &user.content),
            Message::User(user) => self.content(ContextPart::User, &user.content),
            Message::Custom(custom) => self.content(ContextPart::Notes, &custom.content),
            Message::ToolResult(result) => self.blocks(ContextPart::Results, &result.content),
            Message::Assistant(answer) => answer.content.iter().for_each(|block| self.answer(block)),
        }
    }

    fn content(&mut self, part: ContextPart, content: &UserContent) {
        match content {
            UserContent::Text(text) => self.text(part, text),
            UserContent::Blocks(blocks) => self.blocks(part, blocks),
        }
    }

    fn blocks(&mut self, part: ContextPart, blocks: &[UserBlock]) {
        for block in blocks {
            match block {
                UserBlock::Text(text) => self.text(part, &text.text),
                UserBlock::Image(image) => self.add(ContextPart::Pictures, self.billing.image(image)),
            }
        }
    }

    fn answer(&mut self, block: &AssistantBlock) {
        match block {
            AssistantBlock::Text(text) => self.text(ContextPart::Answers, &text.text),
            AssistantBlock::Thinking(thought) => self.text(ContextPart::Thinking, &thought.thinking),
            AssistantBlock::RedactedThinking(sealed) => {
                self.add(ContextPart::Thinking, sealed.data.len() as u64 * 3 / 16);
            }
            AssistantBlock::ToolCall(call) => self.add(ContextPart::Calls, omp_tokens::call(call)),
            AssistantBlock::Native(native) => self.text(ContextPart::Results, &native.value.to_string()),
        }
    }

    /// Fits the estimates to what was counted, part by part.
    pub fn fitted(&mut self, counted: Option<u64>) {
        let all: u64 = self.tokens.iter().sum();
        let Some(counted) = counted.filter(|_| all > 0) else { return };
        for tokens in &mut self.tokens {
            *tokens = (*tokens as f64 * counted as f64 / all as f64).round() as u64;
        }
    }

    /// What the parts come to in a window.
    pub fn report(self, window: u64, counted: Option<u64>) -> ContextUse {
        let used: u64 = self.tokens.iter().sum();
        let parts = ContextPart::ALL.into_iter().zip(self.tokens).filter(|(_, tokens)| *tokens > 0);
        ContextUse { window, parts: parts.collect(), used, free: window.saturating_sub(used), counted }
    }
}
