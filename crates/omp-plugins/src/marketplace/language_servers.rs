//! Language servers as Claude Code's plugins define them, as our `.lsp.json` has them.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Definitions as a file that omp reads: file types by their ending, a marker that every project has, and programs of the
/// plugin by their path, which is in `plugin`.
pub(super) fn lsp_file(mut servers: Map<String, Value>, plugin: &Path) -> Map<String, Value> {
    if let Some(Value::Object(inner)) = servers.remove("lspServers") {
        servers = inner;
    }
    for server in servers.values_mut().filter_map(Value::as_object_mut) {
        if let Some(Value::Object(languages)) = server.get("extensionToLanguage") {
            let types: Vec<String> = languages.keys().cloned().collect();
            server.entry("fileTypes").or_insert_with(|| json!(types));
        }
        server.entry("rootMarkers").or_insert_with(|| json!(["."]));
        if let Some(options) = server.get("initializationOptions").cloned() {
            server.entry("initOptions").or_insert(options);
        }
        for field in ["command", "args"] {
            if let Some(value) = server.get_mut(field) {
                in_plugin(value, plugin);
            }
        }
    }
    servers
}

fn in_plugin(value: &mut Value, plugin: &Path) {
    match value {
        Value::String(text) => *text = text.replace("${CLAUDE_PLUGIN_ROOT}", &plugin.to_string_lossy()),
        Value::Array(list) => list.iter_mut().for_each(|item| in_plugin(item, plugin)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_become_file_types() {
        let servers =
            json!({"go": {"command": "${CLAUDE_PLUGIN_ROOT}/gopls", "extensionToLanguage": {".go": "go"}}});
        let file = lsp_file(servers.as_object().cloned().unwrap(), Path::new("/p"));
        assert_eq!(file["go"]["command"], json!("/p/gopls"));
        assert_eq!(file["go"]["fileTypes"], json!([".go"]));
        assert_eq!(file["go"]["rootMarkers"], json!(["."]));
        let own =
            json!({"lspServers": {"x": {"command": "x", "fileTypes": [".x"], "rootMarkers": ["x.toml"]}}});
        let file = lsp_file(own.as_object().cloned().unwrap(), Path::new("/p"));
        assert_eq!(file["x"]["rootMarkers"], json!(["x.toml"]));
    }
}
