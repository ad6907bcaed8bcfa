//! What a session amounts to.

use omp_session::Entry;
use omp_types::{Message, Usage};

/// Counts over all branches of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Total {
    pub(crate) prompts: usize,
    pub(crate) answers: usize,
    pub(crate) calls: usize,
    pub(crate) usage: Usage,
    /// Models that answered, in the order of their first answer.
    pub(crate) models: Vec<String>,
    pub(crate) last: String,
}

impl Total {
    pub(super) fn add(&mut self, entry: &Entry) {
        if !entry.timestamp.is_empty() {
            self.last.clone_from(&entry.timestamp);
        }
        match entry.message().map(|message| &**message) {
            Some(Message::User(_)) => self.prompts += 1,
            Some(Message::Assistant(answer)) => {
                self.answers += 1;
                self.calls += answer.tool_calls().count();
                add(&mut self.usage, &answer.usage);
                if !answer.model.is_empty() && !self.models.contains(&answer.model) && self.models.len() < 20
                {
                    self.models.push(answer.model.clone());
                }
            }
            _ => {}
        }
    }
}

/// Counts come from a file and may be anything.
fn add(sum: &mut Usage, usage: &Usage) {
    sum.input = sum.input.saturating_add(usage.input);
    sum.output = sum.output.saturating_add(usage.output);
    sum.cache_read = sum.cache_read.saturating_add(usage.cache_read);
    sum.cache_write = sum.cache_write.saturating_add(usage.cache_write);
    sum.cost.total += usage.cost.total;
}
