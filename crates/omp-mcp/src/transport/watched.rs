//! Stands between a transport and the SDK, which starts a task for every notification and every request of a server. Too
//! many of them are dropped here, and progress is told in its order.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage, ServerNotification};
use rmcp::transport::Transport;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::handler::Handler;
use crate::limits;
use crate::log::Log;

/// A transport under watch.
pub(crate) struct Watched<T> {
    inner: T,
    handler: Handler,
    log: Log,
    /// Cancelled when nothing more will come. The SDK takes seconds to say so, while it waits for its own answers.
    closed: CancellationToken,
    window: Instant,
    seen: u32,
}

impl<T> Watched<T> {
    pub(crate) fn new(inner: T, handler: Handler, log: Log, closed: CancellationToken) -> Self {
        Self { inner, handler, log, closed, window: Instant::now(), seen: 0 }
    }

    /// Whether the message is one too many. Answers never are: each belongs to a request of ours.
    fn is_flood(&mut self, message: &ServerJsonRpcMessage) -> bool {
        let counts = match message {
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => false,
            // Must arrive: otherwise a list stays old, or a request open.
            JsonRpcMessage::Notification(note) => !matches!(
                note.notification,
                ServerNotification::CancelledNotification(_)
                    | ServerNotification::SubscriptionsAcknowledgedNotification(_)
            ),
            _ => true,
        };
        if !counts {
            return false;
        }
        if self.window.elapsed() > Duration::from_secs(1) {
            (self.window, self.seen) = (Instant::now(), 0);
        }
        self.seen = self.seen.saturating_add(1);
        if self.seen == limits::NOTIFICATIONS + 1 {
            self.log.add(format!(
                "more than {} notifications in a second: the rest was dropped",
                limits::NOTIFICATIONS
            ));
        }
        self.seen > limits::NOTIFICATIONS
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.closed.cancel();
                return None;
            };
            if !self.is_flood(&message) {
                if let JsonRpcMessage::Notification(note) = &message
                    && let ServerNotification::ProgressNotification(progress) = &note.notification
                {
                    self.handler.progressed(&progress.params);
                }
                return Some(message);
            }
            // A flood must not keep this task from everything else.
            tokio::task::yield_now().await;
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
