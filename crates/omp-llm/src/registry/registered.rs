//! Providers that a program adds while it runs, for extensions: what they say is checked like the user's file.

use serde_json::{Map, Value, json};

use super::Registry;
use super::fields::ModelsFile;
use super::merge;
use super::provider::{Origin, Provider};
use super::validate;
use crate::model::{Api, Transport};

/// What is read of a provider and of a model. The rest means something elsewhere, or to nobody.
const PROVIDER: [&str; 7] = ["baseUrl", "apiKey", "api", "headers", "authHeader", "compat", "modelOverrides"];
const MODEL: [&str; 10] =
    ["id", "api", "baseUrl", "name", "reasoning", "input", "cost", "contextWindow", "maxTokens", "headers"];
/// The wire whose defaults a model has that a script answers for.
const STAND_IN: Api = Api::OpenAiCompletions;

/// How the requests of a registered provider are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    /// By a server.
    Server,
    /// By whoever registered it.
    Script,
}

impl Registry {
    /// Adds a provider, or changes one: its models replace those that it had. One that the user disabled stays away. The error
    /// names the field.
    pub fn register(&mut self, id: &str, said: &Value, answering: Answering) -> Result<(), String> {
        if self.disabled.iter().any(|disabled| disabled == id) {
            return Ok(());
        }
        let scripted = answering == Answering::Script;
        let apis = scripted.then(|| own_names(said));
        let config = config(said, scripted);
        let text = json!({"providers": {id: config}}).to_string();
        let file: ModelsFile =
            serde_json::from_str(&text).map_err(|error| format!("provider {id}: {error}"))?;
        validate::check(&file)?;
        if !self.providers.contains_key(id) {
            let provider = Provider { origin: Origin::File, ..Provider::default() };
            self.providers.shift_insert(0, id.to_owned(), provider);
        }
        let (_, config) = file.providers.first().ok_or("nothing was registered")?;
        let Some(provider) = self.providers.get_mut(id) else { return Ok(()) };
        merge::redirect_one(provider, config).map_err(|error| format!("provider {id}: {error}"))?;
        if !config.models.is_empty() {
            let models = config.models.iter().map(|entry| merge::custom_model(id, config, entry));
            let mut models = models.collect::<Result<Vec<_>, _>>()?;
            for (at, name) in apis.into_iter().flatten().enumerate() {
                let Some(model) = models.get_mut(at) else { break };
                model.transport = Transport::Script;
                model.facts.api_name = Some(name);
            }
            provider.models = Vec::new().into();
            provider.put(models);
        }
        provider.patch_all(id)?;
        self.index = std::sync::OnceLock::new();
        Ok(())
    }
}

fn config(said: &Value, scripted: bool) -> Value {
    let mut config = picked(said, &PROVIDER);
    if said["logsIn"] == true && !config.contains_key("apiKey") {
        // Whoever signs in has the key then.
        config.insert("auth".to_owned(), "none".into());
    }
    let models = said["models"].as_array().into_iter().flatten();
    let models = models.map(|model| {
        let mut model = picked(model, &MODEL);
        if scripted {
            model.remove("api");
        }
        Value::Object(model)
    });
    let models: Vec<Value> = models.collect();
    if scripted {
        config.insert("api".to_owned(), STAND_IN.name().into());
    }
    if !models.is_empty() {
        config.insert("models".to_owned(), models.into());
    }
    Value::Object(config)
}

fn picked(said: &Value, names: &[&str]) -> Map<String, Value> {
    let fields = said.as_object().into_iter().flatten();
    let fields = fields.filter(|(name, value)| names.contains(&name.as_str()) && !value.is_null());
    fields.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// What the models of a script call their API.
fn own_names(said: &Value) -> Vec<String> {
    let usual = said["api"].as_str().unwrap_or("script");
    let models = said["models"].as_array().into_iter().flatten();
    models.map(|model| model["api"].as_str().unwrap_or(usual).to_owned()).collect()
}
