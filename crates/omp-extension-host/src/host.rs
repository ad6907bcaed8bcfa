//! What a unit asks of the program.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_script::Host;
use omp_types::ToolOutput;
use serde_json::Value;

use crate::extension::{ExtensionState, lock, read_problem};
use crate::extensions::Shared;
use crate::operation::{Answers, Late, Operation, asks_somebody, operation};
use crate::ports::Port;

/// Why nothing can wait for a decision.
pub const NO_PENDING: &str = "Pending action store unavailable for custom tools in this runtime.";

/// Something that one extension says to the others.
pub(crate) struct BusEvent {
    pub(crate) channel: String,
    pub(crate) data: Value,
}

/// The program as one extension sees it.
pub(crate) struct ExtensionHost {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) shared: Weak<Shared>,
    pub(crate) state: Arc<ExtensionState>,
}

/// Who answers an operation now.
enum Answerer {
    Port(Arc<dyn Port>),
    /// Nobody: it is too late for it.
    Nobody,
}

impl ExtensionHost {
    fn answerer(&self, name: &str, arguments: &Value) -> Result<Answerer, String> {
        let known = operation(name).ok_or_else(|| format!("{name} is not offered by omp"))?;
        let shared = self.shared.upgrade().ok_or("the program is ending")?;
        let session = shared.session(arguments["session"].as_u64());
        if let Some((_, false)) = session
            && known.late == Late::Refused
        {
            shared.log(format!("{}: {name} of a session that is over was not carried out", self.name));
            return Ok(Answerer::Nobody);
        }
        match known {
            Operation { answers: Answers::Session, .. } => match session {
                Some((port, _)) => Ok(Answerer::Port(port)),
                None if name == "tools.pushPending" => Err(NO_PENDING.to_owned()),
                None => Err("runtime not initialized: there is no session yet".to_owned()),
            },
            Operation { answers: Answers::Program, .. } => match shared.program() {
                Some(port) => Ok(Answerer::Port(port)),
                None => Ok(Answerer::Nobody),
            },
        }
    }

    /// What needs neither a session nor a program.
    fn own(&self, name: &str, arguments: &Value) -> Option<Result<Value, String>> {
        let text = |field: &str| arguments[field].as_str().unwrap_or_default().to_owned();
        match name {
            // The engine says `message`: what `console` prints, and errors that nobody handled.
            "log" => self.log(&text("level"), &(text("text") + &text("message"))),
            "extension.error" => self.state.note(read_problem(arguments)),
            "flags.get" => {
                let shared = self.shared.upgrade();
                return Some(Ok(shared.and_then(|shared| shared.flag(&text("name"))).unwrap_or_default()));
            }
            "program.version" | "program.agentDirectory" | "program.parseYaml" => {
                return Some(Ok(self.fact(name, &text("text"))));
            }
            "tui.width" => {
                return Some(Ok(unicode_width::UnicodeWidthStr::width(text("text").as_str()).into()));
            }
            "tui.graphemes" => {
                let text = text("text");
                let graphemes = unicode_segmentation::UnicodeSegmentation::graphemes(text.as_str(), true);
                return Some(Ok(graphemes.collect::<Vec<_>>().into()));
            }
            "bus.subscribe" => drop(lock(&self.state.channels).insert(text("channel"))),
            "bus.emit" => {
                let event = BusEvent { channel: text("channel"), data: arguments["data"].clone() };
                let sent = self.shared.upgrade().map(|shared| shared.bus.try_send(event).is_ok());
                if sent == Some(false) {
                    return Some(Err("too many events wait on the bus".to_owned()));
                }
            }
            "model.piece" => {
                let answer = lock(&self.state.answers).get(&text("id")).cloned();
                let sent = answer.map(|answer| answer.try_send(arguments["piece"].clone()).is_ok());
                return Some(match sent {
                    Some(false) => Err("the answer comes faster than it can be read".to_owned()),
                    Some(true) => Ok(true.into()),
                    None => Ok(false.into()),
                });
            }
            "tool.update" => self.update(&text("id"), &arguments["partial"]),
            _ => {
                let kind = name.strip_prefix("register.")?;
                let added = self.state.add(kind, arguments.clone());
                if let Some(shared) = self.shared.upgrade() {
                    shared.changed();
                }
                return Some(added.map(|()| Value::Null));
            }
        }
        Some(Ok(Value::Null))
    }

    /// The arguments, with the extension that they come from. No script can say that it is another one.
    fn signed(&self, mut arguments: Value) -> Value {
        if let Value::Object(fields) = &mut arguments {
            fields.insert("extension".to_owned(), self.id.into());
        }
        arguments
    }

    fn fact(&self, name: &str, text: &str) -> Value {
        let Some(shared) = self.shared.upgrade() else { return Value::Null };
        let facts = shared.facts();
        match name {
            "program.version" => facts.version.clone().into(),
            "program.agentDirectory" => facts.agent_directory.display().to_string().into(),
            _ => (facts.parse_yaml)(text).unwrap_or_default(),
        }
    }

    fn log(&self, level: &str, text: &str) {
        if let Some(shared) = self.shared.upgrade() {
            shared.log(format!("{} [{level}] {text}", self.name));
        }
    }

    fn update(&self, id: &str, partial: &Value) {
        let updates = lock(&self.state.updates).get(id).cloned();
        if let (Some(updates), Ok(output)) = (updates, serde_json::from_value::<ToolOutput>(partial.clone()))
        {
            updates.send(output);
        }
    }
}

impl Host for ExtensionHost {
    fn call_now(&self, name: &str, arguments: Value) -> Result<Value, String> {
        if let Some(answer) = self.own(name, &arguments) {
            return answer;
        }
        match self.answerer(name, &arguments)? {
            Answerer::Port(port) => port.call_now(name, self.signed(arguments)),
            Answerer::Nobody => Ok(Value::Null),
        }
    }

    fn call(&self, name: &str, arguments: Value) -> BoxFuture<'static, Result<Value, String>> {
        if let Some(answer) = self.own(name, &arguments) {
            return std::future::ready(answer).boxed();
        }
        let port = match self.answerer(name, &arguments) {
            Ok(Answerer::Port(port)) => port,
            Ok(Answerer::Nobody) => return std::future::ready(Ok(Value::Null)).boxed(),
            Err(reason) => return std::future::ready(Err(reason)).boxed(),
        };
        let answer = port.call(name, self.signed(arguments));
        if !asks_somebody(name) {
            return answer;
        }
        let waiting = Waiting::new(Arc::clone(&self.state));
        async move {
            let _waiting = waiting;
            answer.await
        }
        .boxed()
    }
}

/// A question to a person that is open.
struct Waiting(Arc<ExtensionState>);

impl Waiting {
    fn new(state: Arc<ExtensionState>) -> Self {
        state.open_dialogs.fetch_add(1, Ordering::Relaxed);
        state.dialogs.fetch_add(1, Ordering::Relaxed);
        Self(state)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.dialogs.fetch_add(1, Ordering::Relaxed);
        self.0.open_dialogs.fetch_sub(1, Ordering::Relaxed);
    }
}
