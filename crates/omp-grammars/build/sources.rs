//! Finds the sources of the grammars: packages of the lock file that nothing compiles (`cfg(omp_grammar_sources)` never
//! holds), because a library with tables that are not compressed is what this crate is there to avoid.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The folder of each package, by its name.
pub(crate) fn folders(manifest: &Path) -> HashMap<String, PathBuf> {
    // What is on the disk is enough for everything but the first build on a machine.
    let listed = metadata(manifest, &["--offline"]).or_else(|_| metadata(manifest, &[]));
    let listed = listed.unwrap_or_else(|error| {
        panic!("cannot find the sources of the grammars: {error}\nRun `cargo fetch` where the package registry can be reached.")
    });
    let packages = listed["packages"].as_array().into_iter().flatten();
    packages.filter_map(|package| Some((text(package, "name")?, folder(package)?))).collect()
}

fn folder(package: &Value) -> Option<PathBuf> {
    Some(Path::new(package["manifest_path"].as_str()?).parent()?.to_path_buf())
}

fn text(package: &Value, field: &str) -> Option<String> {
    package[field].as_str().map(str::to_owned)
}

#[allow(clippy::disallowed_methods, reason = "a build script ends with its commands")]
fn metadata(manifest: &Path, more: &[&str]) -> Result<Value, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(manifest)
        .args(more)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}
