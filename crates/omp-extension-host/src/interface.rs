//! What the interface of a program asks of extensions: rows, keys, completions. Whoever does not answer in time is not waited for.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::extension::{Extension, HANDLER};
use crate::extensions::Extensions;

/// How long the interface waits for rows before it draws without them.
const DRAWING: Duration = Duration::from_secs(2);
/// How long it waits for completions, and for a key that an extension sees first.
const TYPING: Duration = Duration::from_secs(2);

/// The rows of a component, with colours and links as escape sequences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Drawing {
    pub rows: Vec<String>,
    /// The row and the column of the cursor.
    pub cursor: Option<(usize, usize)>,
}

/// What can be typed next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Completion {
    pub value: String,
    pub label: String,
    pub description: Option<String>,
}

/// A part of the conversation that an extension draws.
#[derive(Clone, Debug, PartialEq)]
pub struct PartRequest {
    /// `call`, `result`, `message` or `thinking`.
    pub part: &'static str,
    /// Of the tool, or the type of the message.
    pub name: String,
    /// What is drawn, by the names that the prelude expects.
    pub values: Value,
    pub width: usize,
}

impl Extensions {
    /// The extension of that number.
    pub fn by_id(&self, id: u64) -> Option<Arc<Extension>> {
        self.list().into_iter().find(|extension| extension.id == id)
    }

    /// Draws a component. Its extension may end by that.
    pub async fn draw_surface(&self, id: u64, surface: &str, width: usize) -> Result<Drawing, String> {
        let arguments = json!({"surface": surface, "width": width});
        self.asked(id, "renderSurface", arguments, DRAWING).await
    }

    /// Gives a component what was typed, as a terminal sends it.
    pub async fn type_into(&self, id: u64, surface: &str, data: &str) -> Result<(), String> {
        let arguments = json!({"surface": surface, "data": data});
        self.asked::<Value>(id, "surfaceInput", arguments, HANDLER).await.map(drop)
    }

    /// What the editor that an extension put in the place of ours holds.
    pub async fn set_editor_text(&self, id: u64, surface: &str, text: &str) {
        let arguments = json!({"surface": surface, "text": text});
        let _ = self.asked::<Value>(id, "setEditorText", arguments, TYPING).await;
    }

    /// Lets an extension see what was typed before anybody else; what is left of it.
    pub async fn see_input(&self, id: u64, data: &str) -> Option<String> {
        let answer = self.asked::<Value>(id, "terminalInput", json!({"data": data}), TYPING).await;
        match answer {
            Ok(answer) if answer["consumed"] == true => None,
            Ok(answer) => Some(answer["data"].as_str().unwrap_or(data).to_owned()),
            Err(_) => Some(data.to_owned()),
        }
    }

    /// The colours have changed, or the keys.
    pub async fn look_changed(&self) {
        for extension in self.list() {
            let _ = extension.call("lookChanged", Value::Null, Some(DRAWING)).await;
        }
    }

    /// What can follow a command.
    pub async fn complete_argument(&self, command: &str, prefix: &str) -> Vec<Completion> {
        let Some((extension, _)) = self.commands().into_iter().find(|(_, known)| known.name == command)
        else {
            return Vec::new();
        };
        let arguments = json!({"name": command, "prefix": prefix});
        self.asked(extension.id, "completeArgument", arguments, TYPING).await.unwrap_or_default()
    }

    /// Runs what an extension bound to a key.
    pub async fn run_shortcut(&self, id: u64, key: &str) -> Result<(), String> {
        let facts = self.facts().ok_or("there is no session yet")?;
        let arguments = json!({"key": key, "session": facts.value()});
        let extension = self.by_id(id).ok_or("the extension has ended")?;
        let done = extension.call("runShortcut", arguments, None).await.map(drop);
        self.say_if_ended(&extension);
        done.inspect_err(|reason| extension.fail(&format!("shortcut {key}"), reason))
    }

    /// Draws a part of the conversation; nothing where the program draws it as usual.
    pub async fn draw_part(&self, id: u64, request: PartRequest) -> Option<Vec<String>> {
        let mut arguments = request.values;
        arguments["part"] = request.part.into();
        arguments["name"] = request.name.into();
        arguments["width"] = request.width.into();
        let rows = self.asked::<Option<Vec<String>>>(id, "renderPart", arguments, DRAWING).await;
        let extension = self.by_id(id)?;
        rows.inspect_err(|reason| extension.fail(&format!("drawing a {}", request.part), reason))
            .ok()
            .flatten()
    }

    /// Hands a page to the script that shares conversations: `{url, message}`.
    pub async fn share(&self, page: &Path, limit: Duration) -> Result<Value, String> {
        let script = self.list().pop().ok_or("it was not loaded")?;
        script.call("share", json!({"page": page}), Some(limit)).await
    }

    async fn asked<T: for<'a> Deserialize<'a>>(
        &self,
        id: u64,
        function: &str,
        arguments: Value,
        limit: Duration,
    ) -> Result<T, String> {
        let extension = self.by_id(id).ok_or("the extension has ended")?;
        let answer = extension.call(function, arguments, Some(limit)).await;
        self.say_if_ended(&extension);
        serde_json::from_value(answer?).map_err(|error| error.to_string())
    }
}

impl Extension {
    /// Something of what it shows failed.
    pub fn note_failure(&self, what: &str, message: &str) {
        self.fail(what, message);
    }
}
