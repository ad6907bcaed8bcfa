//! Results that are not worth their room.

use std::sync::Arc;

use omp_compaction::{Blank, Protect, Stale, USELESS, prune, squeeze, stale};
use omp_types::Message;
use serde_json::json;

use crate::support::{Talk, result, useless, words};

const ALL: Stale = Stale { superseded: true, useless: true, cache_is_cold: false };
pub(crate) const COLD: Stale = Stale { cache_is_cold: true, ..ALL };

fn bash(talk: &mut Talk, id: &str, tokens: usize) {
    talk.call(id, "bash", json!({"command": id}));
    talk.result(id, "bash", &words(tokens));
}

fn read(talk: &mut Talk, id: &str, path: &str, tokens: usize) {
    talk.call(id, "read", json!({"path": path}));
    talk.result(id, "read", &words(tokens));
}

fn calls(blanks: &[Blank]) -> Vec<&str> {
    blanks.iter().map(|blank| blank.call.as_str()).collect()
}

/// proves: CMP-057
#[test]
fn only_much_is_worth_it() {
    let talk = |old: usize| {
        let mut talk = Talk::default();
        talk.user("work");
        bash(&mut talk, "tiny", 30);
        bash(&mut talk, "old", old);
        bash(&mut talk, "new", 39_900);
        talk
    };
    let none = Protect::default();
    assert_eq!(prune(&talk(19_000).messages(), COLD, &none), [], "less than 20,000 tokens would be saved");
    let blanks = prune(&talk(21_000).messages(), COLD, &none);
    assert_eq!(calls(&blanks), ["old"], "not the newest 40,000 tokens, not what is under 50 tokens");
    assert!(blanks[0].saved >= 20_000);
    assert!(blanks[0].text.starts_with("[Output truncated - 21") && blanks[0].text.ends_with(" tokens]"));
}

/// Skills and the plan stay, whatever they cost.
/// proves: CMP-058
#[test]
fn skills_and_the_plan_stay() {
    let mut talk = Talk::default();
    talk.user("work");
    read(&mut talk, "skill-url", "skill://review", 30_000);
    read(&mut talk, "plan", "local://x-plan.md", 30_000);
    read(&mut talk, "plan-part", "local://x-plan.md:1-50", 30_000);
    talk.call("skill", "skill", json!({"name": "review"}));
    talk.result("skill", "skill", &words(30_000));
    read(&mut talk, "old", "a.rs", 30_000);
    bash(&mut talk, "new", 39_900);
    let protect = Protect { plan: Some("local://x-plan.md".to_owned()) };
    assert_eq!(calls(&prune(&talk.messages(), COLD, &protect)), ["old"]);
    let squeezed = squeeze(&talk.messages(), 0, &protect);
    assert_eq!(calls(&squeezed), ["old", "new"]);
    assert_eq!(calls(&squeeze(&talk.messages(), 165_000, &protect)), ["old"], "the oldest first");
}

/// An older read of the same file, or of a part of it, is worth nothing once the file was read again.
#[test]
fn a_newer_read_takes_the_place_of_an_older_one() {
    let mut talk = Talk::default();
    talk.user("work");
    read(&mut talk, "whole", "a.rs", 5);
    read(&mut talk, "part", "a.rs:1-5", 5);
    read(&mut talk, "other", "b.rs", 5);
    read(&mut talk, "again", "a.rs", 5);
    read(&mut talk, "other-part", "b.rs:1-5", 5);
    talk.call("failed", "read", json!({"path": "b.rs"}));
    talk.say(result("failed", "read", "no such file", true));
    let blanks = stale(&talk.messages(), ALL, &Protect::default());
    assert_eq!(
        calls(&blanks),
        ["whole", "part"],
        "a part does not replace a whole, a failure replaces nothing"
    );
    assert!(blanks.iter().all(|blank| blank.text == "[Superseded by a newer read of this file]"));
    let off = Stale { superseded: false, ..ALL };
    assert_eq!(stale(&talk.messages(), off, &Protect::default()), []);
}

/// Some servers number the calls of each answer from one: a result belongs to the last call before it.
#[test]
fn equal_ids_do_not_mix_up_results() {
    let mut talk = Talk::default();
    talk.user("work");
    read(&mut talk, "call_1", "a.rs", 5);
    read(&mut talk, "call_1", "b.rs", 5);
    bash(&mut talk, "call_1", 5);
    assert_eq!(stale(&talk.messages(), ALL, &Protect::default()), []);
    read(&mut talk, "call_1", "a.rs", 5);
    let blanks = stale(&talk.messages(), ALL, &Protect::default());
    assert_eq!(blanks.iter().map(|blank| blank.index).collect::<Vec<_>>(), [2], "the first read of a.rs");
}

/// Results that are smaller than the notice stay, errors stay, and the window for the newest output does not count.
/// proves: CMP-064
#[test]
fn what_said_nothing_goes() {
    let mut talk = Talk::default();
    talk.user("work");
    let mut say = |id: &str, text: &str, is_error| {
        talk.call(id, "search", json!({"pattern": id}));
        talk.say(useless(id, "search", text, is_error));
    };
    say("nothing", &format!("No matches. {}", words(60)), false);
    say("short", "None.", false);
    say("error", &words(60), true);
    talk.call("skill", "skill", json!({"name": "x"}));
    talk.say(useless("skill", "skill", &words(60), false));
    let blanks = stale(&talk.messages(), ALL, &Protect::default());
    assert_eq!(calls(&blanks), ["nothing"]);
    assert_eq!(blanks[0].text, USELESS);
    assert_eq!(stale(&talk.messages(), Stale { useless: false, ..ALL }, &Protect::default()), []);

    let mut pruned = Talk::default();
    pruned.call("empty", "search", json!({"pattern": "x"}));
    pruned.say(useless("empty", "search", &words(21_000), false));
    assert_eq!(prune(&pruned.messages(), COLD, &Protect::default()), [], "the model has not read it yet");
    pruned.answer("nothing there");
    let blanks = prune(&pruned.messages(), COLD, &Protect::default());
    assert_eq!(
        (calls(&blanks), blanks[0].text.as_str()),
        (vec!["empty"], USELESS),
        "within the newest 40,000"
    );
}

/// proves: CMP-063
#[test]
fn far_from_the_end_nothing_is_touched_while_the_cache_is_warm() {
    let talk = |after: usize| {
        let mut talk = Talk::default();
        talk.user("work");
        read(&mut talk, "old", "a.rs", 100);
        read(&mut talk, "new", "a.rs", 100);
        talk.user(&words(after));
        talk.messages()
    };
    let found = |messages: &[Arc<Message>], wanted| stale(messages, wanted, &Protect::default()).len();
    assert_eq!(found(&talk(7_000), ALL), 1);
    assert_eq!(found(&talk(8_100), ALL), 0, "too much would have to be sent anew");
    assert_eq!(found(&talk(8_100), COLD), 1, "the cache is gone anyway");
}

/// What the model has not read yet stays, however large it is and however little it says.
#[test]
fn what_is_new_stays() {
    let mut talk = Talk::default();
    bash(&mut talk, "huge", 90_000);
    talk.call("empty", "search", json!({"pattern": "x"}));
    bash(&mut talk, "new", 90_000);
    talk.say(useless("empty", "search", &words(100), false));
    assert_eq!(calls(&prune(&talk.messages(), COLD, &Protect::default())), ["huge"]);
    assert_eq!(stale(&talk.messages(), ALL, &Protect::default()), []);
    talk.answer("seen");
    assert_eq!(calls(&prune(&talk.messages(), COLD, &Protect::default())), ["huge", "new", "empty"]);
    assert_eq!(calls(&stale(&talk.messages(), ALL, &Protect::default())), ["empty"]);
}

/// A blanked result keeps its place, its call and what it showed to people; it is blanked once.
#[test]
fn a_blank_keeps_its_place() {
    let mut talk = Talk::default();
    read(&mut talk, "old", "a.rs", 100);
    read(&mut talk, "new", "a.rs", 100);
    let mut messages = talk.messages();
    let blank = stale(&messages, ALL, &Protect::default()).remove(0);
    let before = messages[blank.index].as_tool_result().unwrap().clone();
    messages[blank.index] = Arc::new(blank.apply(&before, &[]));
    let after = messages[blank.index].as_tool_result().unwrap();
    assert_eq!((&after.tool_call_id, &after.tool_name), (&before.tool_call_id, &before.tool_name));
    assert_eq!(stale(&messages, ALL, &Protect::default()), []);
}
