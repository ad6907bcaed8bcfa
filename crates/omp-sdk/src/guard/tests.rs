use futures_util::FutureExt;
use omp_agent::Invocation;
use omp_types::ToolDefinition;
use serde_json::json;

use super::*;

/// A tool that says nothing about its calls.
struct Silent(ToolDefinition);

impl Tool for Silent {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run<'a>(&'a self, _call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        std::future::ready(Ok(ToolOutput::default())).boxed()
    }
}

/// Refuses, and keeps the question.
#[derive(Default)]
struct Never(Mutex<Vec<String>>);

impl Asker for Never {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Reply> {
        self.0.lock().unwrap().push(request.question.text());
        std::future::ready(Reply::No).boxed()
    }
}

async fn decided(mode: &str, tool: &str) -> (Decision, Vec<String>) {
    let mut settings = Settings::defaults();
    settings.set_override("tools.approvalMode", json!(mode)).unwrap();
    let directories = Directories::resolve(|name| (name == "HOME").then(|| "/nowhere".to_owned())).unwrap();
    let asker = Arc::new(Never::default());
    let guard = Guard::new(
        &settings,
        Some(Arc::clone(&asker) as Arc<dyn Asker>),
        None,
        (directories, "/".into()),
        Arc::default(),
    );
    let definition = ToolDefinition {
        name: tool.to_owned(),
        description: String::new(),
        parameters: json!({}),
        strict: None,
        free_text: false,
    };
    let silent: Arc<dyn Tool> = Arc::new(Silent(definition));
    let call = ToolCall {
        id: "1".to_owned(),
        name: tool.to_owned(),
        arguments: Map::new(),
        invalid_arguments: None,
        thought_signature: None,
        intent: None,
        custom: false,
    };
    let decision = guard.approve(&silent, &call, &call.arguments).await;
    let asked = asker.0.lock().unwrap().clone();
    (decision, asked)
}

/// Who says nothing about a call is taken to do anything with it, and somebody else's tool is named as such.
// proves: TSN-053
#[tokio::test]
async fn tools_that_say_nothing_are_asked_about() {
    for mode in ["always-ask", "write"] {
        let (decision, asked) = decided(mode, "mcp__files__list").await;
        assert!(matches!(decision, Decision::Deny(_)), "{mode}");
        assert_eq!(asked, ["Allow tool: mcp__files__list\nOrigin: MCP server tool"]);
        let (_, asked) = decided(mode, "custom").await;
        assert_eq!(asked, ["Allow tool: custom"]);
    }
    let (decision, asked) = decided("yolo", "mcp__files__list").await;
    assert_eq!((decision, asked), (Decision::Allow, Vec::new()));
}
