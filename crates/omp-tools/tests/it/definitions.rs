//! What models are told about the tools.

use crate::support::Project;
use omp_types::TOOL_NAMES as NAMES;
use serde_json::{Value, json};

#[test]
fn the_order_is_fixed_and_the_texts_are_short() {
    let project = Project::new();
    assert_eq!(
        NAMES,
        [
            "read",
            "write",
            "edit",
            "find",
            "search",
            "ast_grep",
            "ast_edit",
            "bash",
            "job",
            "todo",
            "ask",
            "checkpoint",
            "rewind",
            "inspect_image",
            "ssh",
            "lsp",
            "report_tool_issue"
        ]
    );
    // Without a machine there is no ssh, and without servers no lsp.
    for name in NAMES.iter().filter(|name| !["ssh", "lsp"].contains(name)) {
        let tool = project.tool(name);
        let definition = tool.definition();
        let words = definition.description.split_whitespace().count();
        // The language of edits and all that a path can name take more words than the other tools.
        let most = if matches!(*name, "edit" | "read") { 280 } else { 120 };
        assert!((20..=most).contains(&words), "{name}: {words} words");
        assert_eq!(definition.parameters["type"], "object");
        assert_eq!(definition.parameters["additionalProperties"], false);
    }
}

/// The fields and which of them are required.
fn fields(tool: &str) -> (Vec<String>, Value) {
    let tool = Project::new().tool(tool);
    let parameters = &tool.definition().parameters;
    let names = parameters["properties"].as_object().unwrap().keys().cloned().collect();
    (names, parameters["required"].clone())
}

// proves: FIL-016, SHL-010
#[test]
fn schemas_have_their_fields_and_no_others() {
    assert_eq!(fields("read"), (vec!["path".into()], json!(["path"])));
    assert_eq!(fields("write"), (vec!["path".into(), "content".into()], json!(["path", "content"])));
    let bash = ["command", "env", "timeout", "cwd", "pty"].map(String::from).to_vec();
    assert_eq!(fields("bash"), (bash, json!(["command"])));
}
