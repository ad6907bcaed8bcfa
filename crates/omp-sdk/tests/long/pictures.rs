//! History on pictures.

use base64::Engine;
use omp_testkit::{ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::support::{Talk, World, say, words};

const STRATEGY: &str = "compaction:\n  strategy: snapcompact\n  keepRecentTokens: 500\n";

/// A conversation whose older part goes.
fn talk() -> Talk {
    Talk::default()
        .user("Build the bridge, please.")
        .called("call_1", "planks and ropes")
        .answer(&format!("It stands. {}", words(3_000)))
        .user("Now paint it.")
        .answer("Painted.")
}

fn world(wire: Wire, model: ModelOptions, config: &str, replies: Vec<Reply>) -> World {
    World::new(Server::start(replies), wire, model, config, &talk())
}

fn claude() -> ModelOptions {
    ModelOptions::new().id("claude-sonnet-4-5")
}

fn compaction(world: &World) -> Value {
    let mut found = world.entries();
    found.retain(|entry| entry["type"] == "compaction");
    found.pop().expect("a compaction")
}

/// The pictures of a request to Anthropic's wire, decoded.
fn pictures(body: &Value) -> Vec<Vec<u8>> {
    let messages = body["messages"].as_array().unwrap();
    let parts = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    let data = parts.filter(|part| part["type"] == "image").map(|part| &part["source"]["data"]);
    data.map(|data| base64::engine::general_purpose::STANDARD.decode(data.as_str().unwrap()).unwrap())
        .collect()
}

/// Width and height of a PNG.
fn size(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!(&png[..4], b"\x89PNG");
    (number(16), number(20))
}

/// No model is asked; the next request and the one after a resume carry the pictures with the summary, which says how to
/// read them and lists the files. What was said last stays as it was.
/// proves: CMP-072, CMP-074
#[tokio::test]
async fn history_goes_on_pictures_and_survives() {
    let replies = vec![Reply::new().text("one"), Reply::new().text("two")];
    let world = world(Wire::AnthropicMessages, claude(), STRATEGY, replies);
    let session = world.open().await;
    session.context().compact(None, Default::default()).await.unwrap();
    assert_eq!(world.server.requests().len(), 0, "no model is asked");
    say(&session, "What next?").await;
    session.close().await;
    let entry = compaction(&world);
    assert_eq!(entry["preserveData"]["snapcompact"]["frames"].as_array().unwrap().len(), 1);
    let reference = entry["preserveData"]["snapcompact"]["content"][0]["data"].as_str().unwrap();
    assert!(reference.starts_with("blob:"), "pictures are kept where all pictures are: {reference}");
    let session = world.open().await;
    say(&session, "And then?").await;
    session.close().await;
    let requests = world.server.requests();
    let first = pictures(&requests[0].body);
    assert_eq!(first.len(), 1);
    assert_eq!(size(&first[0]).0, 1568);
    assert_eq!(pictures(&requests[1].body), first, "the same bytes after a resume");
    let summary = requests[0].body["messages"][0]["content"][0]["text"].as_str().unwrap();
    assert!(summary.contains("1 pictures") && summary.contains("a grid of 261 characters"), "{summary}");
    let rest = requests[0].body["messages"].to_string();
    assert!(!rest.contains("planks and ropes") && rest.contains("Painted."), "{rest}");
    world.server.finish();
}

/// The same conversation gives the same entry, byte for byte.
/// proves: CMP-075
#[tokio::test]
async fn the_summary_is_a_guide_and_never_differs() {
    let mut seen = Vec::new();
    for _ in 0..2 {
        let mut talk = talk();
        talk = talk.message(&json!({ "role": "assistant", "api": "x", "provider": "test", "model": "m", "stopReason": "toolUse",
            "content": [{ "type": "toolCall", "id": "r", "name": "read", "arguments": { "path": "src/plan.md" } }] }));
        talk = talk
            .message(&json!({ "role": "toolResult", "toolCallId": "r", "toolName": "read", "isError": false,
            "content": [{ "type": "text", "text": words(900) }] }));
        talk = talk.user("and?").answer(&words(600));
        let server = Server::start(Vec::<Reply>::new());
        let world = World::new(server, Wire::AnthropicMessages, claude(), STRATEGY, &talk);
        let session = world.open().await;
        session.context().compact(None, Default::default()).await.unwrap();
        session.close().await;
        let entry = compaction(&world);
        let summary = entry["summary"].as_str().unwrap().to_owned();
        for wanted in [
            "characters a line",
            "[user]",
            "[result]",
            "shortened in the middle",
            "<files>",
            "plan.md (Read)",
        ] {
            assert!(summary.contains(wanted), "{wanted} in {summary}");
        }
        seen.push((summary, entry["preserveData"].to_string()));
    }
    assert_eq!(seen[0], seen[1]);
}

/// A model without eyes gets a summary, and the user is told.
/// proves: CMP-073
#[tokio::test]
async fn a_model_without_eyes_gets_a_summary() {
    let blind = "providers:\n  test:\n    baseUrl: {base}\n    api: openai-completions\n    apiKey: k\n    models:\n      - {id: blind, contextWindow: 200000}\n";
    let threshold = "compaction:\n  strategy: snapcompact\n  keepRecentTokens: 500\n  thresholdTokens: 2000\n  autoContinue: false\n";
    for (config, automatic) in [(STRATEGY, false), (threshold, true)] {
        let mut replies = vec![Reply::new().text("a bridge was built"), Reply::new().text("bridge")];
        replies.extend(automatic.then(|| Reply::new().text("ok")));
        let world = world(Wire::OpenAiCompletions, ModelOptions::new(), config, replies);
        let base = world.server.base_url_for(Wire::OpenAiCompletions);
        world.home.write("home/.omp/agent/models.yml", blind.replace("{base}", &base));
        let session = world.open().await;
        if automatic {
            say(&session, "go on").await;
        } else {
            session.context().compact(None, Default::default()).await.unwrap();
        }
        let entry = compaction(&world);
        assert!(entry["summary"].as_str().unwrap().contains("a bridge was built"));
        assert_eq!(entry.get("preserveData"), None);
        let notices = world.events.of("notice");
        let told = |event: &Value| event["message"].as_str().unwrap().contains("does not accept images");
        assert!(notices.iter().any(told), "{notices:?}");
        assert_eq!(world.events.of("auto_compaction_end")[0]["action"], "context-full");
        session.close().await;
        world.server.finish();
    }
}

/// Instructions want a summary in words; frames of before stay with it.
/// proves: CMP-010
#[tokio::test]
async fn instructions_make_a_summary_and_keep_the_frames() {
    let replies =
        ["red and blue", "a bridge was painted", "bridge", "ok"].map(|text| Reply::new().text(text)).to_vec();
    let world = world(Wire::AnthropicMessages, claude(), STRATEGY, replies);
    let session = world.open().await;
    session.context().compact(None, Default::default()).await.unwrap();
    assert_eq!(world.server.requests().len(), 0);
    let frames = compaction(&world)["preserveData"].clone();
    say(&session, "Which colours?").await;
    session.context().compact(Some("the colours"), Default::default()).await.unwrap();
    let asked = world.server.requests();
    assert!(asked[1].body.to_string().contains("the colours"), "the second request asks for the summary");
    assert_eq!(compaction(&world)["preserveData"], frames);
    say(&session, "go on").await;
    let last = world.server.requests().pop().unwrap();
    assert_eq!(pictures(&last.body).len(), 1);
    let text = last.body["messages"][0]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("1 pictures") && text.contains("a bridge was painted"), "{text}");
    session.close().await;
    world.server.finish();
}

/// A summary in words is printed at the head of the frames when the strategy changes.
/// proves: CMP-084
#[tokio::test]
async fn a_summary_of_before_is_printed_first() {
    let mut talk = talk();
    talk.add(
        json!({ "type": "compaction", "summary": "They measured the river.", "firstKeptEntryId": "e4" }),
    );
    let talk = talk.user("and?").answer(&words(600));
    let world =
        World::new(Server::start(Vec::<Reply>::new()), Wire::AnthropicMessages, claude(), STRATEGY, &talk);
    let session = world.open().await;
    session.context().compact(None, Default::default()).await.unwrap();
    let entry = compaction(&world);
    let printed = entry["preserveData"]["snapcompact"]["frames"][0]["characters"].as_u64().unwrap();
    let head = "[Summary of earlier history] They measured the river. ".len() as u64;
    let rest = "[user] Now paint it. [assistant] Painted. [user] and?".len() as u64;
    assert_eq!(printed, head + rest, "{entry}");
    session.close().await;
    world.server.finish();
}

/// A request that does not fit is followed by pictures and the same turn again.
/// proves: CMP-085
#[tokio::test]
async fn overflow_is_recovered_with_pictures() {
    let refused = json!({ "type": "error", "error": { "type": "invalid_request_error",
        "message": "prompt is too long: 250000 tokens > 200000 maximum" } });
    let replies = vec![Reply::status(400).body(refused), Reply::new().text("at last")];
    let world = world(Wire::AnthropicMessages, claude(), STRATEGY, replies);
    let session = world.open().await;
    say(&session, "Go on, please.").await;
    let requests = world.server.requests();
    assert_eq!(requests.len(), 2, "no model is asked for a summary");
    assert_eq!(pictures(&requests[0].body).len(), 0);
    assert_eq!(pictures(&requests[1].body).len(), 1);
    assert!(requests[1].body["messages"].to_string().contains("Go on, please."));
    let end = &world.events.of("auto_compaction_end")[0];
    assert_eq!((&end["action"], &end["reason"]), (&json!("snapcompact"), &json!("overflow")), "{end}");
    session.close().await;
    world.server.finish();
}

/// The setting forces a shape, whatever the model is.
/// CMP-077 in part.
#[tokio::test]
async fn the_setting_forces_a_shape() {
    let shapes = [
        ("8x8r-sent", 1568, 8),
        ("8x8r-bw", 1568, 8),
        ("8x8u-sent", 1568, 8),
        ("8x8u-bw", 1568, 8),
        ("6x6u-sent", 1568, 6),
        ("6x6u-bw", 1568, 6),
        ("5x8-sent", 1568, 8),
        ("5x8-bw", 1568, 8),
        ("6x12-dim", 1568, 12),
        ("8x13-bw", 1568, 13),
        ("8on16-bw", 1568, 16),
        ("doc-8on16-bw", 2048, 16),
        ("doc-8on16-sent", 2048, 16),
        ("doc-8on16-sent-dim", 2048, 16),
    ];
    for (name, width, line) in shapes {
        let config = format!("{STRATEGY}snapcompact:\n  shape: {name}\n");
        let world = world(Wire::AnthropicMessages, claude(), &config, vec![Reply::new().text("ok")]);
        let session = world.open().await;
        let compacted = session.context().compact(None, Default::default()).await.unwrap();
        say(&session, "go on").await;
        let (across, down) = size(&pictures(&world.server.requests()[0].body)[0]);
        assert_eq!((across, down % line), (width, 0), "{name} {across}x{down}");
        let result = compacted.result.unwrap();
        // The pictures count as their carrier counts them, whatever their shape is: patches, up to a most.
        let patches = (u64::from(across.div_ceil(28)) * u64::from(down.div_ceil(28))).min(3_136);
        let text = result.tokens_after - patches;
        assert!(
            (50..1_500).contains(&text),
            "{name}: {} tokens with {patches} of pictures",
            result.tokens_after
        );
        session.close().await;
        world.server.finish();
    }
}

/// OpenAI is told to look at every pixel, and the frames count by the carrier's formula.
/// proves: CMP-079
#[tokio::test]
async fn openai_is_told_to_look_closely() {
    // The formulas themselves, by carrier and resolved size: Anthropic's patches under its cap, Google's one price, OpenAI's
    // patches.
    let cases = [
        ("anthropic-messages", "claude-opus-4-7", 1932, 1932, 4_761),
        ("anthropic-messages", "claude-opus-4-7", 2576, 2576, 4_784),
        ("anthropic-messages", "claude-sonnet-4-5", 1568, 1568, 3_136),
        ("google-generative-ai", "gemini-3-pro", 2048, 2048, 1_120),
        ("google-vertex", "gemini-3-pro", 2048, 16, 1_120),
        ("openai-responses", "gpt-5", 1568, 1568, 2_401),
        ("openai-responses", "gpt-5", 1568, 16, 49),
    ];
    for (api, model, width, height, tokens) in cases {
        assert_eq!(
            omp_tokens::Billing::of(api, model).tokens(width, height),
            tokens,
            "{api} {width}x{height}"
        );
    }
    let wires = [(Wire::OpenAiResponses, "original"), (Wire::OpenAiCompletions, "high")];
    for (wire, detail) in wires {
        let model = ModelOptions::new().id("gpt-5");
        let world = world(wire, model, STRATEGY, vec![Reply::new().text("ok")]);
        let session = world.open().await;
        session.context().compact(None, Default::default()).await.unwrap();
        say(&session, "go on").await;
        let body = world.server.requests()[0].body.to_string();
        assert!(body.contains(&format!("\"detail\":\"{detail}\"")), "{wire:?}");
        assert!(body.contains("data:image/png;base64,"), "{wire:?}");
        session.close().await;
        world.server.finish();
    }
}

/// The system prompt and long results go on pictures where the settings want it, and only there; the next request begins as
/// the one before.
/// proves: CMP-086
#[tokio::test]
async fn prompts_and_results_go_on_pictures_where_wanted() {
    let long = (0..1_500).map(|number| format!("row {number}")).collect::<Vec<_>>().join("\n");
    let talk = || Talk::default().user("look").called("call_1", &long).answer("seen");
    let rules = "Always answer in verse. ".repeat(900);
    for (system, results) in [(false, false), (true, false), (false, true), (true, true)] {
        let config = format!("snapcompact:\n  systemPrompt: {system}\n  toolResults: {results}\n");
        let replies = vec![Reply::new().text("one"), Reply::new().text("two")];
        let world = World::new(Server::start(replies), Wire::AnthropicMessages, claude(), &config, &talk());
        world.home.write("work/AGENTS.md", &rules);
        let session = world.open().await;
        say(&session, "1").await;
        say(&session, "2").await;
        let requests = world.server.requests();
        let body = &requests[0].body;
        let prompt = body["system"].to_string();
        assert_eq!(prompt.contains("Always answer in verse."), !system, "{prompt}");
        assert_eq!(prompt.contains("pictures of the first message"), system, "{prompt}");
        let texts = body["messages"].to_string();
        assert_eq!(texts.contains("row 700"), !results, "system {system}, results {results}");
        let first = body["messages"][0]["content"].to_string();
        assert_eq!(first.contains("\"image\""), system, "{}", &first[..300.min(first.len())]);
        let in_result =
            |part: &Value| part["type"] == "tool_result" && part["content"].to_string().contains("\"image\"");
        let messages = body["messages"].as_array().unwrap();
        let parts = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
        assert_eq!(parts.filter(|part| in_result(part)).count(), usize::from(results));
        let again = requests[1].body["messages"].as_array().unwrap();
        assert_eq!(pictures(&requests[1].body), pictures(body), "the same bytes");
        assert!(again.len() > messages.len());
        session.close().await;
        world.server.finish();
    }
}
