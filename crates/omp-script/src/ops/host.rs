//! What a unit asks of the program that runs it.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::{Arguments, Op, OpError, Outcome, Reply};
use crate::state::State;

pub(super) const OPS: &[(&str, Op)] =
    &[("host.now", Op::Now(call_now)), ("host.call", Op::Later(call)), ("log", Op::Now(log))];

fn split(arguments: &Arguments) -> (String, Value) {
    let operation = arguments.text("operation").to_owned();
    let value = arguments.json.get("arguments").cloned().unwrap_or_default();
    (operation, value)
}

fn call_now(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let (operation, value) = split(arguments);
    state.host.call_now(&operation, value).map(Reply::Json).map_err(OpError::new)
}

fn call(state: Rc<State>, arguments: Arguments) -> LocalBoxFuture<'static, Outcome> {
    Box::pin(async move {
        let (operation, value) = split(&arguments);
        let answer = state.host.call(&operation, value);
        answer.await.map(Reply::Json).map_err(OpError::new)
    })
}

/// What `console` says, and rejections that nobody handled.
fn log(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    // A host that does not listen is no reason for a script to fail.
    let _ = state.host.call_now("log", arguments.json.clone());
    super::NOTHING
}
