//! Our side of `tools/differential/settings`: the effective values of settings that a `config.yml` gives. Cases are lines
//! of JSON on standard input, answered by one line each; `{}` asks for the names of all settings.

use std::io::{BufRead, Write};

use omp_config::Directories;
use omp_config::settings::{Settings, Sources, TABLE, find};
use serde_json::{Map, Value, json};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{}", answer(&serde_json::from_str(&line?)?)?)?;
    }
    Ok(())
}

fn answer(job: &Value) -> Result<Value, Failure> {
    let Some(home) = job["home"].as_str() else {
        return Ok(TABLE.iter().map(|row| Value::from(row.path)).collect());
    };
    let directories = Directories::resolve(|name| (name == "HOME").then(|| home.to_owned()))?;
    let loaded = Settings::load(&Sources {
        directories: &directories,
        cwd: home.as_ref(),
        overlays: &[],
        overrides: Map::new(),
        env: &|_| None,
        project_files: &|_| Vec::new(),
    })?;
    let asked = job["ask"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let values: Map<String, Value> =
        asked.filter_map(|name| Some((name.to_owned(), loaded.value(find(name)?)))).collect();
    Ok(json!({"values": values, "warnings": loaded.warnings()}))
}
