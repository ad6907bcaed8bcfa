//! Models, windows and pictures that make a compaction hard.

use std::sync::{Arc, Mutex};

use omp_sdk::Prompt;
use omp_testkit::{RecordedRequest, Reply, Scenario, Stop};
use omp_types::{ImageBlock, UserBlock, UserContent};
use serde_json::{Value, json};

use crate::compacting::long;
use crate::compacting_alone::{KEEP_LITTLE, compactions, counted, ends, overflow, refused, sized};
use crate::compacting_more::none;
use crate::support::{Opening, call, entries, say, text};

/// A model that goes on and on is stopped, and another way is found: nothing waits for its end.
#[tokio::test]
async fn a_summary_without_end_is_stopped() {
    for endless in
        [say(&long("notes", 120_000)), Reply::new().thinking(&long("thoughts", 120_000)).text("notes")]
    {
        let replies = [say(&long("one", 1_500)), overflow(), endless, say("answered")];
        let opening = sized(KEEP_LITTLE, 16_000, replies);
        let path = "home/.omp/agent/models.yml";
        let models = opening.home.read(path).replace("reasoning: true", "reasoning: true, maxTokens: 2000");
        opening.home.write(path, models);
        let world = opening.start().await;
        world.submit("Build the parser").await;
        let outcome = world.submit("second").await;
        assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "answered");
        let summary = entries(&world.file(), "compaction")[0]["summary"].as_str().unwrap().to_owned();
        assert!(summary.contains("[User]: Build the parser"), "a record: {summary}");
        assert!(summary.len() < 16_000, "{}", summary.len());
        world.finish().await;
    }
}

/// A summary that is longer than the window is cut, and what follows fits.
#[tokio::test]
async fn a_summary_above_the_window_is_cut() {
    let long_summary = long("notes", 14_000);
    let replies = [say(&long("one", 1_500)), say("two"), say(&long_summary), say("line"), say("three")];
    let world = sized(&format!("{KEEP_LITTLE}  enabled: false\n"), 10_000, replies).start().await;
    world.submit("first").await;
    world.submit("second").await;
    let result = world.session().context().compact(None, none()).await.unwrap().result.unwrap();
    assert!(result.tokens_after < 4_000, "{}", result.tokens_after);
    world.submit("third").await;
    let sent: usize = world.messages(4).iter().skip(1).map(|message| text(message).len()).sum();
    assert!(sent < 4 * 4_000, "{sent} bytes");
    world.finish().await;
}

/// A provider that never has room: each prompt is tried once more and then ends with its error; nothing goes round.
#[tokio::test]
async fn an_overflow_without_end_ends() {
    let count = Arc::new(Mutex::new((0, 0)));
    let counts = Arc::clone(&count);
    let scenario = Scenario::dynamic(move |request: &RecordedRequest| {
        let mut counts = counts.lock().unwrap();
        let asked = request.body["messages"].as_array().unwrap().last().map(text).unwrap_or_default();
        if asked.contains("<conversation>") || asked.contains("<summary>") {
            counts.1 += 1;
            return say("notes");
        }
        counts.0 += 1;
        if counts.0 <= 3 { say(&long("answer", 700)) } else { overflow() }
    });
    let world = Opening::with(KEEP_LITTLE, scenario).start().await;
    for turn in 0..3 {
        world.submit(&format!("prompt {turn}")).await;
    }
    for turn in 3..6 {
        let before = *count.lock().unwrap();
        let outcome = world.submit(&format!("prompt {turn}")).await;
        let error = outcome.last_answer().unwrap().error_message.clone().unwrap();
        assert!(error.contains("maximum context length"), "{error}");
        let (asked, summed) = *count.lock().unwrap();
        assert!(asked - before.0 <= 2 && summed - before.1 <= 3, "{:?} after {before:?}", (asked, summed));
    }
    world.finish().await;
}

/// Another model with a smaller window gets a shorter conversation before it is asked at all.
#[tokio::test]
async fn a_smaller_window_is_met_before_the_request() {
    let replies = [
        counted(say(&long("one", 3_000)), 9_000),
        counted(say(&long("two", 3_000)), 15_000),
        say("notes"),
        say("notes of the turn"),
        say("line"),
        say("ok"),
    ];
    let opening = sized(&format!("{KEEP_LITTLE}contextPromotion:\n  enabled: false\n"), 200_000, replies);
    let path = "home/.omp/agent/models.yml";
    let models =
        opening.home.read(path).replace("{id: b, contextWindow: 200000", "{id: b, contextWindow: 10000");
    opening.home.write(path, models);
    let world = opening.start().await;
    world.submit("first").await;
    world.submit("second").await;
    world.session().models().switch("one/b").await.unwrap();
    let outcome = world.submit("third").await;
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "ok");
    assert_eq!((compactions(&world), ends(&world)[0]["reason"].clone()), (1, json!("threshold")));
    assert_eq!((world.model(2), world.model(5)), ("b".to_owned(), "b".to_owned()));
    assert!(text(&world.messages(5)[1]).contains("<summary>"));
    world.finish().await;
}

fn picture() -> UserBlock {
    let data =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    UserBlock::Image(ImageBlock { data: data.to_owned(), mime_type: "image/png".to_owned(), detail: None })
}

fn pictures(messages: &[Value]) -> usize {
    let parts = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    parts.filter(|part| part["type"] == "image_url").count()
}

/// Pictures that do not fit go when there is nothing else to take out; the words stay and the turn is finished.
#[tokio::test]
async fn pictures_that_do_not_fit_go() {
    let replies = [refused("prompt is too long: 90000 tokens > 10000 maximum"), say("seen enough")];
    let opening = Opening::new(KEEP_LITTLE, replies);
    let path = "home/.omp/agent/models.yml";
    let models = opening.home.read(path).replace("reasoning: true", "reasoning: true, input: [text, image]");
    opening.home.write(path, models);
    let world = opening.start().await;
    let blocks = [UserBlock::text("what is on these?")].into_iter().chain((0..3).map(|_| picture()));
    let prompt = Prompt::words(UserContent::Blocks(blocks.collect()));
    let outcome = world.driver.submit(prompt, none()).await.unwrap();
    let answer = outcome.last_answer().unwrap();
    assert_eq!(answer.texts().collect::<String>(), "seen enough", "{answer:?} {:?}", ends(&world));
    assert_eq!((pictures(&world.messages(0)), pictures(&world.messages(1))), (3, 0));
    let last = world.last(1);
    assert!(last.contains("what is on these?") && last.contains("removed from the conversation"), "{last}");
    let notices = world.person.told("notice");
    assert!(
        notices.iter().any(|notice| notice["message"].to_string().contains("3 images did not fit")),
        "{notices:?}"
    );
    world.finish().await;
}

/// What is wrong with the calls and results of a request.
fn unpaired(messages: &[Value]) -> Option<String> {
    let mut open: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(place) = open.iter().position(|call| call == id) else {
                return Some(format!("message {at} answers no call"));
            };
            open.remove(place);
            continue;
        }
        if !open.is_empty() {
            return Some(format!("message {at} stands before the results of {open:?}"));
        }
        let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        open.extend(calls.iter().filter_map(|call| call["id"].as_str()).map(str::to_owned));
    }
    (!open.is_empty()).then(|| format!("no results of {open:?}"))
}

/// An answer of any kind: words, calls of all sorts, broken ones, counts near the window.
fn any_answer(random: &mut fastrand::Rng) -> Reply {
    let tokens = random.u64(500..9_500);
    match random.u32(0..12) {
        0..=2 => counted(say(&long("words", random.usize(20..900))), tokens),
        3..=5 => {
            let calls = (0..random.usize(1..4)).fold(Reply::new(), |reply, _| {
                let path = format!("notes.txt:{}-{}", random.u32(1..50), random.u32(50..90));
                reply.tool_call("read", json!({"_i": "x", "path": path}))
            });
            counted(calls, tokens)
        }
        6 => call("read", json!({"nothing": true})),
        7 => Reply::new().tool_call("unknown", json!({})),
        8 => say(&long("cut", 200)).stop(Stop::Length),
        9 => overflow(),
        10 => say("half of an answer that breaks").drop_after_event(2),
        _ => call("read", json!({"_i": "x", "path": "notes.txt"})).drop_after_event(3),
    }
}

/// Whatever happens in a session, each request that leaves it has a result for each call, right behind it, and no other
/// results: with cuts, blanks, recovery, retries and failed summaries at random.
#[tokio::test]
async fn random_sessions_pair_calls_and_results() {
    for seed in 0..5 {
        let random = Mutex::new(fastrand::Rng::with_seed(seed));
        let scenario = Scenario::dynamic(move |request: &RecordedRequest| {
            let random = &mut *random.lock().unwrap();
            let asked = request.body["messages"].as_array().unwrap().last().map(text).unwrap_or_default();
            if asked.contains("<conversation>") || asked.contains("<summary>\n") {
                return if random.u32(0..6) == 0 { refused("no summary") } else { say("notes") };
            }
            any_answer(random)
        });
        let config = "compaction:\n  keepRecentTokens: 900\nretry:\n  maxRetries: 2\n  baseDelayMs: 1\n";
        let opening = Opening::with(config, scenario);
        let lines: String =
            (0..100).map(|line| format!("line {line} of the notes, which are long\n")).collect();
        opening.home.write("work/notes.txt", lines);
        let world = opening.start().await;
        for turn in 0..12 {
            let stop = none();
            let submitted = world.driver.submit(Prompt::text(format!("prompt {turn}")), stop.clone());
            // A model that never says anything but calls is stopped by the clock of nobody; the script ends it.
            let asked = world.server.requests().len() + 25;
            let watch = async {
                while world.server.requests().len() < asked {
                    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
                }
                stop.cancel();
            };
            tokio::select! {
                outcome = submitted => drop(outcome.unwrap()),
                () = watch => {}
            }
        }
        let requests = world.server.requests();
        assert!(requests.len() > 12, "seed {seed}");
        for (at, request) in requests.iter().enumerate() {
            let messages = request.body["messages"].as_array().unwrap();
            assert_eq!(unpaired(messages), None, "seed {seed}, request {at}");
        }
        world.session().close().await;
        assert_eq!(world.server.violations().len(), 0, "seed {seed}: {:?}", world.server.violations());
    }
}
