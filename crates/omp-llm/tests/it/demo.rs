//! The guided tour, driven as the loop drives it.

use std::sync::Arc;

use omp_llm::demo;
use omp_types::{Message, RequestOptions, StopReason, StreamEvent, ToolDefinition};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Outcome, ask_once, client, failed, request_with, result, tool, user};

fn tools() -> Vec<ToolDefinition> {
    ["read", "write", "bash"].map(|name| tool(name, json!({"type": "object"}))).to_vec()
}

async fn step(messages: &[Arc<Message>]) -> Outcome {
    ask_once(&demo::model(), &request_with(messages.to_vec(), tools(), RequestOptions::default())).await
}

/// Look around, open the landmark, propose.
#[tokio::test]
async fn the_tour_reads_a_landmark_and_says_what_it_is() {
    let mut messages = vec![user("what is this project?")];
    let look = step(&messages).await;
    assert_eq!(look.done().stop_reason, StopReason::ToolUse);
    assert!(look.text().contains("demo") && look.text().contains("no model"));
    assert_eq!((look.calls()[0].name.as_str(), &look.calls()[0].arguments["path"]), ("read", &json!(".")));
    messages.extend([look.as_message(), result(look.calls()[0], "src/\nCargo.toml\nREADME.md")]);
    let open = step(&messages).await;
    assert_eq!(open.calls()[0].arguments["path"], "README.md:raw");
    assert_ne!(open.calls()[0].id, look.calls()[0].id);
    messages.extend([open.as_message(), result(open.calls()[0], "\n# The Project\nmore")]);
    let propose = step(&messages).await;
    assert_eq!(propose.done().stop_reason, StopReason::Stop);
    assert!(propose.text().contains("# The Project") && propose.text().contains("ANTHROPIC_API_KEY"));
    // Asked again, it starts over.
    messages.extend([propose.as_message(), user("and now?")]);
    assert_eq!(step(&messages).await.calls()[0].name, "read");
}

/// An empty folder has no landmark; without tools there is nothing to show.
#[tokio::test]
async fn the_tour_copes_with_little() {
    let mut messages = vec![user("hello")];
    let look = step(&messages).await;
    messages.extend([look.as_message(), result(look.calls()[0], "")]);
    assert!(step(&messages).await.calls().is_empty());
    let bare =
        ask_once(&demo::model(), &request_with(vec![user("hello")], vec![], RequestOptions::default())).await;
    assert!(bare.calls().is_empty() && bare.text().contains("no tools"));
}

/// On request it writes a file under a free name and runs it; a failure is told.
#[tokio::test]
async fn the_tour_writes_and_runs_a_file() {
    let mut messages = vec![user("Please create something and run it")];
    let look = step(&messages).await;
    messages.extend([look.as_message(), result(look.calls()[0], "omp-demo.sh\nomp-demo-2.sh")]);
    let write = step(&messages).await;
    assert_eq!(
        (write.calls()[0].name.as_str(), &write.calls()[0].arguments["path"]),
        ("write", &json!("omp-demo-3.sh"))
    );
    let mut refused = messages.clone();
    refused.extend([write.as_message(), failed(write.calls()[0], "read-only file system")]);
    let told = step(&refused).await;
    assert!(told.calls().is_empty() && told.text().contains("read-only file system"));
    messages.extend([write.as_message(), result(write.calls()[0], "written")]);
    let run = step(&messages).await;
    assert_eq!(run.calls()[0].arguments["command"], "sh ./omp-demo-3.sh");
    messages.extend([run.as_message(), result(run.calls()[0], "Hello from omp-demo-3.sh")]);
    let end = step(&messages).await;
    assert!(end.calls().is_empty() && end.text().contains("Hello from omp-demo-3.sh"));
}

#[tokio::test]
async fn the_tour_can_be_aborted() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let request = request_with(vec![user("hi")], tools(), RequestOptions::default());
    let (events, message) =
        omp_llm::collect(client().stream(Arc::new(demo::model()), &request, cancel)).await;
    assert!(matches!(events.last(), Some(StreamEvent::Error { reason: StopReason::Aborted, .. })));
    assert!(message.unwrap().content.is_empty());
}
