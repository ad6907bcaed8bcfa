//! The list of tasks, changed by a person.

use omp_commands::Answer;
use omp_sdk::Persistence;
use omp_testkit::Reply;
use serde_json::{Value, json};

use crate::support::{Room, Variables, lines};

fn init() -> Reply {
    let list = json!([{"phase": "Build", "items": ["write the parser", "write the tests"]}, {"phase": "Ship", "items": ["tag it"]}]);
    Reply::new().tool_call("todo", json!({"_i": "x", "ops": [{"op": "init", "list": list}]}))
}

async fn room(replies: impl IntoIterator<Item = Reply>) -> Room {
    Room::with(replies, Persistence::New, Variables::default(), |home| {
        home.write("home/.omp/agent/config.yml", "todo:\n  reminders:\n    enabled: false\n");
    })
    .await
}

/// The session file remembers the change, and the model is told with the next turn.
/// proves: TSN-023
#[tokio::test]
async fn the_model_is_told_what_the_user_changed() {
    let room =
        room([init(), Reply::new().text("listed"), Reply::new().text("seen"), Reply::new().text("more")])
            .await;
    room.say("make a list").await;
    for (line, change) in [
        ("/todo done parser", "\"write the parser\" done"),
        ("/todo start tag", "\"tag it\" started"),
        ("/todo drop tests", "\"write the tests\" dropped"),
        ("/todo append Ship announce it", "\"announce it\" appended to Ship"),
        ("/todo rm announce", "\"announce it\" removed"),
    ] {
        assert_eq!(room.text(line).await, format!("Todo list: {change}"));
    }
    let edits: Vec<Value> =
        lines(&room.file()).into_iter().filter(|line| line["customType"] == "user_todo_edit").collect();
    assert_eq!(edits.len(), 5);
    assert!(edits.iter().all(|edit| edit["type"] == "custom"));
    assert_eq!(edits[0]["data"]["phases"][0]["tasks"][0]["status"], "completed");
    room.say("go on").await;
    let body = room.request().to_string();
    assert_eq!(body.matches("The user changed the todo list").count(), 5, "{body}");
    assert!(body.contains("<system-reminder>") && body.contains("\\\"write the parser\\\" done"), "{body}");
    room.say("and on").await;
    assert_eq!(room.request().to_string().matches("The user changed the todo list").count(), 5, "told once");
    room.server.finish();
}

/// proves: CLI-190, TSN-022
#[tokio::test]
async fn the_list_is_shown_copied_written_and_read() {
    let room = room([
        Reply::new().tool_call(
            "todo",
            json!({"_i": "x", "ops": [
                {"op": "init", "list": [{"phase": "Build", "items": ["one", "two", "three"]}]},
                {"op": "done", "task": "one"}, {"op": "drop", "task": "two"},
            ]}),
        ),
        Reply::new().text("listed"),
    ])
    .await;
    assert!(room.text("/todo").await.contains("empty"));
    assert!(room.text("/todo export").await.contains("empty"));
    room.say("make a list").await;
    let session = room.context.host.session();
    let path = room.file();
    // A session that goes on later shows open tasks only; what was finished is history, and `/todo` tells it.
    room.context.host.begin().await.unwrap();
    room.context.host.resume(&path).await.unwrap();
    drop(session);
    let shown = room.text("/todo").await;
    assert!(shown.contains("- [x] one") && shown.contains("- [-] two") && shown.contains("three"), "{shown}");
    let open: Vec<String> = room
        .context
        .host
        .session()
        .tasks()
        .phases()
        .iter()
        .flat_map(|phase| &phase.tasks)
        .map(|task| task.content.clone())
        .collect();
    assert_eq!(open, ["three"]);
    assert!(matches!(room.ask("/todo copy").await, Answer::Copy(text) if text.trim() == shown));
    assert!(matches!(room.ask("/todo edit").await, Answer::Screen));

    assert!(room.text("/todo export").await.contains("TODO.md"));
    let file = room.home.work_dir().join("TODO.md");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), shown);
    assert!(room.text("/todo export \"other list.md\"").await.contains("other list.md"));
    assert!(room.home.work_dir().join("other list.md").is_file());
    std::fs::write(&file, "# New\n- [ ] first\n- [/] second\n").unwrap();
    assert!(room.text("/todo import").await.contains("2 tasks"));
    assert!(room.text("/todo").await.contains("- [/] second"));
    assert!(room.text("/todo import missing.md").await.contains("cannot read"));
    std::fs::write(&file, "no tasks here\n").unwrap();
    assert!(room.text("/todo import").await.contains("no tasks in"));
    assert!(room.text("/todo done").await.contains("everything done"));
    assert!(room.text("/todo rm").await.contains("everything removed"));
    assert!(room.text("/todo sing").await.starts_with("Usage"));
    assert!(room.text("/todo start zebra").await.contains("no task matches"));
}
