//! What extensions can ask a session for.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::Control;
use omp_session::SharedWriter;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::extensions::reading::{EndedRecord, RecordView};
use crate::extensions::{Port, conversation, models, reading, tools};
use crate::request::model_pool::ModelPool;
use crate::session::Session;
use crate::session::live_config::LiveConfig;
use crate::session::setup::SessionSetup;

/// A session as extensions see it. What is only read is read from its parts, which outlive it.
pub(crate) struct SessionPort {
    pub(crate) session: Weak<Session>,
    pub(crate) record: SharedWriter,
    /// What the session was when it ended.
    ended: OnceLock<EndedRecord>,
    pub(crate) live: Arc<LiveConfig>,
    pub(crate) models: Arc<ModelPool>,
    pub(crate) setup: Arc<SessionSetup>,
    pub(crate) control: Control,
    pub(crate) cwd: PathBuf,
    /// Calls of extensions that can be cancelled, by their ids.
    pub(crate) running: Arc<Running>,
}

/// Work on behalf of extensions, by the id that they gave it.
#[derive(Default)]
pub(crate) struct Running(std::sync::Mutex<std::collections::HashMap<String, CancellationToken>>);

impl Running {
    pub(crate) fn begin(&self, id: &str) -> CancellationToken {
        let token = CancellationToken::new();
        super::lock(&self.0).insert(id.to_owned(), token.clone());
        token
    }

    pub(crate) fn end(&self, id: &str) {
        super::lock(&self.0).remove(id);
    }

    pub(crate) fn abort(&self, id: &str) {
        if let Some(token) = super::lock(&self.0).get(id) {
            token.cancel();
        }
    }
}

impl SessionPort {
    pub(crate) fn new(session: &Arc<Session>) -> Self {
        Self {
            session: Arc::downgrade(session),
            record: session.record.clone(),
            ended: OnceLock::new(),
            live: Arc::clone(&session.live),
            models: Arc::clone(&session.models),
            setup: Arc::clone(&session.setup),
            control: session.control(),
            cwd: session.cwd(),
            running: Arc::default(),
        }
    }

    /// The session lets go of its file.
    pub(crate) fn keep(&self, record: &SharedWriter) {
        let _ = self.ended.set(EndedRecord::of(&record.lock()));
    }

    pub(crate) fn view(&self) -> RecordView<'_> {
        match self.ended.get() {
            Some(ended) => RecordView::Ended(ended),
            None => RecordView::Living(self.record.lock()),
        }
    }

    pub(crate) fn session(&self) -> Result<Arc<Session>, String> {
        self.session.upgrade().ok_or_else(|| "the session is over".to_owned())
    }
}

/// A text among arguments.
pub(crate) fn text<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments[name].as_str().unwrap_or_default()
}

impl Port for SessionPort {
    fn call_now(&self, operation: &str, arguments: Value) -> Result<Value, String> {
        match operation {
            "session.abort" => {
                self.control.abort();
                Ok(Value::Null)
            }
            "session.sendMessage" => conversation::send_message(self, &arguments),
            "session.sendUserMessage" => conversation::send_user_message(self, &arguments),
            "session.appendEntry" => conversation::append_entry(self, &arguments),
            "session.setLabel" => conversation::set_label(self, &arguments),
            "session.setThinkingLevel" => models::set_thinking(self, &arguments),
            "models.abort" | "tools.abort" => {
                self.running.abort(text(&arguments, "id"));
                Ok(Value::Null)
            }
            "tools.pushPending" => tools::push_pending(self, &arguments),
            "commands.all" => Ok(reading::commands(self)),
            _ if operation.starts_with("models.") => models::read(self, operation, &arguments),
            _ if operation.starts_with("tools.") => {
                if let Ok(session) = self.session() {
                    tools::refresh(&session);
                }
                Ok(tools::read(self, operation))
            }
            _ => reading::read(self, operation, &arguments),
        }
    }

    fn call(&self, operation: &str, arguments: Value) -> BoxFuture<'static, Result<Value, String>> {
        let session = match self.session() {
            Ok(session) => session,
            Err(reason) => return std::future::ready(Err(reason)).boxed(),
        };
        let running = Arc::clone(&self.running);
        match operation {
            "session.setName" => {
                let renamed = session.rename(text(&arguments, "name")).map_err(|error| error.to_string());
                std::future::ready(renamed.map(|()| Value::Null)).boxed()
            }
            "session.setModel" => models::switch(session, arguments).boxed(),
            "session.compact" => conversation::compact(session, arguments).boxed(),
            "session.waitForIdle" => async move {
                session.agent.messages().await;
                Ok(Value::Null)
            }
            .boxed(),
            "models.auth" => models::auth(session, arguments).boxed(),
            "models.complete" => models::complete(session, running, arguments).boxed(),
            "tools.setActive" => {
                let names: Vec<String> =
                    serde_json::from_value(arguments["names"].clone()).unwrap_or_default();
                tools::choose(&session, &names);
                std::future::ready(Ok(Value::Null)).boxed()
            }
            "tools.run" => tools::run(session, running, arguments).boxed(),
            other => {
                // What can be answered at once can also be waited for.
                let answer = self.call_now(other, arguments);
                std::future::ready(answer).boxed()
            }
        }
    }
}

/// A message that an extension adds.
pub(crate) fn custom_message(message: &Value) -> Option<omp_types::CustomMessage> {
    use omp_agent::Clock as _;
    let content = serde_json::from_value(message["content"].clone()).ok()?;
    Some(omp_types::CustomMessage {
        custom_type: message["customType"].as_str().unwrap_or("extension").to_owned(),
        content,
        display: message["display"] != json!(false),
        details: message.get("details").filter(|details| !details.is_null()).cloned(),
        timestamp: crate::clock::SystemClock.now_ms(),
    })
}
