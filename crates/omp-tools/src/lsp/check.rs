//! What all servers of a file find in it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use omp_lsp::diagnostics::{Diagnostic, merge};
use omp_lsp::{Limit, LspError, Server, ServerKind, Servers, linters};

use super::catch_up::catch_up;

/// How long the findings of one file are waited for when a server is ready.
pub(super) const ONE_FILE: Duration = Duration::from_secs(3);
/// The same for one of many.
pub(super) const ONE_OF_MANY: Duration = Duration::from_millis(400);

/// How long a file is waited for, by what it is looked at for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Patience {
    /// It alone was asked about. A server that has to be started first gets all the time there is: it reads the project
    /// before it says anything.
    Asked(Duration),
    /// It was written.
    Written(Duration),
    /// It is one of several, each of which is told anyway.
    Among(Duration),
}

impl Patience {
    fn time(self) -> Duration {
        match self {
            Self::Asked(time) | Self::Written(time) | Self::Among(time) => time,
        }
    }
}

/// What was found in a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Checked {
    pub(super) items: Vec<Diagnostic>,
    /// What silent servers found the last time they looked.
    pub(super) old: Vec<Diagnostic>,
    /// The servers that answered.
    pub(super) servers: Vec<String>,
    /// Those that have not looked at the text as it is now.
    pub(super) silent: Vec<String>,
    /// Those that failed, and why.
    pub(super) failed: Vec<String>,
}

/// One file to look at.
#[derive(Clone, Copy)]
pub(super) struct Check<'a> {
    pub(super) servers: &'a Arc<Servers>,
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
    pub(super) patience: Patience,
    pub(super) deduplicate: bool,
}

impl Check<'_> {
    /// Asks all of them at once. One that fails does not spoil what the others find.
    pub(super) async fn run(self, of: &[&Server], limit: Limit<'_>) -> Result<Checked, LspError> {
        let answers = join_all(of.iter().map(|server| self.ask(server, limit))).await;
        let (mut checked, mut lists, mut old) = (Checked::default(), Vec::new(), Vec::new());
        for (server, answer) in of.iter().zip(answers) {
            match answer {
                Ok((items, true)) => {
                    lists.push(items);
                    checked.servers.push(server.name.clone());
                }
                Ok((items, false)) => {
                    old.push(items);
                    checked.silent.push(server.name.clone());
                }
                Err(LspError::Cancelled) => return Err(LspError::Cancelled),
                Err(error) => checked.failed.push(error.to_string()),
            }
        }
        checked.items = merge(lists, self.deduplicate);
        checked.old = merge(old, self.deduplicate);
        Ok(checked)
    }

    async fn ask(self, server: &Server, limit: Limit<'_>) -> Result<(Vec<Diagnostic>, bool), LspError> {
        if server.kind() != ServerKind::Protocol {
            return linters::lint(self.servers, server, self.path, self.text, limit)
                .await
                .map(|items| (items, true));
        }
        let asked = matches!(self.patience, Patience::Asked(_));
        let starts = asked && self.servers.running(server).await.is_none();
        let client = self.servers.client(server, limit).await?;
        if !matches!(self.patience, Patience::Among(_)) {
            catch_up(&client, Some(self.path), limit).await;
        }
        client.loaded(limit).await;
        let limit = if starts { limit } else { limit.at_most(self.patience.time()) };
        let findings = client.diagnose(self.path, self.text, limit).await?;
        Ok((findings.items, findings.fresh))
    }
}
