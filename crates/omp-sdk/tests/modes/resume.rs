//! Modes of sessions that are opened again.

use omp_sdk::{Persistence, PlanState, PlanVerdict, Session};
use serde_json::json;

use crate::plan::{hand_in, write_plan};
use crate::support::{World, call, entries, say, world};

const ROLES: &str = "modelRoles:\n  default: one/a\n  plan: one/b\n";

/// A session that is planning, with a plan.
async fn planned() -> (World, std::path::PathBuf) {
    let change = || call("write", json!({"path": "x.txt", "content": "x"}));
    let talk = || (0..4).map(|_| say("ok"));
    let replies =
        [write_plan("a"), hand_in("a"), change()].into_iter().chain(talk()).chain([change()]).chain(talk());
    let world = world(ROLES, replies).await;
    world.session().enter_plan().await.unwrap();
    world.person.verdicts.lock().unwrap().push_back(PlanVerdict::Refine(None));
    world.submit("plan it").await;
    let path = world.file();
    (world, path)
}

fn state(session: &Session) -> (PlanState, String, Option<String>) {
    (session.plan_state(), session.model_selector(), session.header().title)
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
    assert_eq!(world.session().plan_state(), PlanState::Off, "a new session has a mode of its own");
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
        arrival.remarks.iter().any(|remark| remark.contains("local://a-plan.md of the session is gone")),
        "{arrival:?}"
    );
    assert_eq!(world.session().plan_state(), PlanState::Planning);
    world.session().close().await;
    drop(world.server);
}
