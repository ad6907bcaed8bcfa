//! Models that extensions bring: what they register, and answers that a script streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::stream;
use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_llm::registry::{Answering, Registry};
use omp_llm::{Input, PiecedAnswer, Transport};
use omp_types::ModelRequest;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::extension::{Extension, lock};
use crate::extensions::Extensions;

/// Pieces of an answer that wait to be read.
const PIECES: usize = 10_000;
/// How long a script may take to stop.
const STOPPING: Duration = Duration::from_secs(2);
/// Answers, counted for their names.
static ANSWERS: AtomicU64 = AtomicU64::new(1);

/// A model as extensions see it. Its key is not part of it.
pub fn model_value(model: &omp_llm::Model) -> Value {
    let input: Vec<&str> = model
        .input
        .iter()
        .map(|input| match input {
            Input::Text => "text",
            Input::Image => "image",
        })
        .collect();
    json!({
        "id": model.id, "name": model.name, "provider": model.provider, "api": model.api_name(),
        "baseUrl": model.base_url, "reasoning": model.reasoning, "input": input, "cost": model.cost,
        "contextWindow": model.context_window, "maxTokens": model.max_tokens,
    })
}

impl Extensions {
    /// Adds what extensions have registered; of two registrations of one provider the later counts. What cannot be used is
    /// a sentence, and everything else is there.
    pub fn register_providers(&self, registry: &mut Registry) -> Vec<String> {
        let mut problems = Vec::new();
        for extension in self.list() {
            let name = &extension.spec.name;
            for provider in extension.registered().providers {
                let id = provider["name"].as_str().unwrap_or_default();
                if extension.is_hook() {
                    problems.push(format!("extension {name}: a hook cannot register the provider {id:?}"));
                    continue;
                }
                let answering =
                    if provider["streams"] == true { Answering::Script } else { Answering::Server };
                if let Err(reason) = registry.register(id, &provider, answering) {
                    problems
                        .push(format!("extension {name}: the provider {id:?} was not registered: {reason}"));
                }
            }
        }
        problems
    }

    /// What answers for a model whose extension streams its answers itself.
    pub fn serve(self: &Arc<Self>, model: &Arc<omp_llm::Model>) -> Option<Arc<dyn Model>> {
        (model.transport == Transport::Script).then(|| {
            let model = ScriptModel { extensions: Arc::clone(self), model: Arc::clone(model) };
            Arc::new(model) as Arc<dyn Model>
        })
    }
}

struct ScriptModel {
    extensions: Arc<Extensions>,
    model: Arc<omp_llm::Model>,
}

impl ScriptModel {
    /// Who streams: the extension that registered the provider last.
    fn extension(&self) -> Option<Arc<Extension>> {
        let streams = |provider: &Value| {
            provider["name"] == self.model.provider.as_str() && provider["streams"] == true
        };
        let list = self.extensions.list();
        list.into_iter().rev().find(|extension| extension.registered().providers.iter().any(streams))
    }

    fn arguments(&self, id: &str, request: &ModelRequest) -> Value {
        let tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
            })
            .collect();
        let options = &request.options;
        json!({
            "id": id, "provider": self.model.provider, "model": model_value(&self.model),
            "context": {
                "systemPrompt": request.system.join("\n\n"), "messages": request.messages, "tools": tools,
            },
            "options": {
                "apiKey": self.model.key.as_ref().map(omp_llm::Secret::reveal), "headers": self.model.headers,
                "maxTokens": options.max_tokens, "reasoning": options.thinking.name(),
                "sessionId": options.session_id,
            },
        })
    }
}

impl Model for ScriptModel {
    fn identity(&self) -> ModelIdentity {
        ModelIdentity {
            api: self.model.api_name().to_owned(),
            provider: self.model.provider.clone(),
            id: self.model.id.clone(),
        }
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        let mut answer = PiecedAnswer::new(&self.model);
        let Some(extension) = self.extension() else {
            answer.fail_with(&format!("the extension that serves {} has ended", self.model.provider));
            return Box::pin(stream::iter([answer.take_events()]));
        };
        let id = format!("answer-{}", ANSWERS.fetch_add(1, Ordering::Relaxed));
        let (sender, pieces) = mpsc::channel(PIECES);
        lock(&extension.state.answers).insert(id.clone(), sender);
        let (ended, end) = oneshot::channel();
        let arguments = self.arguments(&id, &request);
        let (script, extensions) = (Arc::clone(&extension), Arc::clone(&self.extensions));
        tokio::spawn(async move {
            let said = script.call("streamModel", arguments, None).await;
            extensions.say_if_ended(&script);
            let _ = ended.send(said);
        });
        let listening =
            Listening { answer, pieces, end: Some(end), _guard: AnswerGuard { extension, id }, cancel };
        Box::pin(stream::unfold(listening, Listening::next))
    }

    fn can_force_tools(&self) -> bool {
        false
    }
}

/// An answer that a script is giving.
struct Listening {
    answer: PiecedAnswer,
    pieces: mpsc::Receiver<Value>,
    end: Option<oneshot::Receiver<Result<Value, String>>>,
    /// Stops the script when this is dropped.
    _guard: AnswerGuard,
    cancel: CancellationToken,
}

impl Listening {
    async fn next(mut self) -> Option<(Vec<omp_types::StreamEvent>, Self)> {
        loop {
            let events = self.answer.take_events();
            if !events.is_empty() {
                return Some((events, self));
            }
            if self.answer.is_over() {
                return None;
            }
            self.hear().await;
        }
    }

    async fn hear(&mut self) {
        let cancel = self.cancel.clone();
        let end = async {
            match &mut self.end {
                Some(end) => end.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => self.answer.abort(),
            Some(piece) = self.pieces.recv() => self.answer.push(&piece),
            said = end => {
                self.end = None;
                // What was said before the end is in line.
                while let Ok(piece) = self.pieces.try_recv() {
                    self.answer.push(&piece);
                }
                match said {
                    Ok(Ok(last)) => self.answer.push(&last),
                    Ok(Err(reason)) => self.answer.fail_with(&reason),
                    Err(_) => {}
                }
                self.answer.fail_with("");
            }
        }
    }
}

/// Stops the script when nobody reads its answer any more.
struct AnswerGuard {
    extension: Arc<Extension>,
    id: String,
}

impl Drop for AnswerGuard {
    fn drop(&mut self) {
        lock(&self.extension.state.answers).remove(&self.id);
        let (extension, id) = (Arc::clone(&self.extension), std::mem::take(&mut self.id));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { extension.call("abort", json!({"id": id}), Some(STOPPING)).await });
        }
    }
}
