//! Loads files as a unit each, with everything of the program stubbed, and says what came of it: for trying code of others.

#![allow(clippy::print_stdout, reason = "its output is its purpose")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use omp_script::{BuiltinModule, Engine, EngineOptions, Host, Limits, UnitOptions, scan};
use serde_json::{Value, json};

struct Quiet;

impl Host for Quiet {
    fn call_now(&self, _: &str, _: Value) -> Result<Value, String> {
        Ok(Value::Null)
    }

    fn call(&self, _: &str, _: Value) -> BoxFuture<'static, Result<Value, String>> {
        Box::pin(async { Ok(Value::Null) })
    }
}

const PRELUDE: &str = r#"
const anything = () => new Proxy(function () {}, {
  get: (target, key) => (key === Symbol.toPrimitive ? () => "" : key === "then" ? undefined : key === Symbol.iterator ? function* () {} : key === "prototype" ? target.prototype : anything()),
  apply: () => anything(), construct: () => anything(),
});
export const load = async (path) => {
  const loaded = await import(path);
  let kind = typeof loaded.default;
  if (kind === "function") { try { await loaded.default(anything()); kind += " ran"; } catch (error) { kind += ` threw ${error.stack}`; } }
  return kind;
};
"#;

const ANYTHING: &str = r#"
const anything = () => new Proxy(function () {}, {
  get: (target, key) => (key === Symbol.toPrimitive ? () => "" : key === "then" ? undefined : key === Symbol.iterator ? function* () {} : key === "prototype" ? target.prototype : anything()),
  apply: () => anything(), construct: () => anything(),
});
"#;

/// Modules that are not there, with all names that anybody imports from them.
fn stubs(files: &[String]) -> Vec<BuiltinModule> {
    let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        for (module, names) in scan(Path::new(file), &|_| false, None).imports {
            if !module.starts_with("node:") && !module.starts_with("bun") {
                wanted.entry(module).or_default().extend(names);
            }
        }
    }
    let stub = |(module, names): (String, BTreeSet<String>)| {
        let mut source = format!("{ANYTHING}\nexport default anything();\n");
        for name in names.iter().filter(|name| *name != "default") {
            let _ = writeln!(source, "export const {name} = anything();");
        }
        BuiltinModule::new([module], source)
    };
    wanted.into_iter().map(stub).collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    // `--cache DIRECTORY` first: compiled code is kept there.
    let cache = (files.first().map(String::as_str) == Some("--cache"))
        .then(|| files.drain(..2).next_back())
        .flatten();
    let builtins: Arc<[BuiltinModule]> = stubs(&files).into();
    let engine = Engine::new(EngineOptions { cache: cache.map(Into::into), connector: None });
    for file in &files {
        let started = Instant::now();
        let path = Path::new(file).canonicalize().unwrap_or_default();
        let unit = engine
            .load(UnitOptions {
                name: file.clone(),
                cwd: path.parent().unwrap_or(Path::new("/")).to_owned(),
                host: Arc::new(Quiet),
                prelude: BuiltinModule::new(["load:prelude"], PRELUDE),
                builtins: builtins.clone(),
                scope: Arc::default(),
                environment: omp_shell::Environment::inherited(),
                seal: None,
                limits: Limits::default(),
            })
            .await
            .expect("a unit");
        let loaded = unit.call("load", json!(path)).await;
        let (time, memory) = (started.elapsed(), unit.usage().memory / 1024);
        let shown = match loaded {
            Ok(kind) => kind.as_str().unwrap_or_default().to_owned(),
            Err(error) => format!("FAILED {error}"),
        };
        println!("{:6.1} ms {memory:6} KB  {file}: {shown}", time.as_secs_f64() * 1000.0);
        unit.end(Duration::from_millis(100)).await;
    }
}
