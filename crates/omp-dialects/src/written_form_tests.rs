use serde_json::json;

use super::*;

fn tools() -> Vec<ToolDefinition> {
    let tool = |name: &str, parameters| ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        parameters,
        strict: None,
        free_text: false,
    };
    let read = json!({
        "type": "object", "required": ["_i", "path"],
        "properties": {"_i": {"type": "string"}, "path": {"type": "string"}, "lines": {"type": ["integer", "null"]}},
    });
    let go = json!({"type": "object", "properties": {"way": {"type": "string", "enum": ["left", "right"]}}});
    vec![tool("read", read), tool("go", go)]
}

/// Each form of one call.
// proves: IOP-011
#[test]
fn every_form_is_the_call() {
    let wanted = vec![Written {
        name: "read".into(),
        arguments: json!({"path": "a.txt"}).as_object().unwrap().clone(),
    }];
    for text in [
        r#"{"name": "read", "arguments": {"path": "a.txt"}}"#,
        "\n  {\"name\": \"read\",\n \"arguments\": {\"path\": \"a.txt\"}}\n",
        "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n```",
        "```\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n```\n",
        "```tool_call\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n```",
        r#"{"name": "read", "parameters": {"path": "a.txt"}}"#,
        r#"{"tool": "read", "args": {"path": "a.txt"}}"#,
        r#"{"function": "read", "parameters": {"path": "a.txt"}}"#,
        r#"{"type": "function", "name": "read", "parameters": {"path": "a.txt"}}"#,
        r#"{"type": "function", "function": {"name": "read", "arguments": "{\"path\": \"a.txt\"}"}}"#,
        "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n</tool_call>",
        "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}",
        "<tools>{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}</tools>",
        "```\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n</tool_call>\n```",
        "<|python_tag|>{\"name\": \"read\", \"parameters\": {\"path\": \"a.txt\"}}<|eom_id|>",
        "{\"name\": \"read\", \"parameters\": {\"path\": \"a.txt\"}}<|eot_id|>",
        "[TOOL_CALLS][{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}]",
        "[TOOL_CALLS] [{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}, \"id\": \"abc123def\"}]</s>",
        "[TOOL_CALLS]read[ARGS]{\"path\": \"a.txt\"}",
    ] {
        assert_eq!(calls(text, &tools()).as_ref(), Some(&wanted), "{text}");
        let held = (0..text.len()).filter(|at| text.is_char_boundary(*at));
        assert!(held.into_iter().all(|at| may_become(&text[..at], false)), "{text}");
    }
    let two =
        r#"[TOOL_CALLS][{"name": "read", "arguments": {"path": "a"}}, {"name": "go", "arguments": {}}]"#;
    assert_eq!(calls(two, &tools()).unwrap().len(), 2);
}

/// Prose, other JSON, unknown tools and arguments that do not fit are what they are: text.
// proves: IOP-011
#[test]
fn nothing_else_is_a_call() {
    for text in [
        "",
        "I would use {\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}",
        "{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}} should do.",
        "Here:\n```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n```",
        "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n```\nThis reads the file.",
        "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n```\n```json\n{}\n```",
        "```python\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n```",
        r#"{"name": "read", "arguments": {"path": "a.txt"}, "why": "because"}"#,
        r#"{"name": "write", "arguments": {"path": "a.txt"}}"#,
        r#"{"name": "read", "arguments": {}}"#,
        r#"{"name": "read", "arguments": {"path": 5}}"#,
        r#"{"name": "read", "arguments": {"path": "a.txt", "mode": "r"}}"#,
        r#"{"name": "read", "arguments": {"path": "a.txt", "lines": 1.5}}"#,
        r#"{"name": "go", "arguments": {"way": "up"}}"#,
        r#"{"name": "read", "arguments": ["a.txt"]}"#,
        r#"{"name": "omp", "version": "1.0.0"}"#,
        r#"[{"name": "read", "arguments": {"path": "a.txt"}}]"#,
        "[TOOL_CALLS][]",
        "[TOOL_CALLS][{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}, {\"name\": \"x\"}]",
        "{\"name\": \"read\", \"arguments\": {\"path\": \"a.t",
    ] {
        assert_eq!(calls(text, &tools()), None, "{text}");
    }
    for text in ["Hello", "{\"version\": 1", "```rust\nfn", "[1, 2]", "<p>", "{x"] {
        assert!(!may_become(text, false), "{text}");
    }
    assert!(!may_become("<tool_call>", true) && may_become("{\"na", true));
}
