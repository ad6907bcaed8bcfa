//! Modes that go back, end a run early, or do not let it end.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use omp_agent::{Conduct, Note, Prompt, Rewind, Then, Turn};
use omp_types::{AgentEvent, CustomMessage, Message};
use serde_json::json;

use crate::common::{Answer, FakeTool, World, kind, words, world};

/// Gives these decisions, one per batch of tools, and these notes, one per attempt to stop.
#[derive(Default)]
struct Scripted {
    turns: Mutex<Vec<Turn>>,
    notes: Mutex<Vec<&'static str>>,
    seen: Mutex<Vec<usize>>,
    events: Mutex<Vec<AgentEvent>>,
}

impl Conduct for Scripted {
    fn after_tools(&self, conversation: &[Arc<Message>]) -> Turn {
        self.seen.lock().unwrap().push(conversation.len());
        self.turns.lock().unwrap().pop().unwrap_or_default()
    }

    fn before_stopping(&self) -> BoxFuture<'_, Option<Note>> {
        let text = self.notes.lock().unwrap().pop();
        let note = text.map(|text| Note { custom_type: "mode", text: text.into() });
        Box::pin(std::future::ready(note))
    }

    fn events(&self) -> Vec<AgentEvent> {
        std::mem::take(&mut *self.events.lock().unwrap())
    }
}

fn conducted(scripted: &Arc<Scripted>, answers: impl IntoIterator<Item = Answer>) -> World {
    world(answers).tool(FakeTool::quick("read")).conduct(Arc::clone(scripted) as Arc<dyn Conduct>).build()
}

fn report(text: &str) -> CustomMessage {
    CustomMessage {
        custom_type: "report".to_owned(),
        content: words(text),
        display: false,
        details: None,
        timestamp: 0,
    }
}

#[tokio::test(start_paused = true)]
async fn a_rewind_cuts_the_conversation_and_goes_on() {
    let scripted = Arc::new(Scripted::default());
    *scripted.turns.lock().unwrap() = vec![
        Turn { rewind: Some(Rewind { keep: 3, report: report("found it") }), ..Turn::default() },
        Turn::default(),
        Turn::default(),
    ];
    let read = |id: &str| Answer::call(id, "read", json!({}));
    let world = conducted(&scripted, [read("a"), read("b"), read("c"), Answer::text("done")]);
    world.prompt("go").await;
    assert_eq!(*scripted.seen.lock().unwrap(), [3, 5, 7], "the results are there when it is asked");
    let before = world.request(1);
    let after = world.request(3);
    assert_eq!(after[..3], before[..], "the beginning is what it was");
    assert_eq!(after[3..], ["report: found it"]);
    assert!(world.events().contains(&AgentEvent::ContextRewound { kept: 3, removed: 4 }));
}

#[tokio::test(start_paused = true)]
async fn a_run_can_end_with_its_tools() {
    let scripted = Arc::new(Scripted::default());
    *scripted.turns.lock().unwrap() = vec![Turn { then: Then::End, ..Turn::default() }];
    let world = conducted(&scripted, [Answer::call("a", "read", json!({})), Answer::text("later")]);
    world.follow_up("and then");
    let outcome = world.prompt("go").await;
    assert_eq!(world.script.requests().len(), 1);
    assert_eq!(outcome.messages.len(), 3, "the words, the call, its result");
    assert_eq!(world.control.queued(), (0, 1), "what was queued waits");
}

#[tokio::test(start_paused = true)]
async fn a_note_keeps_the_model_going_but_not_for_ever() {
    let scripted = Arc::new(Scripted::default());
    *scripted.notes.lock().unwrap() = vec!["go on"; 10];
    *scripted.turns.lock().unwrap() =
        vec![Turn { note: Some(Note { custom_type: "mode", text: "wrap up".into() }), ..Turn::default() }];
    let answers = [Answer::text("no"), Answer::call("a", "read", json!({}))];
    let world = conducted(&scripted, answers.into_iter().chain((0..9).map(|_| Answer::text("no"))));
    world.prompt("go").await;
    assert_eq!(world.request(1).last().unwrap(), "mode: go on");
    assert_eq!(world.request(2).last().unwrap(), "mode: wrap up");
    assert_eq!(world.script.requests().len(), 2 + 4, "three times after the last call");
}

#[tokio::test(start_paused = true)]
async fn the_users_words_come_before_those_of_a_mode() {
    let scripted = Arc::new(Scripted::default());
    *scripted.notes.lock().unwrap() = vec!["go on"];
    let world = conducted(&scripted, [Answer::text("a"), Answer::text("b"), Answer::text("c")]);
    let control = world.control.clone();
    world.recorder.react(move |event| {
        if kind(event) == "message_end" && control.queued().0 == 0 {
            let AgentEvent::MessageEnd { message } = event else { return };
            if message.as_assistant().is_some_and(|answer| answer.texts().any(|text| text == "a")) {
                control.steer(words("wait"));
            }
        }
    });
    world.prompt("go").await;
    assert!(world.request(1).last().unwrap().contains("wait"));
    assert_eq!(world.request(2).last().unwrap(), "mode: go on");
}

#[tokio::test(start_paused = true)]
async fn events_of_modes_are_told_once() {
    let scripted = Arc::new(Scripted::default());
    scripted.events.lock().unwrap().push(AgentEvent::Notice { message: "changed".to_owned() });
    let world = conducted(&scripted, [Answer::text("done")]);
    world.prompt("go").await;
    assert_eq!(world.recorder.count("notice"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_mode_speaks_unseen() {
    let world = world([Answer::text("done")]).build();
    world.agent.prompt(Prompt::hidden("plan-execute", "do it"), Default::default()).await.unwrap();
    assert_eq!(world.request(0), ["plan-execute: do it"]);
    let messages = world.agent.messages().await;
    assert!(matches!(&*messages[0], Message::Custom(custom) if !custom.display));
}
