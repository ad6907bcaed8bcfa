//! What fills the context window.

use std::sync::Arc;

use omp_tokens::{Billing, Family, estimate_for};
use omp_types::{AssistantBlock, Message, UserBlock, UserContent};

use crate::session::Session;

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
    /// What stands for messages that were summed up.
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

impl Session {
    /// What fills the context window now: estimates, fitted to what the provider counted last.
    pub async fn context_use(&self) -> ContextUse {
        let messages = self.messages_now().await;
        let (report, model) = (self.prompt_report(), self.model());
        let billing = Billing::of(model.api.name(), &model.id);
        let tools: u64 = report.tools.iter().map(|tool| tool.tokens as u64).sum();
        let mut parts = Parts::new(Family::of(&model.id), billing);
        parts.add(ContextPart::System, (report.tokens as u64).saturating_sub(tools));
        parts.add(ContextPart::Tools, tools);
        let kept = self.keeper.stale();
        for (at, message) in messages.iter().enumerate() {
            parts.message(message, at == 0 && kept > 0 && is_summary(message));
        }
        let counted = self.keeper.measured(&messages);
        parts.fitted(counted.reported.map(|_| counted.tokens));
        parts.report(self.keeper.window(&model), counted.reported)
    }
}

impl Session {
    /// How many tokens the model would read now: what the provider counted last and an estimate of what came since, or an
    /// estimate of everything where it counts nothing. Waits for a run to end.
    pub async fn context_tokens(&self) -> u64 {
        let messages = self.agent.messages().await;
        match messages.is_empty() {
            true => 0,
            false => self.keeper.measured(&messages).tokens,
        }
    }

    /// How many tokens a message is for the model of the moment, as we estimate it.
    pub fn message_tokens(&self, message: &Message) -> u64 {
        omp_tokens::message_for(self.keeper.billing(), message)
    }

    /// The conversation; while a run goes on, as far as it is written down.
    pub(crate) async fn messages_now(&self) -> Vec<Arc<Message>> {
        if self.control().is_running()
            && let Ok(recent) = self.keeper.load().await
        {
            return recent.context().messages;
        }
        self.agent.messages().await
    }
}

/// Does a message stand for others that were summed up?
fn is_summary(message: &Message) -> bool {
    matches!(message, Message::User(user) if user.content.text().contains("<summary>"))
}

/// Tokens by part.
struct Parts {
    family: Family,
    billing: Billing,
    tokens: [u64; ContextPart::ALL.len()],
}

impl Parts {
    fn new(family: Family, billing: Billing) -> Self {
        Self { family, billing, tokens: [0; ContextPart::ALL.len()] }
    }

    fn add(&mut self, part: ContextPart, tokens: u64) {
        let at = ContextPart::ALL.iter().position(|other| *other == part);
        if let Some(place) = at.and_then(|at| self.tokens.get_mut(at)) {
            *place += tokens;
        }
    }

    fn text(&mut self, part: ContextPart, text: &str) {
        self.add(part, estimate_for(self.family, text));
    }

    fn message(&mut self, message: &Arc<Message>, summary: bool) {
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
    fn fitted(&mut self, counted: Option<u64>) {
        let all: u64 = self.tokens.iter().sum();
        let Some(counted) = counted.filter(|_| all > 0) else { return };
        for tokens in &mut self.tokens {
            *tokens = (*tokens as f64 * counted as f64 / all as f64).round() as u64;
        }
    }

    fn report(self, window: u64, counted: Option<u64>) -> ContextUse {
        let used: u64 = self.tokens.iter().sum();
        let parts = ContextPart::ALL.into_iter().zip(self.tokens).filter(|(_, tokens)| *tokens > 0);
        ContextUse { window, parts: parts.collect(), used, free: window.saturating_sub(used), counted }
    }
}
