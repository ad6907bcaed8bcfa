//! Runs the `edit` tool on cases that arrive as lines of JSON, for `tools/differential/hashline/run`.
//!
//! A case has `path`, `shown` (what the file held when it was read), `before` (patches that the session applied since),
//! `live` (what something else then wrote, or null) and `patch`. In patches, `#TAG` stands for the tag of the read. The
//! answer has `text`, what the file holds afterwards, and `warnings`; or `error`.
#![allow(clippy::print_stdout, reason = "the answers")]

use std::io::{BufRead, stdin};
use std::path::Path;
use std::sync::Arc;

use omp_agent::{Invocation, Tool, Updates};
use omp_edits::hashline::Tag;
use omp_shell::{Environment, Scope};
use omp_tools::{Context, builtin};
use omp_types::UserBlock;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

#[derive(Deserialize)]
struct Case {
    path: String,
    shown: String,
    before: Vec<String>,
    live: Option<String>,
    patch: String,
}

/// A session of its own, so that no case knows of another.
struct Session<'a> {
    tools: Vec<Arc<dyn Tool>>,
    runtime: &'a Runtime,
}

impl<'a> Session<'a> {
    fn new(cwd: &Path, runtime: &'a Runtime) -> Self {
        let scope = Arc::new(Scope::new());
        let mut context = Context::new(cwd.to_owned(), None, scope, Environment::default());
        context.settings.edit.active = true;
        Self { tools: builtin(&Arc::new(context)), runtime }
    }

    fn call(&self, name: &str, arguments: &Value) -> Result<String, String> {
        let tool = self.tools.iter().find(|tool| tool.definition().name == name).expect("a built-in tool");
        let call = Invocation {
            id: "call".to_owned(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            cancel: Default::default(),
            updates: Updates::ignored(),
        };
        match self.runtime.block_on(tool.run(call)) {
            Ok(output) => Ok(output.content.iter().filter_map(UserBlock::as_text).collect()),
            Err(error) => Err(error.message),
        }
    }
}

fn run(case: &Case, cwd: &Path, runtime: &Runtime) -> Result<Value, String> {
    let session = Session::new(cwd, runtime);
    let file = cwd.join(&case.path);
    let write = |text: &str| std::fs::write(&file, text).map_err(|error| error.to_string());
    write(&case.shown)?;
    session.call("read", &json!({"path": case.path}))?;
    let shown = case.shown.strip_prefix('\u{feff}').unwrap_or(&case.shown);
    let tag = Tag::of(&shown.replace("\r\n", "\n").replace('\r', "\n"));
    let tagged = |patch: &str| json!({"input": patch.replace("#TAG", &format!("#{tag}"))});
    for patch in &case.before {
        session.call("edit", &tagged(patch)).map_err(|error| format!("before: {error}"))?;
    }
    if let Some(live) = &case.live {
        write(live)?;
    }
    let answer = session.call("edit", &tagged(&case.patch))?;
    let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
    let warnings = answer.split_once("Warnings:\n").map_or("", |(_, warnings)| warnings);
    Ok(json!({"text": text, "warnings": warnings}))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let cwd = directory.path().canonicalize()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    for line in stdin().lock().lines() {
        let case: Case = serde_json::from_str(&line?)?;
        let answer = run(&case, &cwd, &runtime).unwrap_or_else(|error| json!({"error": error}));
        println!("{answer}");
    }
    Ok(())
}
