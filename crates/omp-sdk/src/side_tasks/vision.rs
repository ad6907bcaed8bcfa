//! Which model looks at pictures for the `inspect_image` tool.

use std::sync::Arc;

use omp_config::settings::Settings;
use omp_llm::registry::{Availability, SelectError, Selection};
use omp_llm::{Api, Input};
use omp_models::{RoleTarget, resolve_role};
use omp_tools::{Seer, Vision, VisionError};
use omp_types::ThinkingLevel;

use crate::request::model_pool::ModelPool;
use crate::session::live_config::LiveConfig;

/// The roles that may look, the best first.
const ROLES: [&str; 2] = ["pi/vision", "pi/default"];

/// The models of a session, for pictures.
struct SessionVision {
    models: Arc<ModelPool>,
    live: Arc<LiveConfig>,
}

/// Lets the tools of a session find its models.
pub(crate) fn attach(context: &omp_tools::Context, models: &Arc<ModelPool>, live: &Arc<LiveConfig>) {
    let vision = SessionVision { models: Arc::clone(models), live: Arc::clone(live) };
    // A context belongs to one session, so there is nothing to replace.
    let _ = context.vision.set(Arc::new(vision));
}

impl SessionVision {
    /// The model of the first role that has one, else the session's own, else any.
    fn select(&self) -> Result<Selection, VisionError> {
        let (active, settings) = self.live.both();
        let active = (active.api != Api::Demo).then(|| active.selector());
        let first = self.first_available();
        if first.is_none() && active.is_none() {
            return Err(VisionError::NoModels);
        }
        let wanted = ROLES.iter().filter_map(|role| self.pattern(role, &settings)).chain(active).chain(first);
        for selector in wanted {
            match self.models.select(&selector) {
                Ok(selection) if selection.model.api != Api::Demo => return Ok(selection),
                // Somebody chose this model: another one in its place would be a surprise.
                Err(
                    SelectError::MissingKey { provider, .. } | SelectError::KeyCommandFailed { provider },
                ) => {
                    return Err(VisionError::NoKey(named(&provider, &selector)));
                }
                // A name that is not known.
                Ok(_) | Err(_) => {}
            }
        }
        Err(VisionError::Unresolved)
    }

    /// The selector behind a role, if it was given one.
    fn pattern(&self, role: &str, settings: &Settings) -> Option<String> {
        match resolve_role(role, settings, &self.models.registry, &self.models.lookup()) {
            Ok(RoleTarget::Pattern(pattern)) => Some(pattern),
            Ok(RoleTarget::Initial(_)) | Err(_) => None,
        }
    }

    fn first_available(&self) -> Option<String> {
        let all = self.models.registry.list(&self.models.lookup());
        let mut usable = all
            .into_iter()
            .filter(|(model, availability)| *availability == Availability::Ready && model.api != Api::Demo);
        usable.next().map(|(model, _)| model.selector())
    }
}

/// `provider/id` of a selector.
fn named(provider: &str, selector: &str) -> String {
    let model = omp_models::without_level(selector);
    match model.strip_prefix(provider).is_some_and(|rest| rest.starts_with('/')) {
        true => model.to_owned(),
        false => format!("{provider}/{model}"),
    }
}

impl Vision for SessionVision {
    fn choose(&self) -> Result<Seer, VisionError> {
        let Selection { model, thinking, .. } = self.select()?;
        let sees = model.input.contains(&Input::Image);
        let thinking = model.clamp_level(thinking.unwrap_or(ThinkingLevel::Off));
        Ok(Seer { model: self.models.serve(Arc::new(model)), sees, thinking })
    }
}

#[cfg(test)]
mod tests {
    use omp_agent::Listener;
    use omp_config::Directories;
    use omp_testkit::Home;
    use omp_types::AgentEvent;

    use super::*;
    use crate::{Environment, ModelOptions, Persistence, Session, SessionOptions};

    /// The one variable that is set, if any.
    struct Only(Option<&'static str>);

    impl Environment for Only {
        fn var(&self, name: &str) -> Option<String> {
            self.0.filter(|known| *known == name).map(|_| "key".to_owned())
        }
    }

    impl Listener for Only {
        fn event(&mut self, _event: AgentEvent) {}
    }

    const MODELS: &str = "providers:
  one: {baseUrl: 'http://127.0.0.1:9', api: openai-completions, auth: none, models: [{id: first, input: [text, image]}, {id: blind, input: [text]}]}
  two: {baseUrl: 'http://127.0.0.1:9', api: openai-completions, auth: none, models: [{id: a, input: [text, image]}, {id: b, input: [text, image]}]}
  shut: {baseUrl: 'http://127.0.0.1:9', api: openai-completions, apiKeyEnv: NOT_SET, models: [{id: c, input: [text, image]}]}
";

    /// The model that would look in a session with this model and these settings, and whether it sees.
    async fn chosen(models: &str, active: &str, config: &str, variable: Option<&'static str>) -> String {
        let home = Home::new();
        home.write("home/.omp/agent/models.yml", models);
        home.write("home/.omp/agent/config.yml", config);
        let root = home.home_dir().display().to_string();
        let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
        let options = SessionOptions {
            model: ModelOptions::named(active),
            persistence: Persistence::Off,
            ..SessionOptions::new(home.work_dir(), directories, Arc::new(Only(variable)))
        };
        let session = Session::open(options, Box::new(Only(None))).await.unwrap();
        match session.tools.vision.get().unwrap().choose() {
            Ok(seer) if seer.sees => seer.model.identity().selector(),
            Ok(seer) => format!("{} is blind", seer.model.identity().selector()),
            Err(error) => error.to_string(),
        }
    }

    /// proves: WEB-086
    #[tokio::test]
    async fn the_vision_role_looks_then_the_default_then_the_active_model_then_any() {
        let ask = async |active: &str, config: &str| chosen(MODELS, active, config, None).await;
        assert_eq!(ask("two/a", "modelRoles: {vision: one/first, default: two/b}").await, "one/first");
        assert_eq!(ask("two/a", "modelRoles: {vision: 'one/first:high'}").await, "one/first");
        assert_eq!(ask("two/a", "modelRoles: {vision: pi/smol, smol: two/b}").await, "two/b");
        assert_eq!(ask("two/a", "modelRoles: {default: two/b}").await, "two/b");
        assert_eq!(ask("two/a", "").await, "two/a");
        assert_eq!(ask("omp/demo", "").await, "one/first");
        assert_eq!(ask("two/a", "modelRoles: {vision: no/such, default: no/other}").await, "two/a");
        // Whoever is chosen must see; nobody else is taken for it.
        assert_eq!(ask("two/a", "modelRoles: {vision: one/blind}").await, "one/blind is blind");
    }

    /// proves: WEB-088
    #[tokio::test]
    async fn why_nobody_can_look_is_said() {
        let key = "Configure credentials for this provider or choose another vision-capable model.";
        for selector in ["shut/c", "shut/c:low"] {
            let config = format!("modelRoles: {{vision: '{selector}'}}");
            let said = chosen(MODELS, "two/a", &config, None).await;
            assert_eq!(said, format!("No API key available for shut/c. {key}"));
        }
        let said = chosen("providers: {}\n", "omp/demo", "", None).await;
        assert_eq!(said, "No models available for inspect_image.");
        // A provider with a key, but without an address.
        let said = chosen("providers: {}\n", "omp/demo", "", Some("AZURE_OPENAI_API_KEY")).await;
        assert_eq!(said, "Unable to resolve a model for inspect_image.");
        // Before the session has its models.
        let (scope, environment) = (Arc::default(), omp_shell::Environment::default());
        let context = omp_tools::Context::new("/".into(), None, scope, environment);
        assert!(context.vision.get().is_none(), "the tool says that the registry is unavailable");
    }
}
