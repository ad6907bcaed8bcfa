//! What a person should know of the history, each thing once.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use crate::checkpoint::Outcome;
use crate::error::HistoryError;
use crate::history::{History, lock};

#[derive(Default)]
pub(crate) struct Notices {
    waiting: Vec<String>,
    /// Each is said once.
    said: HashSet<String>,
}

impl History {
    /// What a person should know, each thing once.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.notices).waiting)
    }

    pub(crate) fn git_failed(&self, error: &HistoryError) {
        if matches!(error, HistoryError::Interrupted) {
            return;
        }
        self.slow.store(true, Ordering::Release);
        self.notice(format!(
            "Checkpoints work without git here ({error}): only changes by omp's tools can be rewound, not \
             changes by commands"
        ));
    }

    /// Git did not say what files were. One that fails may answer the next time; one that is silent is left alone.
    pub(crate) fn git_was_of_no_help(&self, error: &HistoryError) {
        if matches!(error, HistoryError::Silent { .. }) {
            return self.git_failed(error);
        }
        self.notice(format!(
            "git could not list all files ({error}): changes by commands may not be rewound"
        ));
    }

    pub(crate) fn tell(&self, outcome: &Outcome) {
        if let Some(crowd) = outcome.crowd {
            self.notice(format!(
                "{crowd} files differ from the last commit, more than a checkpoint holds; the rest cannot \
                 be rewound"
            ));
        }
        if outcome.unnameable {
            let text = "Files with names that are not UTF-8 are not part of checkpoints; /rewind does not \
                 change them";
            self.notice(text.to_owned());
        }
    }

    /// So many files differed when a checkpoint was taken that it has not all of them.
    pub(crate) fn tell_crowd(&self, crowd: Option<usize>) {
        let Some(crowd) = crowd else { return };
        self.notice(format!(
            "Before that prompt {crowd} files differed from the last commit, more than a checkpoint holds: \
             only {} of them, and changes by omp's tools, can be restored",
            self.limits.files
        ));
    }

    pub(crate) fn cannot_keep(&self, error: &HistoryError) {
        let reason = match error {
            _ if error.is_full() => "the disk is full".to_owned(),
            // Why not, the session says itself.
            HistoryError::NotOurs(_) => "the session is read-only".to_owned(),
            _ => error.to_string(),
        };
        let reason = reason.trim_end_matches('.');
        self.notice(format!(
            "Cannot create a checkpoint: {reason}; the prompt continues, but /rewind cannot undo its \
             changes"
        ));
    }

    fn notice(&self, text: String) {
        let mut notices = lock(&self.notices);
        if notices.said.insert(text.clone()) {
            notices.waiting.push(text);
        }
    }
}
