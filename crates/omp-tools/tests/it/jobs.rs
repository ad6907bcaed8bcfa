//! `job`, under tokio's paused clock: the work is futures, not processes.

use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Project, invocation, text};
use omp_agent::{Patience, Tool, Updates};
use omp_jobs::{Jobs, Limits, NewJob, Running};
use omp_tools::{Context, builtin};
use omp_types::{Approval, ToolOutput};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

type End = oneshot::Sender<Result<String, String>>;

/// One agent's view on a list of jobs.
struct Desk {
    _project: Project,
    jobs: Arc<Jobs>,
    tool: Arc<dyn Tool>,
    agent: String,
}

impl Desk {
    fn new() -> Self {
        Self::of(&Arc::new(Jobs::new(Limits::default())), "Main")
    }

    fn of(jobs: &Arc<Jobs>, agent: &str) -> Self {
        let project = Project::new();
        let (scope, environment) = (project.scope.clone(), project.environment.clone());
        let mut context = Context::new(project.path(), None, scope, environment);
        context.jobs = Some(Arc::clone(jobs));
        agent.clone_into(&mut context.agent);
        let tools = builtin(&Arc::new(context));
        let tool = tools.into_iter().find(|tool| tool.definition().name == "job").unwrap();
        Self { _project: project, jobs: Arc::clone(jobs), tool, agent: agent.to_owned() }
    }

    fn register<F>(&self, id: &str, work: impl FnOnce(Running) -> F)
    where
        F: Future<Output = Result<String, String>> + Send + 'static,
    {
        let (label, owner) = (format!("make {id}"), self.agent.clone());
        let new = NewJob { id: Some(id.to_owned()), kind: "bash", label, owner };
        self.jobs.register(new, work).unwrap();
    }

    /// A job that ends when it is told to.
    fn held(&self, id: &str) -> End {
        let (end, ended) = oneshot::channel();
        self.register(id, |_| async { ended.await.unwrap_or_else(|_| pending_forever()) });
        end
    }

    /// A job that ends by itself.
    fn timed(&self, id: &str, seconds: u64, outcome: Result<&str, &str>) {
        let outcome = outcome.map(str::to_owned).map_err(str::to_owned);
        self.register(id, |_| async move {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            outcome
        });
    }

    async fn call(&self, arguments: Value) -> ToolOutput {
        let call = invocation(&arguments, CancellationToken::new(), Updates::ignored());
        self.tool.run(call).await.unwrap()
    }

    async fn text(&self, arguments: Value) -> String {
        text(&self.call(arguments).await)
    }

    /// Results that would be told to the agent.
    fn waiting(&self) -> Vec<String> {
        self.jobs.claim(&self.agent, 1_000_000).into_iter().map(|settled| settled.id).collect()
    }
}

fn pending_forever() -> Result<String, String> {
    Err("its end was dropped".to_owned())
}

/// Lets everything happen that needs no time.
async fn moment() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

fn details(output: &ToolOutput) -> &Value {
    output.details.as_ref().unwrap()
}

/// proves: SHL-068
#[tokio::test(start_paused = true)]
async fn the_tool_is_always_there_and_lists_alone() {
    let plain = Project::new().tool("job");
    let properties = plain.definition().parameters["properties"].as_object().unwrap();
    let types: Vec<(&str, &Value)> =
        properties.iter().map(|(name, field)| (name.as_str(), &field["type"])).collect();
    assert_eq!(types, [("poll", &json!("array")), ("cancel", &json!("array")), ("list", &json!("boolean"))]);
    assert_eq!(plain.definition().parameters.get("required"), None);
    assert_eq!(plain.approval(&serde_json::Map::new()), Some(Approval::READ));
    assert_eq!(plain.patience(), Patience::OnlyWaits);
    let desk = Desk::new();
    let _held = desk.held("a");
    for arguments in [json!({"list": true, "poll": ["a"]}), json!({"list": true, "cancel": ["a"]})] {
        let call = invocation(&arguments, CancellationToken::new(), Updates::ignored());
        let error = desk.tool.run(call).await.unwrap_err();
        assert!(error.message.contains("`list` cannot be combined"), "{error}");
    }
    assert!(
        desk.text(json!({"list": true})).await.contains("## Still Running (1)"),
        "and nothing was cancelled"
    );
}

/// proves: SHL-069
#[tokio::test(start_paused = true)]
async fn all_running_jobs_or_the_named_ones() {
    let desk = Desk::new();
    desk.timed("slow", 20, Ok("s"));
    desk.timed("fast", 2, Ok("f"));
    // The named one, though another ends before; what does not exist is not waited for.
    let named = desk.text(json!({"poll": ["slow", "none-such"]})).await;
    assert_eq!(named, "## Completed (1)\n\n### slow (bash, completed, 20.0 s): make slow\n\ns");
    desk.timed("again", 3, Ok("a"));
    desk.timed("later", 9, Ok("l"));
    let all = desk.text(json!({})).await;
    assert!(all.contains("### again (") && all.contains("\n- later ("), "{all}");
    assert!(!all.contains("fast") && !all.contains("slow"), "what had ended is not watched: {all}");
}

/// proves: SHL-070
#[tokio::test(start_paused = true)]
async fn waiting_ends_at_the_first_end_or_in_time() {
    let desk = Desk::new();
    desk.timed("one", 1, Ok("first"));
    desk.timed("five", 5, Ok("second"));
    let begun = tokio::time::Instant::now();
    let text = desk.text(json!({})).await;
    assert_eq!(begun.elapsed().as_millis(), 1000);
    assert_eq!(
        text,
        "## Completed (1)\n\n### one (bash, completed, 1.0 s): make one\n\nfirst\n\n\
         ## Still Running (1)\n\n- five (bash, 1.0 s): make five"
    );
    // By default for half a minute; the setting's words are tested with the program.
    desk.timed("hour", 3600, Ok(""));
    let begun = tokio::time::Instant::now();
    let text = desk.text(json!({"poll": ["hour"]})).await;
    assert_eq!(begun.elapsed().as_secs(), 30);
    assert!(text.starts_with("## Still Running (1)"), "{text}");
}

/// proves: SHL-071
#[tokio::test(start_paused = true)]
async fn cancelling_comes_first_and_returns_at_once() {
    let desk = Desk::new();
    desk.timed("done", 1, Ok("x"));
    let (stopped, was_stopped) = oneshot::channel();
    desk.register("runs", |running| async move {
        running.cancel.cancelled().await;
        let _ = stopped.send(());
        Err("stopped".to_owned())
    });
    let _other = desk.held("other");
    tokio::time::sleep(Duration::from_secs(2)).await;
    let begun = tokio::time::Instant::now();
    let output = desk.call(json!({"cancel": ["runs", "none-such", "done"]})).await;
    assert_eq!(begun.elapsed().as_millis(), 0, "nothing is waited for");
    assert_eq!(
        details(&output)["cancelled"],
        json!([
            {"id": "runs", "status": "cancelled"},
            {"id": "none-such", "status": "not_found"},
            {"id": "done", "status": "already_completed"},
        ])
    );
    was_stopped.await.expect("its work was told to stop");
    let listed = desk.call(json!({"list": true})).await;
    assert_eq!(details(&listed)["jobs"][1]["status"], "cancelled");
    assert_eq!(details(&listed)["jobs"][2]["status"], "running", "the others are left alone");
}

/// proves: SHL-072
#[tokio::test(start_paused = true)]
async fn cancel_and_poll_in_one_call() {
    let desk = Desk::new();
    let _held = desk.held("a");
    desk.timed("b", 4, Ok("made"));
    let begun = tokio::time::Instant::now();
    let output = desk.call(json!({"cancel": ["a"], "poll": ["b"]})).await;
    assert_eq!(begun.elapsed().as_secs(), 4, "it waited for the polled one");
    let text = text(&output);
    assert!(text.starts_with("## Cancelled (1)\n\n- a: cancelled\n\n## Completed (2)"), "{text}");
    assert!(text.contains("### b (bash, completed, 4.0 s)"), "{text}");
}

/// proves: SHL-073
#[tokio::test(start_paused = true)]
async fn the_list_shows_everything_without_waiting() {
    let desk = Desk::new();
    let begun = tokio::time::Instant::now();
    let none = desk.call(json!({"list": true})).await;
    assert_eq!((text(&none), &details(&none)["jobs"]), ("No background jobs.".to_owned(), &json!([])));
    let end = desk.held("a");
    let one = desk.text(json!({"list": true})).await;
    assert_eq!(one, "## Still Running (1)\n\n- a (bash, 0.0 s): make a");
    assert_eq!(begun.elapsed().as_millis(), 0);
    end.send(Ok("made".into())).unwrap();
    let _other = desk.held("b");
    moment().await;
    let two = desk.text(json!({"list": true})).await;
    assert!(two.contains("## Completed (1)") && two.contains("made") && two.contains("- b ("), "{two}");
}

/// proves: SHL-074, SHL-085
#[tokio::test(start_paused = true)]
async fn sections_in_their_order() {
    let desk = Desk::new();
    desk.timed("good", 1, Ok("built\n"));
    desk.timed("bad", 2, Err("no rule to make\n\nCommand exited with code 2"));
    desk.register("slow", |running| async move {
        running.report("1\n2\n3\n4\n5\n6\n7");
        pending().await
    });
    let _stopped = desk.held("stopped");
    tokio::time::sleep(Duration::from_secs(3)).await;
    let text = desk.text(json!({"cancel": ["stopped"], "poll": ["good", "bad", "slow"]})).await;
    assert_eq!(
        text,
        "## Cancelled (1)\n\n- stopped: cancelled\n\n\
         ## Completed (3)\n\n\
         ### good (bash, completed, 1.0 s): make good\n\nbuilt\n\n\
         ### bad (bash, failed, 2.0 s): make bad\n\nno rule to make\n\nCommand exited with code 2\n\n\
         ### stopped (bash, cancelled, 3.0 s): make stopped\n\n\
         ## Still Running (1)\n\n\
         - slow (bash, 33.0 s): make slow\n  | 3\n  | 4\n  | 5\n  | 6\n  | 7"
    );
}

/// proves: SHL-075
#[tokio::test(start_paused = true)]
async fn details_name_every_job() {
    let desk = Desk::new();
    desk.timed("good", 1, Ok("built"));
    desk.timed("bad", 1, Err("broken"));
    let _held = desk.held("runs");
    let _gone = desk.held("gone");
    tokio::time::sleep(Duration::from_secs(1)).await;
    moment().await;
    let listed = desk.call(json!({"list": true})).await;
    assert_eq!(details(&listed).get("cancelled"), None, "only after a cancel");
    let output = desk.call(json!({"cancel": ["gone"], "poll": ["good", "bad", "runs"]})).await;
    let jobs = details(&output)["jobs"].as_array().unwrap();
    assert_eq!(
        jobs[..2],
        [
            json!({"id": "good", "type": "bash", "status": "completed", "label": "make good", "durationMs": 1000,
                "resultText": "built"}),
            json!({"id": "bad", "type": "bash", "status": "failed", "label": "make bad", "durationMs": 1000,
                "errorText": "broken"}),
        ]
    );
    let rest: Vec<(&Value, &Value)> = jobs[2..].iter().map(|job| (&job["id"], &job["status"])).collect();
    assert_eq!(rest, [(&json!("runs"), &json!("running")), (&json!("gone"), &json!("cancelled"))]);
    assert!(jobs[2].get("resultText").is_none() && jobs[2].get("errorText").is_none());
    assert_eq!(details(&output)["cancelled"], json!([{"id": "gone", "status": "cancelled"}]));
}

/// proves: SHL-076
#[tokio::test(start_paused = true)]
async fn nothing_to_wait_for_is_no_error() {
    let desk = Desk::new();
    assert_eq!(desk.text(json!({})).await, "No running background jobs to wait for.");
    assert_eq!(desk.text(json!({"poll": ["a", "b"]})).await, "No matching jobs found for IDs: a, b");
    let without = Project::new();
    for arguments in [json!({}), json!({"poll": ["a"]}), json!({"cancel": ["a"]}), json!({"list": true})] {
        let output = without.call("job", arguments).await.unwrap();
        assert_eq!(text(&output), "Async execution is disabled; no background jobs are available.");
    }
}

/// proves: SHL-077
#[tokio::test(start_paused = true)]
async fn what_has_ended_is_not_waited_for() {
    let desk = Desk::new();
    desk.timed("a", 1, Ok("x"));
    desk.timed("b", 2, Err("y"));
    tokio::time::sleep(Duration::from_secs(5)).await;
    let begun = tokio::time::Instant::now();
    assert!(desk.text(json!({"poll": ["a", "b"]})).await.starts_with("## Completed (2)"));
    assert_eq!(begun.elapsed().as_millis(), 0);
}

/// proves: SHL-078
#[tokio::test(start_paused = true)]
async fn a_waiting_call_says_how_far_the_jobs_are() {
    let desk = Desk::new();
    desk.timed("a", 2, Ok("x"));
    let seen: Arc<Mutex<Vec<(u128, ToolOutput)>>> = Arc::default();
    let (begun, sink) = (tokio::time::Instant::now(), Arc::clone(&seen));
    let updates =
        Updates::new(move |output| sink.lock().unwrap().push((begun.elapsed().as_millis(), output)));
    desk.tool.run(invocation(&json!({}), CancellationToken::new(), updates)).await.unwrap();
    let seen = seen.lock().unwrap();
    let times: Vec<u128> = seen.iter().map(|(at, _)| *at).collect();
    assert_eq!(times[..4], [0, 500, 1000, 1500], "at once and every half second");
    for (at, output) in seen.iter().take(4) {
        assert_eq!(text(output), "");
        let job = &details(output)["jobs"][0];
        assert_eq!(
            (&job["status"], job["durationMs"].as_u64()),
            (&json!("running"), Some(*at as u64)),
            "fresh"
        );
    }
}

/// proves: SHL-079
#[tokio::test(start_paused = true)]
async fn what_a_call_has_shown_is_not_told_again() {
    let desk = Desk::new();
    // Ended before the call, during it, and shown by a list.
    let end = desk.held("before");
    end.send(Ok("x".into())).unwrap();
    moment().await;
    desk.text(json!({"poll": ["before"]})).await;
    desk.timed("during", 3, Ok("y"));
    let asked = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        desk.waiting()
    };
    let (_, meanwhile) = tokio::join!(desk.text(json!({"poll": ["during"]})), asked);
    assert!(meanwhile.is_empty(), "{meanwhile:?}");
    let end = desk.held("listed");
    end.send(Ok("z".into())).unwrap();
    moment().await;
    desk.text(json!({"list": true})).await;
    moment().await;
    assert!(desk.waiting().is_empty());
    // A job that is still running when the call ends is told when it ends.
    desk.timed("after", 40, Ok("w"));
    desk.text(json!({"poll": ["after"]})).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(desk.waiting(), ["after"]);
}

/// A text for which there was no room is not said to be known.
#[tokio::test(start_paused = true)]
async fn an_answer_is_bounded_and_what_is_left_out_is_told_later() {
    let desk = Desk::new();
    for id in ["a", "b", "c"] {
        let end = desk.held(id);
        end.send(Ok("x".repeat(30_000))).unwrap();
    }
    moment().await;
    let text = desk.text(json!({"list": true})).await;
    assert!(text.len() < 51_200 && text.contains("call with `poll: [\"b\"]`"), "{}", text.len());
    moment().await;
    assert_eq!(desk.waiting(), ["b", "c"]);
}

/// proves: SHL-080
#[tokio::test(start_paused = true)]
async fn an_aborted_call_shows_the_jobs_and_leaves_them_alone() {
    let desk = Desk::new();
    let end = desk.held("a");
    let cancel = CancellationToken::new();
    let abort = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        cancel.cancel();
    };
    let call = desk.tool.run(invocation(&json!({}), cancel.clone(), Updates::ignored()));
    let (output, ()) = tokio::join!(call, abort);
    assert_eq!(text(&output.unwrap()), "## Still Running (1)\n\n- a (bash, 2.0 s): make a");
    end.send(Ok("made".into())).unwrap();
    moment().await;
    assert!(desk.text(json!({"poll": ["a"]})).await.contains("completed"));
}

/// An agent sees its own jobs and no others; it cannot cancel those of the agent that started it.
/// proves: SHL-086
#[tokio::test(start_paused = true)]
async fn agents_have_their_own_jobs() {
    let parent = Desk::new();
    let child = Desk::of(&parent.jobs, "Child");
    let _parents = parent.held("of-parent");
    let _childs = child.held("of-child");
    assert_eq!(
        child.text(json!({"list": true})).await,
        "## Still Running (1)\n\n- of-child (bash, 0.0 s): make of-child"
    );
    let refused = child.call(json!({"cancel": ["of-parent"]})).await;
    assert_eq!(details(&refused)["cancelled"][0]["status"], "not_found");
    assert_eq!(child.text(json!({"poll": ["of-parent"]})).await, "No matching jobs found for IDs: of-parent");
    let seen = parent.text(json!({"list": true})).await;
    assert_eq!(seen, "## Still Running (1)\n\n- of-parent (bash, 0.0 s): make of-parent");
}
