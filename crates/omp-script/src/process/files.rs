//! What a process asks about files: Node knows no TypeScript and other rules for finding modules.

use std::path::Path;

use serde_json::{Value, json};

use crate::compile::{ModuleKind, translate_for_node};
use crate::modules::{Way, kind_of, resolve};
use crate::seal::CodeSeal;

pub(super) fn answer(operation: &str, arguments: &Value, seal: Option<&CodeSeal>) -> Result<Value, String> {
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    match operation {
        "resolve" => {
            let from = text("from").strip_prefix("file://").unwrap_or("/");
            let from =
                url::Url::from_file_path("/").ok().and_then(|base| base.join(from).ok()?.to_file_path().ok());
            let directory = from.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
            let way = if text("way") == "require" { Way::Require } else { Way::Import };
            let (path, query) = resolve(directory, text("specifier"), way)?;
            Ok(json!({"path": path, "query": query}))
        }
        "compile" => {
            let path = Path::new(text("path"));
            let source = read(path, seal)?;
            let (kind, code) = translate_for_node(path, &source, kind_of(path))?;
            let kind = if kind == ModuleKind::Es { "module" } else { "commonjs" };
            Ok(json!({"kind": kind, "code": code}))
        }
        "text" => read(Path::new(text("path")), seal).map(Value::String),
        other => Err(format!("no operation {other}")),
    }
}

fn read(path: &Path, seal: Option<&CodeSeal>) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if let Some(seal) = seal {
        seal.check(path, &bytes)?;
    }
    let text =
        String::from_utf8(bytes).map_err(|_| format!("cannot read {}: it is not UTF-8", path.display()))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
