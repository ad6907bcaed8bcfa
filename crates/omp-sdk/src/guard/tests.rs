use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use omp_agent::Invocation;
use omp_config::Directories;
use omp_types::ToolDefinition;
use serde_json::json;

use super::*;

/// A tool that says this, or nothing, about its calls, and how often it was asked.
struct Saying(ToolDefinition, Option<Approval>, AtomicUsize);

impl Tool for Saying {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn approval(&self, _arguments: &Map<String, Value>) -> Option<Approval> {
        self.2.fetch_add(1, Ordering::Relaxed);
        self.1.clone()
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
    decided_on(&settings, tool, None, Map::new()).await
}

async fn decided_on(
    settings: &Settings,
    tool: &str,
    says: Option<Approval>,
    arguments: Map<String, Value>,
) -> (Decision, Vec<String>) {
    let asker = Arc::new(Never::default());
    let guard = guard(settings, &asker);
    let saying: Arc<dyn Tool> = Arc::new(saying(tool, says));
    let call = call(tool, arguments);
    let decision = guard.approve(&PendingCall::new(&saying, &call, &call.arguments)).await;
    let asked = asker.0.lock().unwrap().clone();
    (decision, asked)
}

fn guard(settings: &Settings, asker: &Arc<Never>) -> Guard {
    let directories = Directories::resolve(|name| (name == "HOME").then(|| "/nowhere".to_owned())).unwrap();
    Guard::new(
        settings,
        Some(Arc::clone(asker) as Arc<dyn Asker>),
        None,
        ProjectTrust::at(&directories, "/".as_ref(), settings, None),
        Arc::default(),
    )
}

fn saying(tool: &str, says: Option<Approval>) -> Saying {
    let definition = ToolDefinition {
        name: tool.to_owned(),
        description: String::new(),
        parameters: json!({}),
        strict: None,
        free_text: false,
    };
    Saying(definition, says, AtomicUsize::new(0))
}

fn call(tool: &str, arguments: Map<String, Value>) -> ToolCall {
    ToolCall {
        id: "1".to_owned(),
        name: tool.to_owned(),
        arguments,
        invalid_arguments: None,
        thought_signature: None,
        intent: None,
        custom: false,
    }
}

/// The gate and the history of files both need the tool's word on a call: the tool gives it once.
#[tokio::test]
async fn a_tool_is_asked_once_about_a_call() {
    let mut settings = Settings::defaults();
    settings.set_override("tools.approvalMode", json!("write")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let environment = omp_shell::Environment::inherited();
    let mut context = omp_tools::Context::new(scratch.path().to_owned(), None, Arc::default(), environment);
    context.history = Some(omp_history::History::new(omp_history::Options {
        directory: scratch.path().join("history"),
        cwd: context.cwd.clone(),
        environment: context.commands.environment.clone(),
        is_trusted: Arc::new(|| false),
        largest_file: 1_000,
        most_bytes: 1_000,
    }));
    let inner: Arc<dyn Gate> = Arc::new(guard(&settings, &Arc::default()));
    let gate = crate::tools::file_history::gate(inner, &Arc::new(context));
    let counted = Arc::new(saying("write", Some(Approval::WRITE)));
    let (tool, call) = (Arc::clone(&counted) as Arc<dyn Tool>, call("write", Map::new()));
    assert_eq!(gate.approve(&PendingCall::new(&tool, &call, &call.arguments)).await, Decision::Allow);
    assert_eq!(counted.2.load(Ordering::Relaxed), 1);
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

/// A rule allows a program. A function of the shell that has its name is asked about.
#[tokio::test]
async fn rules_hold_for_programs_and_not_for_what_has_their_name() {
    let mut settings = Settings::defaults();
    settings.set_override("tools.approvalMode", json!("always-ask")).unwrap();
    settings.set_override("tools.approvalRules", json!(["ls *"])).unwrap();
    let arguments = Map::from_iter([("command".to_owned(), json!("ls src"))]);
    let (decision, asked) = decided_on(&settings, "bash", Some(Approval::EXEC), arguments.clone()).await;
    assert_eq!((decision, asked.len()), (Decision::Allow, 0));
    let function = Approval { hidden: true, ..Approval::EXEC };
    let (decision, asked) = decided_on(&settings, "bash", Some(function), arguments).await;
    assert!(matches!(decision, Decision::Deny(_)) && asked.len() == 1, "{decision:?} {asked:?}");
}
