//! What servers ask for, and what they have besides tools.

use omp_testkit::Reply;
use serde_json::json;

use super::{McpHome, call, done};
use crate::support::omp_run;
use crate::tui::Screen;
use crate::urls::read;

fn form() -> serde_json::Value {
    json!({"message": "Where to?", "requestedSchema": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "title": "City"},
            "days": {"type": "integer", "title": "Days"},
            "class": {"type": "string", "title": "Class", "enum": ["a", "b"], "enumNames": ["First", "Second"]},
            "meal": {"type": "boolean", "title": "Meal"},
        },
        "required": ["city", "days", "class"],
    }})
}

/// A form is asked field by field; values are of their types.
#[test]
fn a_server_asks_the_user() {
    let tools = json!({"tools": [{"name": "book", "ask": form()}]});
    let world = McpHome::new([call("mcp__s_book", json!({})), done()]).known([("s", tools)]);
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &["--approval-mode", "yolo"], 40, 100);
    screen.say("go").wait_for("The MCP server s asks:").wait_for("Where to?").wait_for("City");
    screen.answer("\x1b[B\r").wait_for("Enter: ");
    screen.send("Oslo\r").wait_for("Days");
    screen.answer("\x1b[B\r").send("many\r").wait_for("This must be a whole number.");
    screen.answer("\x1b[B\r").send("3\r").wait_for("Class").wait_for("Second");
    screen.answer("\x1b[B\r").wait_for("Meal (optional)");
    screen.answer("\r").wait_for("done");
    let (_, server, home) = screen.leave();
    let world = McpHome { home, server };
    let said = &world.results()[0].0;
    assert_eq!(
        said,
        r#"user: {"action": "accept", "content": {"city": "Oslo", "class": "b", "days": 3, "meal": true}}"#
    );
}

/// Without a user questions are declined, a model is not asked, and the directories are told.
// proves: HOK-050
#[test]
fn without_a_user_questions_are_declined() {
    let sample =
        json!({"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 10});
    let tools = json!({"tools": [
        {"name": "book", "ask": form()},
        {"name": "think", "sample": sample},
        {"name": "where", "roots": true},
    ]});
    let world = McpHome::new([
        call("mcp__s_book", json!({})),
        call("mcp__s_think", json!({})),
        call("mcp__s_where", json!({})),
        done(),
    ])
    .known([("s", tools)]);
    world.ask(&[]);
    let results = world.results();
    assert!(results[0].0.contains("decline") || results[0].0.contains("-32"), "{}", results[0].0);
    assert!(results[1].0.contains("sampling is not available"), "{}", results[1].0);
    assert!(
        results[2].0.contains(&format!("file://{}", world.home.work_dir().display())),
        "{}",
        results[2].0
    );
    world.server.finish();
}

/// A model answers a server when the user agrees.
#[test]
fn a_server_asks_the_model() {
    let sample = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "What is red?"}}],
        "systemPrompt": "Be short.", "maxTokens": 10});
    let tools = json!({"tools": [{"name": "think", "sample": sample}]});
    let world = McpHome::new([call("mcp__s_think", json!({})), Reply::new().text("A colour."), done()])
        .known([("s", tools)]);
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("go").wait_for("MCP sampling").wait_for("What is red?");
    screen.answer("1").wait_for("done");
    let (_, server, home) = screen.leave();
    let world = McpHome { home, server };
    assert!(world.results()[0].0.contains("A colour."), "{}", world.results()[0].0);
    let asked = world.server.requests()[1].body.to_string();
    assert!(asked.contains("Be short.") && asked.contains("What is red?"), "{asked}");
    world.server.finish();
}

/// Progress is shown while a call runs.
// proves: IOP-016
#[test]
fn progress_is_shown() {
    let steps: Vec<String> = (0..40).map(|step| format!("step number {step}")).collect();
    let tools = json!({"tools": [{"name": "long", "progress": steps}]});
    let world = McpHome::new([call("mcp__s_long", json!({})), done()]).known([("s", tools)]);
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("go").wait_for("of 40: step number").wait_for("done");
    screen.leave();
}

/// Resources are read by their address, from the server that has it or whose template fits best.
// proves: CLI-243, EXT-095
#[test]
fn resources_are_read_by_address() {
    let one = json!({
        "resources": [{"uri": "note://shopping", "text": "milk"}],
        "templates": [{"uriTemplate": "note://{name}", "text": "from the general template"}],
    });
    let two = json!({
        "templates": [{"uriTemplate": "note://today/{name}", "text": "from the closer template"}],
    });
    let world = McpHome::new([
        read("mcp://note://shopping"),
        read("mcp://note://today/x"),
        read("mcp://note://other"),
        read("mcp://book://none"),
        done(),
    ])
    .known([("one", one), ("two", two)]);
    world.ask(&[]);
    let results = world.results();
    assert!(results[0].0.contains("milk"), "{}", results[0].0);
    assert!(results[1].0.contains("from the closer template"), "{}", results[1].0);
    assert!(results[2].0.contains("from the general template"), "{}", results[2].0);
    assert!(results[3].1 && results[3].0.contains("note://shopping"), "{}", results[3].0);
    world.server.finish();
}

/// Prompts of servers are commands.
// proves: CLI-172, EXT-095
#[test]
fn prompts_are_commands() {
    let spec = json!({"prompts": [{
        "name": "greet",
        "description": "Greets somebody",
        "arguments": [{"name": "who", "required": true}, {"name": "how"}],
        "texts": ["Say hello to {who}.", "Be {how}."],
    }], "resources": [{"uri": "note://list", "text": "x"}]});
    let world = McpHome::new([done()]).known([("s", spec)]);
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("/mcp test s").wait_for("1 prompt");
    screen.say("/mcp prompts").wait_for("/s:greet who= [how=]").wait_for("Greets somebody");
    screen.say("/mcp resources").wait_for("note://list");
    screen.say("/s:greet how=kind").wait_for("missing: who");
    screen.say("/s:greet who=\"the world\" how=kind").wait_for("done");
    let (_, server, _home) = screen.leave();
    let asked = server.requests()[0].body["messages"].to_string();
    assert!(asked.contains("Say hello to the world.\\n\\nBe kind."), "{asked}");
    server.finish();
}

/// The model is told of changed resources if the user wants that.
// proves: HOK-071
#[test]
fn changes_of_resources_are_told() {
    let spec = json!({"resources": [{"uri": "note://a", "text": "one"}], "tools": [{"name": "t"}]});
    let world = McpHome::new([done(), done()]).known([("s", spec)]);
    let poke = world.home.path("s.json.poke");
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("/mcp test s").wait_for("Connected to \"s\"");
    screen.say("/mcp notifications").wait_for("MCP notifications are off");
    screen.say("/mcp notifications on").wait_for("MCP notifications are on");
    let log = screen.home.path("s.json.log");
    super::until("subscribed", || std::fs::read_to_string(&log).unwrap().contains("resources/subscribe"));
    std::fs::write(poke, "note://a").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    screen.say("one").wait_for("done");
    let (_, server, home) = screen.leave();
    let asked = server.requests()[0].body["messages"].to_string();
    assert!(asked.contains("mcp://note://a (s)"), "{asked}");
    let shown = omp_run(&home, &["config", "get", "mcp.notifications"]);
    assert!(shown.stdout.contains("true"), "{}", shown.stdout);
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    super::until("subscribed again", || {
        std::fs::read_to_string(&log).unwrap().matches("resources/subscribe").count() == 2
    });
    screen.say("/mcp notifications off").wait_for("MCP notifications are off");
    super::until("unsubscribed", || std::fs::read_to_string(&log).unwrap().contains("resources/unsubscribe"));
    screen.leave();
}
