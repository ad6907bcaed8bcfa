//! The length of the conversation: `/context`, `/shake`, `/cache`.

use omp_commands::Answer;
use omp_sdk::Persistence;
use omp_testkit::{Reply, Usage};
use serde_json::json;

use crate::support::{Room, Variables};

/// Numbers: a text that no guard takes for a model that repeats itself.
fn numbers(count: usize) -> String {
    (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

/// The tokens of a row of `/context`.
fn tokens(text: &str, row: &str) -> u64 {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(row).map(str::trim));
    let line = line.unwrap_or_else(|| panic!("{row} in {text}"));
    let number = line.split(' ').next().map(|number| number.replace(',', ""));
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{row} in {text}"))
}

/// System prompt, tools, messages and what is free make the window; kinds of messages make the messages.
/// proves: CLI-198
#[tokio::test]
async fn the_parts_of_the_context_add_up() {
    let usage = Usage { input: 9_000, output: 1_000, ..Usage::default() };
    let replies = [
        Reply::new().thinking("hm").tool_call("read", json!({"path": "."})),
        Reply::new().text(&numbers(300)).usage(usage),
    ];
    let room = Room::with(replies, Persistence::New, Variables::default(), |_| {}).await;
    let before = room.text("/context").await;
    let window = room.context.host.session().models().context_window();
    let sum = |text: &str| ["System prompt", "Tools", "Messages", "Free"].map(|row| tokens(text, row));
    assert_eq!(sum(&before).iter().sum::<u64>(), window, "{before}");
    assert_eq!(sum(&before)[2], 0, "{before}");
    assert!(sum(&before)[0] > 300 && sum(&before)[1] > 1_000, "{before}");
    room.say("look around, please").await;
    let after = room.text("/context").await;
    let [system, tools, messages, free] = sum(&after);
    assert_eq!(system + tools + messages + free, window, "{after}");
    assert!(after.contains("estimated from the provider's last count"), "{after}");
    assert!(system + tools + messages > 9_990 && system + tools + messages < 10_010, "as counted: {after}");
    let kinds = ["User", "Answers", "Tool calls", "Tool results"].map(|row| tokens(&after, row));
    assert!(kinds.iter().all(|kind| *kind > 0), "{after}");
    let thinking = if after.contains("Thinking") { tokens(&after, "Thinking") } else { 0 };
    let notes = if after.contains("Notes") { tokens(&after, "Notes") } else { 0 };
    assert_eq!(kinds.iter().sum::<u64>() + thinking + notes, messages, "{after}");
    room.server.finish();
}

/// Heavy results and blocks go by default or when asked for, pictures with `images`; another word is refused. The next request
/// is without them.
/// proves: CLI-210
#[tokio::test]
async fn heavy_parts_are_shaken_off() {
    let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    for (line, told) in
        [("/shake", "1 large result"), ("/shake elide", "1 large result"), ("/shake images", "1 image")]
    {
        let replies = [
            Reply::new().tool_call("read", json!({"path": "long.txt:raw:1-2000"})),
            Reply::new().tool_call("read", json!({"path": "dot.png"})),
            Reply::new().text(&numbers(9_000)),
            Reply::new().text("ok"),
        ];
        let room = Room::with(replies, Persistence::New, Variables::default(), |home| {
            let lines: String = (0..2_000).map(|number| format!("line {number} of many\n")).collect();
            home.write("work/long.txt", lines);
            use base64::Engine;
            let bytes = base64::engine::general_purpose::STANDARD.decode(picture).unwrap();
            home.write("work/dot.png", bytes);
            let models = home.read("home/.omp/agent/models.yml");
            home.write(
                "home/.omp/agent/models.yml",
                models.replace("{id: a}", "{id: a, input: [text, image]}"),
            );
        })
        .await;
        assert!(
            matches!(room.ask("/shake everything").await, Answer::Refused(text) if text.contains("[elide|images]"))
        );
        assert!(
            matches!(room.ask("/shake").await, Answer::Refused(text) if text.contains("Nothing to trim"))
        );
        room.say("read").await;
        let text = room.text(line).await;
        assert!(text.starts_with(&format!("Trimmed {told} (about")), "{text}");
        room.say("go on").await;
        let body = room.request().to_string();
        let heavy = body.contains("line 1500 of many");
        let images = body.contains("data:image/");
        assert_eq!(
            (heavy, images),
            if line == "/shake images" { (true, false) } else { (false, true) },
            "{line}"
        );
        assert_eq!(body.contains("moved to artifact://"), line != "/shake images", "{line}");
        room.server.finish();
    }
}

/// What was read from the cache, what was not, why, and what that cost.
#[tokio::test]
async fn the_cache_is_accounted_for() {
    let usage = |input, cache_read| Usage { input, output: 10, cache_read, cache_write: 0 };
    let replies = [
        Reply::new().text("one").usage(usage(4_000, 0)),
        Reply::new().text("two").usage(usage(200, 3_968)),
        Reply::new().text("three").usage(usage(4_400, 0)),
    ];
    let room = Room::with(replies, Persistence::New, Variables::default(), |home| {
        let cost = "cost: {input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0}";
        let models = home.read("home/.omp/agent/models.yml");
        home.write(
            "home/.omp/agent/models.yml",
            models
                .replace("{id: a}", &format!("{{id: a, {cost}}}"))
                .replace("{id: b}", &format!("{{id: b, {cost}}}")),
        );
    })
    .await;
    assert_eq!(room.text("/cache").await, "No token counts from the provider yet");
    room.say("1").await;
    room.say("2").await;
    let text = room.text("/cache").await;
    assert!(text.contains("3,968 (49%), at a fraction of the price, saved $0.0036"), "{text}");
    assert!(!text.contains("the model changed"), "{text}");
    let switched = room.text("/model openai/b").await;
    let expected = "openai/a has 4168 tokens of this conversation cached; switching re-sends them to openai/b, about $0.004";
    assert!(switched.starts_with(expected) && switched.ends_with("Switched to openai/b"), "{switched}");
    room.say("3").await;
    let text = room.text("/cache").await;
    assert!(text.contains("the model changed") && text.contains("4,168 tokens, once, $0.0038"), "{text}");
    assert!(text.contains("Request 3") && text.contains("4,168 tokens re-sent to openai/b"), "{text}");
    room.server.finish();
}
