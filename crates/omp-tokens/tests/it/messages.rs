//! Everything that is sent of a message counts.

use omp_tokens::{call, estimate, message, messages, tool};
use omp_types::{Message, ToolDefinition, UserBlock};
use serde_json::json;

const TEXT: &str = "The quick brown fox jumps over the lazy dog.";

fn from(value: serde_json::Value) -> Message {
    serde_json::from_value(value).expect("a message")
}

#[test]
fn every_part_of_a_message_counts() {
    let text = estimate(TEXT);
    assert!(message(&Message::user(TEXT, 0)) >= text);
    let result = from(json!({ "role": "toolResult", "toolCallId": "1", "toolName": "read", "isError": false,
        "content": [{ "type": "text", "text": TEXT }, { "type": "text", "text": TEXT }] }));
    assert!(message(&result) >= 2 * text);
    let answer =
        from(json!({ "role": "assistant", "api": "a", "provider": "p", "model": "m", "stopReason": "stop",
        "content": [
            { "type": "thinking", "thinking": TEXT }, { "type": "text", "text": TEXT },
            { "type": "toolCall", "id": "1", "name": "read", "arguments": { "path": TEXT } },
        ] }));
    assert!(message(&answer) >= 3 * text);
    assert_eq!(messages(&[result.clone(), answer.clone()]), message(&result) + message(&answer));
}

#[test]
fn a_call_counts_its_arguments() {
    let Message::Assistant(answer) =
        from(json!({ "role": "assistant", "api": "a", "provider": "p", "model": "m",
        "stopReason": "toolUse", "content": [
            { "type": "toolCall", "id": "1", "name": "write", "arguments": { "content": TEXT.repeat(50) } },
        ] }))
    else {
        panic!("an answer");
    };
    let first = answer.tool_calls().next().expect("a call");
    assert!(call(first) > estimate(&TEXT.repeat(50)));
}

#[test]
fn a_tool_counts_its_schema() {
    let definition = |description: &str| ToolDefinition {
        name: "read".to_owned(),
        description: description.to_owned(),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        strict: None,
        free_text: false,
    };
    assert_eq!(tool(&definition(TEXT)) - tool(&definition("")), estimate(TEXT));
    assert!(tool(&definition("")) > estimate("read"));
}

#[test]
fn an_image_counts_by_its_size() {
    let image = |data: &str| {
        let block: UserBlock =
            serde_json::from_value(json!({ "type": "image", "mimeType": "image/png", "data": data }))
                .expect("an image");
        from(json!({ "role": "toolResult", "toolCallId": "1", "toolName": "read", "isError": false,
            "content": [block] }))
    };
    // The first bytes of a picture of 280 times 28 pixels.
    let small = "iVBORw0KGgoAAAANSUhEUgAAARgAAAAcCAYAAAA=";
    assert_eq!(message(&image(small)), 4 + 10);
    assert!(message(&image("AAAA")) > 1_000, "a picture that cannot be read is not free");
}
