//! What a session and its provider know of a conversation, after it was made shorter and beside it.

use omp_sdk::{HandoffError, Persistence};
use omp_testkit::{ModelOptions, Reply, Scenario, Wire};
use serde_json::{Value, json};

use crate::compacting::long;
use crate::compacting_more::none;
use crate::support::{Opening, World, call, say};

const CONFIG: &str = "compaction:\n  enabled: false\n  keepRecentTokens: 1500\n  remoteEnabled: false\ntodo:\n  \
                      reminders: false\n";

/// A ChatGPT account, whose provider keeps a connection for each conversation.
async fn account(replies: Vec<Reply>) -> World {
    let opening = Opening::with(CONFIG, Scenario::replies(replies).websocket(true));
    let options = ModelOptions::new().context_window(10_000);
    opening.home.models_yml(&opening.server, Wire::OpenAiCodexResponses, options);
    opening.start().await
}

/// What a request says, without the system prompt.
fn input(world: &World, request: usize) -> Vec<Value> {
    world.server.requests()[request].body["input"].as_array().unwrap().clone()
}

/// The conversation that goes on is the one that the file has: the same messages, the same tasks, and another connection to
/// the provider, which knew the old one.
/// proves: CMP-007
#[tokio::test]
async fn everything_begins_anew_at_the_leaf() {
    let list = json!({"ops": [{"op": "init", "list": [{"phase": "Work", "items": ["Ship it", "Test it"]}]}]});
    let replies = vec![
        call("todo", list),
        say(&long("first", 900)),
        say(&long("second", 900)),
        say("The notes."),
        say("The line."),
        say("third"),
        say("fourth"),
    ];
    let world = account(replies).await;
    world.submit("begin").await;
    world.submit(&long("more", 900)).await;
    let tasks = world.session().tasks().phases();
    assert_eq!(tasks[0].tasks.len(), 2);
    assert_eq!(world.server.sockets().opened, 1, "one conversation, one connection");

    world.session().context().compact(None, none()).await.unwrap();
    let opened = world.server.sockets().opened;
    assert_eq!(
        world.session().tasks().phases(),
        tasks,
        "the call that made the list is no longer in the conversation"
    );
    let live = world.session().conversation().await;
    world.submit("go on").await;
    assert_eq!(world.server.sockets().opened, opened + 1, "the provider hears a new conversation");
    assert!(world.server.sockets().closed >= 1);
    let sent = input(&world, 5);
    assert!(sent[0]["content"][0]["text"].as_str().unwrap().contains("The notes."), "{sent:?}");
    assert!(!Value::from(sent.clone()).to_string().contains("first 100"), "{sent:?}");

    // The same from the file alone.
    let file = world.file().display().to_string();
    let world = world.reopen(Persistence::Resume(file)).await;
    assert_eq!(world.session().tasks().phases(), tasks);
    let resumed = world.session().conversation().await;
    assert_eq!(resumed[..live.len()], live[..]);
    world.submit("and on").await;
    let again = input(&world, 6);
    assert_eq!(again[..sent.len()], sent[..], "what was kept reads the same");
    world.finish().await;
}

/// A document is asked for beside the conversation: with its cache, under another name, and the connection of the
/// conversation stays as it was.
/// proves: LOP-147
#[tokio::test]
async fn a_handoff_does_not_disturb_the_conversation() {
    let world = account(vec![say("one"), say("two"), say(""), say("three")]).await;
    world.submit("first").await;
    world.submit("second").await;
    assert_eq!(world.server.sockets().opened, 1);
    let failed = world.host.hand_off(None, none()).await.unwrap_err();
    assert!(matches!(failed, HandoffError::Cancelled), "an empty document: {failed}");
    assert_eq!(world.server.sockets().opened, 2, "a connection of its own");
    world.submit("third").await;
    assert_eq!(world.server.sockets().opened, 2, "the conversation has its connection still");

    let requests = world.server.requests();
    let names = |request: usize| {
        let request = &requests[request];
        (request.header("session_id").unwrap().to_owned(), request.body["prompt_cache_key"].clone())
    };
    let (session, key) = names(0);
    assert_eq!(key, session.as_str());
    assert_eq!((names(1), names(3)), ((session.clone(), key.clone()), (session.clone(), key.clone())));
    let (beside, same) = names(2);
    assert_eq!(same, key, "the same cache");
    assert_ne!(beside, session, "another conversation");
    world.finish().await;
}
