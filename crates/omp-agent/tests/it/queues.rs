//! Steering, follow-ups, asides, hidden context: who is read when.

use std::sync::{Arc, Mutex, OnceLock};

use omp_agent::{Control, Delivery, InterruptMode, QueueMode, Queued};
use omp_types::{AgentEvent, CustomMessage, ImageBlock, Message, UserBlock, UserContent};
use serde_json::json;
use tokio::sync::Notify;

use crate::common::{Answer, FakeTool, World, kind, short, words, world};

fn note(text: &str) -> CustomMessage {
    CustomMessage {
        custom_type: "note".to_owned(),
        content: words(text),
        display: false,
        details: None,
        timestamp: 0,
    }
}

/// The plain text of a wrapped interjection.
fn interjection(line: &str) -> Option<&str> {
    let inner = line.strip_prefix("user: <user-interjection>")?.strip_suffix("\n</user-interjection>")?;
    inner.lines().last()
}

fn steered(world: &World, index: usize) -> Vec<String> {
    world.request(index).iter().filter_map(|line| interjection(line)).map(str::to_owned).collect()
}

/// Steering is read at the start, after the tools, when the answer would be the last, and in the very moment the
/// run is about to end.
// proves: LOP-013
#[tokio::test(start_paused = true)]
async fn steering_is_read_at_every_point() {
    let (tool_may_end, answer_may_end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let answers = [
        Answer::call("a", "job", json!({})),
        Answer::text("so far").until(&answer_may_end),
        Answer::text("more"),
        Answer::text("last"),
    ];
    let world = world(answers)
        .tool(FakeTool::slow("job", &tool_may_end))
        .config(|config| config.interrupt_mode = InterruptMode::Wait)
        .build();
    world.steer("before the run");
    let control = world.control.clone();
    world.recorder.react(move |event| {
        if matches!(event, AgentEvent::TurnEnd { message, .. } if short(&[Arc::clone(message)]) == ["text: more"]) {
            assert_eq!(control.steer(words("at the last moment")), Delivery::ThisRun);
        }
    });
    let type_along = async {
        world.recorder.seen("tool_execution_start", 1).await;
        world.steer("during the tools");
        tool_may_end.notify_one();
        world.recorder.seen("turn_start", 2).await;
        world.steer("during the answer");
        answer_may_end.notify_one();
    };
    world.prompt_while("go", type_along).await;

    assert_eq!(steered(&world, 0), ["before the run"]);
    assert_eq!(steered(&world, 1), ["before the run", "during the tools"]);
    assert_eq!(steered(&world, 2), ["before the run", "during the tools", "during the answer"]);
    assert_eq!(steered(&world, 3).last().unwrap(), "at the last moment");
    assert_eq!(world.script.requests().len(), 4);
    assert_eq!(world.control.queued(), (0, 0));
}

/// Words that arrive after the last look and before the end are not lost between the two.
#[tokio::test(start_paused = true)]
async fn nothing_slips_in_between_the_last_look_and_the_end() {
    let control: Arc<OnceLock<Control>> = Arc::default();
    let slot = Arc::clone(&control);
    let late = Mutex::new(Some(words("just in time")));
    // The todo list is asked after the queues.
    let todos = move || {
        if let Some(late) = late.lock().unwrap().take() {
            assert_eq!(slot.get().unwrap().steer(late), Delivery::ThisRun);
        }
        Vec::new()
    };
    let world = world([Answer::text("one"), Answer::text("two")]).todos(todos).build();
    assert!(control.set(world.control.clone()).is_ok());
    world.prompt("go").await;
    assert_eq!(steered(&world, 1), ["just in time"]);
}

/// Who queues something learns whether a run will still read it, so nothing waits unseen.
#[tokio::test(start_paused = true)]
async fn words_after_the_end_are_for_the_next_run() {
    let world = world([Answer::text("done"), Answer::text("again")]).build();
    let deliveries: Arc<Mutex<Vec<Delivery>>> = Arc::default();
    let (control, seen) = (world.control.clone(), Arc::clone(&deliveries));
    world.recorder.react(move |event| match kind(event).as_str() {
        "agent_end" if seen.lock().unwrap().is_empty() => {
            assert!(!control.is_running());
            seen.lock().unwrap().push(control.steer(words("late")));
        }
        "agent_start" => assert!(control.is_running()),
        _ => {}
    });
    assert!(!world.control.is_running());
    world.prompt("go").await;
    assert_eq!(*deliveries.lock().unwrap(), [Delivery::NextRun]);
    assert_eq!(world.control.follow_up(words("later")), Delivery::NextRun);
    world.prompt("next").await;
    assert_eq!(steered(&world, 1), ["late"]);
}

/// The model sees that the user interrupted; the record has what the user typed.
// proves: LOP-016
#[tokio::test(start_paused = true)]
async fn steering_is_wrapped_for_the_model_only() {
    let world = world([Answer::text("one"), Answer::text("two")]).build();
    world.steer("stop {{text}}");
    let picture = UserBlock::Image(ImageBlock {
        data: "AAAA".to_owned(),
        mime_type: "image/png".to_owned(),
        detail: None,
    });
    world.control.steer(UserContent::Blocks(vec![picture.clone()]));
    world.prompt("go").await;

    let request = world.request(1);
    assert_eq!(interjection(&request[1]), Some("stop {{text}}"));
    assert!(request[1].contains("overrides earlier plans"), "{}", request[1]);
    assert_eq!(world.context().await[1], "user: stop {{text}}");
    let stored = world.agent.messages().await;
    let Message::User(steering) = &*stored[1] else { panic!("a user message") };
    assert!(steering.steering, "so that a resumed session sends the same bytes");
    let Message::User(wire) = &*world.script.requests()[1].messages[3] else { panic!("a user message") };
    let UserContent::Blocks(blocks) = &wire.content else { panic!("blocks stay blocks") };
    assert!(blocks[0].as_text().unwrap().contains("<user-interjection>") && blocks[1] == picture);

    world.agent.load(stored).await.unwrap();
    world.prompt("resumed").await;
    assert_eq!(world.request(2)[..4], request[..4]);
}

/// An aside rides with the tools, a follow-up waits for the end, and an aside never costs a turn before it.
// proves: LOP-017
#[tokio::test(start_paused = true)]
async fn follow_ups_wait_and_asides_ride_along() {
    let go = Arc::new(Notify::new());
    let answers = [
        Answer::call("a", "job", json!({})),
        Answer::text("first"),
        Answer::text("second"),
        Answer::text("third"),
    ];
    let world = world(answers).tool(FakeTool::slow("job", &go)).build();
    let aside = |text: &'static str| Box::new(move || Some(note(text)));
    let control = world.control.clone();
    world.recorder.react(move |event| {
        if matches!(event, AgentEvent::TurnEnd { message, .. } if short(&[Arc::clone(message)]) == ["text: first"]) {
            control.aside(Box::new(|| Some(note("while answering"))));
        }
        if matches!(event, AgentEvent::TurnEnd { message, .. } if short(&[Arc::clone(message)]) == ["text: second"]) {
            control.aside(Box::new(|| Some(note("alone"))));
        }
    });
    let meanwhile = async {
        world.recorder.seen("tool_execution_start", 1).await;
        world.follow_up("and then");
        world.control.aside(aside("while working"));
        go.notify_one();
    };
    world.prompt_while("go", meanwhile).await;

    assert_eq!(world.request(1)[2..], ["result a: job ran", "note: while working"]);
    assert_eq!(world.request(2)[4..], ["text: first", "note: while answering", "user: and then"]);
    assert_eq!(world.request(3)[7..], ["text: second", "note: alone"], "an aside alone is still delivered");
    assert_eq!(world.script.requests().len(), 4);
}

/// An aside that is outdated when its time comes says nothing and costs nothing.
// proves: LOP-018
#[tokio::test(start_paused = true)]
async fn an_aside_can_drop_itself() {
    let world = world([Answer::call("a", "fix", json!({})), Answer::text("done")]);
    let broken = Arc::new(Mutex::new(true));
    let fixed = Arc::clone(&broken);
    let fix = FakeTool::new("fix", move |_| {
        *fixed.lock().unwrap() = false;
        std::future::ready(Ok(omp_types::ToolOutput::text("fixed")))
    });
    let world = world.tool(fix).build();
    let diagnostics = |broken: &Arc<Mutex<bool>>| {
        let broken = Arc::clone(broken);
        Box::new(move || broken.lock().unwrap().then(|| note("main.rs does not compile")))
    };
    world.control.aside(diagnostics(&broken));
    let control = world.control.clone();
    let late = diagnostics(&broken);
    let late = Mutex::new(Some(late));
    world.recorder.react(move |event| {
        if kind(event) == "turn_end"
            && let Some(aside) = late.lock().unwrap().take()
        {
            control.aside(aside);
        }
    });
    world.prompt("go").await;
    assert_eq!(world.context().await, ["user: go", "call a fix", "result a: fixed", "text: done"]);
    assert_eq!(world.script.requests().len(), 2);
}

/// Escape leaves the queues alone: the next run delivers them, or the editor takes them back.
// proves: LOP-019
#[tokio::test(start_paused = true)]
async fn an_interrupt_keeps_the_queues() {
    let go = Arc::new(Notify::new());
    let answers = [
        Answer::call("a", "job", json!({})),
        Answer::text("half").until(&go),
        Answer::text("one"),
        Answer::text("two"),
    ];
    let world = world(answers)
        .tool(FakeTool::slow("job", &go))
        .config(|config| config.interrupt_mode = InterruptMode::Wait)
        .build();
    let interrupted_in = |kind: &'static str, count: usize| {
        let world = &world;
        async move {
            world.recorder.seen(kind, count).await;
            world.steer("turn left");
            world.follow_up("and then");
            world.control.abort();
        }
    };
    world.prompt_while("go", interrupted_in("tool_execution_start", 1)).await;
    assert_eq!(world.control.queued(), (1, 1), "aborted in a tool");
    let queued = world.control.take_queued();
    assert_eq!(queued, Queued { steering: vec![words("turn left")], follow_ups: vec![words("and then")] });
    assert_eq!(world.control.queued(), (0, 0));

    world.prompt_while("go", interrupted_in("turn_start", 2)).await;
    assert_eq!(world.control.queued(), (1, 1), "aborted in an answer");
    world.prompt("go").await;
    assert_eq!(steered(&world, 2), ["turn left"]);
    assert_eq!(world.request(3).last().unwrap(), "user: and then");
    assert_eq!(world.control.queued(), (0, 0));
}

/// Hidden context comes with the next words of the user: not with a follow-up before them, and only once.
// proves: LOP-020
#[tokio::test(start_paused = true)]
async fn hidden_context_rides_with_the_next_prompt() {
    let world = world((0..4).map(|_| Answer::text("ok"))).build();
    let control = world.control.clone();
    world.recorder.react(move |event| {
        if kind(event) == "turn_start" && control.queued() == (0, 0) {
            control.next_prompt(note("hidden"));
        }
    });
    world.follow_up("and then");
    world.prompt("one").await;
    assert_eq!(world.request(1), ["user: one", "text: ok", "user: and then"]);
    world.recorder.react(|_| {});
    world.prompt("two").await;
    assert_eq!(world.request(2)[4..], ["note: hidden", "user: two"]);
    world.prompt("three").await;
    assert_eq!(world.request(3)[7..], ["user: three"]);
}

/// Both queues give one message per turn, or all at once.
// proves: PRO-023
#[tokio::test(start_paused = true)]
async fn queue_modes_decide_how_much_a_turn_takes() {
    for (mode, requests) in [(QueueMode::OneAtATime, 1 + 3), (QueueMode::All, 1 + 1)] {
        let steering = world((0..8).map(|_| Answer::text("ok"))).build();
        steering.control.set_steering_mode(mode);
        let follow_ups = world((0..8).map(|_| Answer::text("ok"))).build();
        follow_ups.control.set_follow_up_mode(mode);
        let once = Mutex::new(Some(steering.control.clone()));
        steering.recorder.react(move |event| {
            if kind(event) == "turn_end"
                && let Some(control) = once.lock().unwrap().take()
            {
                for text in ["a", "b", "c"] {
                    control.steer(words(text));
                }
            }
        });
        for text in ["a", "b", "c"] {
            follow_ups.follow_up(text);
        }
        for world in [steering, follow_ups] {
            world.prompt("go").await;
            assert_eq!(world.script.requests().len(), requests, "{mode:?}");
            let context = world.context().await;
            let said: Vec<&String> = context.iter().filter(|line| line.starts_with("user: ")).collect();
            assert_eq!(said, ["user: go", "user: a", "user: b", "user: c"]);
        }
    }
}

/// Steering that comes in the last moment takes waiting asides along.
#[tokio::test(start_paused = true)]
async fn asides_ride_with_late_steering() {
    let world = world([Answer::text("one"), Answer::text("two")]).build();
    let control = world.control.clone();
    world.recorder.react(move |event| {
        if kind(event) == "turn_start" && control.queued() == (0, 0) {
            control.aside(Box::new(|| Some(note("by the way"))));
        }
        if matches!(event, AgentEvent::TurnEnd { message, .. } if short(&[Arc::clone(message)]) == ["text: one"]) {
            control.steer(words("look"));
        }
    });
    world.prompt("go").await;
    assert_eq!(world.request(1)[2], "note: by the way");
    assert_eq!(steered(&world, 1), ["look"]);
}
