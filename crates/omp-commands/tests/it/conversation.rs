//! The conversation as a text, a page or a link, and what is asked of its next turn.

use omp_commands::Answer;
use omp_testkit::Reply;
use serde_json::json;

use crate::support::{Room, lines};

#[tokio::test]
async fn a_dump_holds_what_the_model_is_told() {
    let room = Room::in_memory([Reply::new().text("an answer")]).await;
    assert!(matches!(room.ask("/dump").await, Answer::Refused(text) if text == "No messages to dump yet"));
    room.say("a question").await;
    let Answer::Copy(text) = room.ask("/dump").await else { panic!("a text for the clipboard") };
    for part in ["Model: openai/a", "=== System prompt ===", "=== Tools ===", "a question", "an answer"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let raw = room.text("/dump raw").await;
    assert!(raw.len() > text.len() && raw.contains("\"properties\""), "parameters of tools");
    assert!(room.text("/dump everything").await.starts_with("Usage"));
}

#[tokio::test]
async fn a_page_is_written_where_it_was_asked_for() {
    let room = Room::new([Reply::new().text("an answer")]).await;
    for word in ["copy", "--copy", "clipboard"] {
        assert!(room.text(&format!("/export {word}")).await.contains("/dump"));
    }
    assert!(room.text("/export").await.contains("Nothing to export yet"));
    room.say("a question").await;
    let Answer::Page(path) = room.ask("/export").await else { panic!("a page") };
    let stem = room.file().file_stem().unwrap().to_string_lossy().into_owned();
    assert_eq!(path, room.home.work_dir().join(format!("omp-session-{stem}.html")));
    let Answer::Page(path) = room.ask("/export \"a page.html\"").await else { panic!("a page") };
    assert_eq!(path, room.home.work_dir().join("a page.html"));
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.contains("an answer") && page.contains("a question"));
    let room = Room::in_memory([Reply::new().text("an answer")]).await;
    room.say("a question").await;
    assert_eq!(room.text("/export").await, "Cannot export in-memory session to HTML");
}

/// A name of the user's is kept with its source, and nothing automatic takes its place.
/// proves: CLI-218
#[tokio::test]
async fn a_session_gets_a_name() {
    let room = Room::new([Reply::new().text("ok")]).await;
    assert_eq!(room.text("/rename").await, "Usage: /rename <title>");
    room.say("hi").await;
    assert!(
        matches!(room.ask("/rename A good name").await, Answer::Changed(text) if text.contains("A good name"))
    );
    let header = &lines(&room.file())[0];
    assert_eq!((&header["title"], &header["titleSource"]), (&json!("A good name"), &json!("user")));
}

/// proves: CLI-221
#[tokio::test]
async fn the_next_turn_must_call_a_tool() {
    let call = || Reply::new().tool_call("find", json!({"_i": "x", "paths": ["*.nothing"]}));
    let room = Room::new([
        call(),
        Reply::new().text("one"),
        call(),
        Reply::new().text("two"),
        Reply::new().text("x"),
    ])
    .await;
    assert!(room.text("/force").await.starts_with("Usage"));
    for unknown in ["/force nonsense", "/force ssh look"] {
        assert!(
            matches!(room.ask(unknown).await, Answer::Refused(text) if text.contains("not active")),
            "{unknown}"
        );
    }
    for line in ["/force find look around", "/force:find look around"] {
        let Answer::Prompt(prompt) = room.ask(line).await else { panic!("{line}: words for the model") };
        assert_eq!(prompt, "look around");
        let before = room.server.requests().len();
        room.say(&prompt).await;
        let requests = room.server.requests();
        let choice = &requests[before].body["tool_choice"];
        assert_eq!(choice["function"]["name"], "find", "{choice}");
        assert_ne!(requests[before + 1].body["tool_choice"]["function"]["name"], "find", "once only");
    }
    room.say("as usual").await;
    assert!(room.request()["tool_choice"].get("function").is_none());
    room.server.finish();
}
