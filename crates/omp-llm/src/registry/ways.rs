//! The same model by another way: routes of OpenRouter, one upstream of a gateway, the wire of Kimi Code; and which
//! of several models of one id was used last.

use std::fmt;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::Registry;
use super::catalogue::Redirect;
use super::engine::Ranks;
use super::provider::Origin;
use super::select::Meant;
use crate::compat::{Compat, Host};
use crate::model::{Api, Model};

/// Routes of OpenRouter, which stand behind an id like a thinking level and are none.
const ROUTES: [&str; 7] = ["nitro", "floor", "online", "exacto", "free", "extended", "thinking"];

const OPENROUTER: &str = "openrouter";
const VERCEL: &str = "vercel-ai-gateway";
const KIMI: &str = "kimi-code";

/// Where a gateway's wishes stand among the quirks.
type Routing = fn(&mut Compat) -> &mut Map<String, Value>;

/// What the user prefers where there is a choice.
#[derive(Debug, Default)]
pub struct Preferences {
    /// `providers.kimiApiFormat`.
    pub kimi: KimiFormat,
    /// `providers.openrouterVariant`: the route of requests that name none.
    pub openrouter_variant: Option<String>,
    pub recent: RecentModels,
}

/// Which of its two wires Kimi Code is spoken to in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KimiFormat {
    #[default]
    Anthropic,
    OpenAi,
}

/// Models that were used, as `provider/id`, the last one first. Looked at only when an id is ambiguous.
pub struct RecentModels(LazyLock<Vec<String>, Box<dyn FnOnce() -> Vec<String> + Send>>);

impl RecentModels {
    pub fn new(load: impl FnOnce() -> Vec<String> + Send + 'static) -> Self {
        Self(LazyLock::new(Box::new(load)))
    }

    /// How long ago, in models; `usize::MAX` for one that was not used.
    pub(super) fn rank(&self, selector: &str) -> usize {
        let used = self.0.iter().position(|known| known.eq_ignore_ascii_case(selector));
        used.unwrap_or(usize::MAX)
    }
}

impl Default for RecentModels {
    fn default() -> Self {
        Self::new(Vec::new)
    }
}

impl fmt::Debug for RecentModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecentModels(…)")
    }
}

impl Registry {
    /// Says what is preferred where there is a choice.
    pub fn set_preferences(&mut self, preferences: Preferences) {
        self.preferences = preferences;
        let api = match self.preferences.kimi {
            KimiFormat::Anthropic => Api::AnthropicMessages,
            KimiFormat::OpenAi => Api::OpenAiCompletions,
        };
        let Some(kimi) = self.providers.get_mut(KIMI) else { return };
        // Whoever describes the provider or its wire has chosen already.
        if kimi.origin != Origin::Builtin || kimi.api_given {
            return;
        }
        let redirect = Redirect {
            api: Some(api),
            base_url: kimi.base_url.clone(),
            quirks: kimi.quirks.clone(),
            shaping: kimi.shaping.clone(),
            ..Redirect::default()
        };
        // The file was checked when it was read.
        let _checked = kimi.redirect(redirect).and_then(|()| kimi.patch_all(KIMI));
    }

    /// `id:route` of OpenRouter.
    pub(super) fn routed(
        &self,
        front: &str,
        word: &str,
        within: Option<usize>,
        ranks: &Ranks,
    ) -> Option<Meant> {
        let row = ROUTES.contains(&word).then(|| self.exact_within(front, within, ranks)).flatten()?;
        let mut model = self.model_at(row).clone();
        if model.provider != OPENROUTER {
            return None;
        }
        model.id = format!("{}:{word}", model.id);
        Some(Meant { model, thinking: None, warnings: Vec::new() })
    }

    /// `id@upstream`: one provider behind a gateway, and no other.
    pub(super) fn pinned(&self, text: &str, within: Option<usize>, ranks: &Ranks) -> Option<Meant> {
        let (front, upstream) = text.rsplit_once('@')?;
        let named = !front.is_empty() && !upstream.is_empty() && !upstream.contains(':');
        if !named || self.exact_within(text, within, ranks).is_some() {
            return None;
        }
        let mut meant = self.meaning(front, within, ranks).ok()?;
        let model = &mut meant.model;
        let (routing, host): (Routing, _) = match model.provider.as_str() {
            OPENROUTER => (|compat| &mut compat.chat.openrouter_routing, "openrouter.ai"),
            VERCEL => (|compat| &mut compat.chat.vercel_routing, "ai-gateway.vercel.sh"),
            _ => return None,
        };
        let pin =
            |compat: &mut Compat| *routing(compat) = Map::from_iter([("only".to_owned(), json!([upstream]))]);
        pin(&mut model.compat);
        model.compat.when_thinking.as_deref_mut().into_iter().for_each(pin);
        if !Host::of(&model.base_url).is(host) {
            meant.warnings.push(format!(
                "{text}: the provider is not at {host}, so the choice of {upstream} is not sent"
            ));
        }
        // The name stays whole, so that a resumed session is pinned too.
        model.shaping.wire_id = Some(model.wire_id().to_owned());
        model.id = format!("{}@{upstream}", model.id);
        Some(meant)
    }

    /// The preferred route of OpenRouter, where the id names none.
    pub(super) fn by_preferred_route(&self, model: &mut Model) {
        let Some(variant) = &self.preferences.openrouter_variant else { return };
        let openrouter = model.provider == OPENROUTER || Host::of(&model.base_url).is("openrouter.ai");
        if openrouter && !model.wire_id().contains(':') {
            model.shaping.wire_id = Some(format!("{}:{variant}", model.wire_id()));
        }
    }
}
