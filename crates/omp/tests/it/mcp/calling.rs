//! Tools of servers: how they are named, offered, called, and what a model is told.

use omp_testkit::run;
use serde_json::json;

use super::{McpHome, call, done, weather};
use crate::support::{LIMIT, omp};

/// What a server offered is known to the next run, which starts nothing that it does not need.
// proves: EXT-092, HOK-063, HOK-065
#[test]
fn tools_of_a_server_are_offered_and_called() {
    let world = McpHome::new([done(), call("mcp__sky_weather", json!({"city": "Bergen"})), done(), done()])
        .known([("sky", weather())]);
    assert_eq!(world.starts("sky"), 1);
    world.ask(&[]);
    assert_eq!(world.offered_mcp(0), ["mcp__sky_weather"]);
    assert_eq!(world.starts("sky"), 1, "nothing called it");
    world.ask(&[]);
    assert_eq!(world.starts("sky"), 2, "connected by the call");
    let (text, failed, details) = &world.results()[0];
    assert_eq!((text.as_str(), *failed), (r#"{"city": "Bergen"}"#, false));
    assert_eq!(details["serverName"], "sky");
    assert_eq!(details["mcpToolName"], "weather");
    // Another definition is another server.
    let mut entry = world.entry("sky");
    entry["env"] = json!({"FIXTURE_OTHER": "1"});
    world.script("sky", &json!({"never": true, "tools": []}));
    world.write_user(&json!({"sky": entry}));
    world.ask(&[]);
    assert_eq!(world.offered_mcp(3), Vec::<String>::new(), "nothing is known of it");
    world.server.finish();
}

/// A server that never answers, and one that is slow, hold up nobody, the first time and later.
// proves: EXT-096, HOK-062
#[test]
fn nobody_waits_for_a_server() {
    let slow = json!({"startDelay": 600, "tools": [{"name": "late"}]});
    let world = McpHome::new([done(), done(), call("mcp__sky_weather", json!({"city": "Oslo"})), done()])
        .known([("sky", weather())]);
    world.script("never", &json!({"never": true}));
    world.script("slow", &slow);
    let entries = json!({
        "sky": world.entry("sky"), "never": world.entry("never"), "slow": world.entry("slow"),
    });
    world.write_user(&entries);
    world.ask(&[]);
    world.ask(&[]);
    world.ask(&[]);
    for request in 0..4 {
        assert_eq!(world.offered_mcp(request), ["mcp__sky_weather"]);
    }
    assert_eq!(world.results()[0].0, r#"{"city": "Oslo"}"#);
    world.server.finish();
}

/// Of two tools with one name the model has the last, and the user is told of the other.
// proves: EXT-090
#[test]
fn of_equal_names_the_last_counts() {
    let says = |text: &str| json!({"tools": [{"name": "who", "answer": [{"type": "text", "text": text}]}]});
    let world = McpHome::new([call("mcp__my_server_who", json!({})), done()])
        .known([("my-server", says("the first")), ("my.server", says("the last"))]);
    let output = world.ask(&[]);
    assert_eq!(world.offered_mcp(0), ["mcp__my_server_who"]);
    assert_eq!(world.results()[0].0, "the last");
    let told = "two MCP tools have the same name: mcp__my_server_who: the tool who of my-server is hidden by";
    assert!(output.stderr.contains(told), "{}", output.stderr);
    world.server.finish();
}

/// What the server calls an error, what happened on the way to it.
#[test]
fn failures_are_told_apart() {
    let world = McpHome::new([
        call("mcp__s_bad", json!({})),
        call("mcp__s_dies", json!({})),
        call("mcp__s_slow", json!({})),
        done(),
    ])
    .user([(
        "s",
        json!({"tools": [
            {"name": "bad", "isError": true, "answer": [{"type": "text", "text": "no such city"}]},
            {"name": "dies", "die": "always"},
            {"name": "slow", "delay": 30},
        ]}),
    )]);
    let mut entry = world.entry("s");
    entry["timeout"] = json!(5000);
    world.write_user(&json!({"s": entry}));
    world.connect("s");
    world.ask(&[]);
    let results = world.results();
    assert_eq!((results[0].0.as_str(), results[0].1), ("Error: no such city", true));
    assert!(results[1].0.starts_with("MCP error: ") && results[1].1, "{}", results[1].0);
    assert_eq!(results[2].0, "MCP error: request timed out after 5 s");
    world.server.finish();
}

/// A server that dies during a call is started again, and asked once more.
// proves: EXT-094
#[test]
fn a_call_that_broke_the_connection_is_repeated_once() {
    let world = McpHome::new([call("mcp__s_shaky", json!({})), done()]).known([(
        "s",
        json!({"tools": [{"name": "shaky", "die": "once", "answer": [{"type": "text", "text": "second time"}]}]}),
    )]);
    world.ask(&[]);
    assert_eq!(world.results()[0].0, "second time");
    assert_eq!(world.received("s", "tools/call").len(), 2);
    world.server.finish();
}

/// Control bytes and hidden letters do not reach the model; pictures do; long texts are kept whole elsewhere.
#[test]
fn results_are_made_harmless() {
    let long = "line of text\n".repeat(10_000);
    let world = McpHome::new([
        call("mcp__s_odd", json!({})),
        call("mcp__s_long", json!({})),
        call("mcp__s_mixed", json!({})),
        done(),
    ])
    .known([(
        "s",
        json!({"tools": [
            {"name": "odd", "description": "Says \u{1b}[2Jodd\u{e0041} things",
             "answer": [{"type": "text", "text": "a\u{1b}]0;x\u{7}b\u{e0042}"}]},
            {"name": "long", "answer": [{"type": "text", "text": long}]},
            {"name": "mixed", "answer": [
                {"type": "resource", "resource": {"uri": "note://a", "text": "from a resource"}},
                {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
            ]},
        ]}),
    )]);
    world.ask(&[]);
    let tools = world.server.requests()[0].body["tools"].to_string();
    assert!(tools.contains("Says [2Jodd things"), "{tools}");
    let results = world.results();
    assert_eq!(results[0].0, "a]0;xb");
    assert!(results[1].0.len() < 52 * 1024 && results[1].0.contains("full output: artifact://"), "long");
    assert_eq!(results[2].0, "[resource: note://a]\nfrom a resource\n[audio: audio/wav, 3 bytes]");
    world.server.finish();
}

/// The prompt says what a server has to say about itself, as its words, and not for ever.
// proves: HOK-072
#[test]
fn instructions_of_servers_are_in_the_prompt() {
    let mut spec = weather();
    spec["instructions"] = json!(format!("Ask for one city. {}", "x".repeat(10_000)));
    let world = McpHome::new([done(), done()]).known([("sky", spec)]);
    world.ask(&[]);
    let messages = &world.server.requests()[0].body["messages"];
    let system = messages[0]["content"].to_string();
    assert!(system.contains("## sky\\nAsk for one city."), "{system}");
    assert!(!system.contains(&"x".repeat(3000)), "bounded");
    let mut entry = world.entry("sky");
    entry["instructions"] = json!(false);
    world.write_user(&json!({"sky": entry}));
    world.connect("sky");
    world.ask(&[]);
    assert_eq!(world.offered_mcp(1), ["mcp__sky_weather"]);
    assert!(!world.server.requests()[1].body.to_string().contains("Ask for one city"), "not wanted");
    world.server.finish();
}

/// How long a server may take: its own limit, or one for all of them.
// proves: HOK-037, EXT-101
#[test]
fn time_limits() {
    let world = McpHome::new([]);
    world.script("never", &json!({"never": true}));
    let mut patient = world.entry("never");
    patient["timeout"] = json!(0);
    world.write_user(&json!({"never": world.entry("never"), "patient": patient}));
    let test = |name: &str, limit: &str| {
        let mut command = omp(&world.home, &["mcp", "test", name]);
        command.env("OMP_MCP_TIMEOUT_MS", limit);
        run(command, Some(b""), LIMIT).stderr
    };
    for name in ["never", "patient"] {
        let said = test(name, "300");
        assert!(
            said.contains(&format!("Failed to connect to \"{name}\": no answer within 300 ms")),
            "{said}"
        );
        assert!(said.contains("set \"timeout\" (milliseconds)"), "{said}");
    }
    let mut entry = world.entry("never");
    entry["timeout"] = json!(400);
    world.write_user(&json!({"never": entry}));
    world.script("slow", &json!({"startDelay": 1}));
    let mut slow = world.entry("slow");
    slow["timeout"] = json!(300);
    world.write_user(&json!({"never": entry.clone(), "slow": slow.clone()}));
    assert!(test("slow", "x").contains("no answer within 300 ms"), "its own limit");
    assert!(!test("slow", "0").contains("no answer"), "no limit at all");
    slow["timeout"] = json!(0);
    world.write_user(&json!({"never": entry, "slow": slow}));
    assert!(!test("slow", "x").contains("no answer"), "none of its own");
    let said = test("never", "soon");
    assert!(said.contains("OMP_MCP_TIMEOUT_MS is ignored: \"soon\" is not a number"), "{said}");
    assert!(said.contains("no answer within 400 ms"), "{said}");
}

/// Schemas reach the model in a form that hosts accept; a broken one does not make the tool useless.
// proves: EXT-091
#[test]
fn schemas_are_normalised() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"a": {"$ref": "#/definitions/A"}},
        "definitions": {"A": {"type": "string", "description": "A text"}},
    });
    let broken = json!({"type": "object", "properties": {"a": {"type": "no such type"}}});
    let world = McpHome::new([call("mcp__s_odd", json!({"a": 1})), done()]).known([(
        "s",
        json!({"tools": [{"name": "neat", "inputSchema": schema}, {"name": "odd", "inputSchema": broken}]}),
    )]);
    world.ask(&[]);
    let body = &world.server.requests()[0].body["tools"];
    let tool =
        body.as_array().unwrap().iter().find(|tool| tool["function"]["name"] == "mcp__s_neat").unwrap();
    let parameters = tool["function"]["parameters"].to_string();
    assert!(!parameters.contains("$ref") && parameters.contains("A text"), "{parameters}");
    assert_eq!(world.results()[0].0, r#"{"a": 1}"#);
    world.server.finish();
}
