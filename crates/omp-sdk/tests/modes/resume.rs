//! Modes of sessions that are opened again.

use omp_sdk::{Persistence, PlanState, PlanVerdict, Session};
use serde_json::json;

use crate::plan::{hand_in, write_plan};
use crate::support::{Opening, World, call, entries, lines, say, text, world};

const ROLES: &str = "modelRoles:\n  default: one/a\n  plan: one/b\n";

/// A session that is planning, with a plan.
async fn planned() -> (World, std::path::PathBuf) {
    let change = || call("write", json!({"path": "x.txt", "content": "x"}));
    let talk = || (0..4).map(|_| say("ok"));
    let replies =
        [write_plan("a"), hand_in("a"), change()].into_iter().chain(talk()).chain([change()]).chain(talk());
    let world = world(ROLES, replies).await;
    world.session().plan().enter().await.unwrap();
    world.person.verdicts.lock().unwrap().push_back(PlanVerdict::Refine(None));
    world.submit("plan it").await;
    let path = world.file();
    (world, path)
}

fn state(session: &Session) -> (PlanState, String, Option<String>) {
    (session.plan().state(), session.model_selector(), session.header().title)
}

/// The mode and its plan are in the file; the session goes on planning wherever it is opened again, in the same state.
/// proves: LOP-070, SES-174
#[tokio::test]
async fn planning_goes_on_in_a_resumed_session() {
    let (world, path) = planned().await;
    let last = entries(&path, "mode_change").pop().unwrap();
    assert_eq!((&last["mode"], &last["data"]), (&json!("plan"), &json!({"planFile": "local://a-plan.md"})));
    let live = state(&world.session());
    world.host.begin().await.unwrap();
    assert_eq!(world.session().plan().state(), PlanState::Off, "a new session has a mode of its own");
    world.host.resume(&path).await.unwrap();
    let switched = state(&world.session());
    assert_eq!(switched, live);
    assert_eq!(switched.1, "one/b", "the model that plans");
    world.submit("go on").await;
    assert!(world.results(3).last().unwrap().contains("read-only"), "{:?}", world.results(3));
    assert_eq!(world.model(2), "b");
    let offered = world.tools(2);

    // The same as the first session of a program.
    let started = world.reopen(Persistence::Resume(path.to_string_lossy().into_owned())).await;
    assert_eq!(state(&started.session()), switched);
    let before = started.server.requests().len();
    started.submit("go on").await;
    assert_eq!((started.tools(before), started.model(before)), (offered, "b".to_owned()));
    assert!(started.results(before + 1).last().unwrap().contains("read-only"));
    started.session().close().await;
}

/// A plan file that is gone does not keep a session from being opened.
/// proves: SES-173
#[tokio::test]
async fn a_mode_that_cannot_be_taken_up_is_said() {
    let (world, path) = planned().await;
    std::fs::remove_file(path.with_extension("").join("local/a-plan.md")).unwrap();
    world.host.begin().await.unwrap();
    let arrival = world.host.resume(&path).await.unwrap();
    assert!(
        arrival.remarks.iter().any(|remark| remark.contains("local://a-plan.md is missing")),
        "{arrival:?}"
    );
    assert_eq!(world.session().plan().state(), PlanState::Planning);
    world.session().close().await;
    drop(world.server);
}

/// Two sessions that differ in everything a session can differ in.
/// proves: SES-167
#[tokio::test]
async fn everything_comes_from_the_session_that_is_switched_to() {
    let search = call("search_tool_bm25", json!({"query": "list of tasks", "limit": 1}));
    let list = json!({"ops": [{"op": "init", "list": [{"phase": "Work", "items": ["first"]}]}]});
    let talk = |words: &str| (0..4).map(|_| say(words)).collect::<Vec<_>>();
    let mut replies = vec![search, call("todo", list), say("noted"), say("other")];
    replies.extend(talk("in the first"));
    replies.push(say("in the second"));
    let opening = Opening {
        model: Some("one/b"),
        tier: Some("flex"),
        ..Opening::new("tools:\n  discoveryMode: all\ntodo:\n  reminders: false\n", replies)
    };
    let world = opening.start().await;
    let first = world.session();
    first.models().set_thinking(omp_types::ThinkingLevel::Low).await.unwrap();
    world.submit("make a list").await;
    first.plan().enter().await.unwrap();
    let (one, tasks) = (world.file(), first.tasks().to_json());
    world.host.begin().await.unwrap();
    world.submit("something else").await;
    let two = world.file();

    let look = |request: usize| {
        let body = world.server.requests()[request].body.clone();
        let word = |key: &str| body[key].as_str().unwrap_or("-").to_owned();
        (
            word("model"),
            word("reasoning_effort"),
            word("service_tier"),
            world.tools(request).iter().any(|name| name == "todo"),
        )
    };
    world.host.resume(&one).await.unwrap();
    assert_eq!(
        (world.session().plan().state(), world.session().tasks().to_json()),
        (PlanState::Planning, tasks.clone())
    );
    world.submit("and now?").await;
    assert_eq!(look(4), ("b".to_owned(), "low".to_owned(), "flex".to_owned(), true));
    assert!(world.messages(4).iter().any(|message| text(message) == "make a list"));
    world.host.resume(&two).await.unwrap();
    assert_eq!(world.session().plan().state(), PlanState::Off);
    assert!(world.session().tasks().to_json() == json!([]) && tasks != json!([]));
    world.submit("and here?").await;
    assert_eq!(look(8), ("a".to_owned(), "high".to_owned(), "-".to_owned(), false));
    assert!(!world.messages(8).iter().any(|message| text(message) == "make a list"));
    world.finish().await;
}

/// Of a very long conversation people are shown the end, and how much came before; the model is told what the last
/// compaction left, with the tasks and the plan from the beginning.
#[tokio::test]
async fn a_very_long_conversation_is_shown_from_its_end() {
    let world = world("todo:\n  reminders: false\n", [say("ok"), say("more")]).await;
    world.submit("first").await;
    let path = world.file();
    let mut text = std::fs::read_to_string(&path).unwrap();
    let mut parent = lines(&path).pop().unwrap()["id"].as_str().unwrap().to_owned();
    let mut append = |id: String, mut entry: serde_json::Value| {
        entry["id"] = json!(id);
        entry["parentId"] = json!(std::mem::replace(&mut parent, id));
        entry["timestamp"] = json!("2026-01-01T00:00:00.000Z");
        text.push_str(&format!("{entry}\n"));
    };
    append(
        "tasks".to_owned(),
        json!({"type": "custom", "customType": "user_todo_edit",
        "data": {"phases": [{"name": "Work", "tasks": [{"content": "Dig", "status": "pending"}]}]}}),
    );
    for number in 0..3_000 {
        let said =
            json!({"role": "user", "content": format!("{number} {}", "x".repeat(400)), "timestamp": 1});
        append(format!("{number:08x}"), json!({"type": "message", "message": said}));
    }
    append(
        "compact".to_owned(),
        json!({"type": "compaction", "summary": "Much was said.",
        "firstKeptEntryId": format!("{:08x}", 2_999), "tokensBefore": 5}),
    );
    std::fs::write(&path, text).unwrap();
    let all = lines(&path).len() - 1;

    let world = world.reopen(Persistence::Resume(path.to_string_lossy().into_owned())).await;
    let shown = world.session().transcript().messages().await;
    let omp_types::Message::Custom(first) = &*shown[0] else { panic!("{:?}", shown[0]) };
    assert_eq!(first.custom_type, omp_sdk::Transcript::EARLIER);
    assert!(
        first.content.text().starts_with(&format!("{} earlier", all - 2_000)),
        "{}",
        first.content.text()
    );
    assert_eq!(shown.len(), 2_001);
    assert!(
        matches!(&**shown.last().unwrap(), omp_types::Message::Custom(last) if last.custom_type == omp_sdk::Transcript::COMPACTION)
    );
    assert_eq!(world.session().tasks().to_json()[0]["tasks"][0]["content"], "Dig");
    let before = world.server.requests().len();
    world.submit("go on").await;
    let told: Vec<String> = world.messages(before).iter().skip(1).map(self::text).collect();
    assert!(told[0].contains("Much was said.") && told[1].starts_with("2999 "), "{}", told.len());
    world.finish().await;
}
