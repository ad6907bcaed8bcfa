//! Anthropic Messages to OpenAI Chat and back.

use omp_llm::bridge::{
    BridgeError, OpenAiToolChoice, call_to_anthropic, call_to_openai, finish_reason, messages_to_anthropic,
    messages_to_openai, stop_reason, tool_choice_to_anthropic, tool_choice_to_openai, tool_to_anthropic,
    tool_to_openai,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any JSON, small.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}|[\"\\\\{}\n]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z\"]{1,5}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::hash_map("[a-z]{1,6}", any_json(), 0..5).prop_map(|map| map.into_iter().collect())
}

proptest! {
    #[test]
    fn tools_survive_the_round_trip(name in "[a-zA-Z0-9_-]{1,64}", description in "\\PC{0,40}", schema in any_object()) {
        let tool = json!({"name": name, "description": description, "input_schema": schema});
        let there = tool_to_openai(&tool);
        prop_assert_eq!(&there["type"], "function");
        prop_assert_eq!(&there["function"]["parameters"], &tool["input_schema"]);
        prop_assert!(there.get("name").is_none() && there["function"].get("input_schema").is_none());
        let back = tool_to_anthropic(&there);
        prop_assert!(back.get("type").is_none() && back.get("function").is_none());
        prop_assert_eq!(&back, &tool);
        prop_assert_eq!(tool_to_openai(&back), there);
    }

    #[test]
    fn arguments_are_written_and_parsed_once(id in "[a-zA-Z0-9_-]{1,20}", input in any_object()) {
        let block = json!({"type": "tool_use", "id": id, "name": "read", "input": input});
        let call = call_to_openai(&block);
        let text = call["function"]["arguments"].as_str().expect("arguments are a string");
        prop_assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), &block["input"]);
        prop_assert_eq!(call_to_anthropic(&call).unwrap(), block);
    }

    #[test]
    fn results_merge_and_part_again(texts in prop::collection::vec("\\PC{1,20}", 1..5), words in "\\PC{0,20}") {
        let calls: Vec<Value> = (0..texts.len()).map(|n| json!({"type": "tool_use", "id": format!("toolu_{n}"), "name": "read", "input": {"n": n}})).collect();
        let mut last: Vec<Value> = texts.iter().enumerate().map(|(n, text)| json!({"type": "tool_result", "tool_use_id": format!("toolu_{n}"), "content": text})).collect();
        if !words.is_empty() {
            last.push(json!({"type": "text", "text": words}));
        }
        let messages = vec![
            json!({"role": "user", "content": [{"type": "text", "text": "hi"}]}),
            json!({"role": "assistant", "content": calls}),
            json!({"role": "user", "content": last}),
        ];
        let there = messages_to_openai(None, &messages);
        let tools: Vec<&Value> = there.iter().filter(|message| message["role"] == "tool").collect();
        prop_assert_eq!(tools.len(), texts.len());
        for (n, (message, text)) in tools.iter().zip(&texts).enumerate() {
            prop_assert_eq!(&message["tool_call_id"], &json!(format!("toolu_{n}")));
            prop_assert_eq!(&message["content"], text);
        }
        let back = messages_to_anthropic(&there).unwrap();
        prop_assert_eq!(back.messages, messages);
    }

    /// No conversation makes the functions panic, and nothing they make alternates wrongly.
    #[test]
    fn anything_can_be_given(messages in prop::collection::vec(any_json(), 0..6)) {
        messages_to_openai(messages.first(), &messages);
        if let Ok(back) = messages_to_anthropic(&messages) {
            prop_assert!(back.messages.windows(2).all(|pair| pair[0]["role"] != pair[1]["role"]));
        }
        for message in &messages {
            tool_to_openai(message);
            tool_to_anthropic(message);
            call_to_openai(message);
            let _ = call_to_anthropic(message);
            tool_choice_to_openai(Some(message));
        }
    }
}

/// Nested quotes are escaped once, not twice.
#[test]
fn nested_quotes_survive() {
    let block = json!({"type": "tool_use", "id": "t", "name": "bash", "input": {"command": "echo \"a \\\"b\\\"\" '{\"x\":\"y\"}'"}});
    let call = call_to_openai(&block);
    assert_eq!(call["type"], "function");
    assert_eq!(call_to_anthropic(&call).unwrap(), block);
    let none = json!({"id": "c", "type": "function", "function": {"name": "list", "arguments": ""}});
    assert_eq!(call_to_anthropic(&none).unwrap()["input"], json!({}));
    let broken = json!({"id": "c", "type": "function", "function": {"name": "list", "arguments": "[1]"}});
    assert_eq!(
        call_to_anthropic(&broken),
        Err(BridgeError::Arguments { id: "c".into(), arguments: "[1]".into() })
    );
}

#[test]
fn stop_reasons_map_both_ways() {
    for (anthropic, openai) in [
        ("tool_use", "tool_calls"),
        ("end_turn", "stop"),
        ("max_tokens", "length"),
        ("refusal", "content_filter"),
    ] {
        assert_eq!(finish_reason(anthropic), openai);
        assert_eq!(stop_reason(openai), anthropic);
    }
    assert_eq!(finish_reason("stop_sequence"), "stop");
    assert_eq!(stop_reason("something new"), "end_turn");
}

#[test]
fn choices_map_both_ways() {
    let there = |tool_choice: Value, parallel_tool_calls: Option<bool>| OpenAiToolChoice {
        tool_choice: Some(tool_choice),
        parallel_tool_calls,
    };
    for (anthropic, openai) in [
        (json!({"type": "any"}), there(json!("required"), None)),
        (json!({"type": "auto"}), there(json!("auto"), None)),
        (json!({"type": "none"}), there(json!("none"), None)),
        (
            json!({"type": "tool", "name": "read"}),
            there(json!({"type": "function", "function": {"name": "read"}}), None),
        ),
        (json!({"type": "any", "disable_parallel_tool_use": true}), there(json!("required"), Some(false))),
        (json!({"type": "auto", "disable_parallel_tool_use": true}), there(json!("auto"), Some(false))),
        (
            json!({"type": "tool", "name": "x", "disable_parallel_tool_use": false}),
            there(json!({"type": "function", "function": {"name": "x"}}), Some(true)),
        ),
    ] {
        assert_eq!(tool_choice_to_openai(Some(&anthropic)), openai);
        assert_eq!(tool_choice_to_anthropic(&openai), Some(anthropic));
    }
    assert_eq!(tool_choice_to_openai(None), OpenAiToolChoice::default());
    assert_eq!(tool_choice_to_anthropic(&OpenAiToolChoice::default()), None);
    let flag = OpenAiToolChoice { tool_choice: None, parallel_tool_calls: Some(false) };
    assert_eq!(
        tool_choice_to_anthropic(&flag),
        Some(json!({"type": "auto", "disable_parallel_tool_use": true}))
    );
    let none = there(json!("none"), Some(false));
    assert_eq!(tool_choice_to_anthropic(&none), Some(json!({"type": "none"})));
}

/// The flag is lost on the way, the words never.
#[test]
fn errors_are_told_in_words() {
    let failed = json!({"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": "disk <full> & \"broken\""});
    let fine = json!({"type": "tool_result", "tool_use_id": "u", "content": "disk fine"});
    let messages = [json!({"role": "user", "content": [failed, fine]})];
    let there = messages_to_openai(None, &messages);
    assert_eq!(there[0]["content"], "Error: disk <full> & \"broken\"");
    assert_eq!(there[1]["content"], "disk fine");
    let back = messages_to_anthropic(&there).unwrap();
    assert!(back.messages[0]["content"][0]["content"].as_str().unwrap().contains("disk <full> & \"broken\""));
}

/// System prompts, pictures, thoughts and merged roles.
#[test]
fn whole_conversations_map() {
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}});
    let messages = [
        json!({"role": "user", "content": [{"type": "text", "text": "look"}, image]}),
        json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "I see"}, {"type": "tool_use", "id": "t", "name": "read", "input": {}}]}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "a"}, image]}]}),
        json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "only this", "signature": "s"}]}),
    ];
    let system = json!([{"type": "text", "text": "be"}, {"type": "text", "text": "kind"}]);
    let there = messages_to_openai(Some(&system), &messages);
    let roles: Vec<&str> = there.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "user"]);
    assert_eq!(there[0]["content"], "be\nkind");
    assert_eq!(there[1]["content"][1]["image_url"]["url"], "data:image/png;base64,AAAA");
    assert_eq!((&there[2]["content"], &there[2]["tool_calls"][0]["id"]), (&json!("I see"), &json!("t")));
    assert!(!json!(there).to_string().contains("signature"));
    let back = messages_to_anthropic(&there).unwrap();
    assert_eq!(back.system.as_deref(), Some("be\nkind"));
    assert_eq!(back.messages[0]["content"][1], image);
    assert_eq!(back.messages[2]["content"][1], image, "a picture from a tool follows its result");
    let unknown = messages_to_anthropic(&[json!({"role": "wizard", "content": "x"})]);
    assert_eq!(unknown, Err(BridgeError::Role { index: 0, role: "\"wizard\"".into() }));
}
