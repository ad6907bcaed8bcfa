//! What is compiled in of one provider, as a list that can be compared with and merged into a kept one.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ring::digest::{SHA256, digest};

use crate::discovery::ListedModel;
use crate::model::Model;
use crate::registry::catalogue::{self, ModelList};

/// The compiled-in models of one provider.
#[derive(Debug, Default)]
pub struct Slice {
    /// Every fact that a list can hold.
    pub models: Vec<ListedModel>,
    /// Changes with every fact; never empty.
    pub fingerprint: String,
}

impl Slice {
    fn new(models: Vec<ListedModel>) -> Self {
        let text = serde_json::to_string(&models).unwrap_or_default();
        let hash = digest(&SHA256, text.as_bytes());
        let fingerprint = hash.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { models, fingerprint }
    }

    /// What is compiled in, under what the server says. An authoritative list leaves nothing else.
    pub fn merged(&self, listed: &[ListedModel], authoritative: bool) -> Vec<ListedModel> {
        if self.models.is_empty() {
            return listed.to_vec();
        }
        let said: HashMap<&str, &ListedModel> = listed.iter().map(|row| (row.id.as_str(), row)).collect();
        let known = self.models.iter().filter_map(|row| match said.get(row.id.as_str()) {
            Some(said) => Some(over(row, said)),
            None => (!authoritative).then(|| row.clone()),
        });
        let ids: HashSet<&str> = self.models.iter().map(|row| row.id.as_str()).collect();
        let new = listed.iter().filter(|row| !ids.contains(row.id.as_str())).cloned();
        known.chain(new).collect()
    }
}

/// The server's word goes before ours.
fn over(known: &ListedModel, said: &ListedModel) -> ListedModel {
    let (known, said) = (known.clone(), said.clone());
    ListedModel {
        id: known.id,
        name: said.name.or(known.name),
        api: said.api.or(known.api),
        reasoning: said.reasoning.or(known.reasoning),
        levels: said.levels.or(known.levels),
        input: said.input.or(known.input),
        context_window: said.context_window.or(known.context_window),
        max_tokens: said.max_tokens.or(known.max_tokens),
        cost: said.cost.or(known.cost),
    }
}

/// What is compiled in of a provider. Made once in the life of the process, whoever asks.
pub fn bundled_slice(provider: &str) -> Arc<Slice> {
    static SLICES: OnceLock<Slices> = OnceLock::new();
    SLICES.get_or_init(Slices::default).get(provider, compiled_in)
}

fn compiled_in(provider: &str) -> Vec<ListedModel> {
    let entry = catalogue::entries().iter().find(|entry| entry.id == provider);
    entry.map(|entry| ModelList::of(entry).iter().map(facts).collect()).unwrap_or_default()
}

fn facts(model: &Model) -> ListedModel {
    let cost = &model.cost;
    ListedModel {
        id: model.id.clone(),
        name: Some(model.name.clone()),
        api: Some(model.api.name().to_owned()),
        reasoning: Some(model.reasoning),
        levels: Some(model.levels.clone()),
        input: Some(model.input.clone()),
        context_window: Some(model.context_window),
        max_tokens: Some(model.max_tokens),
        cost: Some([cost.input, cost.output, cost.cache_read, cost.cache_write]),
    }
}

/// Slices that were made.
#[derive(Default)]
struct Slices(Mutex<HashMap<String, Arc<Slice>>>);

impl Slices {
    fn get(&self, provider: &str, make: impl FnOnce(&str) -> Vec<ListedModel>) -> Arc<Slice> {
        let mut slices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slice = slices.entry(provider.to_owned()).or_insert_with(|| Arc::new(Slice::new(make(provider))));
        Arc::clone(slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, name: Option<&str>) -> ListedModel {
        ListedModel { id: id.to_owned(), name: name.map(str::to_owned), ..ListedModel::default() }
    }

    /// proves: MOD-068
    #[test]
    fn a_slice_is_made_once() {
        let slices = Slices::default();
        let mut made = Vec::new();
        for provider in ["one", "two", "one", "one", "two"] {
            slices.get(provider, |provider| {
                made.push(provider.to_owned());
                vec![row(provider, None)]
            });
        }
        assert_eq!(made, ["one", "two"]);
        assert!(Arc::ptr_eq(&bundled_slice("anthropic"), &bundled_slice("anthropic")));
        assert!(!bundled_slice("anthropic").models.is_empty());
        let (empty, other) = (bundled_slice("no-such-provider"), bundled_slice("openai"));
        assert!(empty.models.is_empty() && !empty.fingerprint.is_empty());
        assert_ne!(other.fingerprint, bundled_slice("anthropic").fingerprint);
    }

    #[test]
    fn lists_are_merged() {
        let slice = Slice::new(vec![row("a", Some("Ours")), row("b", Some("B"))]);
        let listed = [row("c", None), row("a", Some("Theirs"))];
        let names = |authoritative| -> Vec<(String, Option<String>)> {
            slice.merged(&listed, authoritative).into_iter().map(|row| (row.id, row.name)).collect()
        };
        let pair = |id: &str, name: Option<&str>| (id.to_owned(), name.map(str::to_owned));
        assert_eq!(names(false), [pair("a", Some("Theirs")), pair("b", Some("B")), pair("c", None)]);
        assert_eq!(names(true), [pair("a", Some("Theirs")), pair("c", None)]);
    }
}
