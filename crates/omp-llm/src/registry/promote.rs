//! Who takes over when a conversation outgrows a model's window.

use super::Registry;
use super::values::Lookup;
use crate::model::Model;

impl Registry {
    /// The model's `contextPromotionTarget`, else the smallest model of the same provider and wire whose window is
    /// larger. One without a credential is passed over. `key` belongs to the model's own provider.
    pub fn larger(&self, selector: &str, key: Option<&str>, lookup: &dyn Lookup) -> Option<Model> {
        let current = self.meaning(selector, None, &self.ranks(lookup)).ok()?.model;
        let candidates = self.promotion_target(&current, lookup).into_iter().chain(self.roomier(&current));
        candidates.filter(|model| model.selector() != current.selector()).find_map(|model| {
            let key = key.filter(|_| model.provider == current.provider);
            self.with_key(model, key, lookup).ok()
        })
    }

    /// `provider/id`, or an id of the model's own provider.
    fn promotion_target(&self, current: &Model, lookup: &dyn Lookup) -> Option<Model> {
        let text = current.facts.context_promotion_target.as_deref()?.trim();
        let own = self.position(&current.provider);
        let row = self
            .index()
            .selector(&text.to_lowercase())
            .or_else(|| self.exact_within(text, own, &self.ranks(lookup)));
        match row {
            Some(row) => Some(self.model_at(row).clone()),
            None => self.on_trust(text, None).or_else(|| self.on_trust(text, own)),
        }
    }

    /// Models beside this one with more room, the smallest first.
    fn roomier(&self, current: &Model) -> Vec<Model> {
        let provider = self.position(&current.provider);
        let rows = self.index().rows.iter().enumerate();
        let beside = rows.filter(|(_, row)| Some(row.provider) == provider).map(|(at, _)| self.model_at(at));
        let mut larger: Vec<&Model> = beside
            .filter(|model| model.api == current.api && model.context_window > current.context_window)
            .collect();
        larger.sort_by_key(|model| model.context_window);
        larger.into_iter().cloned().collect()
    }
}
