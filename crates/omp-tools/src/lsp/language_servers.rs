//! The language servers of a session, and what the user wants of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use omp_lsp::Servers;

use super::Before;

/// Files whose last check is remembered.
const MOST_REMEMBERED: usize = 1_000;

/// `lsp.*`, as far as tools obey it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LspSettings {
    /// `lsp.diagnosticsOnWrite`
    pub diagnostics_on_write: bool,
    /// `lsp.diagnosticsOnEdit`
    pub diagnostics_on_edit: bool,
    /// `lsp.formatOnWrite`
    pub format_on_write: bool,
    /// `lsp.diagnosticsDeduplicate`
    pub deduplicate: bool,
}

impl Default for LspSettings {
    fn default() -> Self {
        Self {
            diagnostics_on_write: true,
            diagnostics_on_edit: false,
            format_on_write: false,
            deduplicate: true,
        }
    }
}

/// Whoever brings findings to the model that came after the result of a call.
pub type Late = Box<dyn Fn(LateFindings) + Send + Sync>;

/// Findings that took longer than a call may take.
#[derive(Clone, Debug, PartialEq)]
pub struct LateFindings {
    /// The file as the model names it.
    pub file: String,
    pub summary: String,
    /// One line for each.
    pub text: String,
}

/// The language servers of a session.
pub struct LanguageServers {
    pub servers: Arc<Servers>,
    pub settings: LspSettings,
    late: OnceLock<Late>,
    /// The number of the last check of each file.
    checks: Mutex<HashMap<PathBuf, u64>>,
    /// Servers that were waited for in vain the last time.
    slow: Mutex<HashSet<String>>,
    /// Files that tools have changed, which servers have not been told yet.
    noted: Mutex<BTreeMap<PathBuf, Before>>,
    /// It was said that servers do not run here.
    refused: AtomicBool,
}

impl LanguageServers {
    /// Starts nothing.
    pub fn new(servers: Arc<Servers>, settings: LspSettings) -> Self {
        Self {
            servers,
            settings,
            late: OnceLock::new(),
            checks: Mutex::default(),
            slow: Mutex::default(),
            noted: Mutex::default(),
            refused: AtomicBool::new(false),
        }
    }

    /// Is it to be said that servers do not run here? Once is enough.
    pub(super) fn says_refusal(&self) -> bool {
        !self.refused.swap(true, Ordering::Relaxed)
    }

    /// Where late findings go. Only the first one counts.
    pub fn deliver_to(&self, late: Late) {
        let _ = self.late.set(late);
    }

    pub(super) fn late(&self) -> Option<&Late> {
        self.late.get()
    }

    /// A new check of a file, which makes an older one worthless.
    pub(super) fn begin(&self, path: &Path) -> u64 {
        let mut checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner);
        if checks.len() >= MOST_REMEMBERED {
            checks.clear();
        }
        let number = checks.entry(path.to_owned()).or_default();
        *number += 1;
        *number
    }

    /// Is it still the last one?
    pub(super) fn is_current(&self, path: &Path, number: u64) -> bool {
        self.checks.lock().unwrap_or_else(PoisonError::into_inner).get(path) == Some(&number)
    }

    /// A file was changed. What it was before the first change counts.
    pub(super) fn note(&self, path: &Path, before: Before) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.entry(path.to_owned()).or_insert(before);
    }

    /// The files that were changed since the last time.
    pub(super) fn take_noted(&self) -> BTreeMap<PathBuf, Before> {
        std::mem::take(&mut self.noted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn is_slow(&self, names: &str) -> bool {
        self.slow.lock().unwrap_or_else(PoisonError::into_inner).contains(names)
    }

    pub(super) fn set_slow(&self, names: String, slow: bool) {
        let mut known = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
        match slow {
            true => known.insert(names),
            false => known.remove(&names),
        };
    }
}
