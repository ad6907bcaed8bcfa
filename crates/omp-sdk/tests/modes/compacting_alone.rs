//! Compaction that happens by itself: thresholds, overflow, cut answers.

use omp_testkit::{Home, Reply, Stop, Usage};
use serde_json::{Value, json};

use crate::compacting::long;
use crate::support::{Opening, World, call, entries, lines, say, text, world};

/// An answer after which the provider has counted so many tokens.
fn counted(reply: Reply, tokens: u64) -> Reply {
    reply.usage(Usage { input: tokens - 5, output: 5, cache_read: 0, cache_write: 0 })
}

fn overflow() -> Reply {
    let error = json!({"message": "This model's maximum context length is exceeded.", "code": "context_length_exceeded"});
    Reply::status(400).body(json!({ "error": error }))
}

fn refused(message: &str) -> Reply {
    Reply::status(400).body(json!({"error": {"message": message}}))
}

/// One model with a window, before the program begins.
fn sized(config: &str, window: u64, replies: impl IntoIterator<Item = Reply>) -> Opening {
    let opening = Opening::new(config, replies);
    models(&opening.home, window);
    opening
}

fn models(home: &Home, window: u64) {
    let path = "home/.omp/agent/models.yml";
    let text = home.read(path).replace("contextWindow: 10000", &format!("contextWindow: {window}"));
    home.write(path, text);
}

fn ends(world: &World) -> Vec<Value> {
    world.person.told("auto_compaction_end")
}

fn compactions(world: &World) -> usize {
    entries(&world.file(), "compaction").len()
}

const KEEP_LITTLE: &str = "compaction:\n  keepRecentTokens: 1000\n  autoContinue: false\n";

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
            assert_eq!((&end["reason"], &end["willRetry"], &end["aborted"]), (&json!("threshold"), &json!(false), &json!(false)));
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
    let config = format!("{KEEP_LITTLE}  thresholdTokens: 5000\napproval:\n  mode: yolo\nretry:\n  enabled: false\n");
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
    assert!(sent.iter().any(|text| text.contains("<summary>")) && sent.last().unwrap() == "third", "{sent:?}");
    assert!(!sent.iter().any(|text| text.starts_with("one ")), "{sent:?}");
    world.finish().await;
}

/// The provider says that the request does not fit: it is asked again with less, and nobody waits for a retry.
/// proves: CMP-020, CMP-022, MOD-156
#[tokio::test]
async fn an_overflow_is_recovered() {
    let replies = [say(&long("one", 1_500)), overflow(), say("notes"), say("line"), say("answered")];
    let world = sized(KEEP_LITTLE, 200_000, replies).start().await;
    world.submit("first").await;
    let outcome = world.submit("second").await;
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "answered");
    assert_eq!(world.server.requests().len(), 5);
    assert!(world.person.told("auto_retry_start").is_empty());
    let end = &ends(&world)[0];
    assert_eq!((&end["reason"], &end["willRetry"]), (&json!("overflow"), &json!(true)));
    let sent = world.messages(4);
    assert_eq!(text(sent.last().unwrap()), "second", "the answer that failed is gone");
    assert!(text(&sent[1]).contains("<summary>\nnotes"), "{:?}", &sent[1..]);
    // A resumed session knows it the same way.
    let file = world.file().display().to_string();
    let world = world.reopen(omp_sdk::Persistence::Resume(file)).await;
    let messages = world.session().conversation().await;
    let failed = |message: &std::sync::Arc<omp_types::Message>| {
        message.as_assistant().is_some_and(|answer| answer.error_message.is_some())
    };
    assert!(!messages.iter().any(failed));
    world.finish().await;
}

/// The window that the error names is the one that counts from then on.
#[tokio::test]
async fn a_wrong_window_is_learned() {
    let too_long = refused("This model's maximum context length is 4000 tokens. However, you requested 5000 tokens.");
    let replies = [
        say(&long("one", 1_000)),
        say(&long("two", 1_000)),
        too_long,
        say("notes"),
        say("line"),
        counted(say("three"), 3_500),
        say("notes again"),
        say("line"),
    ];
    let world = sized(KEEP_LITTLE, 200_000, replies).start().await;
    for prompt in ["first".to_owned(), "second".to_owned(), long("third", 1_200)] {
        world.submit(&prompt).await;
    }
    let reasons: Vec<Value> = ends(&world).iter().map(|end| end["reason"].clone()).collect();
    assert_eq!(reasons, ["overflow", "threshold"], "3,500 tokens are too many for 4,000");
    world.finish().await;
}

/// A model that never has room stops the run with its error, after one attempt.
/// proves: CMP-033
#[tokio::test]
async fn recovery_does_not_loop() {
    let replies = [say(&long("one", 1_500)), overflow(), say("notes"), say("line"), overflow()];
    let world = sized(KEEP_LITTLE, 200_000, replies).start().await;
    world.submit("first").await;
    let outcome = world.submit("second").await;
    let error = outcome.last_answer().unwrap().error_message.clone().unwrap();
    assert!(error.contains("maximum context length"), "{error}");
    assert_eq!((world.server.requests().len(), compactions(&world)), (5, 1));
    world.finish().await;
}

/// An answer that was cut off is asked for again with more room; the cut one is not sent along.
/// proves: CMP-024
#[tokio::test]
async fn a_cut_answer_is_asked_for_again() {
    let cut = say("half an ans").stop(Stop::Length);
    let replies = [say(&long("one", 1_500)), cut, say("notes"), say("line"), say("the whole answer")];
    let world = sized(KEEP_LITTLE, 200_000, replies).start().await;
    world.submit("first").await;
    let outcome = world.submit("second").await;
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "the whole answer");
    let end = &ends(&world)[0];
    assert_eq!((&end["reason"], &end["willRetry"]), (&json!("incomplete"), &json!(true)));
    let sent: Vec<String> = world.messages(4).iter().map(text).collect();
    assert_eq!(sent.last().unwrap(), "second");
    assert!(!sent.iter().any(|text| text.contains("half an ans")));
    world.finish().await;
}

/// With compaction off an overflow is an error and a long conversation stays as it is.
/// proves: CMP-027
#[tokio::test]
async fn switched_off_nothing_happens_by_itself() {
    for setting in ["enabled: false", "strategy: off"] {
        let config = format!("compaction:\n  {setting}\n");
        let replies = [counted(say(&long("one", 1_500)), 190_000), overflow()];
        let world = sized(&config, 200_000, replies).start().await;
        world.submit("first").await;
        let outcome = world.submit("second").await;
        assert!(outcome.last_answer().unwrap().error_message.is_some(), "{setting}");
        assert_eq!((compactions(&world), ends(&world).len()), (0, 0), "{setting}");
        world.finish().await;
    }
}

/// Each trigger has words of its own for a failure.
/// proves: CMP-032
#[tokio::test]
async fn failures_say_what_failed() {
    let broken = || refused("the summary broke");
    let threshold = sized(KEEP_LITTLE, 200_000, [say(&long("one", 1_500)), counted(say("two"), 170_001), broken()]);
    let threshold = threshold.start().await;
    threshold.submit("first").await;
    threshold.submit("second").await;
    assert_eq!(ends(&threshold)[0]["errorMessage"], "Auto-compaction failed: 400 Bad Request: the summary broke");
    threshold.finish().await;

    let cut = say("half").stop(Stop::Length);
    let incomplete = sized(KEEP_LITTLE, 200_000, [say(&long("one", 1_500)), cut, broken()]).start().await;
    incomplete.submit("first").await;
    let outcome = incomplete.submit("second").await;
    assert_eq!(ends(&incomplete)[0]["errorMessage"], "Incomplete response recovery failed: 400 Bad Request: the summary broke");
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "half", "what there is stays");
    incomplete.finish().await;

    // Nothing can be taken out of a conversation that has just begun.
    let overflowing = sized(KEEP_LITTLE, 200_000, [overflow()]).start().await;
    overflowing.submit("first").await;
    let error = ends(&overflowing)[0]["errorMessage"].as_str().unwrap().to_owned();
    assert!(error.starts_with("Context overflow recovery failed: Nothing to compact"), "{error}");
    overflowing.finish().await;
}

/// No model sums up, and the conversation must become shorter: a record takes the place of a summary.
#[tokio::test]
async fn an_overflow_is_survived_without_a_summary() {
    let replies = [say(&long("one", 1_500)), overflow(), refused("the summary broke"), say("answered")];
    let world = sized(KEEP_LITTLE, 200_000, replies).start().await;
    world.submit("Build the parser").await;
    let outcome = world.submit("second").await;
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "answered");
    let summary = entries(&world.file(), "compaction")[0]["summary"].as_str().unwrap().to_owned();
    assert!(summary.contains("[User]: Build the parser"), "{summary}");
    let notices = world.person.told("notice");
    assert!(notices.iter().any(|notice| notice["message"].as_str().unwrap().contains("the summary broke")));
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
    assert!(second.contains("<previous-summary>\nThe server is called tulip.\n</previous-summary>"), "{second}");
    assert!(second.contains("[Assistant]: two is here") && second.contains("[Assistant]: three "), "{second}");
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
    assert!(summary.starts_with("the history\n\n---\n\n**Turn Context (split turn):**\n\nthe prefix"), "{summary}");
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

/// A larger model goes before a shorter conversation: at the threshold, after a cut answer, and when nothing fits.
/// proves: CMP-025
#[tokio::test]
async fn a_larger_model_goes_first() {
    let threshold = vec![counted(say("two"), 170_001)];
    let incomplete = vec![say("half").stop(Stop::Length), say("whole")];
    let overflowing = vec![overflow(), say("whole")];
    for replies in [threshold, incomplete, overflowing] {
        let count = replies.len() + 1;
        let all = std::iter::once(say(&long("one", 1_500))).chain(replies);
        let mut opening = sized(KEEP_LITTLE, 200_000, all);
        opening.model = Some("one/a");
        let path = "home/.omp/agent/models.yml";
        let models = opening.home.read(path).replace("{id: b, contextWindow: 200000", "{id: b, contextWindow: 900000");
        opening.home.write(path, models);
        let world = opening.start().await;
        world.submit("first").await;
        world.submit("second").await;
        assert_eq!(world.server.requests().len(), count);
        assert_eq!(world.person.told("context_promoted").len(), 1);
        assert_eq!((compactions(&world), ends(&world).len()), (0, 0));
        let change = entries(&world.file(), "model_change").pop().unwrap();
        assert_eq!((&change["model"], &change["role"]), (&json!("one/b"), &json!("temporary")));
        if count == 3 {
            let sent: Vec<String> = world.messages(2).iter().map(text).collect();
            assert_eq!((sent.last().unwrap().as_str(), world.model(2).as_str()), ("second", "b"));
        }
        world.finish().await;
    }
}

/// Where our estimate is half of what the provider counts, half as much is kept.
/// proves: CMP-036
#[tokio::test]
async fn keeping_follows_the_provider() {
    for (counts, kept) in [(6_000, 4), (12_000, 2)] {
        let config = "compaction:\n  enabled: false\n  keepRecentTokens: 3900\n";
        let mut replies: Vec<Reply> = (0..2).map(|turn| say(&long(&format!("answer {turn}"), 1_000))).collect();
        replies.push(counted(say(&long("answer 2", 1_000)), counts));
        replies.extend([say("notes"), say("line")]);
        let world = sized(config, 200_000, replies).start().await;
        for turn in 0..3 {
            world.submit(&long(&format!("question {turn}"), 1_000)).await;
        }
        world.session().compact(None, tokio_util::sync::CancellationToken::new()).await.unwrap();
        assert_eq!(world.session().conversation().await.len(), 1 + kept, "{counts}");
        world.finish().await;
    }
}

/// An overflow of another model, or from before, says nothing about the next prompt.
/// proves: CMP-023
#[tokio::test]
async fn an_old_overflow_is_ignored() {
    for model in ["one/a", "one/b"] {
        let off = "compaction:\n  enabled: false\n";
        let replies = [say(&long("one", 1_500)), overflow(), say("answered")];
        let mut opening = sized(off, 200_000, replies);
        opening.model = Some("one/a");
        let world = opening.start().await;
        world.submit("first").await;
        world.submit("second").await;
        let file = world.file().display().to_string();
        world.home.write("home/.omp/agent/config.yml", KEEP_LITTLE);
        let world = world.reopen(omp_sdk::Persistence::Resume(file)).await;
        world.session().use_model(model).await.unwrap();
        let outcome = world.submit("third").await;
        assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "answered");
        assert_eq!((world.server.requests().len(), compactions(&world)), (3, 0), "{model}");
        world.finish().await;
    }
}

/// Nobody who can sum up: that is said, and nothing changes.
/// proves: CMP-012
#[tokio::test]
async fn without_a_model_nothing_is_summed_up() {
    let world = crate::compacting::long_talk("", []).await;
    let (file, before) = (world.file(), std::fs::read(world.file()).unwrap());
    world.home.write("home/.omp/agent/models.yml", "providers: {}\n");
    world.home.write("home/.omp/agent/config.yml", KEEP_LITTLE);
    let resumed = omp_sdk::Persistence::Resume(file.display().to_string());
    let world = world.reopen(resumed).await;
    assert!(world.session().fell_back_to_demo());
    let entries_before = std::fs::read(&file).unwrap();
    let error = world.session().compact(None, Default::default()).await.unwrap_err().to_string();
    assert!(error.contains("omp login"), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), entries_before);
    assert!(entries_before.starts_with(&before[..100]));
    world.finish().await;

    // A model whose key is refused.
    let refused = Reply::status(401).body(json!({"error": {"message": "no such key"}}));
    let world = crate::compacting::long_talk("", [refused]).await;
    let before = std::fs::read(world.file()).unwrap();
    let error = world.session().compact(None, Default::default()).await.unwrap_err().to_string();
    assert!(error.contains("no such key"), "{error}");
    assert_eq!(std::fs::read(world.file()).unwrap(), before);
    world.finish().await;
}

/// A setting that is changed while the session runs holds from the next turn on.
/// proves: CMP-103
#[tokio::test]
async fn settings_hold_at_once() {
    let replies = [counted(say(&long("one", 1_500)), 6_000), counted(say("two"), 6_000), say("notes"), say("line")];
    let world = sized(KEEP_LITTLE, 200_000, replies).start().await;
    world.submit("first").await;
    assert_eq!(compactions(&world), 0);
    world.session().change_setting("compaction.thresholdTokens", json!(5000)).await.unwrap();
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
