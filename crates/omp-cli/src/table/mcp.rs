//! `omp mcp`: servers of the Model Context Protocol, and omp as one of them.

use super::{Command, Flag, Positional, ValueKind};
use crate::words::ApprovalMode;

const ACTIONS: &[&str] = &[
    "list", "add", "remove", "enable", "disable", "trust", "test", "tools", "login", "logout", "logs",
    "call", "serve",
];

pub(super) const MCP: Command = Command::new("mcp", "Manage MCP servers, or be one")
    .details(
        "`omp mcp serve` speaks the Model Context Protocol on standard input and output, or with --http over \
         streamable HTTP on this machine. Calls pass the same approval and sandbox as in a session; questions go \
         to clients that support elicitation, and are refused otherwise. The other actions manage the servers that \
         sessions use.",
    )
    .args(&[
        Positional::one("action", ValueKind::OneOf(ACTIONS), "Action"),
        Positional::optional("name", ValueKind::Text, "Name of the server"),
        Positional::any("words", ValueKind::Text, "add: command after --; call: tool and JSON arguments"),
    ])
    .flags(&[
        Flag::value("url", ValueKind::Text, "add: address of an HTTP server").metavar("url"),
        Flag::value("token", ValueKind::Text, "Bearer token for --url or --http (serve: or OMP_MCP_TOKEN, or a new one)"),
        Flag::value("type", ValueKind::OneOf(&["http", "sse"]), "add: transport of --url (default: http)")
            .metavar("transport"),
        Flag::value("header", ValueKind::Text, "add: HTTP header, as Name: value").many(),
        Flag::value("env", ValueKind::Text, "add: variable for the server, as NAME=value").many(),
        Flag::value("scope", ValueKind::OneOf(&["user", "project"]), "add: file to change (default: user)")
            .metavar("scope"),
        Flag::switch("json", "Print JSON"),
        Flag::optional("http", ValueKind::Text, "serve: HTTP on this loopback address (default: 127.0.0.1:8377)")
            .metavar("host:port"),
        Flag::value("tools", ValueKind::ToolList, "serve: offer only these tools: read,search,run"),
        Flag::value("model", ValueKind::Model, "serve: model for the run tool"),
        Flag::value(
            "approval-mode",
            ValueKind::OneOf(ApprovalMode::WORDS),
            "serve: which tool calls run without approval",
        )
        .metavar("mode"),
        Flag::switch("auto-approve", "serve: run all tool calls without approval").alias(&["yolo"]),
        Flag::value("cwd", ValueKind::Dir, "serve: work in this directory"),
    ])
    .examples(&[
        "omp mcp list",
        "omp mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
        "omp mcp add docs --url https://example.com/mcp",
        "omp mcp call files list_directory '{\"path\": \".\"}'",
        "omp mcp serve --http 127.0.0.1:9000 --cwd ~/project",
    ]);
