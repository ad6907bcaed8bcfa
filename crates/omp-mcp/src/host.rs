//! What a server may want from us: directories, answers of the user, answers of a model.

use std::path::PathBuf;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::content::Content;

/// Which questions are answered at all. Servers are told, and do not ask others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// There is a user who can be asked.
    pub elicitation: bool,
    /// There is a model that can be asked.
    pub sampling: bool,
}

/// Answers servers. Without it every question is declined.
pub trait Host: Send + Sync {
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    /// The directories that the session is about.
    fn roots(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Does somebody want to hear what servers say unasked?
    fn wants_notifications(&self) -> bool {
        false
    }

    /// A server said something unasked: the method and its parameters, as the server wrote them.
    fn notified(&self, server: &str, method: &str, params: Value) {
        let _ = (server, method, params);
    }

    /// Asks the user. Dropping the future withdraws the question.
    fn elicit(&self, server: &str, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        let _ = (server, question);
        Box::pin(std::future::ready(ElicitationAnswer::Declined))
    }

    /// Asks a model, if the user agrees. The error is told to the server.
    fn sample(
        &self,
        server: &str,
        request: SamplingRequest,
    ) -> BoxFuture<'_, Result<SamplingAnswer, String>> {
        let _ = (server, request);
        Box::pin(std::future::ready(Err("sampling is not available".to_owned())))
    }
}

/// A host that has nobody to ask.
#[derive(Clone, Debug, Default)]
pub struct Unattended {
    pub roots: Vec<PathBuf>,
}

impl Host for Unattended {
    fn roots(&self) -> Vec<PathBuf> {
        self.roots.clone()
    }
}

/// A question for the user. All texts are the server's.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicitation {
    /// Values of a flat JSON schema.
    Form { message: String, schema: Value },
    /// Something to do in a browser; what is entered there does not pass through us.
    Url { message: String, url: String, id: String },
}

#[derive(Clone, Debug, PartialEq)]
pub enum ElicitationAnswer {
    /// With the values of a form.
    Accepted(Option<Value>),
    Declined,
    /// Neither yes nor no.
    Cancelled,
}

/// A question for a model.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingRequest {
    pub messages: Vec<SamplingTurn>,
    pub system_prompt: Option<String>,
    pub max_tokens: u32,
    pub temperature: Option<f32>,
    pub stop_sequences: Vec<String>,
    /// Names of models, or parts of names, that the server would like.
    pub hints: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SamplingTurn {
    pub speaker: Speaker,
    pub content: Vec<Content>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplingAnswer {
    pub model: String,
    pub text: String,
    /// `endTurn`, `maxTokens` or `stopSequence`.
    pub stop_reason: String,
}
