//! Streams that break while a model answers.

use omp_sdk::Persistence;
use serde_json::json;

use crate::compacting_more::none;
use crate::support::{call, lines, say, world};

/// An answer that breaks off keeps what was said; what tools did before is not done again, neither when the turn is
/// repeated nor when the user goes on, nor after the program was started again.
#[tokio::test]
async fn work_goes_on_from_the_last_complete_item() {
    let command = json!({"command": "echo ran >> ran.txt"});
    let broken =
        || say("The first half of an answer, and then the rest of it").delta_size(8).drop_after_event(3);
    let replies = [call("bash", command), broken(), broken(), say("whole"), broken(), say("going on")];
    let world = world("approval:\n  mode: yolo\nretry:\n  enabled: false\n", replies).await;
    let outcome = world.submit("do it").await;
    let answer = outcome.last_answer().unwrap();
    let kept = answer.texts().collect::<String>();
    assert!(answer.error_message.is_some() && kept.starts_with("The first"), "{answer:?}");
    let ran = || world.home.read("work/ran.txt").lines().count();
    assert_eq!(ran(), 1);
    let written = lines(&world.file()).last().unwrap().to_string();
    assert!(written.contains("The first"), "the half is kept in the file: {written}");

    // Repeated: the same conversation up to the result, without the half.
    for expected in ["The first", "whole"] {
        let outcome = world.session().retry(none()).await.unwrap();
        assert!(outcome.last_answer().unwrap().texts().collect::<String>().starts_with(expected));
    }
    assert_eq!(world.messages(2), world.messages(1));
    assert_eq!(world.messages(3), world.messages(1));
    assert_eq!((world.results(3).len(), ran()), (1, 1), "the result is sent, the tool is not run again");

    // Gone on with, in another process: the half is part of what was said.
    world.submit("more").await;
    let home_file = world.file().display().to_string();
    let world = world.reopen(Persistence::Resume(home_file)).await;
    world.submit("and now").await;
    let sent = serde_json::Value::from(world.messages(5)).to_string();
    assert!(sent.contains("The first") && sent.contains("and now"), "{sent}");
    assert_eq!(world.results(5).len(), 1);
    assert_eq!(world.home.read("work/ran.txt").lines().count(), 1);
    world.finish().await;
}
