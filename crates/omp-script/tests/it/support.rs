//! A unit with a folder of files, and a host that remembers.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_script::{
    BuiltinModule, CodeSeal, Engine, EngineOptions, Host, Limits, ScriptError, Unit, UnitOptions,
};
use omp_shell::{Environment, Scope};
use serde_json::{Value, json};

/// What units ask for, in order.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) asked: Mutex<Vec<(String, Value)>>,
}

impl Recorder {
    /// The messages of `log`.
    pub(crate) fn logged(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let logs = asked.iter().filter(|(operation, _)| operation == "log");
        logs.map(|(_, value)| value["message"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Host for Recorder {
    fn call_now(&self, operation: &str, arguments: Value) -> Result<Value, String> {
        self.asked.lock().unwrap().push((operation.to_owned(), arguments.clone()));
        match operation {
            "log" => Ok(Value::Null),
            "double" => Ok(json!(arguments.as_i64().unwrap_or(0) * 2)),
            other => Err(format!("no operation {other}")),
        }
    }

    fn call(&self, operation: &str, arguments: Value) -> BoxFuture<'static, Result<Value, String>> {
        let answer = match operation {
            "echo" => Ok(json!({ "echo": arguments })),
            "never" => return Box::pin(std::future::pending()),
            other => Err(format!("no operation {other}")),
        };
        Box::pin(async move { answer })
    }
}

/// Loads user modules with `load`, and calls what they export with `use`.
pub(crate) const PRELUDE: &str = r#"
import { call, callNow } from "omp:host";
let loaded;
export const load = async (path) => { loaded = await import(path); return Object.keys(loaded).sort(); };
export const use = async ({ name, args }) => loaded[name](...(args ?? []));
export const evaluate = async (code) => (0, eval)(code);
export const ask = ({ operation, value }) => callNow(operation, value);
export const askLater = ({ operation, value }) => call(operation, value);
"#;

pub(crate) struct Bench {
    pub(crate) engine: Engine,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) host: Arc<Recorder>,
    pub(crate) limits: Limits,
    pub(crate) builtins: Vec<BuiltinModule>,
    pub(crate) scope: Arc<Scope>,
    pub(crate) seal: Option<Arc<CodeSeal>>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            engine: Engine::new(EngineOptions::default()),
            folder: tempfile::tempdir().unwrap(),
            host: Arc::default(),
            limits: Limits { memory: 32 << 20, turn: Duration::from_millis(300), stack: 1 << 20 },
            builtins: Vec::new(),
            scope: Arc::default(),
            seal: None,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn options(&self, name: &str) -> UnitOptions {
        UnitOptions {
            name: name.to_owned(),
            cwd: self.path(""),
            host: self.host.clone(),
            prelude: BuiltinModule::new(["test:prelude"], PRELUDE),
            builtins: self.builtins.clone().into(),
            scope: self.scope.clone(),
            environment: Environment::inherited(),
            limits: self.limits,
            seal: self.seal.clone(),
        }
    }

    pub(crate) async fn unit(&self, name: &str) -> Unit {
        self.engine.load(self.options(name)).await.unwrap()
    }

    /// A unit with a module of the user.
    pub(crate) async fn load(&self, name: &str, text: &str) -> Result<Unit, ScriptError> {
        let path = self.write(name, text);
        let unit = self.unit(name).await;
        load(&unit, &path).await.map(|_| unit)
    }

    /// What the module's `main` gives.
    pub(crate) async fn run(&self, name: &str, text: &str) -> Result<Value, ScriptError> {
        let unit = self.load(name, text).await?;
        call(&unit, "main", json!([])).await
    }
}

pub(crate) async fn load(unit: &Unit, path: &Path) -> Result<Value, ScriptError> {
    unit.call("load", json!(path)).await
}

/// Calls what the module of the user exports.
pub(crate) async fn call(unit: &Unit, name: &str, args: Value) -> Result<Value, ScriptError> {
    unit.call("use", json!({ "name": name, "args": args })).await
}
