//! The files that a server knows the text of.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Client;
use crate::{LspError, language, uri};

/// Files that are open at a server at the same time; the one that was used least recently is closed for another.
const MOST_OPEN: usize = 200;

/// What was told about open files.
#[derive(Default)]
pub(super) struct Documents {
    open: HashMap<String, Open>,
    uses: u64,
    /// The highest version of a file that was closed. Files begin above it, so that findings about a text from before
    /// they were closed can be told from those about the new one.
    closed: i64,
}

impl Documents {
    /// Takes a file off the list; was it there?
    fn remove(&mut self, uri: &str) -> bool {
        let Some(open) = self.open.remove(uri) else { return false };
        self.closed = self.closed.max(open.version);
        true
    }
}

struct Open {
    version: i64,
    /// The first version with the text that the server has.
    since: i64,
    /// Of the text that the server has.
    fingerprint: u64,
    used: u64,
}

/// A file whose text the server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synced {
    pub uri: String,
    pub version: i64,
    /// The first version with this text.
    pub since: i64,
}

/// Whether a server is told a text that it has already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    IfChanged,
    Always,
}

/// How a server wants to learn about changes.
struct Wishes {
    changes: bool,
    saves: bool,
    save_text: bool,
}

impl Wishes {
    fn of(capabilities: &Value) -> Self {
        let sync = &capabilities["textDocumentSync"];
        let kind = sync.as_i64().or_else(|| sync["change"].as_i64());
        let save = &sync["save"];
        Self {
            changes: kind.unwrap_or(0) != 0,
            saves: sync.is_i64() || save.is_object() || *save == Value::Bool(true),
            save_text: save["includeText"] == Value::Bool(true),
        }
    }
}

impl Client {
    /// Makes sure that the server has this text of a file.
    pub async fn open(&self, path: &Path, text: &str) -> Result<Synced, LspError> {
        self.sync(path, text, Again::IfChanged).await
    }

    /// Tells the server the text even if it has it, and that it was saved: it looks at the file again.
    pub async fn refresh(&self, path: &Path, text: &str) -> Result<Synced, LspError> {
        let synced = self.sync(path, text, Again::Always).await?;
        let wishes = Wishes::of(&self.capabilities());
        if wishes.saves {
            let mut params = json!({"textDocument": {"uri": synced.uri}});
            if wishes.save_text {
                params["text"] = Value::from(text);
            }
            self.notify("textDocument/didSave", &params).await?;
        }
        Ok(synced)
    }

    async fn sync(&self, path: &Path, text: &str, again: Again) -> Result<Synced, LspError> {
        let uri = uri::of(path);
        let fingerprint = fingerprint(text);
        // Held while the messages are queued, so that versions arrive in their order.
        let mut documents = self.documents.lock().await;
        documents.uses += 1;
        let used = documents.uses;
        if let Some(open) = documents.open.get_mut(&uri) {
            open.used = used;
            if open.fingerprint != fingerprint || again == Again::Always {
                open.version += 1;
                if open.fingerprint != fingerprint {
                    open.since = open.version;
                    open.fingerprint = fingerprint;
                }
                let version = open.version;
                self.shared.state().versions.insert(uri.clone(), version);
                self.send_change(path, &uri, version, text).await?;
            }
            return Ok(Synced { version: open.version, since: open.since, uri });
        }
        if documents.open.len() >= MOST_OPEN {
            let oldest = documents.open.iter().min_by_key(|(_, open)| open.used).map(|(uri, _)| uri.clone());
            if let Some(oldest) = oldest {
                documents.remove(&oldest);
                self.shared.state().versions.remove(&oldest);
                self.send_close(&oldest).await?;
            }
        }
        let version = documents.closed + 1;
        self.shared.state().versions.insert(uri.clone(), version);
        self.send_open(path, &uri, version, text).await?;
        documents.open.insert(uri.clone(), Open { version, since: version, fingerprint, used });
        Ok(Synced { uri, version, since: version })
    }

    /// The files that the server has open. It believes what it was told of them, whatever is on the disk.
    pub async fn open_files(&self) -> Vec<PathBuf> {
        self.documents.lock().await.open.keys().filter_map(|uri| uri::path(uri)).collect()
    }

    /// Is this the text that the server has of a file? `None` if it has the file not open.
    pub async fn has(&self, path: &Path, text: &str) -> Option<bool> {
        let documents = self.documents.lock().await;
        documents.open.get(&uri::of(path)).map(|open| open.fingerprint == fingerprint(text))
    }

    /// Closes a file that is gone or elsewhere now.
    pub async fn forget(&self, path: &Path) -> Result<(), LspError> {
        let uri = uri::of(path);
        let mut documents = self.documents.lock().await;
        {
            let mut state = self.shared.state();
            state.published.remove(&uri);
            state.versions.remove(&uri);
        }
        match documents.remove(&uri) {
            true => self.send_close(&uri).await,
            false => Ok(()),
        }
    }

    async fn send_change(&self, path: &Path, uri: &str, version: i64, text: &str) -> Result<(), LspError> {
        if Wishes::of(&self.capabilities()).changes {
            let params =
                json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]});
            return self.notify("textDocument/didChange", &params).await;
        }
        self.send_close(uri).await?;
        self.send_open(path, uri, version, text).await
    }

    async fn send_open(&self, path: &Path, uri: &str, version: i64, text: &str) -> Result<(), LspError> {
        let document =
            json!({"uri": uri, "languageId": language::of(path), "version": version, "text": text});
        self.notify("textDocument/didOpen", &json!({ "textDocument": document })).await
    }

    async fn send_close(&self, uri: &str) -> Result<(), LspError> {
        self.notify("textDocument/didClose", &json!({"textDocument": {"uri": uri}})).await
    }
}

fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
