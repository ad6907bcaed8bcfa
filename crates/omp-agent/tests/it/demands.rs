//! Tools that must be called before anything else happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Note, Tool, ToolError};
use omp_types::{ToolChoice, ToolDefinition, ToolOutput};
use serde_json::json;

use crate::common::{Answer, FakeTool, World, world};

/// Wants to be called as often as something waits for it.
struct Decide {
    definition: ToolDefinition,
    waiting: Arc<AtomicUsize>,
}

impl Tool for Decide {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn demand(&self) -> Option<Note> {
        let waits = self.waiting.load(Ordering::Relaxed) > 0;
        waits.then(|| Note { custom_type: "decide-reminder", text: "decide now".into() })
    }

    fn run<'a>(&'a self, _call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        async { Ok(ToolOutput::text("decided")) }.boxed()
    }
}

/// A world with `show`, which makes something wait, and `decide`.
fn deciding(answers: impl IntoIterator<Item = Answer>) -> World {
    let waiting = Arc::new(AtomicUsize::new(0));
    let shown = Arc::clone(&waiting);
    let show = FakeTool::new("show", move |_| {
        shown.fetch_add(1, Ordering::Relaxed);
        std::future::ready(Ok(ToolOutput::text("shown")))
    });
    let world = world(answers).tool(show).build();
    let definition =
        ToolDefinition { name: "decide".to_owned(), ..FakeTool::quick("decide").definition().clone() };
    world.setup.tools.lock().unwrap().push(Arc::new(Decide { definition, waiting }));
    world
}

fn choices(world: &World) -> Vec<ToolChoice> {
    world.script.requests().into_iter().map(|request| request.options.tool_choice).collect()
}

fn decide() -> ToolChoice {
    ToolChoice::Tool("decide".to_owned())
}

#[tokio::test(start_paused = true)]
async fn the_next_request_demands_the_call_once() {
    let answers =
        [Answer::call("a", "show", json!({})), Answer::call("b", "decide", json!({})), Answer::text("done")];
    let world = deciding(answers);
    world.prompt("go").await;
    assert_eq!(choices(&world), [ToolChoice::Auto, decide(), ToolChoice::Auto]);
    assert_eq!(world.request(1).last().unwrap(), "decide-reminder: decide now");
    assert_eq!(world.request(2).iter().filter(|line| line.starts_with("decide-reminder")).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_obey_is_asked_again() {
    let answers = [
        Answer::call("a", "show", json!({})),
        Answer::text("I would rather not"),
        Answer::call("b", "show", json!({})),
        Answer::call("c", "decide", json!({})),
        Answer::call("d", "decide", json!({})),
        Answer::text("done"),
    ];
    let world = deciding(answers);
    world.prompt("go").await;
    let expected = [ToolChoice::Auto, decide(), decide(), decide(), decide(), ToolChoice::Auto];
    assert_eq!(choices(&world), expected, "two things were shown, and both were decided");

    let stubborn = deciding(
        [Answer::call("a", "show", json!({}))].into_iter().chain((0..20).map(|_| Answer::text("no"))),
    );
    stubborn.prompt("go").await;
    assert_eq!(stubborn.script.requests().len(), 1 + 5, "but not for ever");
}
