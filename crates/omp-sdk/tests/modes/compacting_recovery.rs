//! What happens when a request does not fit, an answer is cut off, or nobody can sum up.

use omp_testkit::{Reply, Stop};
use serde_json::{Value, json};

use crate::compacting::long;
use crate::compacting_alone::{KEEP_LITTLE, compactions, counted, ends, overflow, refused, sized};
use crate::support::{entries, say, text};

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
    let too_long =
        refused("This model's maximum context length is 4000 tokens. However, you requested 5000 tokens.");
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
    let threshold =
        sized(KEEP_LITTLE, 200_000, [say(&long("one", 1_500)), counted(say("two"), 170_001), broken()]);
    let threshold = threshold.start().await;
    threshold.submit("first").await;
    threshold.submit("second").await;
    assert_eq!(
        ends(&threshold)[0]["errorMessage"],
        "Auto-compaction failed: 400 Bad Request: the summary broke"
    );
    threshold.finish().await;

    let cut = say("half").stop(Stop::Length);
    let incomplete = sized(KEEP_LITTLE, 200_000, [say(&long("one", 1_500)), cut, broken()]).start().await;
    incomplete.submit("first").await;
    let outcome = incomplete.submit("second").await;
    assert_eq!(
        ends(&incomplete)[0]["errorMessage"],
        "Incomplete response recovery failed: 400 Bad Request: the summary broke"
    );
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
        let models =
            opening.home.read(path).replace("{id: b, contextWindow: 200000", "{id: b, contextWindow: 900000");
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
        world.session().models().switch(model).await.unwrap();
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
    assert!(world.session().models().fell_back_to_demo());
    let entries_before = std::fs::read(&file).unwrap();
    let error = world.session().context().compact(None, Default::default()).await.unwrap_err().to_string();
    assert!(error.contains("omp login"), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), entries_before);
    assert!(entries_before.starts_with(&before[..100]));
    world.finish().await;

    // A model whose key is refused.
    let refused = Reply::status(401).body(json!({"error": {"message": "no such key"}}));
    let world = crate::compacting::long_talk("", [refused]).await;
    let before = std::fs::read(world.file()).unwrap();
    let error = world.session().context().compact(None, Default::default()).await.unwrap_err().to_string();
    assert!(error.contains("no such key"), "{error}");
    assert_eq!(std::fs::read(world.file()).unwrap(), before);
    world.finish().await;
}

/// Who stops the compaction without which a request does not fit has stopped the request as well.
#[tokio::test]
async fn what_does_not_fit_is_not_sent_when_its_compaction_is_stopped() {
    let stalled = || say("words without end").stall_after_event(2, std::time::Duration::from_secs(600));
    let replies = [counted(say(&long("one", 1_500)), 9_900)].into_iter().chain((0..3).map(|_| stalled()));
    let world = sized(KEEP_LITTLE, 10_000, replies).start().await;
    let control = world.session().control();
    // The first compaction is stopped when the turn has ended, the next before the prompt, the last before the request.
    let stopping = async {
        for stopped in 1..=3 {
            while ends(&world).len() < stopped {
                control.abort_compaction();
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
        }
    };
    let prompts = async {
        world.submit("first").await;
        world.submit("second").await
    };
    let (outcome, ()) = tokio::join!(prompts, stopping);
    let answer = outcome.last_answer().unwrap();
    assert_eq!(answer.error_message.as_deref(), Some("Compaction cancelled"));
    let sent = world.server.requests();
    assert!(sent.len() <= 4, "{} requests", sent.len());
    let asked = |at: usize| world.messages(at).last().map(text).unwrap_or_default();
    assert!((1..sent.len()).all(|at| asked(at) != "second"), "it was not sent");
    assert_eq!(compactions(&world), 0);
    world.session().close().await;
}
