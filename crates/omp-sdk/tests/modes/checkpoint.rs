//! Checkpoints and their end.

use omp_sdk::Persistence;
use omp_testkit::Reply;
use serde_json::{Value, json};

use crate::support::{World, call, entries, lines, say, text, world};

const ON: &str = "checkpoint:\n  enabled: true\n";

fn checkpoint(goal: &str) -> Reply {
    call("checkpoint", json!({ "goal": goal }))
}

fn rewind(report: &str) -> Reply {
    call("rewind", json!({ "report": report }))
}

fn read(path: &str) -> Reply {
    call("read", json!({ "path": path }))
}

/// What stands in a request, in short.
fn short(world: &World, request: usize) -> Vec<String> {
    let row = |message: &Value| {
        let role = message["role"].as_str().unwrap();
        match message["tool_calls"][0]["function"]["name"].as_str() {
            Some(tool) => format!("{role} calls {tool}"),
            None => format!("{role}: {}", text(message).lines().next().unwrap_or_default()),
        }
    };
    world.messages(request).iter().filter(|message| message["role"] != "system").map(row).collect()
}

/// Five calls after the checkpoint leave the context; the beginning of the next request is, byte for byte, what was sent
/// before them. The file has both branches, the report and the times, and a resumed session sends the same.
/// proves: TSN-030, TSN-033, TSN-035, LOP-133, TSN-038
#[tokio::test]
async fn a_rewind_replaces_what_came_after_the_checkpoint() {
    let mut replies = vec![checkpoint("find the cause")];
    replies.extend((1..5).map(|end| read(&format!("notes.txt:1-{end}"))));
    replies.push(call("write", json!({"path": "changed.txt", "content": "kept"})));
    replies.extend([rewind("  It is line 7.  "), rewind("again"), say("done"), say("later")]);
    let world = world(ON, replies).await;
    world.home.write("work/notes.txt", "nothing here\n");
    world.submit("why?").await;

    let result = &world.results(1)[0];
    assert_eq!(
        result,
        "Checkpoint created.\nGoal: find the cause\nRun your investigation, then call rewind with a concise report."
    );
    let (first, after) = (world.messages(1), world.messages(7));
    assert_eq!(after[..first.len()], first[..], "the same prefix");
    assert_eq!(after.len(), first.len() + 1, "{:?}", short(&world, 7));
    let report = text(&after[first.len()]);
    assert!(
        report.contains("<report>\nIt is line 7.\n</report>") && report.contains("Do not call rewind again"),
        "{report}"
    );
    assert!(world.results(8)[1].contains("Continue from its report"), "{:?}", world.results(8));
    assert_eq!(world.home.read("work/changed.txt"), "kept", "files are no part of a checkpoint");

    let path = world.file();
    let all = lines(&path);
    let of = |kind: &str| all.iter().find(|line| line["type"] == kind).unwrap();
    let result = all.iter().find(|line| line["message"]["toolName"] == "checkpoint").unwrap();
    let details = &result["message"]["details"];
    assert_eq!(details["goal"], "find the cause");
    let started = details["startedAt"].as_str().unwrap();
    assert!(started.ends_with('Z') && started.contains('T') && started.len() == 24, "{started}");
    let summary = of("branch_summary");
    assert_eq!((&summary["parentId"], &summary["fromId"]), (&result["id"], &result["id"]));
    assert_eq!(summary["summary"], "It is line 7.");
    let hidden = of("custom_message");
    assert_eq!((&hidden["customType"], &hidden["display"]), (&json!("rewind-report"), &json!(false)));
    assert_eq!(hidden["parentId"], summary["id"]);
    assert_eq!(hidden["details"]["startedAt"], started);
    assert!(hidden["details"]["rewoundAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(
        all.iter().filter(|line| line["message"]["toolName"] == "read").count(),
        4,
        "the branch stays in the file"
    );

    let live = world.messages(8);
    let resumed = world.host.begin().await.and(world.host.resume(&path).await);
    resumed.unwrap();
    world.submit("more").await;
    // The first message describes the workspace, which has a file more.
    assert_eq!(world.messages(9)[1..live.len()], live[1..], "a resumed session sends what the live one sent");
    world.finish().await;
}

/// proves: TSN-036
#[tokio::test]
async fn the_model_may_not_stop_while_a_checkpoint_is_open() {
    let world = world(ON, [checkpoint("look"), say("I am done"), rewind("found"), say("really done")]).await;
    let outcome = world.submit("go").await;
    let warning = world.last(2);
    assert!(warning.starts_with("<system-warning>") && warning.ends_with("</system-warning>"), "{warning}");
    assert!(warning.contains("You MUST call rewind"), "{warning}");
    assert_eq!(outcome.last_answer().unwrap().texts().collect::<String>(), "really done");
    world.finish().await;
}

/// A model that never calls rewind is warned three times, then the person gets the turn back.
#[tokio::test]
async fn the_warning_is_not_repeated_for_ever() {
    let world = world(ON, [checkpoint("look"), say("1"), say("2"), say("3"), say("4")]).await;
    world.submit("go").await;
    assert_eq!(world.server.requests().len(), 5);
    world.finish().await;
}

/// proves: TSN-031, TSN-034, LOP-132
#[tokio::test]
async fn checkpoints_and_rewinds_that_make_no_sense_say_so() {
    let both = checkpoint("two").tool_call("rewind", json!({"_i": "x", "report": " \n"}));
    let world = world(ON, [rewind("early"), checkpoint("one"), both, rewind("found"), say("done")]).await;
    world.submit("go").await;
    assert_eq!(world.results(1), ["No active checkpoint. Create a checkpoint before calling rewind."]);
    let results = world.results(3);
    assert_eq!(results[2..], ["Checkpoint already active.", "Report cannot be empty."]);
    let path = world.file();
    let mut ended = lines(&path).into_iter().filter(|line| line["message"]["toolName"] == "rewind");
    let said = ended.next_back().unwrap()["message"]["content"][0]["text"].clone();
    assert_eq!(said, "Rewind requested.\nReport captured for context replacement.");
    world.finish().await;
}

/// What the user said during the investigation is not the model's to forget.
#[tokio::test]
async fn words_of_the_user_survive_a_rewind() {
    let replies = [checkpoint("look"), say("1"), say("2"), say("3"), say("4"), rewind("found"), say("done")];
    let world = world(ON, replies).await;
    world.submit("go").await;
    world.submit("also fix the typo").await;
    let report = world.last(6);
    assert!(report.contains("found") && report.contains("> also fix the typo"), "{report}");
    world.finish().await;
}

/// After a restart the conversation is there and the checkpoint is not: nothing of it was written but the call.
/// proves: TSN-037
#[tokio::test]
async fn a_restart_forgets_the_checkpoint() {
    let replies =
        [checkpoint("look"), say("1"), say("2"), say("3"), say("4"), say("free"), rewind("x"), say("done")];
    let world = world(ON, replies).await;
    world.submit("go").await;
    let path = world.file();
    world.host.begin().await.unwrap();
    world.host.resume(&path).await.unwrap();
    world.submit("and now?").await;
    assert_eq!(world.server.requests().len(), 6, "no guard");
    assert!(text(&world.messages(5)[3]).contains("Checkpoint created"), "{:?}", short(&world, 5));
    world.submit("rewind").await;
    assert!(world.results(7).last().unwrap().starts_with("No active checkpoint."));
    let kinds = ["message", "custom_message", "model_change", "thinking_level_change", "session"];
    let others = lines(&path).into_iter().filter(|line| !kinds.contains(&line["type"].as_str().unwrap()));
    assert_eq!(others.count(), 0);
    world.finish().await;
}

/// proves: TSN-039
#[tokio::test]
async fn a_long_goal_is_shortened_in_the_file_only() {
    let goal = "g".repeat(600_000);
    let config = format!("{ON}compaction:\n  enabled: false\n");
    let world =
        world(&config, [checkpoint(&goal).argument_size(700_000), rewind("found"), say("done")]).await;
    world.submit("go").await;
    assert!(world.results(1)[0].contains(&goal), "the model gets all of it");
    let messages = entries(&world.file(), "message");
    let call = messages.iter().find(|line| line["message"]["role"] == "assistant").unwrap();
    let kept = call["message"]["content"].as_array().unwrap().iter();
    let kept = kept.filter_map(|block| block["arguments"]["goal"].as_str()).next().unwrap();
    assert!(kept.len() <= 500_100 && kept.len() > 400_000, "{}", kept.len());
    world.finish().await;
}

/// Off by default.
#[tokio::test]
async fn the_tools_are_offered_where_they_are_wanted() {
    let off = world("", [say("ok")]).await;
    off.submit("go").await;
    assert!(!off.tools(0).iter().any(|name| name == "checkpoint" || name == "rewind"));
    off.finish().await;
    let on = world(ON, [say("ok")]).await;
    on.submit("go").await;
    assert_eq!(on.tools(0).iter().filter(|name| *name == "checkpoint" || *name == "rewind").count(), 2);
    on.finish().await;
    let mut unsaved = crate::support::Opening::new(ON, [checkpoint("a"), rewind("found"), say("done")]);
    unsaved.persistence = Persistence::Off;
    let unsaved = unsaved.start().await;
    unsaved.submit("go").await;
    assert!(unsaved.last(2).contains("found"), "a session that is not saved goes back too");
    unsaved.finish().await;
}
