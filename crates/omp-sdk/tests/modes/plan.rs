//! Plan mode from the first word to the execution.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use omp_sdk::{ModeError, Persistence, PlanState, PlanVerdict, Prompt, Ui};
use omp_testkit::{Reply, Usage};
use serde_json::json;

use crate::support::{Opening, Presence, World, call, entries, lines, say, text, world};

const PLAN: &str = "# Fix the login\n\n1. Change `login.rs`.\n2. Run the tests. </plan>\n";

pub(crate) fn write_plan(slug: &str) -> Reply {
    call("write", json!({"path": format!("local://{slug}-plan.md"), "content": PLAN}))
}

pub(crate) fn hand_in(slug: &str) -> Reply {
    call("resolve", json!({"action": "apply", "reason": "ready", "extra": {"title": slug}}))
}

fn change(name: &str) -> Reply {
    call("write", json!({"path": name, "content": "new"}))
}

fn decide(world: &World, verdicts: impl IntoIterator<Item = PlanVerdict>) {
    world.person.verdicts.lock().unwrap().extend(verdicts);
}

/// The scratch area of a session.
fn area(session_file: &std::path::Path) -> PathBuf {
    session_file.with_extension("").join("local")
}

/// Planning, handing in, approval, execution in the same conversation.
/// proves: LOP-059, LOP-065
#[tokio::test]
async fn an_approved_plan_is_carried_out() {
    let replies =
        [say("hello"), write_plan("fix-login"), hand_in("fix-login"), change("login.rs"), say("done")];
    let world = world("", replies).await;
    world.submit("hi").await;
    world.session().plan().enter().await.unwrap();
    decide(&world, [PlanVerdict::KeepContext]);
    world.submit("plan it").await;

    let said = world.messages(1);
    let instruction = text(&said[said.len() - 2]);
    for part in [
        "read-only",
        "local://<slug>-plan.md",
        "\"apply\"",
        "{\"title\": \"<slug>\"}",
        "do not run anything that changes",
    ] {
        assert!(instruction.contains(part), "{part}: {instruction}");
    }
    assert_eq!(text(said.last().unwrap()), "plan it");
    assert_eq!(world.tools(0), world.tools(1), "the prompt's beginning stays what it was");
    let review = world.person.reviews.lock().unwrap()[0].clone();
    assert_eq!(
        (review.title.as_str(), review.url.as_str(), review.text.as_str()),
        ("fix-login", "local://fix-login-plan.md", PLAN)
    );

    let execute = world.last(3);
    assert!(
        execute.contains("1. Change `login.rs`.") && execute.contains("local://fix-login-plan.md"),
        "{execute}"
    );
    assert_eq!(execute.matches("</plan>").count(), 1, "the plan cannot end its own tag");
    assert_eq!(world.tools(3), world.tools(0), "the tools from before");
    assert_eq!(world.home.read("work/login.rs"), "new", "the tree is open");
    assert_eq!(world.session().plan().state(), PlanState::Off);

    let file = world.file();
    assert_eq!(world.session().header().title.as_deref(), Some("Fix login"));
    assert_eq!(lines(&file)[0]["title"], "Fix login");
    let pinned = entries(&file, "custom");
    assert_eq!(pinned[0]["data"], json!({"title": "fix-login", "planFile": "local://fix-login-plan.md"}));
    let modes: Vec<_> = entries(&file, "mode_change").iter().map(|line| line["mode"].clone()).collect();
    assert_eq!(modes, ["plan", "plan", "none"]);
    let hidden = entries(&file, "custom_message");
    assert!(hidden.iter().all(|line| line["display"] == false));
    world.finish().await;
}

/// A session with a name keeps it.
#[tokio::test]
async fn a_named_session_keeps_its_name() {
    let world = world("", [say("hi"), write_plan("fix-login"), hand_in("fix-login"), say("done")]).await;
    world.submit("hi").await;
    world.session().rename("Mine").unwrap();
    world.session().plan().enter().await.unwrap();
    decide(&world, [PlanVerdict::KeepContext]);
    world.submit("plan it").await;
    assert_eq!(world.session().header().title.as_deref(), Some("Mine"));
    world.finish().await;
}

/// A new session gets a copy of the plan and its name, knows its parent, and works by it.
#[tokio::test]
async fn a_plan_is_carried_out_in_a_new_session() {
    let replies = [write_plan("fix-login"), hand_in("fix-login"), change("login.rs"), say("done")];
    let world = world("", replies).await;
    world.session().plan().enter().await.unwrap();
    decide(&world, [PlanVerdict::Execute]);
    let old = world.session();
    world.submit("plan it").await;
    let (before, after) = (lines_of_parent(&world), world.file());
    assert_ne!(Arc::as_ptr(&old), Arc::as_ptr(&world.session()));
    assert_eq!(std::fs::read_to_string(area(&after).join("fix-login-plan.md")).unwrap(), PLAN);
    assert_eq!(world.session().header().title.as_deref(), Some("Fix login"));
    assert_eq!(world.session().plan().state(), PlanState::Off);
    let said: Vec<String> = world.messages(2).iter().skip(1).map(text).collect();
    assert_eq!(said.len(), 1, "nothing of the planning: {said:?}");
    assert!(said[0].contains("1. Change `login.rs`."));
    assert_eq!(world.home.read("work/login.rs"), "new");
    let modes: Vec<_> = entries(&before, "mode_change").iter().map(|line| line["mode"].clone()).collect();
    assert_eq!(modes.last().unwrap(), "none", "the old session is not left planning");
    assert_eq!(lines(&before)[0]["title"], "Fix login");
    world.finish().await;
}

/// Also where new sessions begin with planning, and nothing is saved.
#[tokio::test]
async fn a_session_for_an_approved_plan_does_not_plan() {
    let config = "plan:\n  defaultOnStartup: true\ntools:\n  approvalMode: always-ask\n";
    let replies = [write_plan("a"), hand_in("a"), change("x.txt"), say("done")];
    let world = Opening { persistence: Persistence::Off, ..Opening::new(config, replies) }.start().await;
    world.person.approvals.lock().unwrap().extend([omp_sdk::Reply::Once, omp_sdk::Reply::Once]);
    decide(&world, [PlanVerdict::Execute]);
    world.submit("plan it").await;
    assert_eq!(world.home.read("work/x.txt"), "new");
    let asked = world.person.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 2, "handing in is no change: {asked:?}");
    world.finish().await;
}

/// The file that the session of the moment names as its parent.
fn lines_of_parent(world: &World) -> PathBuf {
    PathBuf::from(lines(&world.file())[0]["parentSession"].as_str().unwrap())
}

/// Refining goes back to the model, in plan mode; the plan that was edited by the user is what runs.
#[tokio::test]
async fn a_plan_can_be_refined_and_edited() {
    let replies = [write_plan("a"), hand_in("a"), change("x.txt"), hand_in("a")];
    let world = world("", replies).await;
    world.session().plan().enter().await.unwrap();
    decide(&world, [PlanVerdict::Refine(Some("add a test".to_owned()))]);
    world.person.verdicts.lock().unwrap().push_back(PlanVerdict::Refine(None));
    world.submit("plan it").await;
    assert_eq!(world.last(2), "add a test");
    assert!(world.results(3).last().unwrap().contains("read-only"), "still planning");
    assert_eq!(world.session().plan().state(), PlanState::Planning);
    assert!(world.session().plan().review().await.is_none(), "a decision is made once");
    let nothing = world.host.decide_plan(PlanVerdict::KeepContext, Default::default()).await;
    assert!(matches!(nothing, Err(ModeError::NothingHandedIn)));
    world.finish().await;
}

#[tokio::test]
async fn an_edited_plan_is_the_one_that_runs() {
    let world = world("", [write_plan("a"), hand_in("a"), say("done")]).await;
    let session = world.session();
    session.plan().enter().await.unwrap();
    session.prompt(Prompt::text("plan it"), Default::default()).await.unwrap();
    session.plan().edit("# Mine\n\nDo less.\n").await.unwrap();
    assert_eq!(session.plan().review().await.unwrap().text, "# Mine\n\nDo less.\n");
    world.host.decide_plan(PlanVerdict::KeepContext, Default::default()).await.unwrap();
    assert!(world.last(2).contains("Do less.") && !world.last(2).contains("login.rs"));
    assert_eq!(
        std::fs::read_to_string(area(&world.file()).join("a-plan.md")).unwrap(),
        "# Mine\n\nDo less.\n"
    );
    world.finish().await;
}

/// Tokens of a request; the window has 10,000.
fn filled(input: u64) -> Usage {
    Usage { input, output: 0, ..Usage::default() }
}

/// proves: LOP-063
#[tokio::test]
async fn a_full_conversation_cannot_be_kept() {
    for (used, kept) in [(9_500, true), (9_501, false)] {
        let world = world("", [write_plan("a"), hand_in("a").usage(filled(used)), say("done")]).await;
        let session = world.session();
        session.plan().enter().await.unwrap();
        session.prompt(Prompt::text("plan it"), Default::default()).await.unwrap();
        let review = session.plan().review().await.unwrap();
        let labels: Vec<&str> = review.choices.iter().map(|choice| choice.label.as_str()).collect();
        let expected = [
            "Approve and execute",
            "Approve and compact context",
            "Approve and keep context (~9K / 10K)",
            "Refine plan",
        ];
        assert_eq!(labels, expected);
        let enabled: Vec<bool> = review.choices.iter().map(|choice| choice.enabled).collect();
        assert_eq!(enabled, [true, true, kept, true], "{used}");
        let decided = world.host.decide_plan(PlanVerdict::KeepContext, Default::default()).await;
        assert_eq!(decided.is_ok(), kept, "what is not offered is refused, too");
        if !kept {
            world.host.decide_plan(PlanVerdict::Execute, Default::default()).await.unwrap();
        }
        world.finish().await;
    }
}

const ROLES: &str = "modelRoles:\n  default: one/a\n  plan: one/b\n";

/// proves: LOP-061
#[tokio::test]
async fn the_plan_role_plans_and_the_other_model_returns() {
    let slow = say("slow").stall_after_event(1, Duration::from_millis(300));
    let replies = [slow, write_plan("a"), hand_in("a"), say("done"), say("in between"), say("after")];
    let world = world(ROLES, replies).await;
    // A switch that is asked for in the middle of an answer waits for its end.
    let session = world.session();
    let enter = async {
        while !session.control().is_running() {
            tokio::task::yield_now().await;
        }
        session.plan().enter().await.unwrap();
        assert_eq!(session.model_selector(), "one/a");
    };
    let (outcome, ()) = tokio::join!(session.prompt(Prompt::text("go"), Default::default()), enter);
    assert_eq!(outcome.unwrap().last_answer().unwrap().model, "a");
    assert_eq!(session.model_selector(), "one/b");
    decide(&world, [PlanVerdict::KeepContext]);
    world.submit("plan it").await;
    let models: Vec<String> = (0..4).map(|request| world.model(request)).collect();
    assert_eq!(models, ["a", "b", "b", "a"]);
    // Leaving without a plan brings the model back as well.
    session.plan().enter().await.unwrap();
    session.plan().exit().await;
    assert_eq!(session.model_selector(), "one/a");
    world.submit("x").await;
    world.submit("y").await;
    assert_eq!((world.model(4), world.model(5)), ("a".to_owned(), "a".to_owned()));
    world.finish().await;
}

/// On; paused, after a question because there is a draft; off; on again with the plan that is there.
/// proves: LOP-068
#[tokio::test]
async fn toggling_pauses_ends_and_takes_up_again() {
    let replies = [write_plan("a"), hand_in("a"), change("paused.txt"), say("ok"), say("planning")];
    let world = world("", replies.into_iter().chain([hand_in("a")])).await;
    let session = world.session();
    let ui: &dyn Ui = world.person.as_ref();
    assert_eq!(session.plan().toggle(ui).await.unwrap(), PlanState::Planning);
    assert_eq!(world.session().plan().toggle(ui).await.unwrap(), PlanState::Paused, "no draft, no question");
    assert_eq!(session.plan().toggle(ui).await.unwrap(), PlanState::Off);
    assert_eq!(session.plan().toggle(ui).await.unwrap(), PlanState::Planning);
    decide(&world, [PlanVerdict::Refine(None)]);
    world.submit("plan it").await;
    world.person.confirms.lock().unwrap().extend([false, true]);
    assert_eq!(session.plan().toggle(ui).await.unwrap(), PlanState::Planning, "the user changed their mind");
    assert_eq!(session.plan().toggle(ui).await.unwrap(), PlanState::Paused);
    assert_eq!(world.person.questions.lock().unwrap().len(), 2);
    world.submit("change something").await;
    assert_eq!(world.home.read("work/paused.txt"), "new");
    let said = world.messages(2);
    assert!(text(&said[said.len() - 2]).contains("Plan mode is over"), "the model knows");
    assert_eq!(session.plan().toggle(ui).await.unwrap(), PlanState::Off);
    assert_eq!(session.plan().toggle(ui).await.unwrap(), PlanState::Planning);
    decide(&world, [PlanVerdict::Refine(None)]);
    world.submit("go on planning").await;
    let said = world.messages(4);
    let again = text(&said[said.len() - 2]);
    assert!(again.contains("There is a plan already: local://a-plan.md"), "{again}");
    world.finish().await;
}

/// proves: LOP-069
#[tokio::test]
async fn a_turn_without_a_decision_is_reminded() {
    let world = world("", [say("I would do this and that."), write_plan("a"), hand_in("a")]).await;
    world.session().plan().enter().await.unwrap();
    decide(&world, [PlanVerdict::Refine(None)]);
    world.submit("plan it").await;
    let reminder = world.last(1);
    assert!(
        reminder.contains("still planning") && reminder.contains("call ask") && reminder.contains("resolve"),
        "{reminder}"
    );
    let kinds: Vec<_> = entries(&world.file(), "custom_message");
    let it = kinds.iter().find(|line| line["customType"] == "plan-reminder").unwrap();
    assert_eq!(it["display"], false);
    world.finish().await;
    // Asking is a decision as well.
    let asked =
        call("ask", json!({"questions": [{"id": "a", "question": "?", "options": [{"label": "Yes"}]}]}));
    let world = crate::support::world("", [asked, say("waiting for you")]).await;
    *world.person.answers.lock().unwrap() = Some(|_| omp_sdk::Ended::Answered);
    world.session().plan().enter().await.unwrap();
    world.submit("plan it").await;
    assert_eq!(world.server.requests().len(), 2);
    world.finish().await;
}

/// A change that was shown is decided first; only then does a decision concern the plan.
/// proves: LOP-129, LOP-058
#[tokio::test]
async fn a_preview_is_decided_before_the_plan() {
    let preview = call("ast_edit", json!({"ops": [{"pat": "one($A)", "out": "two($A)"}], "paths": ["a.js"]}));
    let discard = call("resolve", json!({"action": "discard", "reason": "only looking"}));
    let world = world("", [write_plan("a"), preview, hand_in("a"), discard, hand_in("a")]).await;
    world.home.write("work/a.js", "one(1);\n");
    world.session().plan().enter().await.unwrap();
    decide(&world, [PlanVerdict::Refine(None)]);
    world.submit("plan it").await;
    let results = world.results(4);
    assert!(results[2].contains("Apply failed: Plan mode: the working tree is read-only."), "{}", results[2]);
    assert!(results[3].starts_with("Discarded:"), "{}", results[3]);
    assert_eq!(world.person.reviews.lock().unwrap().len(), 1, "the last decision handed in the plan");
    assert_eq!(world.home.read("work/a.js"), "one(1);\n");
    world.finish().await;
}

/// A plan is approved by a person: without one it stays where it is.
#[tokio::test]
async fn nobody_can_approve_a_plan_alone() {
    let mut opening = Opening::new("", [write_plan("a"), hand_in("a"), say("ok")]);
    opening.presence = Presence::Away;
    let world = opening.start().await;
    world.session().plan().enter().await.unwrap();
    world.submit("plan it").await;
    assert!(world.results(2)[1].contains("need a person's approval"), "{:?}", world.results(2));
    assert_eq!(world.session().plan().state(), PlanState::Planning);
    world.finish().await;
}

/// proves: LOP-071
#[tokio::test]
async fn new_sessions_can_begin_with_a_plan() {
    let config = "plan:\n  defaultOnStartup: true\n";
    let start = |presence, persistence| {
        let opening = Opening::new(config, []);
        async move {
            let world = Opening { presence, persistence, ..opening }.start().await;
            let state = world.session().plan().state();
            world.finish().await;
            state
        }
    };
    assert_eq!(start(Presence::There, Persistence::New).await, PlanState::Planning);
    assert_eq!(start(Presence::Away, Persistence::New).await, PlanState::Off, "nobody is there");

    let opening = Opening::new("", [say("ok")]);
    let world = opening.start().await;
    world.submit("hi").await;
    let path = world.file();
    world.home.write("home/.omp/agent/config.yml", config);
    world.host.begin().await.unwrap();
    assert_eq!(world.session().plan().state(), PlanState::Planning);
    world.host.resume(&path).await.unwrap();
    assert_eq!(world.session().plan().state(), PlanState::Off, "only new ones");
    world.finish().await;
}

/// Plans and goals exclude each other, and the switch of the settings counts.
/// proves: LOP-070
#[tokio::test]
async fn modes_exclude_each_other() {
    let world = world("", []).await;
    let session = world.session();
    session.goal().start("ship it", None).await.unwrap();
    assert_eq!(session.plan().enter().await.unwrap_err().to_string(), "Exit goal mode first.");
    world.person.confirms.lock().unwrap().push_back(true);
    assert!(session.goal().abandon(world.person.as_ref()).await.unwrap());
    session.plan().enter().await.unwrap();
    assert_eq!(session.goal().start("ship it", None).await.unwrap_err().to_string(), "Exit plan mode first.");
    world.finish().await;
    let off = crate::support::world("plan:\n  enabled: false\ngoal:\n  enabled: false\n", []).await;
    assert!(matches!(off.session().plan().enter().await, Err(ModeError::PlanDisabled)));
    assert!(matches!(off.session().goal().start("x", None).await, Err(ModeError::GoalDisabled)));
    off.finish().await;
}

/// A plan can be handed in where the tool for it is not offered otherwise; afterwards it is gone again.
#[tokio::test]
async fn a_plan_brings_the_tool_that_hands_it_in() {
    let replies = [say("hi"), write_plan("a"), hand_in("a"), say("done")];
    let world = world("astEdit:\n  enabled: false\n", replies).await;
    world.submit("hi").await;
    world.session().plan().enter().await.unwrap();
    decide(&world, [PlanVerdict::KeepContext]);
    world.submit("plan it").await;
    let has = |request: usize| world.tools(request).iter().any(|name| name == "resolve");
    assert_eq!([has(0), has(1), has(2), has(3)], [false, true, true, false]);
    assert_eq!(world.tools(0), world.tools(3));
    world.finish().await;
}

/// Hints to make a list of tasks are for work, not for plans.
#[tokio::test]
async fn plans_get_no_hints() {
    let world = world("todo:\n  eager: always\n", [write_plan("a"), hand_in("a")]).await;
    world.session().plan().enter().await.unwrap();
    decide(&world, [PlanVerdict::Refine(None)]);
    world.submit("plan it").await;
    assert!(world.server.requests()[0].body.get("tool_choice").is_none_or(|choice| choice == "auto"));
    let file = entries(&world.file(), "custom_message");
    assert!(!file.iter().any(|line| line["customType"] == "eager-todo"), "{file:?}");
    world.finish().await;
}
