//! Decisions about changes that any part of the program may show.

use std::sync::{Arc, Mutex};

use crate::support::{Project, invocation, text};
use omp_agent::{Tool, ToolError, Updates};
use omp_shell::{Environment, Scope};
use omp_tools::{Context, Handler, PendingAction, builtin};
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A context, its `resolve`, and what handlers were told.
struct Desk {
    _project: Project,
    context: Arc<Context>,
    resolve: Arc<dyn Tool>,
    told: Arc<Mutex<Vec<String>>>,
}

impl Desk {
    fn new() -> Self {
        let project = Project::new();
        let (scope, environment) = (Arc::new(Scope::new()), Environment::default());
        let context = Arc::new(Context::new(project.path(), None, scope, environment));
        let tools = builtin(&context);
        let resolve = tools.into_iter().find(|tool| tool.definition().name == "resolve").unwrap();
        Self { _project: project, context, resolve, told: Arc::default() }
    }

    /// A handler that notes the reason and the extra facts.
    fn handler(&self, name: &'static str) -> Handler {
        let told = Arc::clone(&self.told);
        Box::new(move |decision| {
            let extra = decision.extra.as_ref().map(|extra| Value::Object(extra.clone()));
            told.lock().unwrap().push(format!("{name}: {} {}", decision.reason, extra.unwrap_or_default()));
            Ok(ToolOutput::text(format!("{name} done")).with_details(json!({ "by": name })))
        })
    }

    fn action(&self, name: &'static str) -> PendingAction {
        let (label, source) = (format!("the {name}"), "my_tool".to_owned());
        PendingAction { label, source, files: Vec::new(), apply: self.handler(name), reject: None }
    }

    async fn decide(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        self.resolve.run(invocation(&arguments, CancellationToken::new(), Updates::ignored())).await
    }

    fn told(&self) -> Vec<String> {
        std::mem::take(&mut self.told.lock().unwrap())
    }
}

/// proves: TSN-041, TSN-042, LOP-128
#[tokio::test]
async fn handlers_get_the_reason_and_their_results_are_the_answer() {
    let desk = Desk::new();
    desk.context.pending.push(desk.action("plan"));
    let call = json!({ "action": "apply", "reason": "fits", "extra": { "title": "x" } });
    let output = desk.decide(call).await.unwrap();
    assert_eq!(text(&output), "plan done");
    assert_eq!(desk.told(), ["plan: fits {\"title\":\"x\"}"]);
    assert_eq!(
        output.details.unwrap(),
        json!({
            "action": "apply", "reason": "fits", "sourceToolName": "my_tool", "label": "the plan",
            "extra": { "title": "x" }, "sourceResultDetails": { "by": "plan" },
        })
    );

    let reject = Some(desk.handler("clean-up"));
    desk.context.pending.push(PendingAction { reject, ..desk.action("plan") });
    let output = desk.decide(json!({ "action": "discard", "reason": "no" })).await.unwrap();
    assert_eq!(
        (text(&output).as_str(), desk.told()),
        ("clean-up done", vec!["clean-up: no null".to_owned()])
    );

    desk.context.pending.push(desk.action("plan"));
    let output = desk.decide(json!({ "action": "discard", "reason": "no" })).await.unwrap();
    assert_eq!(text(&output), "Discarded: the plan. Reason: no");
    assert!(desk.told().is_empty());
}

/// proves: TSN-047, LOP-131
#[tokio::test]
async fn a_change_that_could_not_be_made_still_waits() {
    let desk = Desk::new();
    let apply: Handler = Box::new(|_| Err(ToolError::new("the disk is full")));
    desk.context.pending.push(PendingAction { apply, ..desk.action("edit") });
    let error = desk.decide(json!({ "action": "apply", "reason": "go" })).await.unwrap_err();
    assert_eq!(error.message, "Apply failed: the disk is full");
    assert!(desk.resolve.demand().is_some(), "the decision is still wanted");
    desk.decide(json!({ "action": "discard", "reason": "later" })).await.unwrap();
    assert!(desk.resolve.demand().is_none());
}

/// What a mode holds is decided when nothing else is, and nobody is pressed for it.
#[tokio::test]
async fn a_standing_handler_comes_last() {
    let desk = Desk::new();
    desk.context.pending.set_standing(Some(desk.action("approval")));
    assert!(desk.resolve.demand().is_none());
    desk.context.pending.push(desk.action("edit"));
    let note = desk.resolve.demand().unwrap();
    assert_eq!(note.custom_type, "resolve-reminder");
    assert!(note.text.contains("the edit"), "{}", note.text);
    for expected in ["edit: y null", "approval: y null", "approval: y null"] {
        desk.decide(json!({ "action": "apply", "reason": "y" })).await.unwrap();
        assert_eq!(desk.told(), [expected]);
    }
    desk.context.pending.set_standing(None);
    assert!(desk.decide(json!({ "action": "apply", "reason": "y" })).await.is_err());
}
