//! Pictures in messages and in tool results.

use std::sync::Arc;

use omp_llm::Input;
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{ImageBlock, Message, UserBlock, UserContent, UserMessage};
use serde_json::{Value, json};

use crate::support::{ask, client, model, request, result_blocks};

const DATA: &str = "iVBORw0KGgo=";

fn picture(mime_type: &str) -> UserBlock {
    UserBlock::Image(ImageBlock { data: DATA.into(), mime_type: mime_type.into(), detail: None })
}

fn shown(blocks: Vec<UserBlock>) -> Arc<Message> {
    Arc::new(Message::User(UserMessage {
        content: UserContent::Blocks(blocks),
        steering: false,
        sealed: None,
        timestamp: 1,
    }))
}

/// Asks with a picture, gets a call, answers it with a picture. Returns the second body.
async fn with_pictures(wire: Wire, eyes: bool) -> Value {
    let server = Server::start(
        Scenario::replies([
            Reply::new().tool_call("read", json!({"path": "a.png"})),
            Reply::new().text("a cat"),
        ])
        .require_stable_prefix(true),
    );
    let (client, mut model) = (client(), model(&server, wire));
    if !eyes {
        model.input = vec![Input::Text];
    }
    let question = shown(vec![UserBlock::text("what is this?"), picture("image/png")]);
    let first = ask(&client, &model, &request(vec![question.clone()])).await;
    let answer = result_blocks(
        first.calls()[0],
        vec![UserBlock::text("two pictures"), picture("image/jpeg"), picture("image/tiff")],
        false,
    );
    ask(&client, &model, &request(vec![question, first.as_message(), answer])).await.done();
    let body = server.requests()[1].body.clone();
    server.finish();
    body
}

#[tokio::test]
async fn models_with_eyes_get_pictures() {
    let body = with_pictures(Wire::AnthropicMessages, true).await;
    let source = |mime: &str| json!({"type": "base64", "media_type": mime, "data": DATA});
    assert_eq!(body["messages"][0]["content"][1]["source"], source("image/png"));
    let result = &body["messages"][2]["content"][0]["content"];
    assert_eq!((&result[0]["text"], &result[1]["source"]), (&json!("two pictures"), &source("image/jpeg")));
    assert_eq!(result[2]["text"], "[image left out: image/tiff is not supported]");

    let body = with_pictures(Wire::OpenAiCompletions, true).await;
    let url = |mime: &str| json!({"url": format!("data:{mime};base64,{DATA}")});
    assert_eq!(body["messages"][1]["content"][1]["image_url"], url("image/png"));
    assert_eq!(body["messages"][3]["role"], "tool");
    assert!(body["messages"][3]["content"].as_str().unwrap().starts_with("two pictures"));
    assert_eq!(body["messages"][4]["role"], "user", "a tool message cannot hold a picture");
    assert_eq!(body["messages"][4]["content"][1]["image_url"], url("image/jpeg"));

    let body = with_pictures(Wire::OpenAiResponses, true).await;
    assert_eq!(body["input"][0]["content"][1]["image_url"], format!("data:image/png;base64,{DATA}"));
    let output = &body["input"][2]["output"];
    assert_eq!((&output[0]["type"], &output[1]["type"]), (&json!("input_text"), &json!("input_image")));
}

#[tokio::test]
async fn models_without_eyes_get_a_note() {
    for wire in Wire::ALL {
        let body = with_pictures(wire, false).await.to_string();
        assert!(!body.contains(DATA), "{wire}");
        assert_eq!(body.matches("[image left out: this model does not accept images]").count(), 3, "{wire}");
    }
}

/// A failed tool that shows a picture says that it failed.
#[tokio::test]
async fn errors_with_pictures_are_errors() {
    for wire in Wire::ALL {
        let server = Server::start([
            Reply::new().tool_call("read", json!({"path": "a.png"})),
            Reply::new().text("oh"),
        ]);
        let (client, model) = (client(), model(&server, wire));
        let first = ask(&client, &model, &request(vec![shown(vec![UserBlock::text("x")])])).await;
        let answer = result_blocks(first.calls()[0], vec![picture("image/png")], true);
        ask(&client, &model, &request(vec![shown(vec![UserBlock::text("x")]), first.as_message(), answer]))
            .await
            .done();
        let body = server.requests()[1].body.to_string();
        assert!(
            ["Error: (see the image)", "\"is_error\":true", "\"status\":\"error\""]
                .iter()
                .any(|sign| body.contains(sign)),
            "{wire}: {body}"
        );
        server.finish();
    }
}

/// A session whose stored picture was deleted still has the reference to it; no provider would take that for a picture.
#[tokio::test]
async fn pictures_that_are_gone_are_named() {
    for wire in Wire::ALL {
        let server = Server::start([Reply::new().text("ok")]);
        let (client, model) = (client(), model(&server, wire));
        let reference = format!("blob:sha256:{}", "0".repeat(64));
        let lost = UserBlock::Image(ImageBlock {
            data: reference.clone(),
            mime_type: "image/png".into(),
            detail: None,
        });
        ask(&client, &model, &request(vec![shown(vec![UserBlock::text("see"), lost])])).await.done();
        let body = server.requests()[0].body.to_string();
        assert!(!body.contains(&reference), "{wire}");
        assert_eq!(body.matches("[image left out: it is no longer stored]").count(), 1, "{wire}");
        server.finish();
    }
}
