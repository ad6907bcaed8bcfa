//! Going back before a prompt: the conversation, the files, or both.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_history::{Action, History, HistoryError, Others, Plan, Restored};
use omp_lsp::Fate;
use omp_session::{Custom, EntryKind, NoSuchEntry};
use omp_types::{CustomMessage, UserContent};

use crate::session::Session;
use crate::session::conversation_tree::Moved;
use crate::session::host::SwitchError;

const RESTORED: &str = include_str!("../../prompts/files-restored.md");
/// Files that the model is told about by name.
const MOST_NAMED: usize = 50;

/// A prompt that can be gone back before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewindPoint {
    /// The entry of its message.
    pub entry: String,
    /// What was said.
    pub text: String,
    /// How many files would change; `None` where nothing is kept.
    pub files: Option<usize>,
}

/// What goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewindWhat {
    /// The conversation and the files.
    Both,
    /// The conversation only.
    Conversation,
    /// The files only.
    Files,
}

/// What came of going back, or forth again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rewound {
    /// What happened to files.
    pub files: Restored,
    /// Where the conversation went on, if it moved.
    pub moved: Option<Moved>,
}

/// Why nothing went back. Everything is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RewindError {
    /// No history is kept.
    #[error("no file history: {0}")]
    Off(&'static str),
    /// The history of files has an objection.
    #[error(transparent)]
    Files(#[from] HistoryError),
    /// The conversation could not be moved.
    #[error(transparent)]
    Conversation(#[from] SwitchError),
    /// Nothing has that id.
    #[error(transparent)]
    NoSuchEntry(#[from] NoSuchEntry),
}

/// The file history of a session: rewinding files and conversation to before a prompt, and redoing it.
#[derive(Clone, Copy)]
pub struct FileHistory<'s> {
    pub(crate) session: &'s Session,
}

impl<'s> FileHistory<'s> {
    fn history(self) -> Result<&'s Arc<History>, RewindError> {
        self.session.tools.history.as_ref().ok_or(match self.session.places.kept {
            true => RewindError::Off("fileHistory.enabled is off"),
            false => RewindError::Off("the session is not saved"),
        })
    }

    /// Whether the history of files is kept in this session.
    pub async fn is_on(self) -> Result<bool, RewindError> {
        Ok(self.history()?.is_on().await?)
    }

    /// Keeps the history of files in this session from now on, or does not.
    pub async fn set_on(self, on: bool) -> Result<(), RewindError> {
        Ok(self.history()?.switch(on).await?)
    }

    /// Forgets every checkpoint of this session; how many that were.
    pub async fn clear(self) -> Result<usize, RewindError> {
        Ok(self.history()?.clear().await?)
    }

    /// What the kept contents take on disk.
    pub async fn bytes(self) -> Result<u64, RewindError> {
        Ok(self.history()?.bytes().await?)
    }

    /// The prompts of the conversation, in its order.
    pub async fn points(self) -> Result<Vec<RewindPoint>, RewindError> {
        let prompts = self.session.tree().prompts().await;
        let entries: Vec<String> = prompts.iter().map(|(entry, _)| entry.clone()).collect();
        let counts = match self.history() {
            Ok(history) => history.counts(entries).await?,
            Err(_) => vec![None; prompts.len()],
        };
        self.pass_on_notices().await;
        let point = |((entry, text), files)| RewindPoint { entry, text, files };
        Ok(prompts.into_iter().zip(counts).map(point).collect())
    }

    /// What going back before a prompt would do to files.
    pub async fn plan(self, entry: &str) -> Result<Plan, RewindError> {
        let history = self.history()?;
        let prompts = self.session.tree().prompts().await.into_iter().map(|(entry, _)| entry).collect();
        Ok(history.plan(prompts, entry.to_owned()).await?)
    }

    /// Goes back before a prompt. What runs is stopped. The way that is left stays in the tree of the conversation, and
    /// what files were is saved first.
    pub async fn rewind(self, entry: &str, what: RewindWhat, others: Others) -> Result<Rewound, RewindError> {
        self.session.rest().await;
        let leaf = self.session.record.lock().leaf().map(str::to_owned);
        let plan = match what {
            RewindWhat::Conversation => Plan::default(),
            _ => self.plan(entry).await?,
        };
        let leaf = leaf.filter(|_| what != RewindWhat::Files);
        let files = match self.history() {
            Ok(history) => history.restore(plan, others, leaf).await?,
            // Without a history only the conversation goes back.
            Err(_) => Restored::default(),
        };
        let moved = match what {
            RewindWhat::Files => None,
            _ => self.moved_or_undone(entry).await?,
        };
        if moved.is_some() {
            self.stay_here();
        }
        self.files_changed(&files).await;
        if moved.is_none() {
            self.tell_model(&files);
        }
        self.pass_on_notices().await;
        Ok(Rewound { files, moved })
    }

    /// Moves the conversation. Where that fails, files go where they were: both go back, or nothing does.
    async fn moved_or_undone(self, entry: &str) -> Result<Option<Moved>, RewindError> {
        let moved = self.session.tree().navigate(entry, None).await;
        if let (Err(_), Ok(history)) = (&moved, self.history()) {
            // Why the conversation stays is what a person has to know; what files were is saved in any case.
            let _ = history.redo(Others::Stay).await;
        }
        Ok(moved?)
    }

    /// Undoes the last going back, unless something was said since.
    pub async fn redo(self, others: Others) -> Result<Rewound, RewindError> {
        self.session.rest().await;
        let files = self.history()?.redo(others).await?;
        let moved = match &files.leaf {
            Some(leaf) => Some(self.stand_at(leaf).await?),
            None => None,
        };
        self.files_changed(&files).await;
        if moved.is_none() {
            self.tell_model(&files);
        }
        Ok(Rewound { files, moved })
    }

    /// Continues after an entry, whatever it is.
    async fn stand_at(self, entry: &str) -> Result<Moved, RewindError> {
        let loaded = self.session.tree().loaded().await?;
        self.session.record.lock().branch(entry)?;
        self.session.tree().reload(loaded.context_at(Some(entry))).await.map_err(SwitchError::from)?;
        self.stay_here();
        Ok(Moved { leaf: Some(entry.to_owned()), prefill: None })
    }

    /// A session that is resumed continues here, where its files are, not where it was written last.
    fn stay_here(self) {
        let custom_type = "rewind".to_owned();
        self.session.record.lock().append(EntryKind::Custom(Custom { custom_type, data: None }));
    }

    /// Lists of files are out of date, and language servers are told.
    async fn files_changed(self, files: &Restored) {
        files.done.iter().for_each(|(path, _)| self.session.tools.scans.changed(path));
        if let Some(lsp) = &self.session.tools.lsp {
            let fate = |(path, action): &(PathBuf, Action)| (path.clone(), fate(*action));
            lsp.tell(&files.done.iter().map(fate).collect::<Vec<_>>()).await;
        }
    }

    /// The model continues with a conversation that knows nothing of it.
    fn tell_model(self, files: &Restored) {
        if files.done.is_empty() {
            return;
        }
        let named = |(path, action): &(PathBuf, Action)| {
            format!("- {} ({action})", shown(path, &self.session.places.cwd))
        };
        let mut lines: Vec<String> = files.done.iter().take(MOST_NAMED).map(named).collect();
        if files.done.len() > MOST_NAMED {
            lines.push(format!("- and {} more", files.done.len() - MOST_NAMED));
        }
        self.session.control().next_prompt(CustomMessage {
            custom_type: "files-restored".to_owned(),
            content: UserContent::Text(RESTORED.trim_end().replace("{{files}}", &lines.join("\n"))),
            display: false,
            details: None,
            timestamp: self.session.modes.clock.now_ms(),
        });
    }
}

fn fate(action: Action) -> Fate {
    match action {
        Action::Revert => Fate::Changed,
        Action::Create => Fate::Created,
        Action::Remove => Fate::Deleted,
    }
}

fn shown(path: &Path, cwd: &Path) -> String {
    path.strip_prefix(cwd).unwrap_or(path).display().to_string()
}
