//! The state behind `checkpoint` and `rewind`.

use std::sync::Arc;

use omp_agent::{ToolError, Updates};
use omp_shell::{Environment, Scope};
use omp_tools::{Context, Mark, Modes, builtin};
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{invocation, now};

fn context(modes: Modes) -> Arc<Context> {
    let environment: Environment = std::iter::empty::<(String, String)>().collect();
    let mut context = Context::new("/".into(), None, Arc::new(Scope::new()), environment);
    context.modes = Arc::new(modes);
    context.now = now;
    Arc::new(context)
}

async fn run(context: &Arc<Context>, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
    let tools = builtin(context);
    let tool = tools.into_iter().find(|one| one.definition().name == tool).unwrap();
    tool.run(invocation(&arguments, CancellationToken::new(), Updates::ignored())).await
}

/// The mark holds the count of messages with the result, the entry and the time. A report that was given before it is
/// dropped with the checkpoint it belonged to.
/// proves: TSN-032
#[tokio::test]
async fn a_checkpoint_remembers_where_it_is() {
    let context = context(Modes::of_session(None));
    let checkpoints = context.modes.checkpoints.as_ref().unwrap();
    let output = run(&context, "checkpoint", json!({"goal": "look"})).await.unwrap();
    assert_eq!(output.details, Some(json!({"goal": "look", "startedAt": "2033-05-18T03:33:20.000Z"})));
    assert_eq!(checkpoints.owes_report(), None, "the results of the turn are not all there yet");
    checkpoints.begin(3, Some("entry"));
    let mark = Mark { messages: 3, entry: Some("entry".into()), started: "2033-05-18T03:33:20.000Z".into() };
    assert_eq!(checkpoints.owes_report(), Some(mark.clone()));
    checkpoints.begin(9, Some("later"));
    assert_eq!(checkpoints.owes_report(), Some(mark.clone()), "only the turn of the call sets it");

    run(&context, "rewind", json!({"report": "old"})).await.unwrap();
    assert_eq!(checkpoints.owes_report(), None);
    let rewound = checkpoints.take_rewound().unwrap();
    assert_eq!((rewound.mark, rewound.report.as_str()), (mark, "old"));
    run(&context, "checkpoint", json!({"goal": "again"})).await.unwrap();
    checkpoints.begin(5, None);
    assert_eq!(checkpoints.take_rewound(), None, "the report of the first is gone");
    assert!(checkpoints.owes_report().is_some());
}

/// proves: TSN-031, LOP-132
#[tokio::test]
async fn sub_agents_have_no_checkpoints() {
    let context = context(Modes::default());
    for (tool, arguments) in [("checkpoint", json!({"goal": "x"})), ("rewind", json!({"report": "x"}))] {
        let error = run(&context, tool, arguments).await.unwrap_err();
        assert_eq!(error.message, "Checkpoint not available in subagents.");
    }
}
