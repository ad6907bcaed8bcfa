//! What extensions import and omp does not have, found without running them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_script::{BuiltinModule, Engine, Host, Limits, ScanReport, UnitOptions};
use serde_json::{Value, json};

use crate::builtins;

/// Our own modules, which know what they export, in a unit without a program around it.
pub struct OfferedModules(omp_script::Unit);

struct Nobody;

impl Host for Nobody {
    fn call_now(&self, _: &str, _: Value) -> Result<Value, String> {
        Ok(Value::Null)
    }

    fn call(&self, _: &str, _: Value) -> BoxFuture<'static, Result<Value, String>> {
        Box::pin(std::future::ready(Ok(Value::Null)))
    }
}

impl OfferedModules {
    pub async fn open() -> Result<Self, String> {
        let unit = UnitOptions {
            name: "doctor".to_owned(),
            cwd: Path::new("/").to_owned(),
            host: Arc::new(Nobody),
            prelude: BuiltinModule::new(["omp:api/offered"], include_str!("../js/api/offered.js")),
            builtins: builtins::modules().into(),
            scope: Arc::default(),
            environment: omp_shell::Environment::default(),
            limits: Limits::default(),
            seal: None,
        };
        let engine = Engine::new(omp_script::EngineOptions::default());
        engine.load(unit).await.map(Self).map_err(|error| error.to_string())
    }

    /// Names by module; a module without names is missing as a whole.
    pub async fn lacking(&self, report: &ScanReport) -> Result<BTreeMap<String, Vec<String>>, String> {
        let answer = self.0.call("notOffered", json!(report.imports)).await;
        serde_json::from_value(answer.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
    }

    pub async fn close(self) {
        self.0.end(Duration::ZERO).await;
    }
}
