//! Models for extensions: what there is, which one answers, one answer beside the conversation.

use std::sync::Arc;

use omp_llm::registry::Availability;
use omp_types::{Message, ModelRequest, RequestOptions, ThinkingLevel, ToolChoice, ToolDefinition};
use serde_json::{Value, json};

use crate::extensions::port::{Running, SessionPort, text};
use crate::session::Session;
use crate::side_tasks::small_model;

pub(crate) use omp_extension_host::model_value as value;

fn selector(arguments: &Value) -> String {
    format!("{}/{}", text(arguments, "provider"), text(arguments, "id"))
}

pub(crate) fn read(port: &SessionPort, operation: &str, arguments: &Value) -> Result<Value, String> {
    let lookup = port.models.lookup();
    let all = || port.models.registry.list(&lookup).into_iter();
    let usable = |availability: &Availability| *availability == Availability::Ready;
    let find = || {
        let (provider, id) = (text(arguments, "provider"), text(arguments, "id"));
        all().find(|(model, _)| model.provider == provider && model.id == id)
    };
    Ok(match operation {
        "models.all" => all().map(|(model, _)| value(model)).collect(),
        "models.list" => all().filter(|(_, ready)| usable(ready)).map(|(model, _)| value(model)).collect(),
        "models.find" => find().map(|(model, _)| value(model)).unwrap_or_default(),
        "models.isUsable" => json!(find().is_some_and(|(_, ready)| usable(&ready))),
        "models.resolve" => {
            let Ok(session) = port.session() else { return Ok(Value::Null) };
            let found = session.models().find(text(arguments, "spec"));
            found.map(|selection| value(&selection.model)).unwrap_or_default()
        }
        "models.family" => json!(lineage(text(arguments, "id"))),
        "models.usesOAuth" => {
            let vault = port.models.environment.vault();
            let provider = text(arguments, "provider");
            json!(vault.is_some_and(|vault| vault.summaries(provider).is_ok_and(|all| !all.is_empty())))
        }
        "models.providerName" => json!(text(arguments, "provider")),
        "models.providerCount" => {
            let mut providers: Vec<&str> =
                all().filter(|(_, ready)| usable(ready)).map(|(model, _)| model.provider.as_str()).collect();
            providers.sort_unstable();
            providers.dedup();
            json!(providers.len())
        }
        "models.environmentKey" => {
            let names = port.models.registry.variables(text(arguments, "provider"));
            json!(names.iter().find_map(|name| port.models.environment.var(name)))
        }
        other => return Err(format!("{other} is not offered by omp")),
    })
}

pub(crate) fn set_thinking(port: &SessionPort, arguments: &Value) -> Result<Value, String> {
    let session = port.session()?;
    let level = ThinkingLevel::parse(text(arguments, "level"))
        .ok_or_else(|| format!("unknown thinking level {:?}", text(arguments, "level")))?;
    tokio::spawn(async move {
        let _ = session.models().set_thinking(level).await;
    });
    Ok(Value::Null)
}

/// Lets another model answer; `false` when it cannot be used.
pub(crate) async fn switch(session: Arc<Session>, arguments: Value) -> Result<Value, String> {
    Ok(json!(session.models().switch(&selector(&arguments)).await.is_ok()))
}

/// The key of a model, for an extension that speaks to its provider itself.
pub(crate) async fn auth(session: Arc<Session>, arguments: Value) -> Result<Value, String> {
    let wanted = match arguments["id"].as_str() {
        Some(_) => selector(&arguments),
        None => {
            let provider = text(&arguments, "provider");
            let lookup = session.models.lookup();
            let all = session.models.registry.list(&lookup);
            let Some((model, _)) = all.into_iter().find(|(model, _)| model.provider == provider) else {
                return Ok(json!({}));
            };
            model.selector()
        }
    };
    let Ok(selection) = session.models.select(&wanted) else { return Ok(json!({})) };
    let model = selection.model;
    Ok(json!({"apiKey": model.key.as_ref().map(|key| key.reveal()), "headers": model.headers}))
}

/// One answer beside the conversation. It goes through the stages of every request.
pub(crate) async fn complete(
    session: Arc<Session>,
    running: Arc<Running>,
    arguments: Value,
) -> Result<Value, String> {
    let id = text(&arguments, "id").to_owned();
    let selection =
        session.models.select(&selector(&arguments["model"])).map_err(|error| error.to_string())?;
    let model = Arc::new(selection.model);
    let options = &arguments["options"];
    let thinking = options["reasoning"].as_str().and_then(ThinkingLevel::parse).unwrap_or(ThinkingLevel::Off);
    let tools: Arc<[ToolDefinition]> = serde_json::from_value(arguments["tools"].clone()).unwrap_or_default();
    let messages: Vec<Message> = serde_json::from_value(arguments["messages"].clone())
        .map_err(|error| format!("the messages cannot be read: {error}"))?;
    let request = ModelRequest {
        system: system(&arguments["systemPrompt"]),
        messages: messages.into_iter().map(Arc::new).collect(),
        options: RequestOptions {
            thinking: model.clamp_level(thinking),
            tool_choice: if tools.is_empty() { ToolChoice::None } else { ToolChoice::Auto },
            max_tokens: options["maxTokens"].as_u64().and_then(|most| u32::try_from(most).ok()),
            ..RequestOptions::default()
        },
        tools,
    };
    let cancel = running.begin(&id);
    let answer = small_model::ask(&*session.models.serve(model), request, cancel, |_| {}).await;
    running.end(&id);
    let answer = answer.map_err(|failure| failure.message)?;
    serde_json::to_value(Message::Assistant(answer)).map_err(|error| error.to_string())
}

/// What models of one make have in common.
fn lineage(id: &str) -> String {
    let name = id.rsplit('/').next().unwrap_or(id);
    name.chars().take_while(|c| c.is_ascii_alphabetic()).collect::<String>().to_ascii_lowercase()
}

fn system(prompt: &Value) -> Arc<[String]> {
    match prompt {
        Value::String(text) if !text.is_empty() => Arc::from([text.clone()]),
        Value::Array(blocks) => blocks.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Arc::from([]),
    }
}
