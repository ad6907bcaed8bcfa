//! Starting one extension: inside, or in a process where it cannot run inside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use omp_script::{BuiltinModule, HostProgram, ScanReport, Unit, UnitOptions, find_host, load_in_process};
use serde_json::json;

use crate::builtins;
use crate::extension::{Extension, ExtensionSpec, ExtensionState, HostProcess};
use crate::extensions::{Extensions, Shared};
use crate::host::ExtensionHost;
use crate::registered::Registered;

/// How long a module may take to load.
const LOADING: Duration = Duration::from_secs(20);
/// The number of the extension that is loaded next. No two of a program run have the same, also when all are loaded again.
static NEXT: AtomicU64 = AtomicU64::new(1);

pub(crate) async fn start(
    extensions: &Extensions,
    spec: &ExtensionSpec,
    builtins: &Arc<[BuiltinModule]>,
) -> Result<Extension, String> {
    let state = Arc::<ExtensionState>::default();
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let shared = &extensions.shared;
    let host = ExtensionHost {
        id,
        name: spec.name.clone(),
        shared: Arc::downgrade(shared),
        state: Arc::clone(&state),
    };
    let options = &shared.options;
    let unit = UnitOptions {
        name: spec.name.clone(),
        cwd: options.cwd.clone(),
        host: Arc::new(host),
        prelude: builtins::prelude(),
        builtins: Arc::clone(builtins),
        scope: Arc::clone(&options.scope),
        environment: options.environment.clone(),
        limits: options.limits,
        seal: options.seals.get(&spec.path).cloned(),
    };
    let (unit, process) = run(shared, spec, unit).await?;
    let extension = Extension { id, spec: spec.clone(), process, unit, state };
    let source = std::fs::read(&spec.path).unwrap_or_default();
    let arguments = json!({
        "path": spec.path, "cwd": options.cwd, "form": spec.form.name(), "name": spec.name,
        "promptIsText": has_prompt_as_text(&source),
    });
    let said = extension.call("load", arguments, Some(LOADING)).await;
    let said = match said {
        Ok(said) => said,
        Err(reason) => {
            extension.unit.end(Duration::ZERO).await;
            return Err(reason);
        }
    };
    let (registered, remarks) = Registered::read(said)?;
    remarks.iter().for_each(|remark| extension.fail("load", remark));
    extension.state.set_registered(registered);
    for command in extension.registered().commands {
        if extensions.is_reserved(&command.name) {
            let skipped = format!("the command /{} is built in; the extension's is skipped", command.name);
            extension.fail("load", &skipped);
        }
    }
    Ok(extension)
}

/// Which of the two APIs a file was written for: they differ in how the system prompt is given. Most import nothing but types, so
/// only the text says it.
fn has_prompt_as_text(source: &[u8]) -> bool {
    let source = String::from_utf8_lossy(source);
    let text = source.contains("@mariozechner/pi-") || source.contains("@earendil-works/pi-");
    text && !source.contains("@oh-my-pi/")
}

/// Starts the unit where it can run.
async fn run(
    shared: &Shared,
    spec: &ExtensionSpec,
    unit: UnitOptions,
) -> Result<(Unit, Option<HostProcess>), String> {
    let (path, cache) = (spec.path.clone(), shared.options.cache.clone());
    let scan = move || builtins::scan_cached(&path, cache.as_deref());
    let report = tokio::task::spawn_blocking(scan).await.unwrap_or_default();
    let ScanReport { needs_host: Some(reason), imports, .. } = report else {
        let unit = shared.engine.load(unit).await.map_err(|error| error.to_string())?;
        return Ok((unit, None));
    };
    let program = program(shared)
        .await
        .map_err(|missing| format!("it needs a process of its own ({reason}), and {missing}"))?;
    let unit = load_in_process(unit, &program, &imports).await.map_err(|error| error.to_string())?;
    Ok((unit, Some(HostProcess { program: program.to_string(), reason })))
}

async fn program(shared: &Shared) -> Result<HostProgram, String> {
    let options = &shared.options;
    let found = shared.program_for_processes.get_or_init(|| find_host(&options.scope, &options.environment));
    found.await.clone()
}
