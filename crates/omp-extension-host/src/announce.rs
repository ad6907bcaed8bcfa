//! Events that nobody waits for: what happened is said in its order, while the program continues.

use std::sync::{Arc, Weak};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::event::EventName;
use crate::extension::AT_THE_END;
use crate::extensions::Extensions;

/// Events that wait. What comes after that is dropped: a listener that does not keep up holds up nobody.
pub(crate) const WAITING: usize = 1_000;

/// The most that a server can say to extensions at once.
const LARGEST: usize = 64 * 1024;

pub(crate) enum Announcement {
    Event(EventName, Value),
    /// Answered when everything before it was delivered.
    Settled(oneshot::Sender<()>),
}

impl Extensions {
    /// Says what happened. The payload is made only if somebody listens.
    pub fn announce(&self, event: EventName, payload: impl FnOnce() -> Value) {
        if self.listens(event) {
            let mut payload = payload();
            payload["type"] = event.name().into();
            let _ = self.announcements().try_send(Announcement::Event(event, payload));
        }
    }

    /// A person is asked about a call.
    pub fn approval_requested(&self, call_id: &str, tool: &str, reason: Option<&str>) {
        self.announce(
            EventName::ToolApprovalRequested,
            || json!({"toolCallId": call_id, "toolName": tool, "reason": reason}),
        );
    }

    /// That person has answered.
    pub fn approval_resolved(&self, call_id: &str, tool: &str, approved: bool) {
        self.announce(
            EventName::ToolApprovalResolved,
            || json!({"toolCallId": call_id, "toolName": tool, "approved": approved}),
        );
    }

    /// A stored credential does not work any more.
    pub fn credential_disabled(&self, provider: &str, cause: &str) {
        self.announce(
            EventName::CredentialDisabled,
            || json!({"provider": provider, "disabledCause": cause}),
        );
    }

    /// A server of the Model Context Protocol said something unasked. Parameters that are too large are left out.
    pub fn mcp_notification(&self, server: &str, method: &str, params: Value) {
        self.announce(EventName::McpNotification, || {
            let fits = params.to_string().len() <= LARGEST;
            json!({"server": server, "method": method, "params": if fits { params } else { Value::Null }})
        });
    }

    /// What was said so far has been heard, unless that takes too long.
    pub(crate) async fn announced(&self) {
        let (sender, receiver) = oneshot::channel();
        if self.announcements().try_send(Announcement::Settled(sender)).is_ok() {
            let _ = tokio::time::timeout(AT_THE_END, receiver).await;
        }
    }
}

/// Delivers until there are no extensions any more.
pub(crate) async fn deliver(extensions: Weak<Extensions>, mut waiting: mpsc::Receiver<Announcement>) {
    while let Some(announcement) = waiting.recv().await {
        let Some(extensions): Option<Arc<Extensions>> = extensions.upgrade() else { return };
        match announcement {
            Announcement::Event(event, payload) => extensions.tell(event, &payload).await,
            Announcement::Settled(reply) => drop(reply.send(())),
        }
    }
}
