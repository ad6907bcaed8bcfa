//! What is kept of servers between sessions: logins, and what each of them offered.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use omp_auth::McpStore;
use omp_mcp::{TokenStore, Tool};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

/// How long a list of tools is used without asking the server.
const FRESH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What a server offered when it was last connected.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeptOffer {
    /// `None`: it did not answer in time.
    pub(crate) tools: Option<Vec<Tool>>,
    /// What it tells models about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<String>,
    /// The fingerprints of its tools as the user knows them. A tool that changed keeps its old one until the user has
    /// approved a call.
    #[serde(default)]
    known: BTreeMap<String, String>,
}

impl KeptOffer {
    fn learn(&mut self, tools: &[Tool]) {
        for tool in tools {
            self.known.entry(tool.name.clone()).or_insert_with(|| tool.fingerprint());
        }
    }
}

/// The offers of a session's servers, by the hash of their definitions.
pub(crate) struct KeptOffers {
    store: McpStore,
    known: Arc<Mutex<HashMap<String, KeptOffer>>>,
    /// One write after the other, each of what is known by then.
    turn: Arc<Mutex<()>>,
    /// What is being written.
    writes: Mutex<Vec<JoinHandle<()>>>,
}

impl KeptOffers {
    pub(crate) fn new(store: McpStore) -> Self {
        Self { store, known: Arc::default(), turn: Arc::default(), writes: Mutex::default() }
    }

    /// Waits until everything is on disk.
    pub(crate) async fn flush(&self) {
        let writes = std::mem::take(&mut *self.writes.lock().unwrap_or_else(PoisonError::into_inner));
        for write in writes {
            let _ = write.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, KeptOffer>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is kept for these definitions. What cannot be read is asked for again.
    pub(crate) fn load(&self, hashes: &[String]) {
        let missing: Vec<String> = {
            let known = self.lock();
            hashes.iter().filter(|hash| !known.contains_key(*hash)).cloned().collect()
        };
        if missing.is_empty() {
            return;
        }
        let since = now_ms().saturating_sub(u64::try_from(FRESH.as_millis()).unwrap_or(u64::MAX));
        let found = self.store.offers(&missing, since).unwrap_or_default();
        let mut known = self.lock();
        for (hash, offer) in missing.into_iter().zip(found) {
            if let Some(offer) = offer.and_then(|text| serde_json::from_str::<KeptOffer>(&text).ok()) {
                known.insert(hash, offer);
            }
        }
    }

    pub(crate) fn get(&self, hash: &str) -> Option<KeptOffer> {
        self.lock().get(hash).cloned()
    }

    /// Has the tool changed since the user came to know it?
    pub(crate) fn has_changed(&self, hash: &str, tool: &Tool) -> bool {
        let known = self.lock();
        let fingerprint = known.get(hash).and_then(|offer| offer.known.get(&tool.name));
        fingerprint.is_some_and(|known| *known != tool.fingerprint())
    }

    /// Keeps what a server offers now; `None`: it did not answer.
    pub(crate) fn keep(&self, hash: &str, tools: Option<&[Tool]>, instructions: Option<&str>) {
        let is_new = {
            let mut known = self.lock();
            let offer = known.entry(hash.to_owned()).or_default();
            let before = serde_json::to_string(offer).unwrap_or_default();
            match tools {
                Some(tools) => {
                    offer.learn(tools);
                    offer.tools = Some(tools.to_vec());
                    offer.instructions = instructions.map(str::to_owned);
                }
                // What it offered before is still the best guess.
                None if offer.tools.is_some() => return,
                None => {}
            }
            before != serde_json::to_string(offer).unwrap_or_default() || tools.is_none()
        };
        if is_new {
            self.save(hash);
        }
    }

    /// The user has approved a call of the tool as it is now.
    pub(crate) fn accept(&self, hash: &str, tool: &Tool) {
        {
            let mut known = self.lock();
            let Some(offer) = known.get_mut(hash) else { return };
            offer.known.insert(tool.name.clone(), tool.fingerprint());
        }
        self.save(hash);
    }

    /// A cache: what cannot be written is asked for again.
    fn save(&self, hash: &str) {
        let (store, hash) = (self.store.clone(), hash.to_owned());
        let (known, turn) = (Arc::clone(&self.known), Arc::clone(&self.turn));
        let write = move || {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            let offer = known.lock().unwrap_or_else(PoisonError::into_inner).get(&hash).cloned();
            let text = offer.and_then(|offer| serde_json::to_string(&offer).ok());
            if let Some(text) = text {
                let _ = store.save_offer(&hash, &text, now_ms());
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                let mut writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
                writes.retain(|write| !write.is_finished());
                writes.push(runtime.spawn_blocking(write));
            }
            Err(_) => write(),
        }
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// Logins in `agent.db`.
pub(crate) struct StoredTokens(pub(crate) McpStore);

impl StoredTokens {
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&McpStore) -> Result<T, omp_auth::StoreError> + Send + 'static,
    ) -> Result<T, String> {
        let store = self.0.clone();
        let done = tokio::task::spawn_blocking(move || work(&store)).await;
        done.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }
}

impl TokenStore for StoredTokens {
    fn load<'s>(&'s self, id: &'s str) -> BoxFuture<'s, Result<Option<String>, String>> {
        let id = id.to_owned();
        Box::pin(self.blocking(move |store| store.token(&id)))
    }

    fn save<'s>(&'s self, id: &'s str, secret: String) -> BoxFuture<'s, Result<(), String>> {
        let id = id.to_owned();
        Box::pin(self.blocking(move |store| store.save_token(&id, &secret)))
    }

    fn forget<'s>(&'s self, id: &'s str) -> BoxFuture<'s, Result<(), String>> {
        let id = id.to_owned();
        Box::pin(self.blocking(move |store| store.forget_token(&id)))
    }

    fn lock<'s>(&'s self, id: &'s str) -> BoxFuture<'s, Result<Option<Box<dyn Send>>, String>> {
        Box::pin(async move {
            let lock = self.0.lock(id).await.map_err(|error| error.to_string())?;
            Ok(Some(Box::new(lock) as Box<dyn Send>))
        })
    }
}
