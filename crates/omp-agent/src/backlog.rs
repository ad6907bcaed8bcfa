//! How much waits for a listener that is slower than the loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use omp_types::{AgentEvent, StreamEvent, ToolOutput, UserBlock};
use tokio::sync::Notify;

/// Bytes of events that may wait before the loop waits too.
const HIGH_WATER: usize = 1024 * 1024;
/// What an event takes besides its own text. Whole messages are shared with the conversation and take no more.
const EVENT: usize = 256;

/// Events on their way to a listener, by their size: shared by both ends of a channel. The sending end makes the loop wait
/// while too much is under way, so that nothing has to be dropped and nothing grows.
#[derive(Clone, Debug, Default)]
pub struct Backlog(Arc<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    bytes: AtomicUsize,
    closed: AtomicBool,
    drained: Notify,
}

impl Waiting {
    fn is_full(&self) -> bool {
        self.bytes.load(Ordering::Acquire) > HIGH_WATER && !self.closed.load(Ordering::Acquire)
    }
}

impl Backlog {
    /// An event is sent.
    pub fn sent(&self, event: &AgentEvent) {
        self.0.bytes.fetch_add(size(event), Ordering::AcqRel);
    }

    /// An event that was sent has been received.
    pub fn received(&self, event: &AgentEvent) {
        self.0.bytes.fetch_sub(size(event), Ordering::AcqRel);
        if !self.0.is_full() {
            self.0.drained.notify_waiters();
        }
    }

    /// Nobody receives any more, so nobody has to wait.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        self.0.drained.notify_waiters();
    }

    /// For [`Listener::backlog`](crate::Listener::backlog): until there is room again; `None` if there is.
    pub fn wait(&self) -> Option<BoxFuture<'static, ()>> {
        if !self.0.is_full() {
            return None;
        }
        let waiting = Arc::clone(&self.0);
        Some(Box::pin(async move {
            loop {
                let drained = waiting.drained.notified();
                if !waiting.is_full() {
                    return;
                }
                drained.await;
            }
        }))
    }
}

fn size(event: &AgentEvent) -> usize {
    let text = match event {
        AgentEvent::MessageUpdate(update) => match &update.assistant_message_event {
            StreamEvent::TextDelta { delta, .. }
            | StreamEvent::ThinkingDelta { delta, .. }
            | StreamEvent::ToolCallDelta { delta, .. } => delta.len(),
            _ => 0,
        },
        AgentEvent::ToolExecutionUpdate { partial_result: output, .. }
        | AgentEvent::ToolExecutionEnd { result: output, .. } => output_size(output),
        AgentEvent::Notice { message } => message.len(),
        _ => 0,
    };
    EVENT + text
}

fn output_size(output: &ToolOutput) -> usize {
    output.content.iter().filter_map(UserBlock::as_text).map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn notice(bytes: usize) -> AgentEvent {
        AgentEvent::Notice { message: "x".repeat(bytes) }
    }

    #[test]
    fn what_waits_is_bounded_and_comes_through() {
        let backlog = Backlog::default();
        let event = notice(HIGH_WATER / 2);
        backlog.sent(&event);
        assert!(backlog.wait().is_none());
        backlog.sent(&event);
        let mut wait = backlog.wait().expect("it is full");
        assert!((&mut wait).now_or_never().is_none());
        backlog.received(&event);
        assert!(wait.now_or_never().is_some() && backlog.wait().is_none());
    }

    #[test]
    fn nobody_waits_for_a_receiver_that_is_gone() {
        let backlog = Backlog::default();
        backlog.sent(&notice(2 * HIGH_WATER));
        let wait = backlog.wait().expect("it is full");
        backlog.close();
        assert!(wait.now_or_never().is_some() && backlog.wait().is_none());
    }
}
