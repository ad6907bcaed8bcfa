//! How far an installation is: one line at a terminal, nothing elsewhere.

use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::sync::PoisonError;

use omp_sdk::plugins::packages::InstallStep;

use crate::output;

/// The line.
pub(super) struct Progress {
    /// What it says; `None` where nobody looks.
    shown: Option<Mutex<String>>,
}

impl Progress {
    pub(super) fn new(quiet: bool) -> Self {
        Self { shown: (!quiet && stderr().is_terminal()).then(Mutex::default) }
    }

    pub(super) fn show(&self, step: &InstallStep) {
        let text = match step {
            InstallStep::Looking(what) => format!("Looking up {}", output::name(what)),
            InstallStep::Resolving(count) => format!("Resolving dependencies: {count}"),
            InstallStep::Downloading { done, of } => format!("Downloading dependencies: {done} of {of}"),
        };
        self.replace(text);
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.replace(String::new());
    }

    fn replace(&self, text: String) {
        let Some(shown) = &self.shown else { return };
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        if *shown != text {
            output::replace_line(shown.chars().count(), &text);
            *shown = text;
        }
    }
}
