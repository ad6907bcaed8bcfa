//! The model and the current settings, for all parts of a session.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_config::settings::Settings;

/// What may change while a session is under way.
pub(crate) struct LiveConfig {
    current: Mutex<Current>,
    /// Settings were changed since the last run.
    changed: AtomicBool,
}

struct Current {
    model: Arc<omp_llm::Model>,
    settings: Arc<Settings>,
}

impl LiveConfig {
    pub(crate) fn new(model: Arc<omp_llm::Model>, settings: Settings) -> Arc<Self> {
        let current = Mutex::new(Current { model, settings: Arc::new(settings) });
        Arc::new(Self { current, changed: AtomicBool::new(false) })
    }

    fn lock(&self) -> MutexGuard<'_, Current> {
        // Valid after every statement, so a panic elsewhere does not spoil it.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn model(&self) -> Arc<omp_llm::Model> {
        Arc::clone(&self.lock().model)
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.lock().settings)
    }

    /// Both, of the same moment.
    pub(crate) fn both(&self) -> (Arc<omp_llm::Model>, Arc<Settings>) {
        let current = self.lock();
        (Arc::clone(&current.model), Arc::clone(&current.settings))
    }

    pub(crate) fn set_model(&self, model: Arc<omp_llm::Model>) {
        self.lock().model = model;
    }

    pub(crate) fn set_settings(&self, settings: Settings) {
        self.lock().settings = Arc::new(settings);
    }

    /// The loop has to be told of other settings before its next run.
    pub(crate) fn mark_changed(&self) {
        self.changed.store(true, Ordering::Relaxed);
    }

    /// Were settings changed that the loop was not told of? Asked once.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::Relaxed)
    }
}
