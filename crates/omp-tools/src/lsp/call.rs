//! One call of the tool, and what comes of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_agent::ToolError;
use omp_lsp::{Client, Config, Limit, LspError, Server, Servers, Synced};
use omp_types::ToolOutput;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::catch_up::catch_up;
use super::text;
use crate::{Context, output};
use omp_lsp::column;

/// The arguments as the schema has them.
#[derive(Deserialize)]
pub(super) struct Arguments {
    pub(super) action: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<f64>,
    pub(super) symbol: Option<String>,
    pub(super) query: Option<String>,
    pub(super) new_name: Option<String>,
    pub(super) apply: Option<bool>,
    pub(super) timeout: Option<f64>,
    pub(super) payload: Option<String>,
}

/// A call under way.
pub(super) struct Call<'a> {
    pub(super) context: &'a Arc<Context>,
    pub(super) servers: &'a Arc<Servers>,
    pub(super) config: Arc<Config>,
    pub(super) arguments: &'a Arguments,
    pub(super) limit: Limit<'a>,
}

/// What the model is told.
pub(super) struct Reply {
    text: String,
    success: bool,
    server: Option<String>,
    extra: Map<String, Value>,
}

/// Why an action came to nothing.
#[derive(Debug)]
pub(super) enum Fault {
    /// Somebody no longer wants to know.
    Aborted,
    /// The call is invalid; the text says why.
    Refused(String),
    /// A server or a file is to blame.
    Failed(String),
}

impl From<LspError> for Fault {
    fn from(error: LspError) -> Self {
        match error {
            LspError::Cancelled => Self::Aborted,
            other => Self::Failed(other.to_string()),
        }
    }
}

impl Reply {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), success: true, server: None, extra: Map::new() }
    }

    pub(super) fn refused(text: impl Into<String>) -> Self {
        Self { success: false, ..Self::new(text) }
    }

    pub(super) fn by(mut self, server: &str) -> Self {
        self.server = Some(server.to_owned());
        self
    }

    /// With the differences that an edit has made, for display.
    pub(super) fn with_diff(mut self, edit: &ToolOutput) -> Self {
        let diff = edit.details.as_ref().and_then(|details| details.get("diff")).cloned();
        self.extra.extend(diff.map(|diff| ("diff".to_owned(), diff)));
        self
    }

    /// One block of text, and what was asked.
    pub(super) fn into_output(self, action: &str, request: &Map<String, Value>) -> ToolOutput {
        let (text, _) = output::cap(self.text);
        let mut details = json!({"action": action, "success": self.success, "request": request});
        if let Some(server) = self.server {
            details["serverName"] = Value::from(server);
        }
        for (name, value) in self.extra {
            details[name] = value;
        }
        ToolOutput::text(text).with_details(details)
    }
}

/// A place in a file that a server knows.
pub(super) struct ServerPosition {
    pub(super) client: Arc<Client>,
    pub(super) path: PathBuf,
    pub(super) synced: Synced,
    /// As parameters of a request.
    pub(super) params: Value,
}

impl Call<'_> {
    /// The one file that is meant. `"*"` is none.
    pub(super) fn file(&self) -> Option<&str> {
        self.arguments.file.as_deref().filter(|file| !file.is_empty() && *file != "*")
    }

    pub(super) fn needs_file(&self) -> Result<&str, Fault> {
        let action = &self.arguments.action;
        self.file().ok_or_else(|| {
            Fault::Refused(format!("Action {action} requires `file`, the path of a single file."))
        })
    }

    /// The path that was typed.
    pub(super) fn path(&self, typed: &str) -> Result<PathBuf, Fault> {
        self.context.file(typed).map_err(|error: ToolError| Fault::Refused(error.message))
    }

    /// A path as the model should see it.
    pub(super) fn shown(&self, path: &Path) -> String {
        self.context.base().display(path)
    }

    /// The server that knows most about a file.
    pub(super) fn primary(&self, path: &Path) -> Result<&Server, Fault> {
        self.config.primary(path).ok_or_else(|| {
            Fault::Refused(format!(
                "No language server found for {}. Use action \"status\" to list the available ones.",
                self.shown(path)
            ))
        })
    }

    /// The server, which knows what became of its open files.
    pub(super) async fn client(&self, server: &Server) -> Result<Arc<Client>, Fault> {
        let client = self.servers.client(server, self.limit).await?;
        catch_up(&client, None, self.limit).await;
        Ok(client)
    }

    /// The text of a file.
    pub(super) async fn text(&self, path: &Path) -> Result<String, Fault> {
        let (file, context) = (path.to_owned(), Arc::clone(self.context));
        let shown = self.shown(path);
        let text = tokio::task::spawn_blocking(move || match file.symlink_metadata() {
            Ok(_) => match context.borders.check(&file) {
                Ok(()) => text::load(&file),
                Err(error) => Err(format!("cannot be read: {error}")),
            },
            Err(_) => Err("does not exist: file not found".to_owned()),
        });
        let text = text.await;
        let text = text.map_err(|error| Fault::Failed(error.to_string()))?;
        text.map_err(|problem| Fault::Failed(format!("{shown} {problem}")))
    }

    /// The line that was named, from one.
    pub(super) fn line(&self) -> u32 {
        self.arguments.line.map_or(1, |line| if line >= 1.0 { line as u32 } else { 1 })
    }

    /// Opens a file at its server and finds the place that was named.
    pub(super) async fn place(&self) -> Result<ServerPosition, Fault> {
        let path = self.path(self.needs_file()?)?;
        let server = self.primary(&path)?;
        let text = self.text(&path).await?;
        let client = self.client(server).await?;
        let symbol = self.arguments.symbol.as_deref();
        let at = column::find(&text, self.line(), symbol, client.encoding());
        let at = at.map_err(|problem| Fault::Failed(format!("{problem} in {}", self.shown(&path))))?;
        let synced = client.open(&path, &text).await?;
        let params = json!({"textDocument": {"uri": synced.uri}, "position": at});
        Ok(ServerPosition { client, path, synced, params })
    }
}
