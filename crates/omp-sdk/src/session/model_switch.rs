//! Changing the model of a session that is under way.

use std::sync::Arc;

use omp_config::settings::{self, keys};
use omp_llm::Api;
use omp_llm::registry::{ScopedModel, Selection, Wanted};
use omp_models::{ChoiceError, RoleTarget, model_of_role, resolve_role};
use omp_session::TEMPORARY_ROLE;
use serde_json::{Value, json};

use crate::error::SessionError;
use crate::session::models::SessionModels;

/// The way through a list of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the next one.
    Forward,
    /// To the one before.
    Backward,
}

/// How long a change of the model lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lasting {
    /// The session remembers it, also when it is resumed.
    Session,
    /// A resumed session goes back to its own.
    Temporary,
}

impl SessionModels<'_> {
    /// Switches to another model until the session ends. Nothing of it is saved as a preference.
    pub async fn switch(self, selector: &str) -> Result<(), SessionError> {
        let selection = self.find(selector)?;
        self.apply(selection, Lasting::Temporary).await
    }

    /// Gives a role a model: the selector is kept as it was written in `modelRoles` of the user's file. The model of
    /// the default role is also the one that answers from now on.
    pub async fn assign_role(self, role: &str, selector: &str) -> Result<(), SessionError> {
        let role = role.trim().to_owned();
        let selection = self.find(selector)?;
        let directories = self.session.places.directories.clone();
        let (name, value) = (role.clone(), Value::from(selector.trim()));
        let path = keys::MODEL_ROLES.path();
        let saved =
            tokio::task::spawn_blocking(move || settings::set_member(&directories, path, &name, value));
        saved.await.map_err(|_| SessionError::Interrupted)??;
        let mut settings = self.session.settings().as_ref().clone();
        settings.set_override(path, json!({ role.as_str(): selector.trim() }))?;
        self.session.replace_settings(settings);
        match role.as_str() {
            "default" => self.apply(selection, Lasting::Session).await,
            _ => Ok(()),
        }
    }

    /// Goes to the next model, or to the one before: of those that `--models` names, each with the level it gives, else
    /// of the roles of `cycleOrder` that have one. What cannot be used is passed over. Answers with what was gone to;
    /// `None` when there is nowhere to go.
    pub async fn cycle(self, direction: Direction) -> Result<Option<String>, SessionError> {
        let current = self.session.model_selector();
        let mut stops =
            if self.session.preferences.scope.is_empty() { self.role_stops() } else { self.scope_stops() };
        if direction == Direction::Backward {
            stops.reverse();
        }
        let is_current = |(_, selection): &(String, Selection)| selection.model.selector() == current;
        let after = stops.iter().position(is_current).map_or(0, |at| at + 1);
        let (before, following) = stops.split_at(after);
        let next = following.iter().chain(before).position(|stop| !is_current(stop));
        let Some(next) = next else { return Ok(None) };
        let place = (after + next) % stops.len();
        let Some((name, selection)) = stops.into_iter().nth(place) else { return Ok(None) };
        self.apply(selection, Lasting::Temporary).await?;
        Ok(Some(name))
    }

    fn role_stops(self) -> Vec<(String, Selection)> {
        let stop = |role: String| {
            let selection = self.find(&format!("pi/{role}")).ok()?;
            Some((format!("{role}: {}", selection.model.selector()), selection))
        };
        omp_models::role_cycle_order(&self.session.settings()).into_iter().filter_map(stop).collect()
    }

    fn scope_stops(self) -> Vec<(String, Selection)> {
        let stop = |model: ScopedModel| {
            let found = self.session.models.select(&model.selector).ok()?;
            // The level of one entry is not that of the next.
            let thinking = model
                .thinking
                .or(found.thinking)
                .unwrap_or_else(|| self.session.preferences.usual_effort.start());
            let selection = Selection { thinking: Some(thinking), ..found };
            Some((model.selector, selection))
        };
        self.scope().into_iter().filter_map(stop).collect()
    }

    /// The models that `--models` limits this run to; none if it was not given.
    pub fn scope(self) -> Vec<ScopedModel> {
        let settings = self.session.settings();
        let pattern = |entry: &String| {
            let asked =
                resolve_role(entry, &settings, &self.session.models.registry, &self.session.models.lookup());
            match asked {
                Ok(RoleTarget::Pattern(pattern)) => Some(pattern),
                _ => None,
            }
        };
        let patterns: Vec<String> = self.session.preferences.scope.iter().filter_map(pattern).collect();
        self.session
            .models
            .registry
            .scope(patterns.iter().map(String::as_str), &self.session.models.lookup())
            .models
    }

    /// A session that began with the tour, because nothing else was there, continues with the usual model of whatever can
    /// be used by now. Answers with that model.
    pub async fn leave_demo(self) -> Result<Option<String>, SessionError> {
        if !self.fell_back_to_demo() {
            return Ok(None);
        }
        let found = self.session.models.registry.select(Wanted::default(), &self.session.models.lookup());
        let Some(selection) = found.ok().filter(|selection| selection.model.api != Api::Demo) else {
            return Ok(None);
        };
        self.apply(selection, Lasting::Session).await?;
        Ok(Some(self.session.model_selector()))
    }

    pub(crate) fn find(self, selector: &str) -> Result<Selection, SessionError> {
        let settings = self.session.settings();
        let resolve = |text: &str| {
            resolve_role(text, &settings, &self.session.models.registry, &self.session.models.lookup())
        };
        let (pattern, level) = match resolve(selector)? {
            RoleTarget::Pattern(pattern) => (pattern, None),
            // A role that nobody was given is done by the default role's model, else by the session's first.
            RoleTarget::Initial(level) => {
                match model_of_role(&settings, "default").map(resolve).transpose()? {
                    Some(RoleTarget::Pattern(pattern)) => (pattern, level),
                    _ => (self.session.preferences.first.clone(), level),
                }
            }
        };
        let refuse = |source| ChoiceError::Unavailable {
            source,
            models_file: self.session.places.models_file.clone(),
            lists: Vec::new(),
        };
        let selection = self.session.models.select(&pattern).map_err(refuse)?;
        Ok(Selection { thinking: level.or(selection.thinking), ..selection })
    }

    /// Uses a model for as long as a mode lasts.
    pub(crate) async fn switch_for_now(self, selection: Selection) -> Result<(), SessionError> {
        self.apply(selection, Lasting::Temporary).await
    }

    async fn apply(self, selection: Selection, lasting: Lasting) -> Result<(), SessionError> {
        let model = Arc::new(selection.model);
        let thinking = selection.thinking.unwrap_or_else(|| self.session.preferences.effort.start());
        self.session
            .agent
            .set_model(self.session.models.serve_conversation(Arc::clone(&model)), thinking)
            .await?;
        let role = (lasting == Lasting::Temporary).then_some(TEMPORARY_ROLE);
        self.session.record.lock().append_model_change(&model.selector(), role);
        let previous = self.session.model();
        self.session.replace_model(Arc::clone(&model));
        self.session.extensions_hear_of_model(&model, &previous).await;
        Ok(())
    }
}
