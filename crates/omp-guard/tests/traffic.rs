//! Answers with placeholders, requests with secrets.

use std::sync::Arc;

use omp_guard::secrets::{Matcher, Mode, Outbound, Reach, Restorer, SecretEntry, Secrets};
use omp_types::{
    AssistantBlock, AssistantMessage, Message, ModelRequest, StopReason, StreamEvent, TextBlock,
    ThinkingBlock, ToolCall, Usage,
};
use serde_json::{Value, json};

fn secrets(content: &str) -> Arc<Secrets> {
    let entry = SecretEntry { matcher: Matcher::Plain(content.to_owned()), mode: Mode::Obfuscate };
    Arc::new(Secrets::new(vec![entry], "session"))
}

fn hidden(secrets: &Secrets, text: &str) -> String {
    secrets.obfuscate(text).unwrap_or_else(|| text.to_owned())
}

fn answer(content: Vec<AssistantBlock>) -> AssistantMessage {
    AssistantMessage {
        content,
        api: "x".to_owned(),
        provider: "x".to_owned(),
        model: "x".to_owned(),
        response_id: None,
        usage: Usage::default(),
        stop_reason: StopReason::Stop,
        error_message: None,
        timestamp: 0,
    }
}

fn call(arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else { unreachable!("an object") };
    ToolCall {
        id: "1".to_owned(),
        name: "bash".to_owned(),
        arguments,
        invalid_arguments: None,
        thought_signature: None,
        intent: None,
        custom: false,
    }
}

fn text(text: &str) -> AssistantBlock {
    AssistantBlock::Text(TextBlock { text: text.to_owned(), text_signature: None })
}

/// Pieces of an answer, however they are cut, become the same text; JSON stays JSON.
#[test]
fn placeholders_in_pieces_are_put_together() {
    let value = "quo\"te\\d\nsecret";
    let secrets = secrets(value);
    let placeholder = hidden(&secrets, value);
    let written = format!("a {placeholder}{placeholder} # #X {placeholder}#");
    let json = format!("{{\"command\":\"echo {placeholder} #A\"}}");
    for size in 1..written.len() {
        let mut restorer = Restorer::new(Arc::clone(&secrets));
        let pieces = |text: &str| -> Vec<String> {
            text.as_bytes().chunks(size).map(|piece| String::from_utf8(piece.to_vec()).unwrap()).collect()
        };
        let mut events = vec![StreamEvent::Start, StreamEvent::TextStart { content_index: 0 }];
        events.extend(
            pieces(&written).into_iter().map(|delta| StreamEvent::TextDelta { content_index: 0, delta }),
        );
        events.push(StreamEvent::TextEnd { content_index: 0 });
        let delta = |delta| StreamEvent::ToolCallDelta { content_index: 1, delta, partial: None };
        events.extend(pieces(&json).into_iter().map(delta));
        let arguments = json!({"command": format!("echo {placeholder} #A")});
        events.push(StreamEvent::ToolCallEnd { content_index: 1, tool_call: call(arguments.clone()) });
        let message = answer(vec![text(&written), AssistantBlock::ToolCall(call(arguments))]);
        events.push(StreamEvent::Done { reason: StopReason::Stop, message: Box::new(message) });

        let restored: Vec<StreamEvent> =
            events.into_iter().flat_map(|event| restorer.batch(vec![event])).collect();
        let (mut shown, mut raw) = (String::new(), String::new());
        for event in &restored {
            match event {
                StreamEvent::TextDelta { delta, .. } => shown.push_str(delta),
                StreamEvent::ToolCallDelta { delta, .. } => raw.push_str(delta),
                StreamEvent::ToolCallEnd { tool_call, .. } => {
                    assert_eq!(tool_call.arguments["command"], format!("echo {value} #A"));
                }
                StreamEvent::Done { message, .. } => {
                    assert_eq!(
                        message.texts().collect::<String>(),
                        format!("a {value}{value} # #X {value}#")
                    );
                }
                _ => {}
            }
        }
        assert_eq!(shown, format!("a {value}{value} # #X {value}#"), "pieces of {size}");
        let raw: Value = serde_json::from_str(&raw).unwrap();
        assert_eq!(raw["command"], format!("echo {value} #A"), "pieces of {size}");
    }
}

/// A request is the same each time, whatever came after it, and thoughts that hold a secret lose their signature.
#[test]
fn requests_keep_their_beginning() {
    let secrets = secrets("my-secret-value");
    let outbound = Outbound::new(Arc::clone(&secrets), Reach::Everything);
    let thought = |thinking: &str| {
        AssistantBlock::Thinking(ThinkingBlock {
            thinking: thinking.to_owned(),
            thinking_signature: Some("signed".to_owned()),
        })
    };
    let mut messages = vec![Arc::new(Message::user("use my-secret-value", 1))];
    messages.push(Arc::new(Message::Assistant(answer(vec![
        thought("my-secret-value it is"),
        thought("nothing"),
        AssistantBlock::ToolCall(call(json!({"deep": [{"my-secret-value": "x"}]}))),
    ]))));
    let request = |messages: &[Arc<Message>]| ModelRequest {
        system: Arc::from(["AGENTS.md says my-secret-value".to_owned()]),
        messages: messages.to_vec(),
        ..ModelRequest::default()
    };
    let first = outbound.request(request(&messages));
    messages.push(Arc::new(Message::user("more of my-secret-value", 2)));
    let second = outbound.request(request(&messages));
    assert_eq!(first.messages[..], second.messages[..2]);
    assert_eq!(first.system, second.system);
    let sent = format!("{:?}{:?}", second.system, second.messages);
    assert!(!sent.contains("my-secret-value"), "{sent}");
    let Message::Assistant(sent) = &*second.messages[1] else { panic!("an answer") };
    let signature = |at: usize| match &sent.content[at] {
        AssistantBlock::Thinking(block) => block.thinking_signature.clone(),
        _ => None,
    };
    assert_eq!((signature(0), signature(1)), (None, Some("signed".to_owned())));
    // The placeholder turns up as text: everything is made anew, and again without a secret.
    let clash = hidden(&secrets, "my-secret-value");
    messages.push(Arc::new(Message::user(clash.clone(), 3)));
    let third = outbound.request(request(&messages));
    let sent = format!("{:?}", &third.messages[..3]);
    assert!(!sent.contains("my-secret-value") && !sent.contains(&clash), "{sent}");
}
