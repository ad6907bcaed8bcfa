//! Compaction that happens by itself: thresholds, overflow, cut answers.

use omp_testkit::{Home, Reply, Usage};
use serde_json::{Value, json};

use crate::compacting::long;
use crate::support::{Opening, World, call, entries, lines, say, text, world};

/// An answer after which the provider has counted so many tokens.
pub(crate) fn counted(reply: Reply, tokens: u64) -> Reply {
    reply.usage(Usage { input: tokens - 5, output: 5, cache_read: 0, cache_write: 0 })
}

pub(crate) fn overflow() -> Reply {
    let error = json!({"message": "This model's maximum context length is exceeded.", "code": "context_length_exceeded"});
    Reply::status(400).body(json!({ "error": error }))
}

pub(crate) fn refused(message: &str) -> Reply {
    Reply::status(400).body(json!({"error": {"message": message}}))
}

/// One model with a window, before the program begins.
pub(crate) fn sized(config: &str, window: u64, replies: impl IntoIterator<Item = Reply>) -> Opening {
    let opening = Opening::new(config, replies);
    models(&opening.home, window);
    opening
}

fn models(home: &Home, window: u64) {
    let path = "home/.omp/agent/models.yml";
    let text = home.read(path).replace("contextWindow: 10000", &format!("contextWindow: {window}"));
    home.write(path, text);
}

pub(crate) fn ends(world: &World) -> Vec<Value> {
    world.person.told("auto_compaction_end")
}

pub(crate) fn compactions(world: &World) -> usize {
    entries(&world.file(), "compaction").len()
}

pub(crate) const KEEP_LITTLE: &str = "compaction:\n  keepRecentTokens: 1000\n  autoContinue: false\n";

/// At the threshold nothing happens, above it the conversation is summed up, and the turn is not asked again.
/// proves: CMP-014, CMP-015
#[tokio::test]
async fn the_threshold_is_where_it_is_said_to_be() {
    for (tokens, expected) in [(169_999, 0), (170_000, 0), (170_001, 1)] {
        let mut replies = vec![say(&long("one", 1_500)), counted(say("two"), tokens)];
        if expected > 0 {
            replies.extend([say("notes"), say("line")]);
        }
        let world = sized(KEEP_LITTLE, 200_000, replies).start().await;
        world.submit("first").await;
        world.submit("second").await;
        assert_eq!(compactions(&world), expected, "{tokens}");
        let asked = world.server.requests().len();
        assert_eq!(asked, 2 + 2 * expected, "the turn is not repeated");
        if expected > 0 {
            let start = &world.person.told("auto_compaction_start")[0];
            assert_eq!((&start["reason"], &start["action"]), (&json!("threshold"), &json!("context-full")));
            let end = &ends(&world)[0];
            assert_eq!(
                (&end["reason"], &end["willRetry"], &end["aborted"]),
                (&json!("threshold"), &json!(false), &json!(false))
            );
            let entry = &entries(&world.file(), "compaction")[0];
            assert_eq!(entry["tokensBefore"], tokens);
        }
        world.finish().await;
    }
}

/// A fixed number goes before a percentage; both hold as soon as they are set.
/// proves: CMP-016, CMP-017, CMP-005
#[tokio::test]
async fn thresholds_can_be_set() {
    for (setting, tokens, expected) in [
        ("  thresholdTokens: 5000\n  thresholdPercent: 90\n", 5_000, 0),
        ("  thresholdTokens: 5000\n  thresholdPercent: 90\n", 5_001, 1),
        ("  thresholdTokens: 900000\n", 199_999, 0),
        ("  thresholdPercent: 50\n", 100_000, 0),
        ("  thresholdPercent: 50\n", 100_001, 1),
        ("  thresholdPercent: 100\n", 198_001, 1),
    ] {
        let mut replies = vec![say(&long("one", 1_500)), counted(say("two"), tokens)];
        if expected > 0 {
            replies.extend([say("notes"), say("line")]);
        }
        let world = sized(&format!("{KEEP_LITTLE}{setting}"), 200_000, replies).start().await;
        world.submit("first").await;
        world.submit("second").await;
        assert_eq!(compactions(&world), expected, "{setting} {tokens}");
        if expected > 0 {
            assert_eq!(entries(&world.file(), "compaction")[0]["tokensBefore"], tokens);
        }
        world.finish().await;
    }
}

/// What came since the last count is estimated; answers that failed count nothing.
/// proves: CMP-019
#[tokio::test]
async fn sizes_come_from_the_provider_and_an_estimate() {
    let command = json!({"command": "seq 100 999"});
    let config =
        format!("{KEEP_LITTLE}  thresholdTokens: 5000\napproval:\n  mode: yolo\nretry:\n  enabled: false\n");
    // 4,500 counted, and nearly 2,000 more in the result of the command: together too many.
    let replies = [
        say(&long("one", 1_500)),
        counted(call("bash", command), 4_500),
        say("notes"),
        say("notes of the turn"),
        say("line"),
        say("done"),
    ];
    let grown = sized(&config, 200_000, replies).start().await;
    grown.submit("first").await;
    grown.submit("second").await;
    assert_eq!(compactions(&grown), 1, "{:?} {:?}", ends(&grown), grown.messages(2).last());
    grown.finish().await;

    let failing = counted(say("half"), 90_000).then_error("server_error", "it broke");
    let failed = sized(&config, 200_000, [say(&long("one", 1_500)), failing]).start().await;
    failed.submit("first").await;
    failed.submit("second").await;
    assert_eq!(compactions(&failed), 0, "a failure reports no size");
    failed.finish().await;
}

/// After the threshold the model is told to go on, unless that is switched off.
/// proves: CMP-028
#[tokio::test]
async fn a_long_task_goes_on_by_itself() {
    for on in [true, false] {
        let mut replies =
            vec![say(&long("one", 1_500)), counted(say("working"), 170_001), say("notes"), say("line")];
        if on {
            replies.push(say("finished"));
        }
        let config = format!("compaction:\n  keepRecentTokens: 1000\n  autoContinue: {on}\n");
        let world = sized(&config, 200_000, replies).start().await;
        world.submit("first").await;
        world.submit("a long task").await;
        assert_eq!(world.server.requests().len(), if on { 5 } else { 4 });
        if on {
            assert!(world.last(4).contains("If the task is not finished, go on"), "{}", world.last(4));
            let hidden = entries(&world.file(), "custom_message");
            assert_eq!(hidden[0]["customType"], "auto-continue");
            assert_eq!((&hidden[0]["display"], &hidden[0]["attribution"]), (&json!(false), &json!("agent")));
        }
        world.finish().await;
    }
}

/// A conversation that is known to be too long is made shorter before a new prompt goes out.
/// proves: CMP-029
#[tokio::test]
async fn a_prompt_is_not_sent_into_a_full_context() {
    let off = "compaction:\n  enabled: false\n";
    let replies = [say(&long("one", 1_500)), counted(say("two"), 170_001)];
    let later = [say("notes"), say("line"), say("three")];
    let world = sized(off, 200_000, replies.into_iter().chain(later)).start().await;
    world.submit("first").await;
    world.submit("second").await;
    let file = world.file().display().to_string();
    world.home.write("home/.omp/agent/config.yml", KEEP_LITTLE);
    let world = world.reopen(omp_sdk::Persistence::Resume(file)).await;
    world.submit("third").await;
    let asked = world.server.requests();
    assert_eq!(asked.len(), 5);
    assert!(world.last(2).starts_with("<conversation>"));
    let sent: Vec<String> = world.messages(4).iter().map(text).collect();
    assert!(
        sent.iter().any(|text| text.contains("<summary>")) && sent.last().unwrap() == "third",
        "{sent:?}"
    );
    assert!(!sent.iter().any(|text| text.starts_with("one ")), "{sent:?}");
    world.finish().await;
}

/// What one compaction said is the start of the next one.
/// proves: CMP-043
#[tokio::test]
async fn a_second_compaction_builds_on_the_first() {
    let config = format!("{KEEP_LITTLE}  thresholdTokens: 5000\n");
    let replies = [
        say(&long("one", 1_500)),
        counted(say("two is here"), 5_001),
        say("The server is called tulip."),
        say("line"),
        say(&long("three", 1_500)),
        counted(say("four"), 5_001),
        say("Still tulip."),
        say("line"),
    ];
    let world = sized(&config, 200_000, replies).start().await;
    for prompt in ["first", "second", "third", "fourth"] {
        world.submit(&long(prompt, 950)).await;
    }
    assert_eq!(compactions(&world), 2);
    assert!(!world.last(2).contains("<previous-summary>"));
    let second = world.last(6);
    assert!(
        second.contains("<previous-summary>\nThe server is called tulip.\n</previous-summary>"),
        "{second}"
    );
    assert!(
        second.contains("[Assistant]: two is here") && second.contains("[Assistant]: three "),
        "{second}"
    );
    let instruction = |prompt: &str| prompt.rsplit('>').next().unwrap().to_owned();
    assert_ne!(instruction(&world.last(2)), instruction(&second), "an update is asked for otherwise");
    world.finish().await;
}

/// The end of a long turn stays, and its beginning gets a summary of its own.
/// proves: CMP-040
#[tokio::test]
async fn a_long_turn_is_cut() {
    let config = format!("{KEEP_LITTLE}  thresholdTokens: 5000\napproval:\n  mode: yolo\n");
    let command = || call("bash", json!({"command": "seq -s ' ' 100 499"}));
    let replies = [
        say("short"),
        command(),
        command(),
        counted(command(), 5_001),
        say("the history"),
        say("the prefix"),
        say("line"),
        say("done"),
    ];
    let world = sized(&config, 200_000, replies).start().await;
    world.submit("first").await;
    world.submit("a long turn").await;
    assert!(world.last(4).contains("[User]: first") && !world.last(4).contains("a long turn"));
    assert!(world.last(5).contains("[User]: a long turn") && world.last(5).contains("[Call]: bash("));
    let summary = entries(&world.file(), "compaction")[0]["summary"].as_str().unwrap().to_owned();
    assert!(
        summary.starts_with("the history\n\n---\n\n**Turn Context (split turn):**\n\nthe prefix"),
        "{summary}"
    );
    world.finish().await;
}

/// Events of a compaction in their order, with the entry that was written.
/// proves: CMP-030
#[tokio::test]
async fn everyone_hears_of_it() {
    let replies = [say(&long("one", 1_500)), counted(say("two"), 170_001), say("notes"), say("line")];
    let world = sized(KEEP_LITTLE, 200_000, replies).start().await;
    world.submit("first").await;
    world.submit("second").await;
    let end = &ends(&world)[0];
    let entry = lines(&world.file()).pop().unwrap();
    assert_eq!(end["result"]["entryId"], entry["id"]);
    assert_eq!(end["result"]["summary"], entry["summary"]);
    assert_eq!(end["result"]["tokensBefore"], 170_001);
    world.finish().await;
}

/// Where our estimate is half of what the provider counts, half as much is kept.
/// proves: CMP-036
#[tokio::test]
async fn keeping_follows_the_provider() {
    for (counts, kept) in [(6_000, 4), (12_000, 2)] {
        let config = "compaction:\n  enabled: false\n  keepRecentTokens: 3900\n";
        let mut replies: Vec<Reply> =
            (0..2).map(|turn| say(&long(&format!("answer {turn}"), 1_000))).collect();
        replies.push(counted(say(&long("answer 2", 1_000)), counts));
        replies.extend([say("notes"), say("line")]);
        let world = sized(config, 200_000, replies).start().await;
        for turn in 0..3 {
            world.submit(&long(&format!("question {turn}"), 1_000)).await;
        }
        world.session().context().compact(None, tokio_util::sync::CancellationToken::new()).await.unwrap();
        assert_eq!(world.session().conversation().await.len(), 1 + kept, "{counts}");
        world.finish().await;
    }
}

/// A setting that is changed while the session runs holds from the next turn on.
/// proves: CMP-103
#[tokio::test]
async fn settings_hold_at_once() {
    let summary = [say("notes"), say("notes of the turn"), say("line")];
    let replies = [counted(say(&long("one", 1_500)), 6_000), counted(say("two"), 8_000)];
    let replies = replies.into_iter().chain(summary);
    let world = sized(KEEP_LITTLE, 200_000, replies).start().await;
    world.submit("first").await;
    assert_eq!(compactions(&world), 0);
    world.session().configuration().change("compaction.thresholdTokens", json!(5000)).await.unwrap();
    world.submit(&long("second", 800)).await;
    assert_eq!(compactions(&world), 1);
    world.finish().await;
}

#[tokio::test]
async fn a_small_world_is_left_alone() {
    let world = world("", [say("ok")]).await;
    world.submit("hi").await;
    assert!(ends(&world).is_empty());
    world.finish().await;
}
