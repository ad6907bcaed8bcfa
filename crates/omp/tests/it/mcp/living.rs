//! Servers while a session runs: late, changing, dying, and gone with it.

use omp_testkit::Reply;
use serde_json::{Value, json};

use super::{McpHome, call, done, until, weather};
use crate::support::omp_run;
use crate::tui::Screen;

fn screen(world: McpHome, arguments: &[&str]) -> Screen {
    let McpHome { home, server } = world;
    Screen::in_home(home, server, arguments, 40, 110)
}

fn world(screen: Screen) -> McpHome {
    let (_, server, home) = screen.leave();
    McpHome { home, server }
}

/// The editor is there before any server; tools that arrive are behind the others, which stay as they were.
// proves: HOK-062, HOK-066
#[test]
fn tools_arrive_late_and_change() {
    let world_ = McpHome::new([done(), done(), done()]).user([("sky", weather())]);
    let poke = world_.home.path("sky.json.poke");
    let spec = world_.home.path("sky.json");
    world_.script("never", &json!({"never": true}));
    world_.write_user(&json!({"sky": world_.entry("sky"), "never": world_.entry("never")}));
    let mut screen = screen(world_, &[]);
    screen.say("/mcp list").wait_for("never").wait_for("connecting, stdio");
    screen.say("/mcp test sky").wait_for("Connected to \"sky\"");
    screen.say("one").wait_for("done");
    let mut more = weather();
    more["tools"].as_array_mut().unwrap().insert(0, json!({"name": "tides", "description": "High and low"}));
    std::fs::write(spec, more.to_string()).unwrap();
    std::fs::write(poke, "1").unwrap();
    screen.send("\x0c");
    let tides = |screen: &mut Screen| {
        screen.say("/mcp list");
        screen.terminal.screen().contains("2 tools")
    };
    until("listed again", || tides(&mut screen));
    screen.say("two").wait_for("done");
    until("a second request", || screen.server.requests().len() == 2);
    let world = McpHome { home: screen.home, server: screen.server };
    assert_eq!(world.offered_mcp(0), ["mcp__sky_weather"]);
    assert_eq!(world.offered_mcp(1), ["mcp__sky_weather", "mcp__sky_tides"], "appended");
    let tools = |request: usize| world.server.requests()[request].body["tools"].as_array().unwrap().clone();
    assert_eq!(tools(0)[..], tools(1)[..tools(0).len()], "the earlier part is as it was");
}

/// A server is added, switched off and on, and removed without leaving the session.
// proves: EXT-100, EXT-105, HOK-068, HOK-074, CLI-204
#[test]
fn servers_come_and_go_in_a_session() {
    let world_ = McpHome::new([done(), done(), done()]);
    world_.script("sky", &weather());
    let line = format!(
        "/mcp add sky -- python3 {} {}",
        omp_testkit::mcp_server().display(),
        world_.home.path("sky.json").display()
    );
    let marker = world_.home.path("sky.json").display().to_string();
    let mut screen = screen(world_, &[]);
    screen.say("/mcp list").wait_for("No MCP servers.");
    screen.say(&line).wait_for("Server \"sky\" added to");
    screen.say("/mcp test sky").wait_for("Connected to \"sky\" (stdio, protocol 2025-11-25, fixture 1.0)");
    screen.say("/mcp tools sky").wait_for("city (string)");
    screen.say("/mcp call sky weather {\"city\": \"Oslo\"}").wait_for("{\"city\": \"Oslo\"}");
    screen.say("one").wait_for("done");
    assert_eq!(process_with(&marker), 1);
    screen.say("/mcp disable sky").wait_for("Server \"sky\" disabled in");
    until("gone when disabled", || process_with(&marker) == 0);
    screen.say("/mcp test sky").wait_for("is disabled. Run /mcp enable sky first.");
    screen.say("two");
    until("a second request", || screen.server.requests().len() == 2);
    screen.say("/mcp enable sky").wait_for("Server \"sky\" enabled in");
    screen.say("/mcp reconnect sky");
    screen.say("/mcp reload").wait_for("Reloaded: 1 server");
    screen.say("/mcp test sky").wait_for("Connected to \"sky\"");
    until("those before the reload are gone", || process_with(&marker) == 1);
    screen.say("/mcp logs sky").wait_for("logged nothing");
    screen.say("three");
    until("a third request", || screen.server.requests().len() == 3);
    screen.say("/mcp remove sky").wait_for("Server \"sky\" removed from");
    until("gone when removed", || process_with(&marker) == 0);
    screen.say("/mcp bogus").wait_for("unknown action \"bogus\"");
    let world = McpHome { home: screen.home, server: screen.server };
    assert_eq!(world.offered_mcp(0), ["mcp__sky_weather"]);
    assert_eq!(world.offered_mcp(1), Vec::<String>::new());
    assert_eq!(world.offered_mcp(2), ["mcp__sky_weather"]);
    world.server.finish();
}

/// A file that changes on disk is noticed with the next prompt.
#[test]
fn a_definition_that_changes_is_noticed() {
    let world_ = McpHome::new([done(), done()]).known([("sky", weather())]);
    let file = world_.home.path("home/.omp/agent/mcp.json");
    let mut screen = screen(world_, &[]);
    screen.say("one").wait_for("done");
    std::fs::write(file, json!({"mcpServers": {}}).to_string()).unwrap();
    screen.say("two").wait_for("MCP configuration changed: 0 servers are in use");
    until("a second request", || screen.server.requests().len() == 2);
    let world = world(screen);
    assert_eq!(world.offered_mcp(0), ["mcp__sky_weather"]);
    assert_eq!(world.offered_mcp(1), Vec::<String>::new());
}

/// A server that keeps dying is given up visibly and comes back when asked for; what it writes to its standard error is kept
/// off the screen.
// proves: HOK-067, HOK-051, EXT-105
#[test]
fn a_server_that_keeps_dying_is_given_up() {
    let spec = json!({"tools": [{"name": "boom", "die": "always"}], "stderr": "NOISE-ON-STDERR\n"});
    let world_ = McpHome::new([call("mcp__s_boom", json!({})), done()]).known([("s", spec)]);
    let pids = |home: &omp_testkit::Home| home.path("s.json");
    let marker = pids(&world_.home).display().to_string();
    let mut screen = screen(world_, &["--approval-mode", "yolo"]);
    screen.say("/mcp test s").wait_for("Connected to \"s\"");
    screen.say("/mcp logs s").wait_for("NOISE-ON-STDERR");
    screen.send("\x0c");
    screen.say("go").wait_for("MCP error:").wait_for("done");
    assert!(process_with(&marker) <= 1, "one at a time");
    let world = world(screen);
    until("nothing is left", || process_with(&marker) == 0);
    assert!(world.results()[0].0.starts_with("MCP error: "), "{}", world.results()[0].0);
}

/// Processes with this in their command line.
fn process_with(text: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok());
    let command = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
    let is_it = |line: &Vec<u8>| {
        let line = String::from_utf8_lossy(line);
        line.contains(text) && line.contains("mcp.py")
    };
    all.map(command).filter(is_it).count()
}

/// Nothing is left when omp ends, also when it is killed.
// proves: HOK-074
#[test]
fn servers_end_with_omp() {
    let world_ = McpHome::new([]).known([("sky", weather())]);
    let marker = world_.home.path("sky.json").display().to_string();
    let mut one = screen(world_, &[]);
    one.say("/mcp test sky").wait_for("Connected to \"sky\"");
    assert_eq!(process_with(&marker), 1);
    let mut world_ = world(one);
    until("gone after leaving", || process_with(&marker) == 0);
    world_.server = omp_testkit::Server::start(Vec::<Reply>::new());
    let mut two = screen(world_, &[]);
    two.say("/mcp test sky").wait_for("Connected to \"sky\"");
    assert_eq!(process_with(&marker), 1);
    let pid = nix::unistd::Pid::from_raw(two.terminal.pid().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    until("gone after a kill", || process_with(&marker) == 0);
}

/// More tools than a model can choose from are searched for; the request stays small.
// proves: TSN-089, TSN-091
#[test]
fn many_tools_are_found_by_searching() {
    let tools: Vec<Value> = (0..60u8)
        .map(|number| {
            let letter = |value: u8| char::from(b'a' + value % 26);
            let name = format!("tool_{}{}", letter(number / 26), letter(number));
            json!({"name": name, "description": format!("Handles the {name} of things")})
        })
        .chain([json!({"name": "sundial", "description": "Tells the time by the sun"})])
        .collect();
    let world = McpHome::new([
        call("search_tool_bm25", json!({"query": "time by the sun", "limit": 1})),
        call("mcp__many_sundial", json!({"a": 1})),
        done(),
        done(),
    ])
    .known([("many", json!({"tools": tools}))]);
    world.ask(&[]);
    assert_eq!(world.offered_mcp(0), Vec::<String>::new());
    assert!(world.offered(0).contains(&"search_tool_bm25".to_owned()));
    assert_eq!(world.offered_mcp(1), ["mcp__many_sundial"]);
    assert_eq!(world.results()[1].0, r#"{"a": 1}"#);
    let body = world.server.requests()[0].body["tools"].to_string();
    assert!(!body.contains("Handles the tool"), "{body}");
    omp_run(&world.home, &["-c", "-p", "again"]).assert_success();
    assert_eq!(world.offered_mcp(3), ["mcp__many_sundial"], "remembered by the session");
    world.server.finish();
}

/// `--tools` chooses among tools of servers, too.
#[test]
fn chosen_tools() {
    let world = McpHome::new([done(), done(), done()]).known([("sky", weather()), ("sea", weather())]);
    world.ask(&["--tools", "read,mcp__sky__weather"]);
    assert_eq!(world.offered(0), ["read", "mcp__sky_weather"]);
    world.ask(&["--tools", "mcp__sea__*"]);
    assert_eq!(world.offered(1), ["mcp__sea_weather"]);
    let output = world.ask(&["--no-tools"]);
    assert_eq!(world.offered(2), Vec::<String>::new());
    assert!(!output.stderr.contains("unknown tool"), "{}", output.stderr);
    world.server.finish();
}
