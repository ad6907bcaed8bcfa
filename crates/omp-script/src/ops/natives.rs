//! The few functions that the bootstrap gets from the engine.

use std::rc::Rc;
use std::time::Duration;

use rquickjs::function::{Func, Opt};
use rquickjs::{Ctx, Function, Module, Object, Result, TypedArray, Value as JsValue};
use serde_json::Value;
use tokio::time::Instant;

use super::{Arguments, OpError, begin, perform};
use crate::error::ScriptError;
use crate::modules::{Internal, Modules};
use crate::state::State;

/// The global through which the bootstrap and the engine meet. It is gone before a script runs.
pub(crate) const HANDOVER: &str = "__omp";

const BOOTSTRAP: &str = include_str!("../../js/bootstrap.js");

/// Longer is as good as never: timers of Node wrap around there.
const LONGEST_TIMER: f64 = 2_147_483_647.0;

/// Runs the bootstrap, and gives what it exports.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, state: &Rc<State>, modules: &Modules) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    operations(&natives, state)?;
    events(&natives, state)?;
    modules.install(&natives)?;
    ctx.globals().set(HANDOVER, natives.clone())?;
    let (module, promise) = Module::declare(ctx.clone(), "omp:internal", BOOTSTRAP)?.eval()?;
    promise.finish::<()>()?;
    natives.set("rejected", module.get::<_, JsValue<'_>>("rejected")?)?;
    let namespace = module.namespace()?;
    Internal::store(ctx, namespace.clone())?;
    Ok(namespace)
}

fn arguments(json: &str, bytes: Option<JsValue<'_>>) -> std::result::Result<Arguments, OpError> {
    let json: Value = serde_json::from_str(json).map_err(|error| OpError::new(error.to_string()))?;
    let bytes = bytes.filter(|bytes| !bytes.is_undefined() && !bytes.is_null());
    let bytes = bytes.map(|bytes| {
        let array: TypedArray<'_, u8> =
            TypedArray::from_value(bytes).map_err(|_| OpError::new("bytes are no Uint8Array"))?;
        // Only copied, and no script runs meanwhile.
        #[allow(unsafe_code, reason = "bytes of the script's memory")]
        // SAFETY: nothing can detach or change the buffer before the copy is made.
        let copy = unsafe { array.as_bytes() }.map(<[u8]>::to_vec);
        copy.ok_or_else(|| OpError::new("the buffer is detached"))
    });
    Ok(Arguments { json, bytes: bytes.transpose()? })
}

fn operations<'js>(natives: &Object<'js>, state: &Rc<State>) -> Result<()> {
    let own = state.clone();
    natives.set(
        "op",
        Func::from(move |ctx: Ctx<'js>, name: String, json: String, bytes: Opt<JsValue<'js>>| {
            let outcome = arguments(&json, bytes.0).and_then(|arguments| perform(&own, &name, &arguments));
            match outcome {
                Ok(reply) => reply.into_js(&ctx),
                Err(error) => {
                    let error = error.into_js(&ctx)?;
                    Err(ctx.throw(error))
                }
            }
        }),
    )?;
    let own = state.clone();
    natives.set(
        "start",
        Func::from(move |number: u32, name: String, json: String, bytes: Opt<JsValue<'js>>| match arguments(
            &json, bytes.0,
        ) {
            Ok(arguments) => begin(&own, number, &name, arguments),
            Err(error) => own.spawn(number, std::future::ready(Err(error))),
        }),
    )?;
    let own = state.clone();
    natives.set("abort", Func::from(move |number: u32| own.abort(number)))?;
    let own = state.clone();
    natives.set("number", Func::from(move || own.number()))?;
    let own = state.clone();
    natives.set("release", Func::from(move |number: u32| drop(own.release(number))))
}

fn events(natives: &Object<'_>, state: &Rc<State>) -> Result<()> {
    let own = state.clone();
    natives.set(
        "settle",
        Func::from(move |number: u32, json: String| {
            let value = serde_json::from_str(&json).map_err(|error| ScriptError::engine(error.to_string()));
            own.settle(number, value);
        }),
    )?;
    let own = state.clone();
    natives.set(
        "fail",
        Func::from(move |number: u32, message: String, stack: Option<String>, missing: Opt<bool>| {
            own.note(stack.as_deref());
            let mut error = ScriptError::thrown(message, stack);
            if missing.0.unwrap_or(false) {
                error.kind = crate::error::ScriptErrorKind::NoFunction;
            }
            // When the unit is over, the end is the answer.
            if !own.is_over() {
                own.settle(number, Err(error));
            }
        }),
    )?;
    let own = state.clone();
    natives.set(
        "timer",
        Func::from(move |number: u32, milliseconds: f64| {
            let within = if (1.0..=LONGEST_TIMER).contains(&milliseconds) { milliseconds } else { 1.0 };
            let at = Instant::now() + Duration::from_secs_f64(within / 1000.0);
            own.timers.borrow_mut().insert((at, number));
        }),
    )?;
    let own = state.clone();
    natives.set(
        "cancel",
        Func::from(move |number: u32| own.timers.borrow_mut().retain(|(_, own)| *own != number)),
    )?;
    let own = state.clone();
    natives.set("exit", Func::from(move |code: i32| own.fail(format!("it called process.exit({code})"))))?;
    let own = state.clone();
    natives.set("map", Func::from(move |stack: String| own.compiler.map_stack(&stack)))?;
    let name = state.shared.name.clone();
    natives.set("unit", name)?;
    text(natives)
}

/// Texts as bytes and back, which scripts cannot do quickly.
fn text<'js>(natives: &Object<'js>) -> Result<()> {
    natives.set(
        "encode",
        Func::from(|ctx: Ctx<'js>, text: rquickjs::String<'js>| {
            rquickjs::ArrayBuffer::new_copy(ctx, text.to_string()?.as_bytes())
        }),
    )?;
    natives.set(
        "decode",
        Func::from(|bytes: TypedArray<'js, u8>, fatal: bool| {
            #[allow(unsafe_code, reason = "bytes of the script's memory")]
            // SAFETY: nothing can detach or change the buffer before the text is made.
            let bytes = unsafe { bytes.as_bytes() }.unwrap_or_default();
            match std::str::from_utf8(bytes) {
                Ok(text) => Some(text.to_owned()),
                Err(_) if fatal => None,
                Err(_) => Some(String::from_utf8_lossy(bytes).into_owned()),
            }
        }),
    )
}

/// A builtin of Node, as the function that makes it.
pub(crate) fn function<'js>(ctx: &Ctx<'js>, name: &str, source: &str) -> Result<Function<'js>> {
    let mut options = rquickjs::context::EvalOptions::default();
    options.filename = Some(name.to_owned());
    options.strict = true;
    ctx.eval_with_options(format!("(function (exports, require, internal, module) {{{source}\n}})"), options)
}
