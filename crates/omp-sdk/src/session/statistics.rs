//! What there is in a session, for people who look at it.

use std::sync::Arc;

use omp_session::{Entry, EntryKind};
use omp_types::{Message, Usage};

use crate::saved::transcript::Transcript;

/// How much was said in a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Messages of any kind.
    pub messages: usize,
    /// What the user said.
    pub prompts: usize,
    /// What the model said.
    pub answers: usize,
    /// What tools said.
    pub results: usize,
    /// What the model asked tools to do.
    pub calls: usize,
    /// What all answers took together.
    pub usage: Usage,
    /// Requests beside the conversation: summaries, names, questions on the side.
    pub side_requests: usize,
    /// What those cost. It is no part of `usage`.
    pub side_cost: f64,
}

impl Statistics {
    fn add(&mut self, more: &Usage) {
        let sum = &mut self.usage;
        sum.input += more.input;
        sum.output += more.output;
        sum.cache_read += more.cache_read;
        sum.cache_write += more.cache_write;
        sum.total_tokens += more.total_tokens;
        sum.cost.total += more.cost.total;
    }
}

impl Transcript<'_> {
    /// How much was said on the way to where the conversation stands, also what no model is told any more.
    pub async fn statistics(self) -> Statistics {
        let mut counts = Statistics::default();
        let models = Arc::clone(&self.session.models);
        let side = tokio::task::spawn_blocking(move || models.pipeline.side_requests.all())
            .await
            .unwrap_or_default();
        counts.side_requests = side.len();
        counts.side_cost = side.iter().map(|request| request.usage.cost.total).sum();
        let Ok(loaded) = self.session.tree().loaded().await else { return counts };
        let leaf = self.session.record.lock().leaf().map(str::to_owned);
        for entry in loaded.path(leaf.as_deref()) {
            let entry = match &entry.kind {
                EntryKind::Message(entry) => entry,
                EntryKind::ModelUsage(request) => {
                    counts.side_requests += 1;
                    counts.side_cost += request.usage.cost.total;
                    continue;
                }
                _ => continue,
            };
            counts.messages += 1;
            match &*entry.message {
                Message::User(_) => counts.prompts += 1,
                Message::ToolResult(_) => counts.results += 1,
                Message::Assistant(answer) => {
                    counts.answers += 1;
                    counts.calls += answer.tool_calls().count();
                    counts.add(&answer.usage);
                }
                Message::Custom(_) => {}
            }
        }
        counts
    }

    /// What was said on the way to where the conversation stands, as far as it is written down.
    pub async fn recorded(self) -> Vec<Arc<Message>> {
        let Ok(loaded) = self.session.tree().loaded().await else { return Vec::new() };
        let leaf = self.session.record.lock().leaf().map(str::to_owned);
        let message = |entry: &Entry| match &entry.kind {
            EntryKind::Message(entry) => Some(Arc::clone(&entry.message)),
            _ => None,
        };
        loaded.path(leaf.as_deref()).into_iter().filter_map(message).collect()
    }
}
