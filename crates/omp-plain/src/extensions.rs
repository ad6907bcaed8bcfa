//! Extensions in plain lines: their questions are asked like all others, what they say is a line, and what they would place on a
//! screen is left out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_sdk::extensions::Port;
use omp_tui::text::parse_ansi;
use omp_tui::text::width::{clusters, text_width};
use omp_view::select::Choice;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::session_channel::SessionChannel;

/// A question, by the extension that asks it.
type QuestionId = (u64, String);

/// The person, as extensions reach them.
pub struct ExtensionPort {
    channel: SessionChannel,
    columns: usize,
    /// Questions that can be withdrawn.
    open: Arc<Mutex<HashMap<QuestionId, CancellationToken>>>,
}

impl ExtensionPort {
    /// A way to the person at the other end of the channel.
    pub fn new(channel: SessionChannel, columns: usize) -> Self {
        Self { channel, columns, open: Arc::default() }
    }

    fn notify(&self, arguments: &Value) {
        let text = plain(&arguments["message"]);
        self.channel.remark(match arguments["type"].as_str() {
            Some("error") => format!("Error: {text}"),
            Some("warning") => format!("Warning: {text}"),
            _ => text,
        });
    }
}

/// Text without escape sequences.
fn plain(text: &Value) -> String {
    let rows = parse_ansi(text.as_str().unwrap_or_default());
    rows.iter().map(omp_tui::text::Line::text).collect::<Vec<_>>().join("\n")
}

fn question_id(arguments: &Value) -> QuestionId {
    let id = arguments["id"].as_str().unwrap_or_default().to_owned();
    (arguments["extension"].as_u64().unwrap_or_default(), id)
}

/// Asks; the value that the script gets.
async fn ask(channel: SessionChannel, operation: String, arguments: Value) -> Value {
    let title = plain(&arguments["title"]);
    match operation.as_str() {
        "ui.select" => {
            let items = arguments["items"].as_array().cloned().unwrap_or_default();
            let choice = |item: &Value| {
                Choice::new(plain(&item["label"]).replace('\n', " "))
                    .detail(plain(&item["description"]).replace('\n', " "))
            };
            let chosen = channel.pick(&title, items.iter().map(choice).collect()).await;
            chosen.and_then(|place| items.get(place)).map(|item| item["label"].clone()).unwrap_or_default()
        }
        "ui.confirm" => {
            let message = plain(&arguments["message"]);
            json!(channel.yes_or_no(&format!("{title}\n{message}")).await)
        }
        "ui.editor" => {
            json!(channel.changed(&title, arguments["prefill"].as_str().unwrap_or_default()).await)
        }
        _ => json!(channel.words(&title).await),
    }
}

impl Port for ExtensionPort {
    fn call_now(&self, operation: &str, arguments: Value) -> Result<Value, String> {
        let text = || arguments["text"].as_str().unwrap_or_default();
        Ok(match operation {
            "session.hasUI" => json!(true),
            "ui.terminal" => json!({"columns": self.columns, "rows": 24}),
            "ui.editorText" => json!(""),
            "ui.setTheme" => json!({"success": false, "error": "there are no themes in plain mode"}),
            "tui.width" => json!(text_width(text())),
            "tui.graphemes" => json!(clusters(text()).map(|cluster| cluster.text).collect::<Vec<_>>()),
            "ui.notify" => {
                self.notify(&arguments);
                Value::Null
            }
            "ui.closeDialog" => {
                let open =
                    self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&question_id(&arguments));
                open.iter().for_each(CancellationToken::cancel);
                Value::Null
            }
            _ => Value::Null,
        })
    }

    fn call(&self, operation: &str, arguments: Value) -> BoxFuture<'static, Result<Value, String>> {
        match operation {
            "ui.select" | "ui.confirm" | "ui.input" | "ui.editor" => {}
            "session.new" | "session.switch" | "session.branch" | "session.navigate" => {
                return std::future::ready(Ok(json!({"cancelled": true}))).boxed();
            }
            _ => return std::future::ready(self.call_now(operation, arguments)).boxed(),
        }
        let (id, open, withdrawn) =
            (question_id(&arguments), Arc::clone(&self.open), CancellationToken::new());
        open.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), withdrawn.clone());
        let limit = arguments["timeout"].as_f64().filter(|limit| *limit > 0.0).unwrap_or(f64::from(u32::MAX));
        let limit = Duration::from_millis(limit as u64);
        let (channel, operation) = (self.channel.clone(), operation.to_owned());
        async move {
            let asked = withdrawn
                .run_until_cancelled(tokio::time::timeout(limit, ask(channel, operation, arguments)));
            let answer = match asked.await {
                Some(Ok(value)) => json!({"value": value}),
                Some(Err(_)) => json!({"timedOut": true}),
                None => Value::Null,
            };
            open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            Ok(answer)
        }
        .boxed()
    }
}
