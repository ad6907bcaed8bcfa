//! Compaction by OpenAI itself, in a form that only the same model reads.

use omp_sdk::Persistence;
use omp_testkit::{ModelOptions, RecordedRequest, Reply, Scenario, Wire};
use serde_json::{Value, json};

use crate::compacting::long;
use crate::compacting_more::none;
use crate::support::{Opening, World, call, entries, say};

const CONFIG: &str = "compaction:\n  enabled: false\n  keepRecentTokens: 400\n";

/// Two models of OpenAI and one of somebody else who speaks the same.
fn opening(config: &str, replies: Vec<Reply>) -> Opening {
    let opening = Opening::with(config, Scenario::replies(replies));
    let base = opening.server.base_url_for(Wire::OpenAiResponses);
    let models = "models: [{id: a, contextWindow: 10000}, {id: b, contextWindow: 10000}]";
    let provider = |name: &str| {
        format!("  {name}:\n    baseUrl: {base}\n    api: openai-responses\n    auth: none\n    {models}\n")
    };
    let text = format!("providers:\n{}{}", provider("openai"), provider("other"));
    opening.home.write("home/.omp/agent/models.yml", text);
    Opening { model: Some("openai/a"), ..opening }
}

fn compaction() -> Reply {
    Reply::new()
}

/// Two long turns, the first with a call.
fn turns() -> Vec<Reply> {
    vec![call("todo", json!({"ops": []})), say(&long("first", 600)), say(&long("second", 300))]
}

async fn talk(world: &World) {
    world.submit("the first question").await;
    world.submit("the second question").await;
}

fn paths(world: &World) -> Vec<bool> {
    world.server.requests().iter().map(RecordedRequest::is_compaction).collect()
}

fn input(world: &World, request: usize) -> Vec<Value> {
    world.server.requests()[request].body["input"].as_array().unwrap().clone()
}

fn sealed(items: &[Value]) -> usize {
    items.iter().filter(|item| item["type"] == "compaction").count()
}

/// The provider is asked for its form of what goes, with nothing but the conversation; the entry keeps what came, and the
/// next request has it in the place of the old messages, also after resume, and the next compaction is made from it.
/// Another model and another provider read words instead.
/// proves: CMP-048
#[tokio::test]
async fn the_provider_compacts() {
    let more = [
        compaction(),
        say("third"),
        say("fourth"),
        say("b speaks"),
        say("other speaks"),
        compaction(),
        say("ok"),
    ];
    let mut replies = turns();
    replies.extend(more);
    let world = opening(CONFIG, replies).start().await;
    talk(&world).await;
    let result = world.session().context().compact(None, none()).await.unwrap().result.unwrap();
    assert_eq!(paths(&world), [false, false, false, true], "no model was asked for a summary");
    let (asked, before) = (input(&world, 3), input(&world, 2));
    assert_eq!(asked[..], before[..asked.len()], "what goes, as the model had it");
    let kinds: Vec<&Value> = asked.iter().map(|item| &item["type"]).collect();
    assert!(kinds.contains(&&json!("function_call")) && kinds.contains(&&json!("function_call_output")));
    assert!(!Value::from(asked).to_string().contains("the second question"), "what stays is not sent");

    let entry = entries(&world.file(), "compaction").remove(0);
    let kept = entry["preserveData"]["openaiRemoteCompaction"].clone();
    assert_eq!((&kept["provider"], &kept["model"]), (&json!("openai"), &json!("a")));
    let items = kept["items"].as_array().unwrap().clone();
    assert_eq!(sealed(&items), 1);
    let words = entry["summary"].as_str().unwrap();
    assert!(
        words.contains("the first question") && words.contains("artifact://0"),
        "a record in words: {words}"
    );
    assert_eq!(result.summary, words);
    assert!(result.tokens_after > 500, "as the provider counted it: {result:?}");

    world.submit("the third question").await;
    let sent = input(&world, 4);
    assert_eq!(sent[..items.len()], items[..], "as they came");
    let note = sent[items.len()]["content"][0]["text"].as_str().unwrap();
    assert!(note.contains("<carried-over>") && note.contains("artifact://0"), "{note}");
    assert!(!Value::from(sent.clone()).to_string().contains("first 100"), "the old answer is sealed");
    assert!(Value::from(sent.clone()).to_string().contains("second 100"), "the newest one is not");

    let file = world.file().display().to_string();
    let world = world.reopen(Persistence::Resume(file)).await;
    world.submit("the fourth question").await;
    let resumed = input(&world, 5);
    assert_eq!(resumed[..sent.len()], sent[..], "the same from the file");

    for (model, request) in [("openai/b", 6), ("other/a", 7)] {
        world.session().models().switch(model).await.unwrap();
        world.submit(&format!("the question to {model}")).await;
        let read = input(&world, request);
        assert_eq!(sealed(&read), 0, "{model} cannot read it");
        assert!(read[0]["content"][0]["text"].as_str().unwrap().contains("<summary>"), "{read:?}");
    }

    world.session().models().switch("openai/a").await.unwrap();
    world.session().context().compact(None, none()).await.unwrap();
    assert!(paths(&world)[8]);
    assert_eq!(input(&world, 8)[..items.len()], items[..], "a later compaction builds on the first");
    world.submit("the last question").await;
    assert_eq!(sealed(&input(&world, 9)), 1);
    world.finish().await;
}

/// An account of ChatGPT has the same under its own address.
#[tokio::test]
async fn accounts_compact_too() {
    let mut replies = turns();
    replies.extend([compaction(), say("third")]);
    let opening = Opening::with(CONFIG, Scenario::replies(replies));
    let options = ModelOptions::new().context_window(10_000);
    opening.home.models_yml(&opening.server, Wire::OpenAiCodexResponses, options);
    let world = opening.start().await;
    talk(&world).await;
    world.session().context().compact(None, none()).await.unwrap();
    world.submit("the third question").await;
    assert_eq!(paths(&world), [false, false, false, true, false]);
    assert_eq!(sealed(&input(&world, 4)), 1);
    world.finish().await;
}

/// A provider that fails, or answers something else, costs nothing but the attempt: the model sums up. So it does where the
/// user said what the summary should attend to.
/// proves: CMP-048
#[tokio::test]
async fn a_summary_follows_a_failure() {
    let strange = Reply::raw("application/json", br#"{"output": [{"type": "message"}]}"#.to_vec());
    let page = Reply::raw("text/html", b"<html>not here</html>".to_vec());
    for (failure, focus, tried) in [
        (Some(Reply::status(500)), None, true),
        (Some(Reply::status(404)), None, true),
        (Some(strange), None, true),
        (Some(page), None, true),
        (None, Some("the parser"), false),
    ] {
        let mut replies = turns();
        replies.extend(failure);
        replies.extend([say("The notes."), say("The line."), say("third")]);
        let world = opening(CONFIG, replies).start().await;
        talk(&world).await;
        world.session().context().compact(focus, none()).await.unwrap();
        assert_eq!(paths(&world).contains(&true), tried);
        let entry = entries(&world.file(), "compaction").remove(0);
        assert!(entry["summary"].as_str().unwrap().contains("The notes."), "{entry}");
        assert!(entry.get("preserveData").is_none(), "{entry}");
        world.submit("the third question").await;
        assert!(
            Value::from(input(&world, world.server.requests().len() - 1)).to_string().contains("The notes.")
        );
        world.finish().await;
    }
}

/// One switch for everything that is not the model itself: neither the provider's endpoint nor the user's service is asked.
/// proves: CMP-049
#[tokio::test]
async fn remote_compaction_can_be_switched_off() {
    let service = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    service.set_nonblocking(true).unwrap();
    let address = service.local_addr().unwrap();
    let config = format!("{CONFIG}  remoteEnabled: false\n  remoteEndpoint: http://{address}/sum\n");
    let mut replies = turns();
    replies.extend([say("The notes."), say("The line.")]);
    let world = opening(&config, replies).start().await;
    talk(&world).await;
    world.session().context().compact(None, none()).await.unwrap();
    assert!(!paths(&world).contains(&true));
    assert!(service.accept().is_err(), "nobody came");
    assert!(entries(&world.file(), "compaction")[0]["summary"].as_str().unwrap().contains("The notes."));
    world.finish().await;
}

/// What the provider can no longer read is said in words, and the turn goes on.
#[tokio::test]
async fn what_cannot_be_read_any_more_is_said_in_words() {
    let refused = Reply::status(400).body(json!({"error": {
        "message": "The encrypted content for item cmp_1 could not be verified.", "code": "invalid_encrypted_content"}}));
    let mut replies = turns();
    replies.extend([compaction(), refused, say("third")]);
    let world = opening(CONFIG, replies).start().await;
    talk(&world).await;
    world.session().context().compact(None, none()).await.unwrap();
    let outcome = world.submit("the third question").await;
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "third");
    assert_eq!((sealed(&input(&world, 4)), sealed(&input(&world, 5))), (1, 0));
    world.finish().await;
}
