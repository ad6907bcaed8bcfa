//! Questions of the model, from the call to the answer.

use std::sync::Mutex;

use omp_sdk::{AskAnswer, Ended};
use serde_json::json;

use crate::support::{Opening, Presence, call, entries, say, world};

fn ask() -> omp_testkit::Reply {
    call(
        "ask",
        json!({"questions": [{
            "id": "colour",
            "question": "Which colour?",
            "options": [{"label": "Red"}, {"label": "Green", "description": "like grass"}],
            "recommended": 1,
        }]}),
    )
}

/// The model can ask where somebody is there to answer, and has no such tool elsewhere.
/// proves: LOP-094
#[tokio::test]
async fn questions_need_somebody() {
    let there = world("", [say("ok")]).await;
    there.submit("go").await;
    assert!(there.tools(0).iter().any(|name| name == "ask"));
    there.finish().await;
    let mut alone = Opening::new("", [say("ok")]);
    alone.presence = Presence::Away;
    let alone = alone.start().await;
    alone.submit("go").await;
    assert!(!alone.tools(0).iter().any(|name| name == "ask"));
    alone.finish().await;
}

/// The whole way: the person sees the list with the recommended entry marked, chooses, and the mark is not in the answer.
#[tokio::test]
async fn an_answer_reaches_the_model() {
    let world = world("", [ask(), say("done")]).await;
    *world.person.answers.lock().unwrap() = Some(|dialog| {
        let question = &dialog.questions()[0];
        assert_eq!(question.entries(), ["Red", "Green (Recommended)", "Other (type your own)"]);
        assert_eq!(dialog.timeout(), None);
        assert!(dialog.notifies());
        let chosen = question.option_of("Green (Recommended)").unwrap();
        dialog.answer(0, AskAnswer { selected: vec![chosen], custom: None });
        Ended::Answered
    });
    world.submit("go").await;
    assert_eq!(world.results(1), ["User selected: Green"]);
    let result =
        entries(&world.file(), "message").into_iter().find(|line| line["message"]["toolName"] == "ask");
    assert_eq!(
        result.unwrap()["message"]["details"],
        json!({"question": "Which colour?", "options": ["Red", "Green"], "multi": false, "selectedOptions": ["Green"]})
    );
    world.finish().await;
}

/// A person who does not want to answer wants the turn to end; nothing else is asked of the model.
#[tokio::test]
async fn cancelling_a_question_ends_the_turn() {
    let world = world("", [ask(), say("later")]).await;
    *world.person.answers.lock().unwrap() = Some(|_| Ended::Cancelled);
    let outcome = world.submit("go").await;
    assert_eq!(world.server.requests().len(), 1);
    assert!(!outcome.interrupted);
    world.submit("go on").await;
    assert_eq!(world.results(1), ["Ask tool was cancelled by the user"]);
    world.finish().await;
}

/// Two questions in one message come one after the other, and nothing runs beside them.
/// proves: LOP-103
#[tokio::test]
async fn one_question_at_a_time() {
    static ORDER: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let touch = |name: &str| json!({"_i": "x", "path": name, "content": "x"});
    let question = |id: &str| json!({"_i": "x", "questions": [{"id": id, "question": id, "options": [{"label": "Yes"}]}]});
    let calls = omp_testkit::Reply::new()
        .tool_call("write", touch("before.txt"))
        .tool_call("ask", question("first"))
        .tool_call("ask", question("second"))
        .tool_call("write", touch("after.txt"));
    let world = world("", [calls, say("done")]).await;
    let work = world.home.work_dir();
    static WORK: Mutex<Option<std::path::PathBuf>> = Mutex::new(None);
    *WORK.lock().unwrap() = Some(work);
    *world.person.answers.lock().unwrap() = Some(|dialog| {
        let work = WORK.lock().unwrap().clone().unwrap();
        let (before, after) = (work.join("before.txt").exists(), work.join("after.txt").exists());
        ORDER.lock().unwrap().push(format!("{} {before} {after}", dialog.questions()[0].id));
        dialog.answer(0, AskAnswer { selected: vec![0], custom: None });
        Ended::Answered
    });
    world.submit("go").await;
    assert_eq!(*ORDER.lock().unwrap(), ["first true false", "second true false"]);
    world.finish().await;
}

/// An abort from outside closes the question; the run ends and the next one begins with a whole history.
#[tokio::test]
async fn an_abort_closes_the_question() {
    let world = world("", [ask(), say("ok")]).await;
    let control = world.session().control();
    let abort = async {
        world.person.waits.notified().await;
        control.abort();
    };
    let (outcome, ()) = tokio::join!(world.submit("go"), abort);
    assert!(outcome.interrupted);
    world.submit("again").await;
    assert_eq!(world.results(1).len(), 1);
    world.finish().await;
}
