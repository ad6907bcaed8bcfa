//! What a server is told when it asks, and what is made of its notices.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::state::Registration;
use super::watched::{self, Watched};
use super::{Editor, Shared};
use crate::diagnostics::Diagnostic;
use crate::edits::WorkspaceEdit;
use crate::message::UNKNOWN_METHOD;

/// Sections of the settings that one question may name.
const MOST_SECTIONS: usize = 1_000;

/// What the answers are made from.
pub(super) struct Answers {
    pub(super) settings: Value,
    /// The address and the name of the project.
    pub(super) folder: Value,
    pub(super) root: PathBuf,
}

impl Answers {
    pub(super) fn notice(&self, shared: &Shared, method: &str, params: &Value) {
        match method {
            "textDocument/publishDiagnostics" => {
                let Some(uri) = params.get("uri").and_then(Value::as_str) else { return };
                let items = Diagnostic::list(params.get("diagnostics").unwrap_or(&Value::Null));
                let version = params.get("version").and_then(Value::as_i64);
                shared.state().publish(ours(uri), version, items);
            }
            // clangd says so when its `clangdFileStatus` is on.
            "textDocument/clangd.fileStatus" => {
                let text = |name: &str| params.get(name).and_then(Value::as_str);
                if let (Some(uri), Some(word)) = (text("uri"), text("state")) {
                    shared.state().works_on(ours(uri), word != "idle");
                }
            }
            "$/progress" => {
                let token = params.get("token").map(Value::to_string).unwrap_or_default();
                match params.pointer("/value/kind").and_then(Value::as_str) {
                    Some("begin") => shared.state().task_begins(token),
                    Some("report") => shared.state().task_goes_on(&token),
                    Some("end") => shared.state().task_ends(&token),
                    _ => {}
                }
            }
            // Logs, messages and telemetry are for people who develop servers.
            _ => {}
        }
    }

    pub(super) async fn answer(
        &self,
        shared: &Shared,
        editor: Option<&Arc<dyn Editor>>,
        method: &str,
        params: &Value,
    ) -> Result<Value, (i64, String)> {
        match method {
            "workspace/configuration" => Ok(self.configuration(params)),
            "workspace/workspaceFolders" => Ok(json!([self.folder])),
            "workspace/applyEdit" => Ok(apply(shared, editor, params).await),
            "client/registerCapability" => {
                for one in list(params, "registrations") {
                    let text =
                        |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                    let method = text("method");
                    let watched = match method == watched::METHOD {
                        true => Watched::list(one.get("registerOptions").unwrap_or(&Value::Null), &self.root),
                        false => Vec::new(),
                    };
                    shared.state().register(text("id"), Registration { method, watched });
                }
                Ok(Value::Null)
            }
            "client/unregisterCapability" => {
                for one in list(params, "unregisterations") {
                    let id = one.get("id").and_then(Value::as_str).unwrap_or_default();
                    shared.state().registered.remove(id);
                }
                Ok(Value::Null)
            }
            "window/showDocument" => Ok(json!({"success": false})),
            // Nobody is there to choose, and what is to be drawn again is drawn by nobody.
            "window/workDoneProgress/create"
            | "window/showMessageRequest"
            | "workspace/codeLens/refresh"
            | "workspace/diagnostic/refresh"
            | "workspace/inlayHint/refresh"
            | "workspace/inlineValue/refresh"
            | "workspace/semanticTokens/refresh"
            | "workspace/foldingRange/refresh" => Ok(Value::Null),
            _ => Err((UNKNOWN_METHOD, format!("{method} is not supported"))),
        }
    }

    /// One value for each section that is asked for; all settings where none is named.
    fn configuration(&self, params: &Value) -> Value {
        let section = |item: &Value| {
            let Some(section) = item.get("section").and_then(Value::as_str).filter(|name| !name.is_empty())
            else {
                return self.settings.clone();
            };
            let found = section.split('.').try_fold(&self.settings, |value, part| value.get(part));
            found.cloned().unwrap_or(Value::Null)
        };
        list(params, "items").iter().take(MOST_SECTIONS).map(section).collect()
    }
}

/// Servers spell addresses in their own ways; ours is the one that is asked for.
fn ours(uri: &str) -> String {
    crate::uri::path(uri).map_or_else(|| uri.to_owned(), |path| crate::uri::of(&path))
}

fn list<'a>(params: &'a Value, name: &str) -> &'a [Value] {
    params.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Changes that the server asks for. They are made only while somebody has asked it for something that changes files.
async fn apply(shared: &Shared, editor: Option<&Arc<dyn Editor>>, params: &Value) -> Value {
    let refused = |reason: String| json!({"applied": false, "failureReason": reason});
    if shared.permits.load(Ordering::Acquire) == 0 {
        return refused("The client did not request any changes.".to_owned());
    }
    let Some(editor) = editor else { return refused("The client cannot change files.".to_owned()) };
    let edit = match WorkspaceEdit::parse(params.get("edit").unwrap_or(&Value::Null)) {
        Ok(edit) => edit,
        Err(reason) => return refused(reason),
    };
    let encoding = shared.state().encoding;
    match editor.apply(edit, encoding).await {
        Ok(()) => json!({"applied": true}),
        Err(reason) => refused(reason),
    }
}
