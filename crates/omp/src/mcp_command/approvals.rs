//! Questions about calls, put to the client's user.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use omp_mcp::server::{Answer, Client, Question};
use omp_sdk::{ApprovalRequest, Asker, Reply, Scope};
use serde_json::{Value, json};

const ONCE: &str = "allow once";
const SESSION: &str = "allow from now on";
const NO: &str = "deny";

/// The clients of calls that are running, by the ids of the calls.
pub(super) type Clients = Arc<Mutex<HashMap<String, Client>>>;

pub(super) fn lock(clients: &Clients) -> MutexGuard<'_, HashMap<String, Client>> {
    clients.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks the client that made the call.
pub(super) struct CallAsker {
    pub(super) clients: Clients,
}

impl Asker for CallAsker {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Reply> {
        let client = lock(&self.clients).get(&request.call_id).cloned();
        Box::pin(async move {
            match client {
                Some(client) => ask(&client, request).await,
                None => Reply::No,
            }
        })
    }

    fn is_there(&self, call_id: &str) -> bool {
        lock(&self.clients).get(call_id).is_some_and(can_be_asked)
    }
}

/// Asks the client that wants the turn.
pub(super) struct TurnAsker {
    pub(super) client: Client,
}

impl Asker for TurnAsker {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Reply> {
        Box::pin(ask(&self.client, request))
    }

    fn is_there(&self, _: &str) -> bool {
        can_be_asked(&self.client)
    }
}

fn can_be_asked(client: &Client) -> bool {
    client.answers(&Question::Form { message: String::new(), schema: Value::Null })
}

async fn ask(client: &Client, request: &ApprovalRequest) -> Reply {
    let question = question(request);
    match client.ask(&key(request), question).await {
        Ok(Answer::Accepted(content)) => reply(&content),
        Ok(Answer::Declined | Answer::Cancelled | Answer::Other(_)) | Err(_) => Reply::No,
    }
}

/// The answer to one question is never taken for that to another.
fn key(request: &ApprovalRequest) -> String {
    let mut hasher = DefaultHasher::new();
    request.question.text().hash(&mut hasher);
    format!("approval-{:016x}", hasher.finish())
}

fn question(request: &ApprovalRequest) -> Question {
    let mut choices = vec![ONCE];
    let mut message = request.question.text();
    if let Some(rules) = &request.always {
        choices.push(SESSION);
        message.push_str(&format!("\n\"{SESSION}\" covers: {}", rules.join(", ")));
    }
    choices.push(NO);
    let schema = json!({
        "type": "object",
        "properties": {
            "decision": {"type": "string", "title": "Decision", "enum": choices},
            "reason": {"type": "string", "title": "Reason", "description": "What to do instead, if you deny it"},
        },
        "required": ["decision"],
    });
    Question::Form { message, schema }
}

fn reply(content: &Value) -> Reply {
    let reason = content.get("reason").and_then(Value::as_str).filter(|reason| !reason.trim().is_empty());
    match (content.get("decision").and_then(Value::as_str), reason) {
        (Some(ONCE), _) => Reply::Once,
        (Some(SESSION), _) => Reply::Always(Scope::Session),
        (_, Some(reason)) => Reply::NoBecause(reason.to_owned()),
        _ => Reply::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        for (content, allows) in [
            (json!({"decision": "allow once"}), true),
            (json!({"decision": "allow from now on"}), true),
            (json!({"decision": "deny"}), false),
            (json!({"decision": "yes"}), false),
            (json!({"decision": true}), false),
            (json!({}), false),
            (json!("allow once"), false),
            (json!({"reason": "allow once"}), false),
        ] {
            assert_eq!(reply(&content).allows(), allows, "{content}");
        }
    }
}
