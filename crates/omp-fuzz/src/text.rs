//! Text that is there as a whole.

use std::path::{Path, PathBuf};

use omp_documents::notebook::Notebook;
use omp_guard::command::{Shell, ShellContext, judge};
use omp_llm::registry::Registry;
use omp_mcp::definition::{Coercion, Variables, parse};
use serde_json::Value;

/// Commands of a model: the judge ends with a verdict, the same twice.
pub(crate) fn shell(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let shell = Shell::default();
    let place = ShellContext {
        cwd: Path::new("/work"),
        home: Some(Path::new("/home/u")),
        shell: &shell,
        real: &|path: &Path| -> PathBuf { path.to_owned() },
        git_risk: &|_| None,
    };
    assert_eq!(judge(&text, place), judge(&text, place));
}

/// The head of skills, commands and agents.
pub(crate) fn frontmatter(data: &[u8]) {
    let _ = omp_config::frontmatter::parse(&String::from_utf8_lossy(data));
}

/// `models.yml`: a mistake is reported, and the built-in models are there.
pub(crate) fn models(data: &[u8]) {
    let registry = Registry::new(Some(&String::from_utf8_lossy(data)));
    let _ = (registry.error(), registry.key_variables(), registry.written_secrets(), registry.profiles());
}

/// An entry for an MCP server.
pub(crate) fn definition(data: &[u8]) {
    let Ok(Value::Object(entry)) = serde_json::from_slice(data) else { return };
    let lookup = |name: &str| (name == "HOME").then(|| "/home/u".to_owned());
    let variables = Variables { lookup: &lookup, workspace: Some(Path::new("/work")), home: None };
    for coercion in [Coercion::Strict, Coercion::Lenient] {
        if let Ok(parsed) = parse("name", &entry, coercion, &variables) {
            let _ = (parsed.definition.fingerprint(), parsed.definition.credential_keys());
        }
    }
}

/// A notebook: its own text changes nothing but the form.
pub(crate) fn notebook(data: &[u8]) {
    let Ok(notebook) = Notebook::parse(data) else { return };
    let text = notebook.text();
    if let Ok(json) = notebook.with_text(&text) {
        let again = Notebook::parse(json.as_bytes()).expect("what was written can be read");
        assert_eq!(again.text(), text);
    }
}
