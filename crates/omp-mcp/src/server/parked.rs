//! Calls that wait for answers. In the newest revision a server cannot ask: it ends the request with its questions, and the
//! client makes the request again with the answers. Meanwhile the call waits here, under a name nobody can guess.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::call::Waiting;

/// How long a client may take to answer.
const PATIENCE: Duration = Duration::from_secs(600);
/// So many calls may wait at once; then the oldest is given up.
const MOST: usize = 32;

#[derive(Default)]
pub(super) struct Parked {
    calls: Mutex<HashMap<String, (u64, Waiting)>>,
}

impl Parked {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, (u64, Waiting)>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a call and says under which name. A call that is dropped ends.
    pub(super) fn park(self: &Arc<Self>, waiting: Waiting) -> String {
        let name = super::http::new_token();
        let mut calls = self.lock();
        let number = calls.values().map(|(number, _)| *number).max().unwrap_or_default() + 1;
        calls.insert(name.clone(), (number, waiting));
        if calls.len() > MOST
            && let Some(oldest) =
                calls.iter().min_by_key(|(_, (number, _))| *number).map(|(name, _)| name.clone())
        {
            calls.remove(&oldest);
        }
        drop(calls);
        let (parked, forgotten) = (Arc::downgrade(self), name.clone());
        tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            if let Some(parked) = parked.upgrade() {
                parked.lock().remove(&forgotten);
            }
        });
        name
    }

    /// The call of that name, if it is the one that `request` began.
    pub(super) fn take(&self, name: &str, request: &str) -> Option<Waiting> {
        let mut calls = self.lock();
        let (_, waiting) = calls.get(name)?;
        if waiting.request != request {
            return None;
        }
        calls.remove(name).map(|(_, waiting)| waiting)
    }

    pub(super) fn clear(&self) {
        self.lock().clear();
    }
}
