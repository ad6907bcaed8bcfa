//! From a program to a server that is ready for questions.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_shell::{Environment, Program, Scope, Stdio};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answers::Answers;
use super::documents::Documents;
use super::drive::{Drive, drive};
use super::{Client, Editor, Limit, Shared};
use crate::LspError;
use crate::config::Server;
use crate::position::Encoding;
use crate::uri;

/// Messages that may wait until the server reads them.
const QUEUE: usize = 64;

/// What a server is started with.
pub(crate) struct Start<'a> {
    pub(crate) server: &'a Server,
    /// What is executed: the program of the server, or one that stands before it.
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) scope: &'a Scope,
    pub(crate) environment: Environment,
    pub(crate) cwd: &'a Path,
    pub(crate) editor: Option<Arc<dyn Editor>>,
}

impl Client {
    /// Starts the process and introduces us. A future that is dropped meanwhile ends the process.
    pub(crate) async fn start(start: Start<'_>, limit: Limit<'_>) -> Result<Self, LspError> {
        let Start { server, .. } = start;
        let failed = |reason: String| LspError::Start { server: server.name.clone(), reason };
        let child = start.scope.spawn(Program {
            path: start.program,
            arguments: start.arguments.iter().map(OsString::from).collect(),
            cwd: start.cwd.to_owned(),
            environment: start.environment,
            stdin: Stdio::Piped,
            stdout: Stdio::Piped,
            stderr: Stdio::Piped,
        });
        let child = child.map_err(|error| failed(error.to_string()))?;
        let (sender, outgoing) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared {
            state: Default::default(),
            news: watch::Sender::new(0),
            outgoing: sender,
            permits: Default::default(),
        });
        let folder = folder(start.cwd);
        let end = CancellationToken::new();
        let answers =
            Answers { settings: server.settings.clone(), folder: folder.clone(), root: start.cwd.to_owned() };
        tokio::spawn(drive(Drive {
            child,
            shared: Arc::clone(&shared),
            outgoing,
            answers,
            editor: start.editor,
            end: end.clone(),
        }));
        let mut client = Self {
            name: server.name.clone(),
            root: start.cwd.to_owned(),
            settings: server.settings.clone(),
            shared,
            documents: tokio::sync::Mutex::new(Documents::default()),
            started: Instant::now(),
            end,
        };
        client.introduce(server, &folder, limit).await.map_err(|error| match error {
            LspError::Cancelled => LspError::Cancelled,
            other => failed(other.to_string()),
        })?;
        client.started = Instant::now();
        Ok(client)
    }

    async fn introduce(&self, server: &Server, folder: &Value, limit: Limit<'_>) -> Result<(), LspError> {
        let mut params = json!({
            "processId": std::process::id(),
            "clientInfo": {"name": "omp", "version": env!("CARGO_PKG_VERSION")},
            "rootUri": folder["uri"],
            "rootPath": self.root.to_string_lossy(),
            "workspaceFolders": [folder],
            "capabilities": abilities(server),
        });
        if !server.init_options.is_null() {
            params["initializationOptions"] = server.init_options.clone();
        }
        let answer = self.ask("initialize", params, limit).await?;
        let capabilities = answer.get("capabilities").filter(|value| value.is_object()).cloned();
        let Some(capabilities) = capabilities else {
            return Err(LspError::Nonsense("it did not report its capabilities".to_owned()));
        };
        {
            let mut state = self.shared.state();
            state.encoding = Encoding::parse(capabilities.get("positionEncoding").and_then(Value::as_str));
            state.capabilities = capabilities;
        }
        self.notify("initialized", &json!({})).await?;
        match self.settings.is_null() {
            true => Ok(()),
            false => self.configure().await,
        }
    }
}

fn folder(cwd: &Path) -> Value {
    let name = cwd.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    json!({"uri": uri::of(cwd), "name": name})
}

/// What we can do.
fn abilities(server: &Server) -> Value {
    let kinds: Vec<u8> = (1..=26).collect();
    let mut abilities = json!({
        "general": {"positionEncodings": Encoding::NAMES},
        "window": {"workDoneProgress": true, "showDocument": {"support": false}},
        "workspace": {
            "applyEdit": true,
            "configuration": true,
            "workspaceFolders": true,
            "didChangeConfiguration": {"dynamicRegistration": true},
            "didChangeWatchedFiles": {"dynamicRegistration": !server.watches_itself(), "relativePatternSupport": true},
            "executeCommand": {"dynamicRegistration": true},
            "symbol": {"symbolKind": {"valueSet": kinds}},
            "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "undo"},
            "fileOperations": {"willRename": true, "didRename": true},
        },
        "textDocument": {
            "synchronization": {"didSave": true},
            "publishDiagnostics": {"relatedInformation": true, "versionSupport": true, "codeDescriptionSupport": true,
                "dataSupport": true},
            "diagnostic": {"dynamicRegistration": true},
            "definition": {"linkSupport": true},
            "typeDefinition": {"linkSupport": true},
            "implementation": {"linkSupport": true},
            "references": {},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true, "symbolKind": {"valueSet": kinds}},
            "rename": {"prepareSupport": false},
            "formatting": {"dynamicRegistration": true},
            "codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor",
                    "refactor.extract", "refactor.inline", "refactor.rewrite", "source", "source.organizeImports",
                    "source.fixAll"]}},
                "dataSupport": true,
                "isPreferredSupport": true,
                "resolveSupport": {"properties": ["edit", "command"]},
            },
        },
    });
    if !server.capabilities.is_empty() {
        abilities["experimental"] = Value::Object(server.capabilities.clone());
    }
    abilities
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::table::builtin;

    /// Who hears of changes from the client stops to look at the disk, and commands change files, too.
    #[test]
    fn servers_that_watch_the_disk_go_on_doing_so() {
        let told = |name: &str| {
            let server = builtin().into_iter().find(|server| server.name == name).unwrap();
            abilities(&server)["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"].clone()
        };
        assert_eq!(["gopls", "rust-analyzer"].map(told), [true, true]);
        assert_eq!(["pyright", "basedpyright", "svelte", "tailwindcss"].map(told), [false; 4]);
    }
}
