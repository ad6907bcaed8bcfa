//! A provider's models, made when somebody looks at them.

use std::ops::Deref;
use std::sync::OnceLock;

use super::super::builtin::ProviderEntry;
use super::super::compat::Quirks;
use super::super::transform::ProviderShaping;
use super::{blank, lines};
use crate::model::{Api, Compat, Model, Transport};

/// Models in the order of the provider's list. Looking at one makes all of them; their ids are known before.
#[derive(Default)]
pub(in crate::registry) struct ModelList {
    /// What to make them from, if they come from the catalogue.
    entry: Option<&'static ProviderEntry>,
    redirect: Option<Redirect>,
    made: OnceLock<Vec<Model>>,
}

/// What the user's file says about all models of a provider.
#[derive(Clone, Debug, Default)]
pub(in crate::registry) struct Redirect {
    pub(in crate::registry) api: Option<Api>,
    pub(in crate::registry) base_url: Option<String>,
    pub(in crate::registry) transport: Option<Transport>,
    pub(in crate::registry) shaping: ProviderShaping,
    pub(in crate::registry) quirks: Quirks,
}

impl Redirect {
    /// Puts a model where the user wants it. The error names the key of a `compat` block.
    pub(in crate::registry) fn apply(&self, model: &mut Model) -> Result<(), String> {
        model.api = self.api.unwrap_or(model.api);
        if let Some(base_url) = &self.base_url {
            model.base_url.clone_from(base_url);
        }
        model.transport = self.transport.unwrap_or(model.transport);
        let forced = model.compat.supports_forced_tool_choice;
        model.compat = Compat::detect(model.api, &model.base_url, &model.id);
        // What the model itself cannot do is not a matter of the place.
        model.compat.supports_forced_tool_choice &= forced;
        self.quirks.apply(&mut model.compat, None)?;
        model.facts.compat = self.quirks.given(None);
        self.shaping.apply(model);
        Ok(())
    }
}

impl ModelList {
    /// The catalogue's models of a provider.
    pub(in crate::registry) fn of(entry: &'static ProviderEntry) -> Self {
        Self { entry: Some(entry), ..Self::default() }
    }

    /// Every id, in the order of the list; makes nothing.
    pub(in crate::registry) fn ids(&self) -> impl Iterator<Item = &str> {
        let unmade = self.entry.filter(|_| self.made.get().is_none());
        let unmade = unmade.into_iter().flat_map(lines).map(|line| -> &str { line.id() });
        self.made.get().into_iter().flatten().map(|model| model.id.as_str()).chain(unmade)
    }

    /// The models that the user's file may say something about; the catalogue's own are not made for it.
    pub(in crate::registry) fn of_the_user(&self) -> &[Model] {
        let untouched = self.entry.is_some() && self.made.get().is_none() && self.redirect.is_none();
        if untouched { &[] } else { self }
    }

    /// Sends all models elsewhere: those that are there, and those that are not made yet. The quirks were checked.
    pub(in crate::registry) fn redirect(&mut self, redirect: Redirect) -> Result<(), String> {
        if self.entry.is_some() && self.made.get().is_none() {
            self.redirect = Some(redirect);
            return Ok(());
        }
        let mut applied = Ok(());
        self.edit(|models| applied = models.iter_mut().try_for_each(|model| redirect.apply(model)));
        applied
    }

    /// Changes the list itself.
    pub(in crate::registry) fn edit(&mut self, change: impl FnOnce(&mut Vec<Model>)) {
        let mut models = self.made.take().unwrap_or_else(|| self.make());
        change(&mut models);
        self.made = OnceLock::from(models);
    }

    /// Did anybody look?
    #[cfg(test)]
    pub(in crate::registry) fn is_made(&self) -> bool {
        self.made.get().is_some()
    }

    fn make(&self) -> Vec<Model> {
        let Some(entry) = self.entry else { return Vec::new() };
        let template = blank(entry.id, entry.api, entry.base_url);
        let made = lines(entry).map(|line| {
            let mut model = line.model(&template, line.api().unwrap_or(entry.api));
            model.compat = Compat::detect(model.api, &model.base_url, &model.id);
            model.compat.supports_forced_tool_choice &= !line.refuses_forced_tools();
            // The block was checked when the file was read.
            let _checked = self.redirect.as_ref().map(|redirect| redirect.apply(&mut model));
            model
        });
        made.collect()
    }
}

impl Deref for ModelList {
    type Target = [Model];

    fn deref(&self) -> &[Model] {
        self.made.get_or_init(|| self.make())
    }
}

impl From<Vec<Model>> for ModelList {
    fn from(models: Vec<Model>) -> Self {
        Self { made: OnceLock::from(models), ..Self::default() }
    }
}
