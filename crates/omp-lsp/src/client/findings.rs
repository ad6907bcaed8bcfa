//! Diagnostics of one file, as fresh as the server has them.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Client, Limit, Synced};
use crate::LspError;
use crate::diagnostics::Diagnostic;
use crate::uri;

/// A server that names no versions may publish several times; the last one within this time counts.
const SETTLES: Duration = Duration::from_millis(150);

/// Some servers do not look again at a text that they know. What they said about it holds if nothing newer comes so soon.
const UNCHANGED: Duration = Duration::from_secs(1);

/// What a server found, and whether it found it in the text that it was told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    pub items: Vec<Diagnostic>,
    pub fresh: bool,
}

impl Client {
    /// Has the server look at a text and waits for what it finds.
    pub async fn diagnose(&self, path: &Path, text: &str, limit: Limit<'_>) -> Result<Findings, LspError> {
        let before = self.shared.state().publication(&uri::of(path));
        let synced = limit.wait(self.refresh(path, text)).await;
        let synced = match synced {
            Some(synced) => synced?,
            None => return self.nothing_yet(&uri::of(path), limit),
        };
        if self.can("diagnosticProvider", "textDocument/diagnostic") {
            return self.pull(&synced, limit).await;
        }
        self.published(&synced, before, limit).await
    }

    /// What was published last for a file.
    pub fn known(&self, path: &Path) -> Vec<Diagnostic> {
        self.last(&uri::of(path))
    }

    fn last(&self, uri: &str) -> Vec<Diagnostic> {
        self.shared.state().published.get(uri).map(|published| published.items.clone()).unwrap_or_default()
    }

    fn nothing_yet(&self, uri: &str, limit: Limit<'_>) -> Result<Findings, LspError> {
        match limit.cancel.is_cancelled() {
            true => Err(LspError::Cancelled),
            false => Ok(Findings { items: self.last(uri), fresh: false }),
        }
    }

    /// Asks for the findings. What the server publishes beside that, such as the words of a compiler, counts, too.
    async fn pull(&self, synced: &Synced, limit: Limit<'_>) -> Result<Findings, LspError> {
        let params = json!({"textDocument": {"uri": synced.uri}});
        match self.request("textDocument/diagnostic", params, limit).await {
            Ok(report) => {
                let mut items = Diagnostic::list(report.get("items").unwrap_or(&Value::Null));
                let published = self.last(&synced.uri);
                items.extend(published.into_iter().filter(|one| !one.message.is_empty()));
                Ok(Findings { items: crate::diagnostics::merge([items], true), fresh: true })
            }
            Err(LspError::TimedOut { .. }) => self.nothing_yet(&synced.uri, limit),
            Err(LspError::Answer { .. }) => Ok(Findings { items: self.last(&synced.uri), fresh: false }),
            Err(error) => Err(error),
        }
    }

    /// Was something said about this very text, under another version?
    fn holds(&self, synced: &Synced) -> bool {
        let state = self.shared.state();
        let published = state.published.get(&synced.uri).and_then(|published| published.version);
        published.is_some_and(|version| version >= synced.since)
    }

    /// Was something said since the server knows this very text, and does it not work on it any more? That is less, for a
    /// server that names no versions may have meant the text before.
    fn holds_at_last(&self, synced: &Synced) -> bool {
        let state = self.shared.state();
        let published = state.published.get(&synced.uri).and_then(|published| published.about);
        published.is_some_and(|version| version >= synced.since) && !state.busy.contains(&synced.uri)
    }

    /// Waits for a publication after `before`: the one for this version, or the last of those without a version.
    async fn published(&self, synced: &Synced, before: u64, limit: Limit<'_>) -> Result<Findings, LspError> {
        let mut news = self.shared.news.subscribe();
        let mut settles: Option<(u64, Instant)> = None;
        let holds = self.holds(synced).then(|| Instant::now() + UNCHANGED);
        let waits = async {
            loop {
                {
                    let state = self.shared.state();
                    if let Some(how) = &state.ended {
                        return Err(self.ended(how.clone()));
                    }
                    let busy = state.busy.contains(&synced.uri);
                    let published = state.published.get(&synced.uri).filter(|one| one.number > before);
                    if let Some(published) =
                        published.filter(|one| one.version.is_none_or(|version| version == synced.version))
                    {
                        // A server that says when it is done may correct what it published in a hurry.
                        if published.version.is_some() && !state.tells_when_done {
                            return Ok(());
                        }
                        if busy || settles.is_none_or(|(number, _)| number != published.number) {
                            settles = Some((published.number, Instant::now() + SETTLES));
                        }
                    }
                }
                match settles.map(|(_, until)| until).or(holds) {
                    Some(until) if tokio::time::timeout_at(until, news.changed()).await.is_err() => {
                        if !self.shared.state().busy.contains(&synced.uri) {
                            return Ok(());
                        }
                        drop(news.changed().await);
                    }
                    Some(_) => {}
                    // The sender lives as long as we do.
                    None => drop(news.changed().await),
                }
            }
        };
        match limit.wait(waits).await {
            Some(Ok(())) => Ok(Findings { items: self.last(&synced.uri), fresh: true }),
            Some(Err(error)) => Err(error),
            None if !limit.cancel.is_cancelled() && self.holds_at_last(synced) => {
                Ok(Findings { items: self.last(&synced.uri), fresh: true })
            }
            None => self.nothing_yet(&synced.uri, limit),
        }
    }
}
