//! The panel of `/mcp` in a terminal.

use serde_json::{Value, json};

use super::{McpHome, done, until, weather};
use crate::tui::Screen;

fn sky() -> Value {
    let mut sky = weather();
    sky["resources"] = json!([{"uri": "sky://now", "text": "clear and cold"}]);
    sky["prompts"] = json!([{"name": "plan", "description": "Plans a day", "texts": ["Plan it"]}]);
    sky["stderr"] = json!("the sky is up\n");
    sky
}

/// All servers with their states, and about one of them: facts, tools with their parameters, resources, prompts, the log. A tool
/// is called by hand, a mistake in its form is named.
#[test]
fn the_panel_shows_servers_and_calls_their_tools() {
    let world = McpHome::new([done()]).known([("sky", sky())]);
    let broken = json!({"command": "no-such-program"});
    world.write_user(&json!({"sky": world.entry("sky"), "broken": broken}));
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 110);
    screen
        .say("/mcp")
        .wait_for("MCP servers")
        .wait_for("connected, stdio, 1 tool")
        .wait_for("disconnected: cannot start no-such-program");
    screen.send("\x1b[B").wait_for("cannot start no-such-program: No such file or directory");
    screen.send("\x1b[A\r").wait_for("● connected").wait_for("Protocol").wait_for("fixture 1.0");
    screen.wait_for("Connected in").wait_for("Reconnect").wait_for("Disable");
    screen
        .send("\x1b[C")
        .wait_for("Tells the weather")
        .send("\r")
        .wait_for("city *")
        .wait_for("string · required");
    screen.send("\t").wait_for("\"type\": \"object\"").send("\x1b").wait_for("Enter: call");
    screen.send("\r").wait_for("city: a value is needed");
    screen.send("Oslo\r").wait_for("{\"city\": \"Oslo\"}").wait_for("weather: ");
    screen.send("\x1b").wait_for("Enter: call").send("\x1b").wait_for("Tells the weather");
    screen.send("\x1b[C").wait_for("sky://now").send("\r").wait_for("clear and cold");
    screen.send("\x1b").wait_for("Enter: read").send("\x1b[C\x1b[C").wait_for("the sky is up");
    screen.send("\x1b[D").wait_for("Plans a day").send("\r").wait_for("❯ /sky:plan");
    assert_eq!(screen.server.requests().len(), 0, "nothing of this is the model's business");
    screen.send("\x15");
    screen.leave();
}

/// What a server asks before it answers comes before the panel that waits; Escape stops a call; changes show at once.
#[test]
fn calls_ask_stop_and_servers_change() {
    let form = json!({"message": "Book a seat", "requestedSchema": {"type": "object", "properties": {
        "meal": {"type": "boolean", "title": "Meal"}}, "required": ["meal"]}});
    let tools = json!({"tools": [{"name": "book", "ask": form}, {"name": "slow", "delay": 600}]});
    let world = McpHome::new([done()]).known([("s", tools)]);
    let file = world.home.path("home/.omp/agent/mcp.json");
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 110);
    screen.say("/mcp").wait_for("connected, stdio, 2 tools").send("\r\x1b[C").wait_for("slow").send("\r");
    screen.wait_for("It takes no parameters").send("\r").wait_for("The MCP server s asks:").wait_for("Meal");
    screen.answer("\r").wait_for("{\"action\": \"accept\", \"content\": {\"meal\": true}}");
    screen.send("\x1b").wait_for("Enter: call").send("\x1b").wait_for("Enter: open");
    screen.send("\x1b[B\r").wait_for("Enter: call").send("\r").wait_for("calling slow");
    screen.send("\x1b").wait_for("Stopped");
    screen.send("\x1b").wait_for("Enter: open").send("\x1b[D").wait_for("● connected");
    screen.send("\x1b[B\r").wait_for("Server \"s\" disabled").wait_for("○ disabled").wait_for("Enable");
    until("switched off", || std::fs::read_to_string(&file).unwrap().contains("\"enabled\": false"));
    screen.send("\r").wait_for("Server \"s\" enabled").wait_for("● connected");
    screen.send("\x1b").wait_for("connected, stdio, 2 tools").send("\x1b").wait_for("Ask anything");
    screen.leave();
}
