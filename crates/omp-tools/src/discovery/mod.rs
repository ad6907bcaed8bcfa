//! `search_tool_bm25`: finds tools that are not offered and offers them.

mod index;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use omp_agent::{Invocation, Scheduling, Tool, ToolError};
use omp_types::{BuiltinTool, ToolOutput, ToolTrait, builtin, tool_has};
use serde_json::{Map, Value, json};

use crate::Wording;
use crate::uniform::{UniformTool, described};
pub use index::{DiscoverableTool, Match, ToolIndex};

/// The tool's name, also in sessions of older versions.
pub const SEARCH_TOOL: &str = TOOL.name;
const TOOL: &BuiltinTool = &builtin::TOOL_SEARCH;

const DEFAULT_LIMIT: usize = 8;
/// Servers that the description names; a long list would cost what hiding tools saves.
const SERVERS: usize = 30;

/// Tools that only the program itself asks for.
const INTERNAL: [&str; 3] = ["yield", "report_finding", "report_tool_issue"];

/// Can a search bring up this tool at all?
pub fn is_searchable(name: &str) -> bool {
    !tool_has(name, ToolTrait::Unsearchable) && !INTERNAL.contains(&name)
}

/// The tools that are not offered, as the search needs them. What fails here costs matches, never the call.
pub trait Shelf: Send + Sync {
    /// Is searching switched on?
    fn is_enabled(&self) -> bool;

    /// The tools that are not offered now.
    fn tools(&self) -> Result<Vec<DiscoverableTool>, String>;

    /// The same, ready to be searched; `None` if nobody keeps it.
    fn index(&self) -> Result<Option<Arc<ToolIndex>>, String>;

    /// The tools that searches have brought up so far.
    fn selected(&self) -> Vec<String>;

    /// Offers tools from the next request on. Gives those that it did not offer before.
    fn activate(&self, names: &[String]) -> Vec<String>;
}

/// The tool; without a shelf it can only say that there is none.
pub fn search_tool(shelf: Option<Arc<dyn Shelf>>) -> Arc<dyn Tool> {
    let known = shelf.as_ref().and_then(|shelf| shelf.tools().ok()).unwrap_or_default();
    described(SearchTools { shelf }, Wording::Full, |definition| {
        definition.description =
            format!("{}\n\n{}", definition.description, stock(&known)).trim_end().to_owned();
    })
}

struct SearchTools {
    shelf: Option<Arc<dyn Shelf>>,
}

impl SearchTools {
    fn search(&self, arguments: &Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let shelf = self.shelf.as_ref();
        let shelf = shelf.ok_or_else(|| ToolError::new("Tool discovery is unavailable in this session."))?;
        if !shelf.is_enabled() {
            return Err(ToolError::new(format!(
                "Tool discovery is disabled. Enable tools.discoveryMode or mcp.discoveryMode to use {SEARCH_TOOL}."
            )));
        }
        let (query, limit) = (query(arguments)?, limit(arguments)?);
        let index = index_of(shelf.as_ref());
        let found = index.search(query);
        let found =
            found.ok_or_else(|| ToolError::new("Query must contain at least one letter or number."))?;
        let selected = shelf.selected();
        let fresh = found.into_iter().filter(|found| !selected.contains(&found.tool.name));
        let found: Vec<Match> = fresh.take(limit).collect();
        let names: Vec<String> = found.iter().map(|found| found.tool.name.clone()).collect();
        let activated = if names.is_empty() { Vec::new() } else { shelf.activate(&names) };
        let text = json!({
            "query": query,
            "activated_tools": activated,
            "match_count": found.len(),
            "total_tools": index.len(),
        });
        let details = json!({
            "query": query,
            "limit": limit,
            "total_tools": index.len(),
            "activated_tools": activated,
            "active_selected_tools": shelf.selected(),
            "tools": found.iter().map(row).collect::<Vec<Value>>(),
        });
        Ok(ToolOutput::text(text.to_string()).with_details(details))
    }
}

impl UniformTool for SearchTools {
    /// Changes nothing but what the model is offered; each of those tools is asked about when it is called.
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");
    /// Two searches at once would offer the same tools.
    const SCHEDULING: Scheduling = Scheduling::Exclusive;

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        self.search(&call.arguments)
    }
}

fn query(arguments: &Map<String, Value>) -> Result<&str, ToolError> {
    let query = arguments.get("query").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if query.is_empty() {
        return Err(ToolError::new("`query` is empty: describe what the tool should do."));
    }
    Ok(query)
}

fn limit(arguments: &Map<String, Value>) -> Result<usize, ToolError> {
    let limit = match arguments.get("limit") {
        None | Some(Value::Null) => Some(DEFAULT_LIMIT),
        Some(value) => value.as_u64().and_then(|limit| usize::try_from(limit).ok()),
    };
    let limit = limit.filter(|limit| *limit > 0);
    limit.ok_or_else(|| ToolError::new("`limit` must be a positive integer."))
}

/// What the shelf keeps, else what it has, else nothing.
fn index_of(shelf: &dyn Shelf) -> Arc<ToolIndex> {
    if let Ok(Some(index)) = shelf.index() {
        return index;
    }
    Arc::new(ToolIndex::new(shelf.tools().unwrap_or_default()))
}

/// A match, for people and programs.
fn row(found: &Match) -> Value {
    let Match { tool, score } = found;
    let mut row = json!({
        "name": tool.name,
        "label": tool.label,
        "description": tool.summary,
        "schema_keys": tool.schema_keys,
        "score": (score * 1e6).round() / 1e6,
    });
    for (field, value) in [("server_name", &tool.server), ("mcp_tool_name", &tool.mcp_tool)] {
        if let Some(value) = value {
            row[field] = json!(value);
        }
    }
    row
}

/// How much there is to find, and on which servers.
fn stock(tools: &[DiscoverableTool]) -> String {
    let mut servers = BTreeMap::<&str, usize>::new();
    for server in tools.iter().filter_map(|tool| tool.server.as_deref()) {
        *servers.entry(server).or_default() += 1;
    }
    let mut lines = vec![format!("Discoverable tools: {}", tools.len())];
    lines.extend(servers.iter().take(SERVERS).map(|(server, count)| format!("- {server}: {count}")));
    if servers.len() > SERVERS {
        lines.push(format!("- and {} more servers", servers.len() - SERVERS));
    }
    lines.join("\n")
}
