//! `omp mcp`: servers of the Model Context Protocol, and omp as one of them.

use super::{Command, Flag, Positional, ValueKind};
use crate::words::ApprovalMode;

const ACTIONS: &[&str] = &["serve"];

pub(super) const MCP: Command = Command::new("mcp", "Serve omp's tools, sessions and agent to MCP clients")
    .details(
        "`omp mcp serve` speaks the Model Context Protocol on standard input and output, or with --http over \
         streamable HTTP on this machine. Calls pass the same approval and sandbox as in a session; questions go \
         to clients that support elicitation, and are refused otherwise.",
    )
    .args(&[Positional::one("action", ValueKind::OneOf(ACTIONS), "Action")])
    .flags(&[
        Flag::optional("http", ValueKind::Text, "Serve HTTP on this loopback address (default: 127.0.0.1:8377)")
            .metavar("host:port"),
        Flag::value("token", ValueKind::Text, "Bearer token for --http (default: OMP_MCP_TOKEN, or a new one)"),
        Flag::value("tools", ValueKind::ToolList, "Offer only these tools: read,search,run"),
        Flag::value("model", ValueKind::Model, "Model for the run tool"),
        Flag::value(
            "approval-mode",
            ValueKind::OneOf(ApprovalMode::WORDS),
            "Which tool calls run without approval",
        )
        .metavar("mode"),
        Flag::switch("auto-approve", "Run all tool calls without approval").alias(&["yolo"]),
        Flag::value("cwd", ValueKind::Dir, "Work in this directory"),
    ])
    .examples(&[
        "omp mcp serve",
        "omp mcp serve --tools read,find,search",
        "omp mcp serve --http 127.0.0.1:9000 --cwd ~/project",
    ]);
