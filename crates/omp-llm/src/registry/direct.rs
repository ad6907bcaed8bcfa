//! The short way to a model whose full name is written out: one provider is looked at, and no index is made.

use omp_types::ThinkingLevel;

use super::Registry;
use super::engine::suffix;
use crate::model::Model;

impl Registry {
    /// `provider/id`, with a level or without. `None` leaves the question to the engine, which would give the same
    /// answer: nothing goes before a name that is written out.
    pub(super) fn direct(&self, text: &str, within: Option<usize>) -> Option<(Model, Option<ThinkingLevel>)> {
        let (provider, id) = self.split_provider(text, within)?;
        if let Some(model) = self.spelled(provider, id) {
            return Some((model, None));
        }
        let suffix = suffix(id)?;
        // A name with a colon may be an id or a canonical id.
        let named = |known: &str| [text, id].iter().any(|name| known.eq_ignore_ascii_case(name));
        let other = self.providers[provider].models.ids().any(named)
            || self.equivalence.overrides.values().any(|canonical| named(canonical));
        let level = suffix.level.filter(|_| !other)?;
        self.spelled(provider, suffix.front).map(|model| (model, Some(level)))
    }

    fn spelled(&self, provider: usize, id: &str) -> Option<Model> {
        let models = &self.providers[provider].models;
        let at = models.ids().position(|known| known.eq_ignore_ascii_case(id))?;
        models.get(at).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Lookup, Wanted};

    struct Key;

    impl Lookup for Key {
        fn env(&self, name: &str) -> Option<String> {
            (name == "ANTHROPIC_API_KEY").then(|| "k".to_owned())
        }

        fn command(&self, _: &str) -> Option<String> {
            None
        }
    }

    fn made(registry: &Registry) -> Vec<&str> {
        let providers = registry.providers.iter().filter(|(_, provider)| provider.models.is_made());
        providers.map(|(id, _)| id.as_str()).filter(|id| *id != "omp").collect()
    }

    fn choose(registry: &Registry, pattern: &str) {
        registry.select(Wanted { pattern: Some(pattern), ..Wanted::default() }, &Key).unwrap();
    }

    /// Start is cheap: what is not asked for is not made.
    #[test]
    fn a_full_name_touches_one_provider() {
        let file = "providers:\n  groq:\n    baseUrl: http://x/v1\n    compat: {supportsStore: true}\n";
        for models_yml in [None, Some(file)] {
            let registry = Registry::new(models_yml);
            assert_eq!(made(&registry), [""; 0]);
            choose(&registry, "anthropic/claude-opus-4-5:high");
            assert_eq!(made(&registry), ["anthropic"]);
            assert!(registry.index.get().is_none(), "no index was needed");
            choose(&registry, "claude-opus-4-5");
            assert_eq!(made(&registry), ["anthropic"], "names are known without models");
        }
    }

    /// What must be masked is looked for at every start: nothing of the catalogue is made for it.
    #[test]
    fn secrets_are_found_without_the_catalogue() {
        let registry = Registry::new(None);
        assert!(registry.written_secrets().is_empty());
        assert_eq!(made(&registry), [""; 0]);
        let file = "providers:\n  groq:\n    baseUrl: http://me:tulip-garden@x/v1\n";
        let registry = Registry::new(Some(file));
        assert_eq!(registry.written_secrets(), [("groq".to_owned(), "tulip-garden".to_owned())]);
        assert_eq!(made(&registry), ["groq"]);
    }

    /// The short way and the long way lead to the same model.
    #[test]
    fn the_short_way_agrees_with_the_engine() {
        let yaml = "providers:\n  mine:\n    baseUrl: http://x/v1\n    auth: none\n    api: openai-completions\n    \
                    models: [{id: a}, {id: 'a:high'}, {id: mine/b}, {id: b}, {id: 'mine/c:low'}, {id: c}, {id: d}, {id: e}]\n\
                    equivalence: {overrides: {mine/e: 'd:high'}}\n";
        let registry = Registry::new(Some(yaml));
        let ranks = registry.ranks(&Key);
        let own = [
            "a",
            "a:high",
            "A",
            "a:HIGH",
            "a:low",
            "b",
            "mine/b",
            "c",
            "c:low",
            "mine/c:low",
            "d:high",
            "d:low",
            "d:banana",
            "nothing",
        ];
        let mut texts: Vec<String> = own.iter().map(|id| format!("mine/{id}")).collect();
        for (id, provider) in &registry.providers {
            texts.extend(
                provider
                    .models
                    .ids()
                    .flat_map(|model| [format!("{id}/{model}"), format!("{id}/{model}:max")]),
            );
        }
        let mut short = 0;
        for text in texts {
            let Some((model, level)) = registry.direct(&text, None) else { continue };
            let long = registry.meaning(&text, None, &ranks).unwrap();
            assert_eq!((model.selector(), level), (long.model.selector(), long.thinking), "{text}");
            short += 1;
        }
        assert!(short > 500, "{short}");
        assert!(registry.direct("mine/d:high", None).is_none(), "a canonical id goes before a level");
    }
}
