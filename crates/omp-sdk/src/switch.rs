//! Changing the model of a session that is under way.

use std::sync::Arc;

use omp_config::settings::{self, keys};
use omp_llm::registry::Selection;
use serde_json::{Value, json};

use crate::configure;
use crate::error::SessionError;
use crate::record::TEMPORARY;
use crate::roles::{self, Asked};
use crate::session::Session;

/// How long a change of the model lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lasting {
    /// The session remembers it, also when it is resumed.
    Session,
    /// A resumed session goes back to its own.
    Temporary,
}

impl Session {
    /// Goes on with another model until the session ends. Nothing of it is saved as a preference.
    pub async fn use_model(&self, selector: &str) -> Result<(), SessionError> {
        let selection = self.find_model(selector)?;
        self.switch(selection, Lasting::Temporary).await
    }

    /// Gives a role a model: the selector is kept as it was written in `modelRoles` of the user's file. The model of
    /// the default role is also the one that answers from now on.
    pub async fn assign_role(&self, role: &str, selector: &str) -> Result<(), SessionError> {
        let role = role.trim().to_owned();
        let selection = self.find_model(selector)?;
        let directories = self.directories.clone();
        let (name, value) = (role.clone(), Value::from(selector.trim()));
        let path = keys::MODEL_ROLES.path();
        let saved =
            tokio::task::spawn_blocking(move || settings::set_member(&directories, path, &name, value));
        saved.await.map_err(|_| SessionError::Interrupted)??;
        let mut settings = self.settings().as_ref().clone();
        settings.set_override(path, json!({ role.as_str(): selector.trim() }))?;
        self.replace_settings(settings);
        match role.as_str() {
            "default" => self.switch(selection, Lasting::Session).await,
            _ => Ok(()),
        }
    }

    /// The next role of `cycleOrder` that has a model, and that model; roles of models that cannot be used are
    /// passed over. `None` when there is nowhere to go.
    pub async fn cycle_role(&self) -> Result<Option<String>, SessionError> {
        let settings = self.settings();
        let order = roles::cycle(&settings);
        let current = self.model_selector();
        let usable: Vec<(String, Selection)> = order
            .into_iter()
            .filter_map(|role| Some((role.clone(), self.find_model(&format!("pi/{role}")).ok()?)))
            .collect();
        let is_current = |(_, selection): &(String, Selection)| selection.model.selector() == current;
        let after = usable.iter().position(is_current).map_or(0, |at| at + 1);
        let (before, following) = usable.split_at(after);
        let next = following.iter().chain(before).position(|entry| !is_current(entry));
        let Some(next) = next else { return Ok(None) };
        let place = (after + next) % usable.len();
        let Some((role, selection)) = usable.into_iter().nth(place) else { return Ok(None) };
        self.switch(selection, Lasting::Temporary).await?;
        Ok(Some(role))
    }

    pub(crate) fn find_model(&self, selector: &str) -> Result<Selection, SessionError> {
        let settings = self.settings();
        let resolve =
            |text: &str| roles::resolve(text, &settings, &self.models.registry, &self.models.lookup());
        let (pattern, level) = match resolve(selector)? {
            Asked::Pattern(pattern) => (pattern, None),
            // A role that nobody was given is done by the default role's model, else by the session's first.
            Asked::Initial(level) => match configure::role(&settings, "default").map(resolve).transpose()? {
                Some(Asked::Pattern(pattern)) => (pattern, level),
                _ => (self.first_model.clone(), level),
            },
        };
        let refuse =
            |source| SessionError::Model { source, models_file: self.models_file.clone(), lists: Vec::new() };
        let selection = self.models.select(&pattern).map_err(refuse)?;
        Ok(Selection { thinking: level.or(selection.thinking), ..selection })
    }

    /// Goes on with a model for as long as a mode lasts.
    pub(crate) async fn switch_for_now(&self, selection: Selection) -> Result<(), SessionError> {
        self.switch(selection, Lasting::Temporary).await
    }

    async fn switch(&self, selection: Selection, lasting: Lasting) -> Result<(), SessionError> {
        let model = Arc::new(selection.model);
        let thinking = selection.thinking.unwrap_or_else(|| self.effort.start());
        self.agent.set_model(self.models.serve(Arc::clone(&model)), thinking).await?;
        let role = (lasting == Lasting::Temporary).then_some(TEMPORARY);
        self.record.lock().append_model_change(&model.selector(), role);
        self.replace_model(model);
        Ok(())
    }
}
