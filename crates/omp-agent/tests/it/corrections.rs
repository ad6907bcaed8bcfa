//! Empty answers, open todos, hints, demanded calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use omp_agent::{AgentConfig, AgentError, Eager};
use omp_types::{AgentEvent, FailureKind, Message, StopReason, ToolChoice, ToolOutput};
use serde_json::json;

use crate::common::{Answer, FakeTool, World, kind, short, words, world};

type Change = fn(&mut AgentConfig);

fn choices(world: &World) -> Vec<ToolChoice> {
    world.script.requests().into_iter().map(|request| request.options.tool_choice).collect()
}

fn only(tool: &str) -> ToolChoice {
    ToolChoice::Tool(tool.to_owned())
}

/// Thoughts without words, calls announced but not made, nothing at all: each is taken out and the model nudged.
// proves: LOP-051
#[tokio::test(start_paused = true)]
async fn empty_answers_are_removed_and_nudged() {
    let empties = [
        Answer::new().and_thinking("hm"),
        Answer::new().and_thinking("hm").end(StopReason::ToolUse),
        Answer::text(" \n"),
    ];
    let world_with_end = world(empties.into_iter().chain([Answer::text("done")])).build();
    world_with_end.prompt("go").await;
    let last = world_with_end.request(3);
    assert_eq!((last.len(), last[0].as_str()), (4, "user: go"));
    assert!(last[1..].iter().all(|line| line.starts_with("empty-answer: ")), "{last:?}");
    let nudge = Arc::clone(&world_with_end.agent.messages().await[1]);
    assert!(matches!(&*nudge, Message::Custom(nudge) if !nudge.display), "people do not see the nudge");

    let world = world((0..9).map(|_| Answer::new().and_thinking("hm"))).build();
    world.prompt("go").await;
    assert_eq!(world.script.requests().len(), 1 + 3);
    assert_eq!(world.context().await.len(), 4, "the last empty answer is not kept either");
}

fn open_todos(builder: crate::common::Builder) -> crate::common::Builder {
    builder.todos(|| vec!["write tests".to_owned(), "fix bugs".to_owned()])
}

fn reminders(world: &World) -> Vec<(u32, u32)> {
    let reminder = |event| match event {
        AgentEvent::TodoReminder { todos, attempt, max_attempts } => {
            assert_eq!(todos, ["write tests", "fix bugs"]);
            Some((attempt, max_attempts))
        }
        _ => None,
    };
    world.events().into_iter().filter_map(reminder).collect()
}

/// Open todos continue the work, three times per prompt, and not twice without a tool call in between.
// proves: LOP-052
#[tokio::test(start_paused = true)]
async fn open_todos_are_reminded_of() {
    let lazy = open_todos(world((0..9).map(|_| Answer::text("done")))).build();
    lazy.prompt("go").await;
    assert_eq!(lazy.script.requests().len(), 2, "no second reminder without a tool call");
    let reminder = lazy.request(1).swap_remove(2);
    assert!(
        reminder.starts_with("todo-reminder: ") && reminder.contains("- write tests\n- fix bugs"),
        "{reminder}"
    );

    let busy = |rounds: usize| {
        (0..rounds).flat_map(|at| [Answer::call(&at.to_string(), "read", json!({})), Answer::text("done")])
    };
    let world = open_todos(world(busy(9))).tool(FakeTool::quick("read")).build();
    world.prompt("go").await;
    assert_eq!(reminders(&world), [(1, 3), (2, 3), (3, 3)]);
    assert_eq!(world.script.requests().len(), 2 * (1 + 3));
    world.prompt("next").await;
    assert_eq!(reminders(&world)[3], (1, 3), "every prompt has its own three");
}

/// A call that was truncated is no tool use.
#[tokio::test(start_paused = true)]
async fn a_truncated_call_earns_no_second_reminder() {
    let truncated = Answer::call("a", "read", json!({})).end(StopReason::Length);
    let answers = [Answer::text("done"), truncated, Answer::text("done"), Answer::text("done")];
    let world = open_todos(world(answers)).tool(FakeTool::quick("read")).build();
    world.prompt("go").await;
    assert_eq!(reminders(&world), [(1, 3)]);
    assert_eq!(world.script.requests().len(), 3);
}

/// The follow-up comes when the reminder of the prompt was in vain; it has one of its own.
#[tokio::test(start_paused = true)]
async fn a_follow_up_has_reminders_of_its_own() {
    let world = open_todos(world((0..9).map(|_| Answer::text("done")))).build();
    let (control, turns) = (world.control.clone(), AtomicUsize::new(0));
    world.recorder.react(move |event| {
        if kind(event) == "turn_end" && turns.fetch_add(1, Ordering::Relaxed) == 1 {
            control.follow_up(words("and then"));
        }
    });
    world.prompt("go").await;
    assert_eq!(reminders(&world), [(1, 3), (1, 3)]);
    assert_eq!(world.script.requests().len(), 4);
}

/// Nothing is said after a demanded call, after an error, without open todos, or when switched off.
// proves: LOP-053
#[tokio::test(start_paused = true)]
async fn reminders_know_when_to_be_silent() {
    let answers = || [Answer::text("done"), Answer::text("done")];
    let control_group = open_todos(world(answers())).build();
    control_group.prompt("go").await;
    assert_eq!(reminders(&control_group), [(1, 3)], "the event tells attempt and limit");

    let forced = [Answer::call("a", "read", json!({})), Answer::text("done"), Answer::text("done")];
    let forced = open_todos(world(forced)).tool(FakeTool::quick("read")).build();
    forced.agent.force_tool("read").await.unwrap();
    let failed = open_todos(world([Answer::failed(FailureKind::Fatal, "no")])).build();
    let off = open_todos(world(answers())).config(|config| config.todo.reminders = false).build();
    let closed = world(answers()).todos(Vec::new).build();
    let absent = world(answers()).build();
    for (world, requests) in [(forced, 2), (failed, 1), (off, 1), (closed, 1), (absent, 1)] {
        world.prompt("go").await;
        assert_eq!((reminders(&world).len(), world.script.requests().len()), (0, requests));
    }
}

fn with_planning_tools(answers: impl IntoIterator<Item = Answer>, change: Change) -> World {
    world(answers).tool(FakeTool::quick("todo")).tool(FakeTool::quick("task")).config(change).build()
}

fn hints(world: &World, index: usize) -> Vec<String> {
    let request = world.script.requests().swap_remove(index);
    let hint = |message: &Arc<Message>| match &**message {
        Message::Custom(custom) => (!custom.display).then(|| custom.custom_type.clone()),
        _ => None,
    };
    request.messages.iter().filter_map(hint).collect()
}

/// The first message gets a hint to plan, unless it is talk; `always` also demands the call, and then the work
/// goes on with all tools.
// proves: LOP-054
#[tokio::test(start_paused = true)]
async fn the_first_message_can_hint_at_a_todo_list() {
    let cases: [(Change, &str, &[&str]); 5] = [
        (|_| {}, "build it", &[]),
        (|config| config.todo.eager = Eager::Preferred, "build it", &["eager-todo"]),
        (|config| config.todo.eager = Eager::Preferred, "what is this? ", &[]),
        (|config| config.todo.eager = Eager::Always, "great!", &[]),
        (|config| config.todo.eager = Eager::Always, "build it", &["eager-todo"]),
    ];
    for (change, prompt, expected) in cases {
        let world = with_planning_tools([Answer::text("ok"), Answer::text("ok")], change);
        world.prompt(prompt).await;
        assert_eq!(hints(&world, 0), expected, "{prompt}");
        world.prompt("more").await;
        assert_eq!(hints(&world, 1), expected, "only the first message");
    }

    let always: Change = |config| config.todo.eager = Eager::Always;
    let answers =
        || [Answer::call("a", "todo", json!({})), Answer::call("b", "task", json!({})), Answer::text("ok")];
    let forced = with_planning_tools(answers(), always);
    forced.prompt("build it").await;
    assert_eq!(choices(&forced), [only("todo"), ToolChoice::Auto, ToolChoice::Auto]);
    let preferred = with_planning_tools(answers(), |config| config.todo.eager = Eager::Preferred);
    preferred.prompt("build it").await;
    assert_eq!(choices(&preferred)[0], ToolChoice::Auto);
    let unforceable = world(answers()).unforceable().tool(FakeTool::quick("todo")).config(always).build();
    unforceable.prompt("build it").await;
    assert_eq!(
        (choices(&unforceable)[0].clone(), hints(&unforceable, 0)),
        (ToolChoice::Auto, vec!["eager-todo".into()])
    );
    let without_tool = world(answers()).config(always).build();
    without_tool.prompt("build it").await;
    assert!(hints(&without_tool, 0).is_empty());
}

/// A demand of our own does not outlive the prompt that failed.
#[tokio::test(start_paused = true)]
async fn an_eager_demand_is_for_its_prompt_only() {
    let answers = [Answer::failed(FailureKind::Fatal, "no"), Answer::text("ok")];
    let world = with_planning_tools(answers, |config| config.todo.eager = Eager::Always);
    world.prompt("build it").await;
    world.prompt("something else").await;
    assert_eq!(choices(&world), [only("todo"), ToolChoice::Auto]);
}

#[tokio::test(start_paused = true)]
async fn the_first_message_can_hint_at_delegation() {
    let cases: [(Eager, &[&str]); 3] =
        [(Eager::Default, &[]), (Eager::Preferred, &[]), (Eager::Always, &["eager-task"])];
    for (eager, expected) in cases {
        let world = world([Answer::text("ok"), Answer::text("ok")])
            .tool(FakeTool::quick("task"))
            .config(|config| config.eager_task = eager)
            .build();
        world.prompt("what is this?").await;
        world.prompt("more").await;
        assert_eq!((hints(&world, 0), hints(&world, 1)), (to_strings(expected), to_strings(expected)));
    }
}

fn to_strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|&item| item.to_owned()).collect()
}

/// One demanded call, one turn without tools, then everything as before. What cannot be demanded is an error.
// proves: LOP-056
#[tokio::test(start_paused = true)]
async fn a_tool_can_be_demanded_once() {
    let answers = [
        Answer::call("a", "read", json!({})),
        Answer::text("that is what it says"),
        Answer::call("b", "read", json!({})),
        Answer::text("done"),
    ];
    let forced = world(answers).tool(FakeTool::quick("read")).build();
    forced.agent.force_tool("read").await.unwrap();
    forced.prompt("go").await;
    forced.prompt("more").await;
    assert_eq!(choices(&forced), [only("read"), ToolChoice::None, ToolChoice::Auto, ToolChoice::Auto]);

    let inactive = forced.agent.force_tool("write").await.unwrap_err();
    assert_eq!(inactive, AgentError::InactiveTool("write".to_owned()));
    assert_eq!(inactive.to_string(), "tool \"write\" is not active, so it cannot be forced");
    let stubborn = world([Answer::text("ok")]).unforceable().tool(FakeTool::quick("read")).build();
    assert_eq!(stubborn.agent.force_tool("read").await.unwrap_err(), AgentError::CannotForce);
}

/// The demand stands until the call was made: failures, empty and truncated answers do not use it up.
#[tokio::test(start_paused = true)]
async fn a_demand_stands_until_it_is_met() {
    let answers = [
        Answer::failed(FailureKind::Transient, "busy"),
        Answer::new().and_thinking("hm"),
        Answer::call("a", "read", json!({})).end(StopReason::Length),
        Answer::text("half").fail(FailureKind::Fatal, "cut"),
        Answer::call("b", "read", json!({})),
        Answer::text("done"),
    ];
    let world = world(answers).tool(FakeTool::quick("read")).build();
    world.agent.force_tool("read").await.unwrap();
    world.prompt("go").await;
    world.retry().await;
    let mut expected = vec![only("read"); 5];
    expected.push(ToolChoice::None);
    assert_eq!(choices(&world), expected);
}

/// New words of the user are never answered with tied hands, and a model that declines ends the demand.
#[tokio::test(start_paused = true)]
async fn new_words_get_all_tools() {
    let steered = world([Answer::call("a", "read", json!({})), Answer::text("done")]);
    let control: Arc<std::sync::OnceLock<omp_agent::Control>> = Arc::default();
    let (slot, count) = (Arc::clone(&control), AtomicUsize::new(0));
    let read = FakeTool::new("read", move |_| {
        if count.fetch_add(1, Ordering::Relaxed) == 0 {
            slot.get().unwrap().steer(words("rather not"));
        }
        std::future::ready(Ok(ToolOutput::text("read")))
    });
    let steered = steered.tool(read).build();
    assert!(control.set(steered.control.clone()).is_ok());
    steered.agent.force_tool("read").await.unwrap();
    steered.prompt("go").await;
    assert_eq!(choices(&steered), [only("read"), ToolChoice::Auto]);

    let declined = world([Answer::text("no"), Answer::text("ok")]).tool(FakeTool::quick("read")).build();
    declined.agent.force_tool("read").await.unwrap();
    declined.prompt("go").await;
    let outcome = declined.prompt("more").await;
    assert_eq!(choices(&declined), [only("read"), ToolChoice::Auto]);
    assert_eq!(short(&outcome.messages), ["user: more", "text: ok"]);
}
