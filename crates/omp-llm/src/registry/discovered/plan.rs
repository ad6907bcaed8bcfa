//! Who can be asked for a list of models, and why we would.

use std::time::Duration;

use crate::discovery::{DiscoveryKind, ListError, LocalServers, Source};
use crate::model::{Api, Secret, Transport};
use crate::registry::builtin::{ProviderEntry, Standing};
use crate::registry::fields::ProviderConfig;
use crate::registry::merge;
use crate::registry::provider::{Availability, KeySource, Provider};
use crate::registry::values::{Lookup, resolve_value};
use crate::registry::{Registry, catalogue};

/// What the user's file says about a provider's list.
#[derive(Clone, Debug, Default)]
pub(in crate::registry) struct Described {
    /// `discovery`, with its time in place of the usual one.
    discovery: Option<(DiscoveryKind, Option<Duration>)>,
    api: Option<Api>,
    pub(super) transport: Option<Transport>,
    /// The file lists models of its own.
    has_models: bool,
}

impl Described {
    pub(in crate::registry) fn of(config: &ProviderConfig) -> Self {
        let discovery = config.discovery.as_ref().and_then(|discovery| {
            let limit = discovery.timeout_ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok());
            Some((DiscoveryKind::parse(&discovery.kind)?, limit))
        });
        Self {
            discovery,
            api: config.api.as_deref().and_then(Api::parse),
            transport: merge::transport(config),
            has_models: !config.models.is_empty(),
        }
    }
}

/// Why a provider can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The user wants its list: the file says so, or it has a key and nothing else is known of its models.
    Configured,
    /// An engine that may be running on this machine; nobody said so.
    Local,
    /// Its models are compiled in; its list only says what is new.
    Hosted,
}

/// One provider that can be asked for its models.
#[derive(Clone, Debug)]
pub struct Plan {
    pub provider: String,
    pub class: Class,
    /// Its list replaces what is compiled in, instead of adding to it.
    pub authoritative: bool,
    pub(super) kind: DiscoveryKind,
    pub(super) api: Option<Api>,
    pub(super) base_url: Option<String>,
    timeout: Option<Duration>,
    context: Option<u64>,
}

impl Plan {
    /// Where the list comes from. One that came from elsewhere says nothing about this provider.
    pub fn origin(&self) -> String {
        let api = self.api.map_or("-", Api::name);
        let base = self.base_url.as_deref().unwrap_or("-");
        let context = self.context.map(|tokens| format!(" {tokens}")).unwrap_or_default();
        format!("{} {api} {base}{context}", self.kind.name())
    }
}

/// A source before its key and headers were looked up, which may take a command.
pub struct Draft {
    source: Source,
    key: KeySource,
    has_address: bool,
}

impl Draft {
    /// Looks everything up. Blocks while a `!command` runs.
    pub fn resolve(self, lookup: &dyn Lookup) -> Result<Source, ListError> {
        if !self.has_address {
            return Err(ListError::NoAddress);
        }
        let mut source = self.source;
        source.key = match &self.key.configured {
            Some(value) => {
                Some(Secret::new(resolve_value(value, lookup).ok_or(ListError::KeyCommand)?.trim()))
            }
            None => lookup
                .stored(&source.provider)
                .or_else(|| self.key.in_environment(lookup).map(|(key, _)| key)),
        };
        let headers = std::mem::take(&mut source.headers);
        let resolved =
            headers.into_iter().filter_map(|(name, value)| Some((name, resolve_value(&value, lookup)?)));
        source.headers = resolved.collect();
        Ok(source)
    }
}

impl Registry {
    /// Everybody who can be asked, in the order of the registry. Runs no command and asks nobody.
    pub fn plans(&self, servers: &LocalServers, lookup: &dyn Lookup) -> Vec<Plan> {
        let plan = |(id, provider): (&String, &Provider)| plan(id, provider, servers, lookup);
        self.providers.iter().filter_map(plan).collect()
    }

    /// Providers of the user's file whose models are found out.
    pub fn discoverable(&self) -> impl Iterator<Item = &str> {
        let found_out = |provider: &Provider| {
            provider.described.as_ref().is_some_and(|described| described.discovery.is_some())
        };
        self.providers.iter().filter(move |(_, provider)| found_out(provider)).map(|(id, _)| id.as_str())
    }

    /// What is needed to ask.
    pub fn draft(&self, plan: &Plan) -> Option<Draft> {
        let provider = self.providers.get(&plan.provider)?;
        let source = Source {
            provider: plan.provider.clone(),
            kind: plan.kind,
            api: plan.api,
            base_url: plan.base_url.clone().unwrap_or_default(),
            key: None,
            bearer: provider.bearer,
            headers: provider.headers.clone(),
            timeout: plan.timeout,
            context: plan.context,
        };
        Some(Draft { source, key: provider.key.clone(), has_address: plan.base_url.is_some() })
    }
}

fn plan(id: &str, provider: &Provider, servers: &LocalServers, lookup: &dyn Lookup) -> Option<Plan> {
    let entry = catalogue::entries().iter().find(|entry| entry.id == id);
    let described = provider.described.as_ref();
    let explicit = described.and_then(|described| described.discovery);
    let (kind, timeout) = match explicit {
        Some(explicit) => explicit,
        None => (entry.and_then(|entry| entry.listing)?, None),
    };
    let class = match (explicit, entry) {
        (Some(_), _) => Class::Configured,
        (None, Some(entry)) => class(id, entry, provider, lookup)?,
        (None, None) => return None,
    };
    let known_api = entry.map(|entry| entry.api).filter(|_| kind != DiscoveryKind::Proxy);
    // A hosted provider that answers like an engine is not on this machine.
    let engine = entry.is_none_or(|entry| entry.standing == Standing::Engine);
    let usual = || usual_address(kind, servers).filter(|_| engine);
    let base_url = provider.base_url.clone().or_else(usual);
    let base_url = base_url.or_else(|| entry.map(|entry| entry.base_url.to_owned()));
    // An address with gaps needs more than a list request knows.
    if base_url.as_ref().is_some_and(|base| base.contains('{')) {
        return None;
    }
    Some(Plan {
        provider: id.to_owned(),
        class,
        authoritative: entry.is_some_and(|entry| entry.authoritative),
        kind,
        api: described.and_then(|described| described.api).or(known_api),
        base_url,
        timeout,
        context: servers.ollama_context.filter(|_| kind == DiscoveryKind::Ollama),
    })
}

/// `None` when there is no reason to ask.
fn class(id: &str, entry: &ProviderEntry, provider: &Provider, lookup: &dyn Lookup) -> Option<Class> {
    let described = provider.described.as_ref();
    if entry.standing == Standing::Engine {
        let complete = described.is_some_and(|described| described.has_models);
        return (!complete).then_some(Class::Local);
    }
    if entry.default_model.is_empty() {
        let key = &provider.key;
        let has_key = || {
            key.configured.is_some() || key.in_environment(lookup).is_some() || lookup.stored(id).is_some()
        };
        return (described.is_some() || has_key()).then_some(Class::Configured);
    }
    (provider.availability(lookup) == Availability::Ready).then_some(Class::Hosted)
}

/// Where an engine of this kind usually is.
fn usual_address(kind: DiscoveryKind, servers: &LocalServers) -> Option<String> {
    match kind {
        DiscoveryKind::Ollama => Some(servers.ollama.clone()),
        DiscoveryKind::LlamaCpp => Some(servers.llama_cpp.clone()),
        DiscoveryKind::LmStudio => Some(servers.lm_studio.clone()),
        _ => None,
    }
}
