//! The search for tools on shelves of every kind.

use std::sync::{Arc, Mutex};

use crate::support::{Project, invocation, text};
use omp_agent::{McpOrigin, Scheduling, Tool, ToolError, ToolOrigin, Updates};
use omp_tools::{DiscoverableTool, SEARCH_TOOL, Shelf, ToolIndex, is_searchable, search_tool};
use omp_types::{ToolDefinition, ToolOutput};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A shelf that can fail.
#[derive(Default)]
struct Wobbly {
    disabled: bool,
    no_tools: bool,
    index: Index,
    selected: Mutex<Vec<String>>,
}

#[derive(Default)]
enum Index {
    #[default]
    None,
    Fails,
}

fn entry(name: &str, summary: &str) -> DiscoverableTool {
    DiscoverableTool {
        name: name.to_owned(),
        label: format!("Label of {name}"),
        summary: summary.to_owned(),
        ..DiscoverableTool::default()
    }
}

impl Shelf for Wobbly {
    fn is_enabled(&self) -> bool {
        !self.disabled
    }

    fn tools(&self) -> Result<Vec<DiscoverableTool>, String> {
        if self.no_tools {
            return Err("the shelf fell down".to_owned());
        }
        let server = DiscoverableTool {
            server: Some("mail".to_owned()),
            mcp_tool: Some("send".to_owned()),
            schema_keys: vec!["to".to_owned()],
            ..entry("mcp__mail__send", "Send a letter")
        };
        Ok(vec![entry("calculator", "Adds letters"), server])
    }

    fn index(&self) -> Result<Option<Arc<ToolIndex>>, String> {
        match self.index {
            Index::None => Ok(None),
            Index::Fails => Err("no index".to_owned()),
        }
    }

    fn selected(&self) -> Vec<String> {
        self.selected.lock().unwrap().clone()
    }

    fn activate(&self, names: &[String]) -> Vec<String> {
        self.selected.lock().unwrap().extend_from_slice(names);
        names.to_vec()
    }
}

async fn ask(tool: &Arc<dyn Tool>, arguments: Value) -> Result<ToolOutput, ToolError> {
    tool.run(invocation(&arguments, CancellationToken::new(), Updates::ignored())).await
}

fn on(shelf: Wobbly) -> Arc<dyn Tool> {
    search_tool(Some(Arc::new(shelf)))
}

/// proves: TSN-100
#[tokio::test]
async fn what_cannot_be_searched_is_said() {
    let message =
        async |tool: Arc<dyn Tool>, arguments: Value| ask(&tool, arguments).await.unwrap_err().message;
    let query = json!({ "query": "x" });
    assert_eq!(
        message(search_tool(None), query.clone()).await,
        "Tool discovery is unavailable in this session."
    );
    assert_eq!(
        message(on(Wobbly { disabled: true, ..Wobbly::default() }), query).await,
        "Tool discovery is disabled. Enable tools.discoveryMode or mcp.discoveryMode to use search_tool_bm25."
    );
    let ready = || on(Wobbly::default());
    assert_eq!(
        message(ready(), json!({ "query": "!?" })).await,
        "Query must contain at least one letter or number."
    );
    assert!(message(ready(), json!({ "query": " " })).await.contains("`query` is empty"));
    for limit in [json!(0), json!(-1), json!(1.5), json!("2")] {
        assert!(message(ready(), json!({ "query": "x", "limit": limit })).await.contains("`limit` must be"));
    }
}

/// proves: TSN-095
#[tokio::test]
async fn details_tell_what_was_found() {
    let tool = on(Wobbly::default());
    assert_eq!(tool.definition().name, SEARCH_TOOL);
    let output = ask(&tool, json!({ "query": "letter" })).await.unwrap();
    let details = output.details.unwrap();
    let score = details["tools"][0]["score"].as_f64().unwrap();
    assert_eq!((score * 1e6).round() / 1e6, score);
    assert!(score > 0.0);
    assert_eq!(
        details,
        json!({
            "query": "letter", "limit": 8, "total_tools": 2, "activated_tools": ["mcp__mail__send"],
            "active_selected_tools": ["mcp__mail__send"],
            "tools": [{
                "name": "mcp__mail__send", "label": "Label of mcp__mail__send", "description": "Send a letter",
                "schema_keys": ["to"], "score": score, "server_name": "mail", "mcp_tool_name": "send",
            }],
        })
    );
    let output = ask(&tool, json!({ "query": "letters", "limit": 3 })).await.unwrap();
    let details = output.details.unwrap();
    assert_eq!(details["active_selected_tools"], json!(["mcp__mail__send", "calculator"]));
    assert_eq!((details["tools"][0].get("server_name"), &details["limit"]), (None, &json!(3)));
}

/// proves: TSN-105
#[tokio::test]
async fn a_shelf_that_fails_costs_matches_and_not_the_call() {
    let said = async |shelf: Wobbly| -> Value {
        let output = ask(&on(shelf), json!({ "query": "letter" })).await.unwrap();
        serde_json::from_str(&text(&output)).unwrap()
    };
    let rebuilt = said(Wobbly { index: Index::Fails, ..Wobbly::default() }).await;
    assert_eq!(rebuilt["activated_tools"], json!(["mcp__mail__send"]));
    let empty = said(Wobbly { index: Index::Fails, no_tools: true, ..Wobbly::default() }).await;
    assert_eq!(empty, json!({"query": "letter", "activated_tools": [], "match_count": 0, "total_tools": 0}));
}

/// proves: TSN-099
#[test]
fn tools_of_the_program_itself_are_not_searched_for() {
    for name in ["resolve", "yield", "report_finding", "report_tool_issue", SEARCH_TOOL] {
        assert!(!is_searchable(name), "{name}");
    }
    assert!(is_searchable("find") && is_searchable("mcp__a__resolve"));
}

/// proves: TSN-027
#[test]
fn the_list_of_tasks_is_alone_and_can_be_searched_for() {
    let todo = Project::new().tool("todo");
    assert_eq!(todo.scheduling(&serde_json::Map::new()), Scheduling::Exclusive);
    assert!(is_searchable("todo") && omp_types::TOOL_NAMES.contains(&"todo"));
}

struct Described(ToolDefinition, Option<ToolOrigin>);

impl Tool for Described {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn origin(&self) -> Option<&ToolOrigin> {
        self.1.as_ref()
    }

    fn run<'a>(
        &'a self,
        _call: omp_agent::Invocation,
    ) -> futures_util::future::BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async { Ok(ToolOutput::default()) })
    }
}

/// proves: TSN-104
#[test]
fn the_summary_is_given_or_the_start_of_the_description() {
    let description = "ä".repeat(300);
    let definition = ToolDefinition {
        name: "t".to_owned(),
        description: description.clone(),
        parameters: json!({"type": "object", "properties": {"b": {}, "a": {}}}),
        strict: None,
        free_text: false,
    };
    let summary =
        |origin: Option<ToolOrigin>| DiscoverableTool::of(&Described(definition.clone(), origin)).summary;
    assert_eq!(summary(None), "ä".repeat(200));
    let given = ToolOrigin { summary: Some("short".to_owned()), ..ToolOrigin::default() };
    assert_eq!(summary(Some(given.clone())), "short");
    let mcp = Some(McpOrigin { server: "s".to_owned(), tool: "u".to_owned() });
    assert_eq!(summary(Some(ToolOrigin { mcp, ..given })), description);
    let find = Project::new().tool("find");
    let known = DiscoverableTool::of(find.as_ref());
    assert_eq!((known.name.as_str(), known.label.as_str()), ("find", "find"));
    assert!(find.definition().description.starts_with(&known.summary) && !known.schema_keys.is_empty());
}
