//! The way of a call: schedule, validate, ask, run, answer.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Decision, Gate, INTENT_FIELD, Inspection, PendingCall, Tool, ToolError, Updates};
use omp_types::{AgentEvent, ToolCall, ToolOutput};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::common::{Answer, FakeTool, Recorder, Trace, kind, world};

/// Two reads overlap; the exclusive call waits for both and holds back the read after it. Results keep the order
/// of the calls although the second read is done first.
// proves: LOP-004
#[tokio::test(start_paused = true)]
async fn calls_overlap_unless_one_is_exclusive() {
    let trace = Trace::default();
    let calls = Answer::call("a", "slow_read", json!({}))
        .and_call("b", "read", json!({}))
        .and_call("c", "write", json!({}))
        .and_call("d", "read", json!({}));
    let world = world([calls, Answer::text("done")])
        .tool(FakeTool::traced("slow_read", 30, &trace))
        .tool(FakeTool::traced("read", 10, &trace))
        .tool(FakeTool::traced("write", 10, &trace).exclusive())
        .build();
    world.prompt("go").await;

    #[rustfmt::skip]
    assert_eq!(trace.lines(), [
        "slow_read a begins", "read b begins",
        "read b ends", "slow_read a ends",
        "write c begins", "write c ends",
        "read d begins", "read d ends",
    ]);
    let expected =
        ["result a: slow_read ran", "result b: read ran", "result c: write ran", "result d: read ran"];
    assert_eq!(world.request(1)[5..], expected);
}

/// A result enters the record as soon as every earlier one is there: a crash loses only what still runs.
#[tokio::test(start_paused = true)]
async fn results_are_announced_as_early_as_their_order_allows() {
    let go = Arc::new(Notify::new());
    let calls =
        Answer::call("a", "read", json!({})).and_call("b", "job", json!({})).and_call("c", "read", json!({}));
    let world = world([calls, Answer::text("done")])
        .tool(FakeTool::quick("read"))
        .tool(FakeTool::slow("job", &go))
        .build();
    let look = async {
        world.recorder.seen("tool_execution_end", 2).await;
        tokio::task::yield_now().await;
        assert_eq!(world.recorder.count("message_end"), 3, "prompt, answer, first result");
        go.notify_one();
    };
    world.prompt_while("go", look).await;
    assert_eq!(world.request(1)[4..], ["result a: read ran", "result b: job ran", "result c: read ran"]);
}

/// Notes every station and changes what passes.
struct TracingGate(Trace);

impl Gate for TracingGate {
    fn before<'a>(
        &'a self,
        _tool: &'a Arc<dyn Tool>,
        _call: &'a ToolCall,
        mut arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Map<String, Value>, ToolError>> {
        self.0.note(format!("before {}", Value::Object(arguments.clone())));
        arguments.insert("hooked".to_owned(), json!(true));
        std::future::ready(Ok(arguments)).boxed()
    }

    fn approve<'a>(&'a self, pending: &'a PendingCall<'a>) -> BoxFuture<'a, Decision> {
        self.0.note(format!("approve {}", Value::Object(pending.arguments.clone())));
        let denied = pending.call.id == "denied";
        std::future::ready(if denied { Decision::Deny("not allowed".to_owned()) } else { Decision::Allow })
            .boxed()
    }

    fn restore(&self, mut arguments: Map<String, Value>) -> Map<String, Value> {
        self.0.note("restore");
        arguments.insert("path".to_owned(), json!("secret"));
        arguments
    }

    fn after<'a>(
        &'a self,
        _call: &'a ToolCall,
        result: Result<ToolOutput, ToolError>,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.0.note("after");
        std::future::ready(result.map(|_| ToolOutput::text("redacted"))).boxed()
    }
}

fn stations(trace: &Trace) -> FakeTool {
    let trace = trace.clone();
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "line": {"type": "integer"}},
        "required": ["path"],
    });
    let run = move |call: omp_agent::Invocation| {
        trace.note(format!("run {}", Value::Object(call.arguments)));
        call.updates.send(ToolOutput::text("half"));
        std::future::ready(Ok(ToolOutput::text("secret content")))
    };
    FakeTool::new("read", run).schema(schema)
}

/// Every station of a call, in order; each sees what the one before it made.
// proves: LOP-005
#[tokio::test(start_paused = true)]
async fn a_call_passes_its_stations_in_order() {
    let trace = Trace::default();
    let recorder = Recorder::default();
    let events = trace.clone();
    recorder.react(move |event| {
        if kind(event).starts_with("tool_execution") {
            events.note(kind(event));
        }
    });
    let call = Answer::call("a", "read", json!({INTENT_FIELD: "peek", "path": "#1#", "line": null}));
    let world = world([call, Answer::text("done")])
        .config(|config| config.intent_tracing = true)
        .tool(stations(&trace))
        .gate(TracingGate(trace.clone()))
        .recorder(recorder)
        .build();
    world.prompt("go").await;

    assert_eq!(
        trace.lines(),
        [
            "tool_execution_start",
            r##"before {"path":"#1#"}"##, // without the intent, and validated: the null is gone
            r##"approve {"path":"#1#","hooked":true}"##,
            "restore",
            r#"run {"path":"secret","hooked":true}"#,
            "after",
            "tool_execution_update",
            "tool_execution_end",
        ]
    );
    assert_eq!(world.request(1)[2], "result a: redacted");
}

/// A refused call tells the model why and never reaches the tool; an invalid one never reaches the hooks.
#[tokio::test(start_paused = true)]
async fn each_station_can_end_the_way() {
    let trace = Trace::default();
    let calls = Answer::call("invalid", "read", json!({})).and_call("denied", "read", json!({"path": "x"}));
    let world =
        world([calls, Answer::text("done")]).tool(stations(&trace)).gate(TracingGate(trace.clone())).build();
    world.prompt("go").await;
    assert_eq!(trace.lines(), [r#"before {"path":"x"}"#, r#"approve {"path":"x","hooked":true}"#]);
    assert_eq!(world.request(1)[4], "error denied: not allowed");
}

/// The model is asked for a reason with every call; listeners get it, the tool and the record do not.
// proves: LOP-007
#[tokio::test(start_paused = true)]
async fn calls_carry_a_reason() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let call = || Answer::call("a", "read", json!({INTENT_FIELD: " peek ", "path": "x"}));
    let traced = world([call(), Answer::text("done")])
        .config(|config| config.intent_tracing = true)
        .tool(FakeTool::echo("read").schema(schema.clone()))
        .build();
    traced.prompt("go").await;
    let offered = &traced.script.requests()[0].tools[0].parameters;
    assert_eq!(offered["properties"][INTENT_FIELD]["type"], "string");
    assert_eq!(offered["required"], json!([INTENT_FIELD, "path"]));
    let label = traced.events().into_iter().find_map(|event| match event {
        AgentEvent::ToolExecutionStart { intent, args, .. } => Some((intent, args)),
        _ => None,
    });
    assert_eq!(label, Some((Some("peek".to_owned()), json!({"path": "x"}))));
    assert_eq!(traced.request(1)[2], r#"result a: {"path":"x"}"#);

    let plain =
        world([call(), Answer::text("done")]).tool(FakeTool::echo("read").schema(schema.clone())).build();
    plain.prompt("go").await;
    assert_eq!(plain.script.requests()[0].tools[0].parameters, schema);
    assert_eq!(
        plain.request(1)[2],
        r#"result a: {"path":"x"}"#,
        "a reason given unasked is no argument either"
    );
}

/// A tool with a parameter of the reason's name gets its argument.
#[tokio::test(start_paused = true)]
async fn a_tool_may_own_the_name_of_the_reason() {
    let schema = json!({"type": "object", "properties": {INTENT_FIELD: {"type": "integer"}}});
    let world = world([Answer::call("a", "count", json!({INTENT_FIELD: 7})), Answer::text("done")])
        .config(|config| config.intent_tracing = true)
        .tool(FakeTool::echo("count").schema(schema.clone()))
        .build();
    world.prompt("go").await;
    assert_eq!(world.script.requests()[0].tools[0].parameters, schema);
    assert_eq!(world.request(1)[2], r#"result a: {"_i":7}"#);
}

/// A crash of a tool is an answer to its call; the others are not disturbed.
#[tokio::test(start_paused = true)]
async fn a_tool_that_panics_fails_its_call_only() {
    let boom = FakeTool::new("boom", |_| async { panic!("index out of range") });
    let calls = Answer::call("a", "boom", json!({})).and_call("b", "read", json!({}));
    let world = world([calls, Answer::text("done")]).tool(boom).tool(FakeTool::quick("read")).build();
    world.prompt("go").await;
    assert_eq!(
        world.request(1)[3..],
        ["error a: The tool crashed: index out of range", "result b: read ran"]
    );
}

/// Progress reaches listeners while the tool runs, never after its end, and a flood of it is thinned out.
#[tokio::test(start_paused = true)]
async fn progress_ends_with_the_call() {
    let kept: Arc<Mutex<Option<Updates>>> = Arc::default();
    let (go, sender) = (Arc::new(Notify::new()), Arc::clone(&kept));
    let chatty = FakeTool::new("chatty", move |call| {
        *sender.lock().unwrap() = Some(call.updates.clone());
        async move {
            for step in 0..1000 {
                call.updates.send(ToolOutput::text(step.to_string()));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            call.updates.send(ToolOutput::text("last"));
            Ok(ToolOutput::text("chatty ran"))
        }
    });
    let calls = Answer::call("a", "chatty", json!({})).and_call("b", "job", json!({}));
    let world = world([calls, Answer::text("done")]).tool(chatty).tool(FakeTool::slow("job", &go)).build();
    let late = async {
        world.recorder.seen("tool_execution_end", 1).await;
        kept.lock().unwrap().as_ref().unwrap().send(ToolOutput::text("too late"));
        tokio::time::sleep(Duration::from_millis(10)).await;
        go.notify_one();
    };
    world.prompt_while("go", late).await;
    let texts: Vec<String> = world
        .events()
        .into_iter()
        .filter_map(|event| match event {
            AgentEvent::ToolExecutionUpdate { partial_result, .. } => {
                Some(partial_result.content[0].as_text().unwrap().to_owned())
            }
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["999", "last"]);
}

/// A slow listener gets the newest progress when it is ready for it, and does not slow the tool down.
#[tokio::test(start_paused = true)]
async fn progress_waits_for_a_slow_listener() {
    let ticking = FakeTool::new("ticking", |call| async move {
        for step in 0..100 {
            call.updates.send(ToolOutput::text(step.to_string()));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(ToolOutput::text("ticking ran"))
    });
    let world = world([Answer::call("a", "ticking", json!({})), Answer::text("done")])
        .tool(ticking)
        .recorder(Recorder::slow(250))
        .build();
    world.prompt("go").await;
    let updates = world.recorder.count("tool_execution_update");
    assert!((3..=6).contains(&updates), "{updates} updates in one second at four per second");
}

/// A call that can only fail is stopped while it is being written; its reason is the result and the run goes on.
#[tokio::test(start_paused = true)]
async fn a_tool_can_stop_a_call_that_is_being_written() {
    let (never, trace) = (Arc::new(Notify::new()), Trace::default());
    let edit = FakeTool::traced("edit", 0, &trace).inspect(|partial| match partial.get("path") {
        Some(path) if path == "generated.rs" => Inspection::Stop("generated.rs is generated".to_owned()),
        _ => Inspection::GoOn,
    });
    let doomed = Answer::call("a", "edit", json!({"path": "fine.rs"}))
        .and_open_call("b", "edit", json!({"path": "generated.rs"}))
        .until(&never)
        .and_text("never said");
    let world = world([doomed, Answer::text("done")]).tool(edit).build();
    world.prompt("go").await;
    assert!(trace.lines().is_empty());
    let second = world.request(1);
    assert_eq!(second[1..3], ["call a edit", "call b edit"]);
    assert!(second[3].starts_with("error a: This call was not run"), "{}", second[3]);
    assert_eq!(second[4], "error b: generated.rs is generated");
    assert_eq!(world.context().await.last().unwrap(), "text: done");
}
