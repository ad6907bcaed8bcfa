//! A session: one conversation, its model, its tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_agent::{Agent, AgentConfig, AgentError, Control, Listener, OpenGate, Outcome, Parts, Prompt, Tool};
use omp_llm::{Api, Client};
use omp_session::{Context, Header, SessionWriter};
use omp_shell::{Environment as ChildEnvironment, Scope, SecretNames};
use omp_types::{ParallelTools, RequestOptions, ThinkingLevel};
use tokio_util::sync::CancellationToken;

use crate::adapt::{ClientModel, FixedSetup, RegistryModels, SystemClock};
use crate::environment::client_options;
use crate::error::SessionError;
use crate::models::{load_registry, select};
use crate::options::{SessionOptions, ToolFilter};
use crate::prompt;
use crate::record::{Record, Recorder};
use crate::store::open_session;

/// A conversation ready to be prompted.
pub struct Session {
    agent: Agent,
    scope: Arc<Scope>,
    record: Record,
    model: Arc<omp_llm::Model>,
    /// The user named a model or a provider.
    chosen: bool,
    warnings: Vec<String>,
}

impl Session {
    /// Chooses the model, builds prompt and tools. Touches the network only to look for local servers, and only
    /// when nothing else can serve.
    pub async fn open(options: SessionOptions, listener: Box<dyn Listener>) -> Result<Self, SessionError> {
        let mut warnings = Vec::new();
        let client = Client::new(client_options(options.environment.as_ref()))?;
        let mut registry = load_registry(&options.directories, &mut warnings);
        let chosen = options.model.is_some() || options.provider.is_some();
        let (context, mut writer) = open_session(&options, &mut warnings)?;
        let selection = select(&client, &mut registry, &options, &context, &mut warnings).await?;
        warnings.extend(selection.warnings);
        let model = Arc::new(selection.model);

        let scope = Arc::new(Scope::new());
        let tools = build_tools(&options, &scope, &mut warnings);
        let now = jiff::Zoned::now();
        let system = prompt::build(&options.prompt, &options.cwd, &now.strftime("%Y-%m-%d").to_string());
        let restored = context.thinking_level.as_deref().and_then(ThinkingLevel::parse);
        let thinking =
            options.thinking.or(selection.thinking).or(restored).unwrap_or_else(|| default_thinking(&model));
        note_choice(&mut writer, &context, &model, thinking);
        let session_id = writer.header().id.clone();
        let record = Record::new(writer);
        let config = AgentConfig {
            request: RequestOptions {
                thinking,
                parallel_tools: ParallelTools::Allowed,
                service_tier: options.service_tier.and_then(|tier| service_tier(tier, &model.provider)),
                session_id: options.provider_session_id.clone().or_else(|| session_key(&model, &session_id)),
                prompt_cache_key: options.prompt_cache_key,
                ..RequestOptions::default()
            },
            fallbacks: options.fallbacks,
            // The tour has no reasons to give.
            intent_tracing: model.api != Api::Demo,
            ..AgentConfig::default()
        };
        let parts = Parts {
            model: Arc::new(ClientModel { client: client.clone(), model: Arc::clone(&model) }),
            models: Arc::new(RegistryModels { client, registry, environment: options.environment }),
            setup: Arc::new(FixedSetup { system, tools }),
            gate: Arc::new(OpenGate),
            clock: Arc::new(SystemClock),
            listener: Box::new(Recorder { record: record.clone(), inner: listener }),
            todos: None,
        };
        let agent = Agent::new(parts, config);
        if !context.messages.is_empty() {
            agent.load(context.messages).await?;
        }
        Ok(Self { agent, scope, record, model, chosen, warnings })
    }

    /// The first line of the session: who, when, where.
    pub fn header(&self) -> Header {
        self.record.lock().header().clone()
    }

    /// The session's file, once there is one.
    pub fn file(&self) -> Option<PathBuf> {
        let writer = self.record.lock();
        writer.path().filter(|_| writer.is_saved()).map(Path::to_path_buf)
    }

    /// Things the user should know, collected while the session was built.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn model_selector(&self) -> String {
        self.model.selector()
    }

    /// Did the session end up with the built-in tour because nothing else was there?
    pub fn fell_back_to_demo(&self) -> bool {
        self.model.api == Api::Demo && !self.chosen
    }

    pub fn control(&self) -> Control {
        self.agent.control()
    }

    /// Runs one prompt until everything has settled.
    pub async fn prompt(&self, prompt: Prompt, cancel: CancellationToken) -> Result<Outcome, AgentError> {
        self.agent.prompt(prompt, cancel).await
    }

    /// Ends every process the session started and makes sure that the conversation is on disk. What could not be
    /// saved is said.
    pub async fn close(self) -> Option<String> {
        self.scope.end().await;
        let mut writer = self.record.lock();
        writer.flush();
        writer.take_report()
    }
}

/// The file says which model answered, so that a resumed session goes on with it.
fn note_choice(
    writer: &mut SessionWriter,
    context: &Context,
    model: &omp_llm::Model,
    thinking: ThinkingLevel,
) {
    let selector = model.selector();
    if context.model.as_deref() != Some(selector.as_str()) {
        writer.append_model_change(&selector, None);
    }
    if context.thinking_level.as_deref() != Some(thinking.name()) {
        writer.append_thinking_level(thinking.name());
    }
}

/// The tier to ask this provider for. Two words of the vocabulary are no tiers: they limit `priority` to one maker.
fn service_tier(word: String, provider: &str) -> Option<String> {
    match word.as_str() {
        "none" => None,
        "openai-only" => (provider == "openai").then(|| "priority".to_owned()),
        // Anthropic has no tier of that name on its wire yet.
        "claude-only" => None,
        _ => Some(word),
    }
}

/// Some providers route and cache by session; the others would only be confused by an unknown field.
fn session_key(model: &omp_llm::Model, id: &str) -> Option<String> {
    (model.api == Api::OpenAiResponses && model.key.is_some()).then(|| id.to_owned())
}

fn default_thinking(model: &omp_llm::Model) -> ThinkingLevel {
    if model.reasoning { ThinkingLevel::High } else { ThinkingLevel::Off }
}

fn build_tools(
    options: &SessionOptions,
    scope: &Arc<Scope>,
    warnings: &mut Vec<String>,
) -> Vec<Arc<dyn Tool>> {
    let environment = ChildEnvironment::inherited().without(&SecretNames::default());
    let home = Some(options.directories.home.clone());
    let context = omp_tools::Context::new(options.cwd.clone(), home, Arc::clone(scope), environment);
    let all = omp_tools::builtin(Arc::new(context));
    match &options.tools {
        ToolFilter::All => all,
        ToolFilter::None => Vec::new(),
        ToolFilter::Only(names) => {
            let unknown = names.iter().filter(|name| !omp_tools::NAMES.contains(&name.as_str()));
            warnings.extend(unknown.map(|name| {
                format!(
                    "--tools: there is no tool \"{name}\"; known tools are {}.",
                    omp_tools::NAMES.join(", ")
                )
            }));
            all.into_iter().filter(|tool| names.contains(&tool.definition().name)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::service_tier;

    #[test]
    fn limits_are_not_sent_as_tiers() {
        let tier = |word: &str, provider: &str| service_tier(word.to_owned(), provider);
        assert_eq!(tier("flex", "anyone").as_deref(), Some("flex"));
        assert_eq!(tier("openai-only", "openai").as_deref(), Some("priority"));
        assert_eq!(tier("openai-only", "mine"), None);
        assert_eq!(tier("claude-only", "openai"), None);
        assert_eq!(tier("none", "openai"), None);
    }
}
