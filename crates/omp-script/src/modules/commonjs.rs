//! CommonJS: `require`, and what ES modules see of it. The cache and the wrapping are in the bootstrap; here is what they need.

use std::rc::Rc;

use rquickjs::function::Func;
use rquickjs::{Array, Ctx, Function, Module, Object, Persistent, Result, Value};

use super::files::{Loaded, ModuleFile};
use super::resolve::Way;
use super::{ModulesInner, Target, facade, node, raise, syntax};
use crate::ops::function;
use crate::unit::Touch;

/// What the bootstrap exports. It lives in the runtime, which drops it before its own end.
pub(crate) struct Internal(Persistent<Object<'static>>);

#[allow(unsafe_code, reason = "a persistent value has no lifetime")]
// SAFETY: the type does not change with the lifetime.
unsafe impl<'js> rquickjs::JsLifetime<'js> for Internal {
    type Changed<'to> = Internal;
}

impl Internal {
    pub(crate) fn store<'js>(ctx: &Ctx<'js>, namespace: Object<'js>) -> Result<()> {
        let internal = Self(Persistent::save(ctx, namespace));
        ctx.store_userdata(internal).map(drop).map_err(|_| rquickjs::Error::Unknown)
    }

    pub(crate) fn restore<'js>(&self, ctx: &Ctx<'js>) -> Result<Object<'js>> {
        self.0.clone().restore(ctx)
    }
}

pub(super) fn install<'js>(natives: &Object<'js>, modules: &Rc<ModulesInner>) -> Result<()> {
    let own = modules.clone();
    natives.set(
        "target",
        Func::from(move |ctx: Ctx<'js>, base: String, specifier: String| own.target(&ctx, &base, &specifier)),
    )?;
    let own = modules.clone();
    natives.set("file", Func::from(move |ctx: Ctx<'js>, name: String| own.required(&ctx, &name)))?;
    natives.set("esm", Func::from(|ctx: Ctx<'js>, name: String| es_module(&ctx, &name)))?;
    natives.set("nodeModule", Func::from(|ctx: Ctx<'js>, name: String| node_function(&ctx, &name)))?;
    natives.set("nodeModules", node::ALL)?;
    natives.set("nodeNames", Func::from(|name: String| node::names(&name).map(str::to_owned)))
}

/// A module of Node that we have, as the function that makes it.
fn node_function<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Option<Function<'js>>> {
    node::source(name).map(|source| function(ctx, &format!("node:{name}"), source)).transpose()
}

/// `require` of an ES module: its namespace, if it needs no waiting.
fn es_module<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Value<'js>> {
    let source = format!("import * as all from {};\nexport {{ all }};", serde_json::Value::from(name));
    let (module, promise) = Module::declare(ctx.clone(), "omp:require", source)?.eval()?;
    match promise.result::<Value<'js>>() {
        Some(result) => result?,
        None => return Err(raise(ctx, &format!("{name} cannot be required: it waits at its top level"))),
    };
    module.get("all")
}

impl ModulesInner {
    /// What `require` found: how to load it, and its name in the engine.
    fn target<'js>(&self, ctx: &Ctx<'js>, base: &str, specifier: &str) -> Result<Array<'js>> {
        let found = self.resolve(base, specifier, Way::Require).map_err(|message| raise(ctx, &message))?;
        let (kind, name) = match found {
            Target::Engine(name) => ("es", name.to_owned()),
            Target::Builtin(name) => ("es", name),
            Target::Node(name) => ("node", name),
            Target::File { path, query } => {
                self.state.shared.touch(Touch::Read, &path.display().to_string());
                let name = format!("{}{query}", path.display());
                let file = ModuleFile { path: &path, name: &name, said: None };
                let loaded = self.files.load(&self.state.compiler, &file);
                match loaded.map_err(|message| syntax(ctx, &message))? {
                    Loaded::Es(_) => ("es", name),
                    Loaded::CommonJs(_) | Loaded::Json(_) | Loaded::Text(_) => ("file", name),
                }
            }
        };
        let pair = Array::new(ctx.clone())?;
        pair.set(0, kind)?;
        pair.set(1, name)?;
        Ok(pair)
    }

    /// A file that is no ES module: a function to call, or its text.
    fn required<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Array<'js>> {
        let pair = Array::new(ctx.clone())?;
        match self.files.get(name) {
            Some(Loaded::CommonJs(compiled)) => {
                let mut options = rquickjs::context::EvalOptions::default();
                options.filename = Some(name.to_owned());
                options.strict = false;
                pair.set(0, "function")?;
                pair.set(1, ctx.eval_with_options::<Value<'js>, _>(compiled.code.as_str(), options)?)?;
            }
            Some(Loaded::Json(text)) => {
                pair.set(0, "json")?;
                pair.set(1, text.as_ref())?;
            }
            Some(Loaded::Text(text)) => {
                pair.set(0, "text")?;
                pair.set(1, text.as_ref())?;
            }
            _ => return Err(raise(ctx, &format!("cannot find module {name}"))),
        }
        Ok(pair)
    }

    pub(super) fn commonjs_must_exist(&self, ctx: &Ctx<'_>, name: &str) -> Result<()> {
        match self.files.get(name) {
            Some(_) => Ok(()),
            None => Err(raise(ctx, &format!("cannot find module {name}"))),
        }
    }

    pub(super) fn types_of(&self, name: &str) -> Vec<String> {
        match self.files.get(name) {
            Some(Loaded::Es(compiled)) => compiled.types.clone(),
            _ => Vec::new(),
        }
    }
}

/// The names of a CommonJS module, which has to run for that.
pub(super) fn keys(ctx: &Ctx<'_>, name: &str) -> Result<Vec<String>> {
    facade::internal(ctx)?.get::<_, Function<'_>>("keysOf")?.call((name,))
}

pub(super) fn node_keys(ctx: &Ctx<'_>, name: &str) -> Result<Vec<String>> {
    facade::internal(ctx)?.get::<_, Function<'_>>("nodeKeys")?.call((name,))
}

/// What a module of a file finds in its `import.meta`.
pub(super) fn meta_helpers<'js>(ctx: &Ctx<'js>, path: &str) -> Result<Object<'js>> {
    facade::internal(ctx)?.get::<_, Function<'_>>("metaOf")?.call((path,))
}
