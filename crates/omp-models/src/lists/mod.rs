//! ModelLists of models that servers give: which are kept, which are asked for, and when.
//!
//! What is kept is used at once. Nobody waits for the network unless a model is asked for that may be on a list which
//! was never seen; lists that have aged are asked for again while the session runs, for the next start.

mod cache;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use omp_auth::{Environment, EnvironmentLookup};
use omp_config::Directories;
use omp_llm::Client;
use omp_llm::discovery::{ListError, Listed, LocalServers, Outcome, Source, fetch_all};
use omp_llm::registry::{Class, Draft, Join, Plan, Registry, bundled_slice};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use cache::{CachedList, ListAge, ListCache};

/// How the list of one provider stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListStatus {
    /// The provider.
    pub provider: String,
    /// How far the list can be relied on.
    pub state: ListState,
    /// How many models the server named.
    pub models: usize,
    /// When the server was asked last; milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<u64>,
    /// Why the server could not be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How far a list can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListState {
    /// The server said so less than two hours ago.
    Fresh,
    /// The server said so, some time ago.
    Stale,
    /// The server did not answer; what it said before is still used.
    Failed,
    /// The server was never asked.
    Unknown,
}

/// One provider that can be asked.
struct ListEntry {
    plan: Plan,
    kept: Option<CachedList>,
    /// It was asked by this process.
    asked: bool,
}

impl ListEntry {
    fn age(&self, now_ms: u64) -> Option<ListAge> {
        self.kept.as_ref().map(|kept| kept.age(now_ms))
    }

    fn is(&self, class: Class) -> bool {
        self.plan.class == class
    }
}

/// One question that is about to be asked.
struct ListJob {
    plan: Plan,
    draft: Draft,
    previous: Option<CachedList>,
}

/// Everybody who can be asked, and what is kept of them.
pub struct ModelLists {
    cache: ListCache,
    entries: Vec<ListEntry>,
}

impl ModelLists {
    /// Puts what is kept into the registry. Offline, and nothing is written.
    pub fn load(registry: &mut Registry, directories: &Directories, environment: &dyn Environment) -> Self {
        let servers = LocalServers::from_env(|name| environment.var(name));
        let plans = registry.plans(&servers, &EnvironmentLookup(environment));
        let cache = ListCache::new(directories.cache().join("models.db"));
        let any = plans.iter().any(|plan| plan.class != Class::Local);
        let mut kept = if any { cache.load() } else { HashMap::new() };
        let now = now_ms();
        let entry = |plan: Plan| {
            let known = kept.remove(&plan.provider).filter(|kept| kept.origin == plan.origin());
            let known = known.filter(|_| plan.class != Class::Local);
            if let Some(known) = &known {
                adopt(registry, &plan, known, now);
            }
            ListEntry { plan, kept: known, asked: false }
        };
        let entries = plans.into_iter().map(entry).collect();
        Self { cache, entries }
    }

    /// Asks everybody who may know the models that the texts name: their provider, if it was not seen yet.
    pub async fn ask_for(&mut self, names: &[&str], registry: &mut Registry, asker: &ListAsker<'_>) {
        let named = |entry: &ListEntry| names.iter().any(|name| names_provider(name, &entry.plan.provider));
        let unseen = |entry: &ListEntry| {
            entry.is(Class::Local) || (entry.is(Class::Configured) && entry.kept.is_none())
        };
        self.ask(|entry| unseen(entry) && named(entry), registry, asker).await;
    }

    /// Asks those whose lists the user wants and that were never seen.
    pub async fn ask_unseen(&mut self, registry: &mut Registry, asker: &ListAsker<'_>) {
        self.ask(|entry| entry.is(Class::Configured) && entry.kept.is_none(), registry, asker).await;
    }

    /// Asks once more before a model is called unknown: the provider that the texts name, whatever is kept of it,
    /// else everybody whose list may have changed.
    pub async fn ask_again(&mut self, names: &[&str], registry: &mut Registry, asker: &ListAsker<'_>) {
        let named = |entry: &ListEntry| names.iter().any(|name| names_provider(name, &entry.plan.provider));
        match self.entries.iter().any(named) {
            true => self.ask(named, registry, asker).await,
            false => self.ask_aged(registry, asker).await,
        }
    }

    /// Asks everybody but hosted providers whose list is not fresh.
    pub async fn ask_aged(&mut self, registry: &mut Registry, asker: &ListAsker<'_>) {
        let now = now_ms();
        let aged = |entry: &ListEntry| matches!(entry.age(now), None | Some(ListAge::Stale));
        self.ask(|entry| !entry.is(Class::Hosted) && aged(entry), registry, asker).await;
    }

    /// Asks everybody, or one provider, whatever is kept.
    pub async fn ask_all(&mut self, provider: Option<&str>, registry: &mut Registry, asker: &ListAsker<'_>) {
        let meant =
            |entry: &ListEntry| provider.is_none_or(|id| entry.plan.provider.eq_ignore_ascii_case(id));
        self.ask(meant, registry, asker).await;
    }

    /// Nobody is asked twice.
    async fn ask(
        &mut self,
        whom: impl Fn(&ListEntry) -> bool,
        registry: &mut Registry,
        asker: &ListAsker<'_>,
    ) {
        let jobs = self.jobs(registry, |entry| !entry.asked && whom(entry));
        if jobs.is_empty() {
            return;
        }
        let environment = Arc::clone(asker.environment);
        let learned = fetch(asker.client, environment, self.cache.clone(), jobs, &asker.cancel).await;
        let now = now_ms();
        for (plan, kept) in learned {
            adopt(registry, &plan, &kept, now);
            let entry = self.entries.iter_mut().find(|entry| entry.plan.provider == plan.provider);
            if let Some(entry) = entry {
                (entry.kept, entry.asked) = (Some(kept), true);
            }
        }
    }

    fn jobs(&self, registry: &Registry, whom: impl Fn(&ListEntry) -> bool) -> Vec<ListJob> {
        let job = |entry: &ListEntry| {
            let draft = registry.draft(&entry.plan)?;
            Some(ListJob { plan: entry.plan.clone(), draft, previous: entry.kept.clone() })
        };
        self.entries.iter().filter(|entry| whom(entry)).filter_map(job).collect()
    }

    /// Asks again for what has aged, while the caller continues. The runtime's end is the end of it, and what was
    /// learned by then is kept whole or not at all.
    pub fn refresh_behind(&self, registry: &Registry, asker: &ListAsker<'_>) {
        let now = now_ms();
        let due = |entry: &ListEntry| match entry.age(now) {
            Some(age) => age == ListAge::Stale,
            None => entry.is(Class::Configured),
        };
        let jobs = self.jobs(registry, |entry| !entry.asked && !entry.is(Class::Local) && due(entry));
        if jobs.is_empty() {
            return;
        }
        let (client, environment) = (asker.client.clone(), Arc::clone(asker.environment));
        let (cache, cancel) = (self.cache.clone(), asker.cancel.clone());
        tokio::spawn(async move {
            fetch(&client, environment, cache, jobs, &cancel).await;
        });
    }

    /// How the lists stand. Engines that nobody asked for are named only when they answered.
    pub fn statuses(&self) -> Vec<ListStatus> {
        let now = now_ms();
        let shown = |entry: &&ListEntry| {
            let answered = entry.kept.as_ref().is_some_and(|kept| kept.authoritative);
            !entry.is(Class::Local) || answered
        };
        self.entries.iter().filter(shown).map(|entry| status(entry, now)).collect()
    }

    /// Why lists that the user wants are not there, as sentences.
    pub fn problems(&self) -> Vec<String> {
        self.problems_of(|_| true)
    }

    /// The same of those that were asked just now.
    pub fn asked_problems(&self) -> Vec<String> {
        self.problems_of(|entry| entry.asked)
    }

    fn problems_of(&self, whose: impl Fn(&ListEntry) -> bool) -> Vec<String> {
        let wanted = self.entries.iter().filter(|entry| entry.is(Class::Configured) && whose(entry));
        let problem = |entry: &ListEntry| {
            let error = entry.kept.as_ref()?.error.as_ref()?;
            Some(format!("provider {}: {error}", entry.plan.provider))
        };
        wanted.filter_map(problem).collect()
    }
}

/// With what is asked.
pub struct ListAsker<'a> {
    /// What asks.
    pub client: &'a Client,
    /// Variables and credentials.
    pub environment: &'a Arc<dyn Environment>,
    /// Stops asking.
    pub cancel: CancellationToken,
}

fn status(entry: &ListEntry, now: u64) -> ListStatus {
    let state = match entry.age(now) {
        None => ListState::Unknown,
        Some(ListAge::Fresh) => ListState::Fresh,
        Some(_) if entry.kept.as_ref().is_some_and(|kept| !kept.authoritative) => ListState::Failed,
        Some(_) => ListState::Stale,
    };
    ListStatus {
        provider: entry.plan.provider.clone(),
        state,
        models: entry.kept.as_ref().map_or(0, |kept| kept.listed.len()),
        asked_at: entry.kept.as_ref().map(|kept| kept.updated_at),
        error: entry.kept.as_ref().and_then(|kept| kept.error.clone()),
    }
}

/// What is kept joins the registry: as it is while it fits what is compiled in, else merged with it again.
fn adopt(registry: &mut Registry, plan: &Plan, kept: &CachedList, now: u64) {
    if kept.listed.is_empty() {
        return;
    }
    if kept.is_settled(now, &bundled_slice(&plan.provider).fingerprint) {
        registry.adopt(plan, &kept.models, Join::Instead);
    } else {
        registry.adopt(plan, &kept.listed, if plan.authoritative { Join::Instead } else { Join::Over });
    }
}

/// Asks, and keeps what was learned. Keys are looked up and files are written on threads that may wait.
async fn fetch(
    client: &Client,
    environment: Arc<dyn Environment>,
    cache: ListCache,
    jobs: Vec<ListJob>,
    cancel: &CancellationToken,
) -> Vec<(Plan, CachedList)> {
    let resolved = tokio::task::spawn_blocking(move || {
        let lookup = EnvironmentLookup(environment.as_ref());
        let resolve = |job: ListJob| (job.plan, job.previous, job.draft.resolve(&lookup));
        jobs.into_iter().map(resolve).collect::<Vec<_>>()
    });
    let Ok(resolved) = resolved.await else { return Vec::new() };
    let sources: Vec<Source> =
        resolved.iter().filter_map(|(_, _, source)| source.as_ref().ok().cloned()).collect();
    let mut outcomes = fetch_all(client, &sources, cancel).await.into_iter();
    let now = now_ms();
    let mut learned = Vec::new();
    for (plan, previous, source) in resolved {
        let outcome = match source {
            Ok(_) => outcomes.next().unwrap_or(Err(ListError::Cancelled)),
            Err(error) => Err(error),
        };
        if !matches!(outcome, Err(ListError::Cancelled)) {
            let kept = learn(&plan, outcome, previous, now);
            learned.push((plan, kept));
        }
    }
    let lasting = learned.iter().filter(|(plan, _)| plan.class != Class::Local);
    let rows: Vec<(String, CachedList)> =
        lasting.map(|(plan, kept)| (plan.provider.clone(), kept.clone())).collect();
    // What cannot be kept is asked for again; that is all.
    let _kept = tokio::task::spawn_blocking(move || cache.save(&rows)).await;
    learned
}

/// What is known after an answer, or after a failure: then what was known before.
fn learn(plan: &Plan, outcome: Outcome, previous: Option<CachedList>, now: u64) -> CachedList {
    let nothing = || CachedList {
        updated_at: now,
        authoritative: false,
        fingerprint: String::new(),
        origin: plan.origin(),
        models: Vec::new(),
        listed: Vec::new(),
        error: None,
    };
    match outcome {
        Ok(Listed { models: listed, left_out }) => {
            let slice = bundled_slice(&plan.provider);
            let models = slice.merged(&listed, plan.authoritative);
            let fingerprint = slice.fingerprint.clone();
            let error = (left_out > 0).then(|| format!("{left_out} listed models cannot be used"));
            CachedList { authoritative: true, fingerprint, models, listed, error, ..nothing() }
        }
        Err(error) => {
            let known = previous.unwrap_or_else(nothing);
            CachedList { authoritative: false, updated_at: now, error: Some(error.to_string()), ..known }
        }
    }
}

/// Does a text begin with a provider's id, or is it one?
fn names_provider(text: &str, provider: &str) -> bool {
    let text = text.trim();
    let end = provider.len();
    let begins = text.get(..end).is_some_and(|front| front.eq_ignore_ascii_case(provider));
    begins && text[end..].chars().next().is_none_or(|next| next == '/')
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
