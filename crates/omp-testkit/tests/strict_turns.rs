//! Anthropic rules about repeating the server's own turns: thinking, server tools, pauses.

mod common;

use common::{Response, anthropic_blocks, changed, post, push, with_tool};
use omp_testkit::{Reply, Scenario, Server, Stop, Wire};
use serde_json::{Value, json};

const WIRE: Wire = Wire::AnthropicMessages;

fn thinking_request() -> Value {
    changed(&with_tool(WIRE), |body| {
        body["max_tokens"] = json!(4096);
        body["thinking"] = json!({"type": "enabled", "budget_tokens": 2000});
    })
}

/// Lets a server say `reply`, sends it back as `edit` leaves it, with results for its calls.
fn replay(request: &Value, reply: Reply, edit: impl FnOnce(&mut Vec<Value>)) -> Response {
    let server = Server::start(Scenario::replies([reply, Reply::new().text("done")]));
    let mut blocks = anthropic_blocks(&post(&server, WIRE, request));
    edit(&mut blocks);
    let results: Vec<Value> = (blocks.iter())
        .filter(|block| block["type"] == "tool_use")
        .map(|block| json!({"type": "tool_result", "tool_use_id": block["id"], "content": "x"}))
        .collect();
    let mut next = request.clone();
    push(&mut next, json!({"role": "assistant", "content": blocks}));
    if results.is_empty() {
        push(&mut next, json!({"role": "user", "content": "go on"}));
    } else {
        push(&mut next, json!({"role": "user", "content": results}));
    }
    post(&server, WIRE, &next)
}

fn thought_and_called() -> Reply {
    Reply::new()
        .thinking("hmm, a file")
        .redacted_thinking()
        .text("I look")
        .tool_call("read", json!({"path": "a"}))
}

#[track_caller]
fn assert_refused(response: &Response, part: &str) {
    assert_eq!(response.status, 400);
    assert!(response.error().contains(part), "{}", response.error());
}

#[test]
fn an_untouched_turn_is_accepted() {
    let response = replay(&thinking_request(), thought_and_called(), |_| {});
    assert_eq!(response.status, 200, "{}", response.text());
}

#[test]
fn changed_thinking_is_refused() {
    let request = thinking_request();
    let edit = |place: usize, key: &'static str, value: &'static str| {
        replay(&request, thought_and_called(), move |blocks| blocks[place][key] = json!(value))
    };
    assert_refused(&edit(0, "thinking", "hmm"), "Invalid `signature` in `thinking` block");
    assert_refused(&edit(0, "signature", "sig-other"), "Invalid `signature` in `thinking` block");
    assert_refused(&edit(1, "data", "other"), "Invalid `data`");
    let cached = replay(&request, thought_and_called(), |blocks| {
        blocks[0]["cache_control"] = json!({"type": "ephemeral"});
    });
    assert_refused(&cached, "Extra inputs are not permitted");
}

#[test]
fn thinking_comes_first_and_stays_in_a_tool_loop() {
    let request = thinking_request();
    let moved = replay(&request, thought_and_called(), |blocks| blocks.swap(0, 2));
    assert_refused(&moved, "must come first");
    let without = replay(&request, thought_and_called(), |blocks| {
        blocks.drain(..2);
    });
    assert_refused(&without, "Expected `thinking` or `redacted_thinking`, but found `text`");
    let off = replay(&with_tool(WIRE), thought_and_called(), |blocks| {
        blocks.drain(..2);
    });
    assert_eq!(off.status, 200, "without thinking the blocks may go");
    let never = Reply::new().tool_call("read", json!({"path": "a"}));
    assert_eq!(replay(&request, never, |_| {}).status, 200, "none was made, none is missed");
}

#[test]
fn a_finished_turn_may_lose_its_thinking() {
    let reply = Reply::new().thinking("hmm").text("answer");
    let response = replay(&thinking_request(), reply, |blocks| {
        blocks.remove(0);
    });
    assert_eq!(response.status, 200, "{}", response.text());
}

#[test]
fn another_server_does_not_accept_our_signature_unless_it_has_our_secret() {
    let server = |secret: Option<&str>| {
        let scenario = Scenario::replies([Reply::new().thinking("x").text("y")]);
        Server::start(secret.map_or(scenario.clone(), |secret| scenario.secret(secret)))
    };
    let exchange = |secret: Option<&str>| {
        let blocks = anthropic_blocks(&post(&server(secret), WIRE, &thinking_request()));
        let mut next = thinking_request();
        push(&mut next, json!({"role": "assistant", "content": blocks}));
        push(&mut next, json!({"role": "user", "content": "go on"}));
        post(&server(secret), WIRE, &next).status
    };
    assert_eq!(exchange(None), 400);
    assert_eq!(exchange(Some("shared")), 200);
}

fn searched() -> Reply {
    Reply::new()
        .text("searching")
        .anthropic_block(json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}))
        .anthropic_block(json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"secret": "e"}]}))
        .text("found it")
}

#[test]
fn server_blocks_come_back_verbatim() {
    let request = with_tool(WIRE);
    assert_eq!(replay(&request, searched(), |_| {}).status, 200);
    let cached =
        replay(&request, searched(), |blocks| blocks[2]["cache_control"] = json!({"type": "ephemeral"}));
    assert_eq!(cached.status, 200);
    let edited = replay(&request, searched(), |blocks| blocks[1]["input"] = json!({"query": "y"}));
    assert_refused(&edited, "verbatim");
    let dropped = replay(&request, searched(), |blocks| {
        blocks.drain(1..3);
    });
    assert_refused(&dropped, "verbatim");
    let half = replay(&request, searched(), |blocks| {
        blocks.remove(1);
    });
    assert_refused(&half, "without the server_tool_use");
}

#[test]
fn server_calls_take_no_result() {
    let server = Server::start(Scenario::replies([searched(), Reply::new().text("x")]));
    let mut next = with_tool(WIRE);
    let blocks = anthropic_blocks(&post(&server, WIRE, &next));
    push(&mut next, json!({"role": "assistant", "content": blocks}));
    let result = json!({"type": "tool_result", "tool_use_id": "srvtoolu_1", "content": "x"});
    push(&mut next, json!({"role": "user", "content": [result]}));
    assert_refused(&post(&server, WIRE, &next), "takes no `tool_result`");
}

#[test]
fn a_paused_turn_is_sent_back_as_it_is() {
    let paused = Reply::new()
        .thinking("long search")
        .anthropic_block(
            json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}),
        )
        .stop(Stop::PauseTurn);
    let replies = [paused, Reply::new().thinking("more").text("found"), Reply::new().text("bye")];
    let server = Server::start(Scenario::replies(replies));
    let mut next = thinking_request();
    let first = anthropic_blocks(&post(&server, WIRE, &next));
    push(&mut next, json!({"role": "assistant", "content": first}));
    let response = post(&server, WIRE, &next);
    assert_eq!(response.status, 200, "{}", response.text());
    let second = anthropic_blocks(&response);
    // The continuation may follow as a message of its own or be part of the same one.
    let mut apart = next.clone();
    push(&mut apart, json!({"role": "assistant", "content": second}));
    push(&mut apart, json!({"role": "user", "content": "thanks"}));
    let response = post(&server, WIRE, &apart);
    assert_eq!(response.status, 200, "{}", response.text());
    server.finish();
}
