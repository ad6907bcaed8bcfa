//! Lists that change while a session runs: what is new is behind what was there.

use serde_json::{Value, json};

use super::remote::Remote;
use super::{McpHome, done, until, weather};
use crate::tui::Screen;

fn world_of(screen: Screen) -> McpHome {
    let (_, server, home) = screen.leave();
    McpHome { home, server }
}

/// Types a command until the screen shows all of this. Each time the program gets a moment to answer.
fn ask_until(screen: &mut Screen, commands: &[&str], texts: &[&str]) {
    until(&format!("{texts:?}"), || {
        for command in commands {
            screen.say(command);
        }
        std::thread::sleep(std::time::Duration::from_millis(400));
        let shown = screen.terminal.screen();
        texts.iter().all(|text| shown.contains(text))
    });
}

/// The tools of a request begin with those of the one before, byte for byte.
fn assert_appended(world: &McpHome, before: usize, after: usize) {
    let requests = world.server.requests();
    let tools = |request: usize| requests[request].body["tools"].as_array().unwrap().clone();
    let (old, new) = (tools(before), tools(after));
    assert_eq!(old[..], new[..old.len()], "the earlier part is as it was");
    let messages = |request: usize| requests[request].body["messages"].as_array().unwrap().clone();
    let (old, new) = (messages(before), messages(after));
    assert_eq!(old[..], new[..old.len()], "the conversation, too");
}

fn with_tides() -> Value {
    let mut more = weather();
    more["tools"].as_array_mut().unwrap().insert(0, json!({"name": "tides", "description": "High and low"}));
    more["prompts"] = json!([{"name": "trip", "texts": ["Pack for rain"]}]);
    more["resources"] = json!([{"uri": "note://tides", "text": "high at noon"}]);
    more
}

/// A server says that its lists have changed: tools, prompts and resources are asked for again.
// proves: HOK-069, IOP-017
#[test]
fn lists_are_read_again_when_the_server_says_so() {
    let world = McpHome::new([done(), done(), done()]).user([("sky", weather())]);
    let (poke, spec) = (world.home.path("sky.json.poke"), world.home.path("sky.json"));
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 110);
    screen.say("/mcp test sky").wait_for("Connected to \"sky\"");
    screen
        .say("/mcp prompts")
        .wait_for("server offers prompts")
        .say("/mcp resources")
        .wait_for("server offers resources");
    screen.say("one").wait_for("done");
    std::fs::write(spec, with_tides().to_string()).unwrap();
    std::fs::write(poke, "1").unwrap();
    screen.send("\x0c");
    let commands = ["/mcp list", "/mcp prompts", "/mcp resources"];
    ask_until(&mut screen, &commands, &["2 tools", "sky:trip", "note://tides"]);
    screen.say("two");
    until("a second request", || screen.server.requests().len() == 2);
    screen.say("/sky:trip").wait_for("Pack for rain");
    until("a third request", || screen.server.requests().len() == 3);
    let world = world_of(screen);
    assert_eq!(world.offered_mcp(0), ["mcp__sky_weather"]);
    assert_eq!(world.offered_mcp(1), ["mcp__sky_weather", "mcp__sky_tides"], "appended");
    assert_appended(&world, 0, 1);
    assert_appended(&world, 1, 2);
}

/// A new connection brings new tools; they are behind the others.
// proves: IOP-017
#[test]
fn tools_of_a_new_connection_are_appended() {
    let world = McpHome::new([done(), done()]).user([("sky", weather())]);
    let spec = world.home.path("sky.json");
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 110);
    screen.say("/mcp test sky").wait_for("Connected to \"sky\"");
    screen.say("one").wait_for("done");
    std::fs::write(spec, with_tides().to_string()).unwrap();
    screen.say("/mcp reconnect sky");
    ask_until(&mut screen, &["/mcp list"], &["2 tools"]);
    screen.say("two");
    until("a second request", || screen.server.requests().len() == 2);
    let world = world_of(screen);
    assert_eq!(world.offered_mcp(1), ["mcp__sky_weather", "mcp__sky_tides"], "appended");
    assert_appended(&world, 0, 1);
}

/// So does a login.
// proves: IOP-017
#[test]
fn tools_behind_a_login_are_appended() {
    let remote = Remote::start("oauth");
    let world = McpHome::new([done(), done()]).user([("sky", weather())]);
    let entries = json!({"sky": world.entry("sky"), "far": {"type": "http", "url": remote.address("/mcp")}});
    world.write_user(&entries);
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 200);
    screen.say("/mcp test sky").wait_for("Connected to \"sky\"");
    screen.say("one").wait_for("done");
    screen.say("/mcp login far").wait_for("/authorize?");
    let shown = screen.terminal.screen();
    let joined: String =
        shown.lines().map(|line| line.trim_matches(|c: char| c == '\u{2502}' || c == ' ')).collect();
    let at = joined.find("/authorize?").unwrap();
    let value = |name: &str| {
        let rest = &joined[at..];
        let from = rest.find(&format!("{name}=")).unwrap() + name.len() + 1;
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-._~%".contains(c);
        rest[from..].chars().take_while(|c| is_part(*c)).collect::<String>()
    };
    remote.come_back(&value("redirect_uri"), &value("state"));
    screen.wait_for("Logged in to \"far\"");
    ask_until(&mut screen, &["/mcp tools far"], &["echo"]);
    screen.say("two");
    until("a second request", || screen.server.requests().len() == 2);
    let world = world_of(screen);
    assert_eq!(world.offered_mcp(0), ["mcp__sky_weather"]);
    assert!(world.offered_mcp(1).contains(&"mcp__far_echo".to_owned()), "{:?}", world.offered_mcp(1));
    assert_appended(&world, 0, 1);
}
