//! Other models that take over when the configured one fails.

use std::collections::HashMap;
use std::sync::Arc;

use omp_types::{Failure, FailureKind, RetryFallback, ThinkingLevel};

use crate::config::{Fallbacks, RevertPolicy};
use crate::parts::{Model, Models};

/// One role's chain: the model configured for it, and what stands in for it, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    pub role: String,
    /// The selector configured for the role; the chain applies when this model fails.
    pub primary: String,
    pub candidates: Vec<String>,
}

/// Checks chains from configuration. Entries that make no sense are left out, each with a warning that names
/// role and selector.
pub fn parse_chains<'a>(
    chains: impl IntoIterator<Item = (&'a str, &'a [String])>,
    primary_of: impl Fn(&str) -> Option<String>,
) -> (Vec<Chain>, Vec<String>) {
    let (mut parsed, mut warnings) = (Vec::new(), Vec::new());
    for (role, selectors) in chains {
        let Some(primary) = primary_of(role) else {
            warnings.push(format!(
                "retry.fallbackChains.{role}: the role has no configured model; its chain ({}) is ignored.",
                selectors.join(", ")
            ));
            continue;
        };
        let mut candidates = Vec::new();
        for selector in selectors {
            match selector.split_once('/') {
                Some((provider, id)) if !provider.trim().is_empty() && !id.trim().is_empty() => {
                    candidates.push(selector.clone());
                }
                _ => warnings.push(format!(
                    "retry.fallbackChains.{role}: \"{selector}\" is not of the form provider/model[:level]; it is ignored."
                )),
            }
        }
        if !candidates.is_empty() {
            parsed.push(Chain { role: role.to_owned(), primary, candidates });
        }
    }
    (parsed, warnings)
}

/// A model taking over.
pub(crate) struct Takeover {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) thinking: ThinkingLevel,
    pub(crate) switched: RetryFallback,
}

/// The model to go back to.
pub(crate) struct Primary {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) thinking: ThinkingLevel,
}

/// Which selectors are resting, and whom the current model stands in for.
#[derive(Default)]
pub(crate) struct FallbackState {
    resting: HashMap<String, u64>,
    standing_in: Option<StandIn>,
}

struct StandIn {
    role: String,
    primary_selector: String,
    primary: Primary,
    /// A refusal makes the switch permanent for the session.
    permanent: bool,
}

impl FallbackState {
    /// The next usable model of the chain, if one applies. The failing selector rests from now on.
    pub(crate) fn take_over(
        &mut self,
        config: &Fallbacks,
        models: &dyn Models,
        current: &Primary,
        failure: &Failure,
        now_ms: u64,
    ) -> Option<Takeover> {
        if !config.enabled {
            return None;
        }
        let from = current.model.identity().selector();
        let chain = self.chain(config, &from)?.clone();
        self.resting.insert(from.clone(), now_ms.saturating_add(cooldown_ms(failure)));
        let mut candidates = chain.candidates.iter();
        let (to, (model, thinking)) = candidates.find_map(|selector| {
            let (model, thinking) = models.resolve(selector)?;
            let name = model.identity().selector();
            (!self.is_resting(&name, now_ms) && name != from).then_some((name, (model, thinking)))
        })?;
        let stand_in = self.standing_in.get_or_insert_with(|| StandIn {
            role: chain.role.clone(),
            primary_selector: from.clone(),
            primary: Primary { model: Arc::clone(&current.model), thinking: current.thinking },
            permanent: false,
        });
        stand_in.permanent |= failure.kind == FailureKind::Refusal;
        // A selector without a level thinks as hard as the model it stands in for, not as the one before it.
        let thinking = thinking.unwrap_or(stand_in.primary.thinking);
        Some(Takeover { model, thinking, switched: RetryFallback { from, to, role: chain.role } })
    }

    /// The chain of the failing model: as primary of a role, or as stand-in for one.
    fn chain<'a>(&self, config: &'a Fallbacks, failing: &str) -> Option<&'a Chain> {
        let role = self.standing_in.as_ref().map(|stand_in| stand_in.role.as_str());
        config.chains.iter().find(|chain| match role {
            Some(role) => chain.role == role,
            None => bare(&chain.primary) == failing || chain.primary == failing,
        })
    }

    fn is_resting(&self, selector: &str, now_ms: u64) -> bool {
        self.resting.get(selector).is_some_and(|until| *until > now_ms)
    }

    /// The primary model, once its rest is over and the policy allows the way back.
    pub(crate) fn revert(&mut self, policy: RevertPolicy, now_ms: u64) -> Option<Primary> {
        let stand_in = self.standing_in.as_ref()?;
        let resting = self.is_resting(&stand_in.primary_selector, now_ms);
        if policy == RevertPolicy::Never || stand_in.permanent || resting {
            return None;
        }
        self.standing_in.take().map(|stand_in| stand_in.primary)
    }

    /// The user chose a model: there is nothing to go back to.
    pub(crate) fn forget(&mut self) {
        self.standing_in = None;
    }
}

/// `provider/id` without a thinking level.
fn bare(selector: &str) -> &str {
    match selector.rsplit_once(':') {
        Some((front, level)) if ThinkingLevel::parse(level).is_some() => front,
        _ => selector,
    }
}

/// The provider's own word, else what the kind of failure suggests, else five minutes.
fn cooldown_ms(failure: &Failure) -> u64 {
    failure.retry_after_ms.unwrap_or(match failure.kind {
        FailureKind::RateLimit => 60_000,
        FailureKind::UsageLimit => 3_600_000,
        _ => 300_000,
    })
}
