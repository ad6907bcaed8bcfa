//! `omp mcp`: servers of the Model Context Protocol, and omp as one of them.

use super::{Command, Flag, Positional, ValueKind};

const ACTIONS: &[&str] = &[
    "list", "add", "remove", "enable", "disable", "trust", "test", "tools", "login", "logout", "logs", "call",
];

pub(super) const MCP: Command = Command::new("mcp", "Manage MCP servers")
    .args(&[
        Positional::one("action", ValueKind::OneOf(ACTIONS), "Action"),
        Positional::optional("name", ValueKind::Text, "Name of the server"),
        Positional::any("words", ValueKind::Text, "add: command after --; call: tool and JSON arguments"),
    ])
    .flags(&[
        Flag::value("url", ValueKind::Text, "Address of an HTTP server").metavar("url"),
        Flag::value("token", ValueKind::Text, "Bearer token for --url"),
        Flag::value("type", ValueKind::OneOf(&["http", "sse"]), "Transport of --url (default: http)")
            .metavar("transport"),
        Flag::value("header", ValueKind::Text, "HTTP header, as Name: value").many(),
        Flag::value("env", ValueKind::Text, "Variable for the server, as NAME=value").many(),
        Flag::value("scope", ValueKind::OneOf(&["user", "project"]), "File to change (default: user)")
            .metavar("scope"),
        Flag::switch("json", "Print JSON"),
    ])
    .examples(&[
        "omp mcp list",
        "omp mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
        "omp mcp add docs --url https://example.com/mcp",
        "omp mcp call files list_directory '{\"path\": \".\"}'",
    ]);
