//! What goes with the user's words: standing rules, hidden notes, effort.

use omp_agent::{Beside, Note};
use omp_types::{FailureKind, ThinkingLevel};
use serde_json::json;

use crate::common::{Answer, FakeTool, World, world};

/// How many messages after the newest standing rules stand at the end of each request.
fn distance(world: &World) -> Vec<usize> {
    let requests = world.script.requests().len();
    let far = |index| {
        let messages = world.request(index);
        messages.iter().rev().position(|line| line.starts_with("sticky-rules: ")).unwrap()
    };
    (0..requests).map(far).collect()
}

/// Every prompt is followed by the rules, and a long run repeats them, without changing what was sent before.
// proves: CFG-119
#[tokio::test(start_paused = true)]
async fn standing_rules_stay_near_the_current_turn() {
    let calls = (0..24).map(|at| Answer::call(&format!("c{at}"), "look", json!({})));
    let answers = calls.chain([Answer::text("done"), Answer::text("again")]);
    let world = world(answers).tool(FakeTool::quick("look")).sticky("Never push.").build();
    world.prompt("go").await;
    world.prompt("more").await;
    let first = world.request(0);
    assert_eq!(first.len(), 2, "{first:?}");
    assert!(first[1].contains("Never push."), "{first:?}");
    assert_eq!(distance(&world).last(), Some(&0), "the second prompt has them again");
    assert!(distance(&world).iter().all(|far| *far <= 20), "{:?}", distance(&world));
    for pair in 1..world.script.requests().len() {
        let (before, after) = (world.request(pair - 1), world.request(pair));
        assert_eq!(after[..before.len()], before, "history only grows");
    }
}

fn thorough(words: &str) -> Beside {
    match words.contains("hard") {
        true => Beside {
            notes: vec![Note { custom_type: "effort", text: "Think long.".into() }],
            thinking: Some(ThinkingLevel::High),
        },
        false => Beside::default(),
    }
}

/// Notes and effort belong to the prompt whose words asked for them; the program's own messages ask for nothing.
#[tokio::test(start_paused = true)]
async fn notes_and_effort_last_for_one_prompt() {
    let answers = [
        Answer::call("a", "look", json!({})),
        Answer::text(" "),
        Answer::text("done"),
        Answer::text("easy"),
        Answer::failed(FailureKind::Fatal, "broken"),
        Answer::text("repeated"),
    ];
    let world = world(answers).tool(FakeTool::quick("look")).beside(thorough).build();
    world.prompt("a hard one").await;
    world.prompt("an easy one").await;
    world.prompt("a hard one again").await;
    world.retry().await;
    let levels: Vec<ThinkingLevel> =
        world.script.requests().iter().map(|request| request.options.thinking).collect();
    use ThinkingLevel::{High, Off};
    assert_eq!(levels, [High, High, High, Off, High, High]);
    assert_eq!(world.request(0), ["user: a hard one", "effort: Think long."]);
    let notes = world.context().await.iter().filter(|line| line.starts_with("effort")).count();
    assert_eq!(notes, 2, "one for each prompt that asked");
}
