//! What the prompt of a session was made from.

use std::sync::{Arc, Mutex, PoisonError};

use omp_config::discovery::Discovery;

use crate::prompt::PromptReport;
use crate::prompt::knowledge::{CurrentKnowledge, Knowledge};

/// What was found around a session, and what the model was told of it.
pub(crate) struct PromptSources {
    pub(crate) knowledge: Arc<CurrentKnowledge>,
    discovery: Mutex<Arc<Discovery>>,
    pub(crate) report: PromptReport,
}

impl PromptSources {
    pub(crate) fn new(knowledge: Arc<CurrentKnowledge>, discovery: Discovery, report: PromptReport) -> Self {
        Self { knowledge, discovery: Mutex::new(Arc::new(discovery)), report }
    }

    pub(crate) fn discovery(&self) -> Arc<Discovery> {
        Arc::clone(&self.discovery.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Commands, skills and rules were looked for again. What went into the prompt stays.
    pub(crate) fn replace(&self, knowledge: Knowledge, discovery: Discovery) {
        self.knowledge.set(knowledge);
        *self.discovery.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(discovery);
    }
}
