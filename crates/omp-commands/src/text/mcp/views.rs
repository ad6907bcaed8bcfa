//! What people read about servers.

use std::fmt::Write as _;
use std::path::Path;

use omp_sdk::Level;
use omp_sdk::mcp::{McpServerRow, McpServers, ServerStatus, ServerTool, ToolResult};
use serde_json::Value;

use crate::answer::{Answer, Columns};

pub(super) fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

pub(super) fn list(rows: &[McpServerRow]) -> Answer {
    if rows.is_empty() {
        let text =
            "No MCP servers. Add one with: /mcp add <name> -- <command>, or /mcp add <name> --url <url>";
        return Answer::Text(text.to_owned());
    }
    let row = |row: &McpServerRow| {
        let mut text = row.state().to_owned();
        if let Some(status) = &row.status {
            let _ = write!(text, ", {}", status.definition.endpoint.kind());
            let tools = status.offer.tools.len();
            if tools > 0 {
                let _ = write!(text, ", {}", counted(tools, "tool"));
            }
            if let Some(latency) = status.latency {
                let _ = write!(text, ", last call {} ms", latency.as_millis());
            }
        }
        let _ = write!(text, "  {}", source(row));
        if let Some(problem) = row.problem() {
            let _ = write!(text, "\n{problem}");
        }
        (row.configured.name.clone(), text)
    };
    Answer::Table(Columns::new("MCP servers", rows.iter().map(row).collect()))
}

/// Whose file a server comes from.
fn source(row: &McpServerRow) -> String {
    let level = match row.configured.level {
        Level::User => "user",
        Level::Project => "project",
    };
    format!("({level}: {})", shown(&row.configured.file))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

pub(super) fn connected(row: &McpServerRow) -> String {
    let name = &row.configured.name;
    let Some(status) = &row.status else { return format!("Connected to \"{name}\"") };
    let mut text = format!("Connected to \"{name}\"");
    if let Some(info) = &status.info {
        let _ = write!(text, " ({}, protocol {}", info.transport, info.revision.as_str());
        if let Some(server) = &info.name {
            let _ = write!(text, ", {server}");
        }
        if let Some(version) = &info.version {
            let _ = write!(text, " {version}");
        }
        text.push(')');
    }
    if let Some(time) = status.connected_in {
        let _ = write!(text, " in {} ms", time.as_millis());
    }
    let _ = write!(text, ": {}", offers(status));
    for note in &status.offer.notes {
        let _ = write!(text, "\n{note}");
    }
    text
}

fn offers(status: &ServerStatus) -> String {
    let offer = &status.offer;
    let counts = [
        (offer.tools.len(), "tool"),
        (offer.resources.len() + offer.templates.len(), "resource"),
        (offer.prompts.len(), "prompt"),
    ];
    let texts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what)).collect();
    if texts.is_empty() { "it offers nothing".to_owned() } else { texts.join(", ") }
}

pub(super) fn tools(row: &McpServerRow) -> String {
    let tools = row.status.iter().flat_map(|status| status.offer.tools.iter());
    let texts: Vec<String> = tools.map(tool).collect();
    if texts.is_empty() { format!("\"{}\" has no tools", row.configured.name) } else { texts.join("\n\n") }
}

fn tool(tool: &ServerTool) -> String {
    let mut text = tool.model_name();
    if let Some(description) = &tool.description {
        let _ = write!(text, "\n  {}", description.trim().replace('\n', "\n  "));
    }
    let required: Vec<&str> = tool
        .input_schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or("any");
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        let _ = write!(text, "\n  - {name} ({kind}{optional})");
        if let Some(description) = schema.get("description").and_then(Value::as_str) {
            let _ = write!(text, ": {description}");
        }
    }
    text
}

pub(super) fn logs(row: &McpServerRow) -> String {
    let lines = row.status.as_ref().map(|status| status.log.lines()).unwrap_or_default();
    if lines.is_empty() {
        format!("\"{}\" has logged nothing", row.configured.name)
    } else {
        lines.join("\n")
    }
}

pub(super) fn called(result: &ToolResult) -> String {
    let text = result.text();
    let images = result
        .content
        .iter()
        .filter(|content| matches!(content, omp_sdk::mcp::Content::Image { .. }))
        .count();
    let mut text = if result.is_error { format!("Error: {text}") } else { text };
    if images > 0 {
        let _ = write!(text, "\n[{}]", counted(images, "image"));
    }
    for note in &result.notes {
        let _ = write!(text, "\n[{note}]");
    }
    text
}

pub(super) fn resources(rows: &[McpServerRow]) -> Answer {
    let mut found = Vec::new();
    for row in rows {
        let Some(status) = &row.status else { continue };
        for resource in status.offer.resources.iter() {
            let name = resource.title.as_deref().unwrap_or(&resource.name);
            found.push((format!("mcp://{}", resource.uri), format!("{name} ({})", row.configured.name)));
        }
        for template in status.offer.templates.iter() {
            let name = template.title.as_deref().unwrap_or(&template.name);
            found.push((
                format!("mcp://{}", template.uri_template),
                format!("{name} ({})", row.configured.name),
            ));
        }
    }
    match found.is_empty() {
        true => Answer::Text("No connected MCP server offers resources".to_owned()),
        false => Answer::Table(Columns::new("MCP resources", found)),
    }
}

pub(super) fn prompts(servers: &McpServers<'_>) -> Answer {
    let row = |prompt: omp_sdk::mcp::McpPromptCommand| {
        (format!("/{} {}", prompt.name, prompt.arguments).trim_end().to_owned(), prompt.description)
    };
    let rows: Vec<(String, String)> = servers.prompts().into_iter().map(row).collect();
    match rows.is_empty() {
        true => Answer::Text("No connected MCP server offers prompts".to_owned()),
        false => Answer::Table(Columns::new("MCP prompts", rows)),
    }
}
