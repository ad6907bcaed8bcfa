//! Texts in the user's own editor.

use std::ffi::OsStr;

use omp_sdk::{Environment, ProcessEnvironment};

/// Lets the user change a text in `$VISUAL` or `$EDITOR`.
pub(crate) fn edit(text: &str) -> Result<String, String> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| ProcessEnvironment.var(name));
    let Some(editor) = named.into_iter().find(|editor| !editor.trim().is_empty()) else {
        return Err("no editor set: set VISUAL or EDITOR".to_owned());
    };
    let failed = |error: std::io::Error| format!("cannot run the editor {editor}: {error}");
    let file = tempfile::Builder::new().prefix("omp-prompt-").suffix(".md").tempfile().map_err(failed)?;
    std::fs::write(file.path(), text).map_err(failed)?;
    // The variable may hold arguments, as in `code --wait`.
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let arguments: Vec<&OsStr> = words.map(OsStr::new).chain([file.path().as_os_str()]).collect();
    let status = omp_shell::run_in_front(OsStr::new(program), &arguments).map_err(failed)?;
    if !status.success() {
        return Err(format!("the editor {editor} failed with {status}; the prompt is unchanged"));
    }
    std::fs::read_to_string(file.path()).map_err(failed)
}
