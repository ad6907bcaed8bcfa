//! What scripts reach of the system.
//!
//! An operation has a name, takes JSON and sometimes bytes, and gives JSON, a text or bytes. Node's modules are JavaScript above
//! these (`js/`), so that one table says all that a script can do.

mod child;
mod crypto;
mod files;
mod host;
mod http;
mod md5;
mod natives;
mod pack;
mod process;
mod server;
mod sqlite;
mod url;

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use rquickjs::{Ctx, Exception, IntoJs, Value as JsValue};
use serde_json::{Map, Value};

use crate::state::State;
use crate::unit::Touch;
pub(crate) use http::Http;
pub(crate) use natives::{HANDOVER, function, install};

/// What an operation gives back.
#[derive(Debug)]
pub(crate) enum Reply {
    Json(Value),
    Text(String),
    Bytes(Vec<u8>),
    Both(Value, Vec<u8>),
}

/// Why it failed, as Node would say it: a message, and properties such as `code` and `syscall`.
#[derive(Debug)]
pub(crate) struct OpError {
    pub(crate) message: String,
    pub(crate) properties: Map<String, Value>,
}

pub(crate) type Outcome = Result<Reply, OpError>;

/// What an operation is given.
pub(crate) struct Arguments {
    pub(crate) json: Value,
    pub(crate) bytes: Option<Vec<u8>>,
}

/// How an operation runs.
pub(crate) enum Op {
    /// At once, on the engine's thread.
    Now(fn(&Rc<State>, &Arguments) -> Outcome),
    /// Beside the script.
    Later(fn(Rc<State>, Arguments) -> LocalBoxFuture<'static, Outcome>),
    /// At once when asked synchronously, else on a thread for what blocks: it must not need the state.
    Blocking(fn(&Arguments) -> Outcome),
}

/// All operations, by name.
const TABLES: [&[(&str, Op)]; 10] = [
    host::OPS,
    process::OPS,
    files::OPS,
    child::OPS,
    crypto::OPS,
    http::OPS,
    server::OPS,
    pack::OPS,
    sqlite::OPS,
    url::OPS,
];

fn find(name: &str) -> Option<&'static Op> {
    TABLES.iter().flat_map(|table| table.iter()).find(|(own, _)| *own == name).map(|(_, op)| op)
}

/// What the operations on files do to what they name.
fn note(state: &State, name: &str, arguments: &Arguments) {
    let what = match name {
        "fs.read" | "fs.list" | "fs.readlink" => Touch::Read,
        "fs.open" if arguments.text("flag") == "r" => Touch::Read,
        "fs.write" | "fs.mkdir" | "fs.mkdtemp" | "fs.remove" | "fs.rename" | "fs.copy" | "fs.link"
        | "fs.chmod" | "fs.utimes" | "fs.truncate" | "fs.open" => Touch::Written,
        _ => return,
    };
    let key = if matches!(name, "fs.copy" | "fs.link") { "dest" } else { "path" };
    state.shared.touch(what, arguments.text(key));
}

/// Does it now.
pub(crate) fn perform(state: &Rc<State>, name: &str, arguments: &Arguments) -> Outcome {
    note(state, name, arguments);
    match find(name) {
        Some(Op::Now(run)) => run(state, arguments),
        Some(Op::Blocking(run)) => run(arguments),
        Some(Op::Later(_)) => Err(OpError::new(format!("{name} cannot be waited for"))),
        None => Err(OpError::new(format!("no operation {name}"))),
    }
}

/// Does it beside the script; the outcome comes as a message with this number.
pub(crate) fn begin(state: &Rc<State>, number: u32, name: &str, arguments: Arguments) {
    note(state, name, &arguments);
    match find(name) {
        Some(Op::Later(run)) => state.spawn(number, run(state.clone(), arguments)),
        Some(Op::Blocking(run)) => {
            let run = *run;
            state.spawn(number, async move {
                let done = tokio::task::spawn_blocking(move || run(&arguments)).await;
                done.unwrap_or_else(|_| Err(OpError::new("the operation failed")))
            });
        }
        Some(Op::Now(run)) => {
            let outcome = run(state, &arguments);
            state.spawn(number, std::future::ready(outcome));
        }
        None => state.spawn(number, std::future::ready(Err(OpError::new(format!("no operation {name}"))))),
    }
}

impl Arguments {
    pub(crate) fn text(&self, key: &str) -> &str {
        self.json.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        let value = self.json.get(key)?;
        value.as_u64().or_else(|| Some(value.as_f64().filter(|number| *number >= 0.0)? as u64))
    }

    pub(crate) fn id(&self) -> u32 {
        self.number("id").and_then(|id| u32::try_from(id).ok()).unwrap_or(0)
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.json.get(key).and_then(Value::as_bool).unwrap_or(false)
    }
}

impl OpError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), properties: Map::new() }
    }

    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.properties.insert(key.to_owned(), value.into());
        self
    }

    /// An error object of JavaScript.
    pub(crate) fn into_js<'js>(self, ctx: &Ctx<'js>) -> rquickjs::Result<JsValue<'js>> {
        let error = Exception::from_message(ctx.clone(), &self.message)?;
        for (key, value) in self.properties {
            error.as_object().set(key, ctx.json_parse(value.to_string())?)?;
        }
        Ok(error.into_object().into_value())
    }
}

impl Reply {
    pub(crate) fn into_js<'js>(self, ctx: &Ctx<'js>) -> rquickjs::Result<JsValue<'js>> {
        match self {
            Self::Json(Value::Null) => Ok(JsValue::new_undefined(ctx.clone())),
            Self::Json(value) => ctx.json_parse(value.to_string()),
            Self::Text(text) => text.into_js(ctx),
            Self::Bytes(bytes) => Ok(rquickjs::ArrayBuffer::new_copy(ctx.clone(), bytes)?.into_value()),
            Self::Both(value, bytes) => {
                let pair = rquickjs::Array::new(ctx.clone())?;
                pair.set(0, ctx.json_parse(value.to_string())?)?;
                pair.set(1, rquickjs::ArrayBuffer::new_copy(ctx.clone(), bytes)?)?;
                Ok(pair.into_value())
            }
        }
    }
}

pub(crate) const NOTHING: Outcome = Ok(Reply::Json(Value::Null));
