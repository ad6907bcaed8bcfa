//! Calls at their edges: cut off by the user, without a limit of their own, with pictures in their results; and what is known
//! of a server for too long.

use std::time::Duration;

use omp_testkit::run;
use serde_json::json;

use super::{McpHome, call, done, until, weather};
use crate::support::{omp, omp_run};
use crate::tui::Screen;

/// A PNG of one pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// What the server calls an error, what happened on the way to it, and what the user has stopped are told apart.
// proves: EXT-093
#[test]
fn failures_and_an_abort() {
    let tools = json!({"tools": [
        {"name": "bad", "isError": true, "answer": [{"type": "text", "text": "no such city"}]},
        {"name": "dies", "die": "always"},
        {"name": "slow", "delay": 600},
    ]});
    let world = McpHome::new([
        call("mcp__s_bad", json!({})),
        call("mcp__s_dies", json!({})),
        call("mcp__s_slow", json!({})),
        done(),
    ])
    .known([("s", tools)]);
    let log = world.home.path("s.json.log");
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &["--approval-mode", "yolo"], 40, 100);
    screen.say("go");
    let asked = || {
        std::fs::read_to_string(&log)
            .unwrap()
            .lines()
            .any(|line| line.contains("\"slow\"") && line.contains("tools/call"))
    };
    until("the call", asked);
    screen.send("\x1b").terminal.wait_without("Working");
    let (_, server, home) = screen.leave();
    let world = McpHome { home, server };
    let results = world.results();
    assert_eq!((results[0].0.as_str(), results[0].1), ("Error: no such city", true));
    assert!(results[1].0.starts_with("MCP error: ") && results[1].1, "{}", results[1].0);
    let stopped = &results[2].0;
    assert!(stopped.contains("abort"), "{stopped}");
    assert!(!stopped.starts_with("Error: ") && !stopped.starts_with("MCP error: "), "{stopped}");
}

/// Who sets no limit gets one of 30 seconds; zero is none.
// proves: EXT-097
#[test]
fn the_limit_of_who_sets_none() {
    let world = McpHome::new([]);
    world.script("never", &json!({"never": true}));
    world.script("slow", &json!({"startDelay": 31}));
    world.write_user(&json!({"never": world.entry("never"), "slow": world.entry("slow")}));
    let test = |name: &'static str, limit: Option<&'static str>| {
        let mut command = omp(&world.home, &["mcp", "test", name]);
        if let Some(limit) = limit {
            command.env("OMP_MCP_TIMEOUT_MS", limit);
        }
        std::thread::spawn(move || run(command, Some(b""), Duration::from_secs(100)))
    };
    let (limited, endless) = (test("never", None), test("slow", Some("0")));
    let limited = limited.join().unwrap();
    let expected = "Failed to connect to \"never\": no answer within 30 s";
    assert!(limited.code == Some(1) && limited.stderr.contains(expected), "{limited:?}");
    let endless = endless.join().unwrap();
    assert!(endless.code == Some(0) && endless.stdout.contains("Connected to \"slow\""), "{endless:?}");
}

/// Pictures reach a model that can see them; texts of resources have their address, long ones are kept elsewhere.
// proves: HOK-075
#[test]
fn results_that_are_no_text() {
    let long = "line of text\n".repeat(10_000);
    let picture = json!({"type": "image", "mimeType": "image/png", "data": PIXEL});
    let world = McpHome::new([call("mcp__s_mixed", json!({})), call("mcp__s_long", json!({})), done()])
        .known([(
            "s",
            json!({"tools": [
                {"name": "mixed", "answer": [
                    {"type": "text", "text": "a chart"},
                    picture,
                    {"type": "resource", "resource": {"uri": "note://a", "text": "from a resource"}},
                ]},
                {"name": "long", "answer": [{"type": "text", "text": long}]},
            ]}),
        )]);
    world.ask(&[]);
    let results = world.results();
    assert_eq!(results[0].0, "a chart\n[resource: note://a]\nfrom a resource");
    let seen = world.server.requests()[1].body["messages"].to_string();
    assert!(seen.contains(&format!("data:image/png;base64,{PIXEL}")), "{seen}");
    assert!(results[1].0.len() < 52 * 1024 && results[1].0.contains("full output: artifact://"), "long");
    world.server.finish();
}

/// What a server offered is kept in the database for thirty days, for that definition of it.
// proves: HOK-064
#[test]
fn what_is_known_of_a_server_grows_old() {
    let world = McpHome::new([done(), done(), done()]).known([("sky", weather())]);
    // From now on it says nothing, so that only what is kept can be offered.
    world.script("sky", &json!({"never": true, "tools": []}));
    let days = |days: i64| {
        let path = world.home.path("home/.omp/agent/agent.db");
        let database = rusqlite::Connection::open(path).unwrap();
        let kept =
            database.execute("UPDATE omp_mcp_offers SET updated_at = updated_at - ?1", [days * 86_400_000]);
        assert_eq!(kept.unwrap(), 1, "one server is known");
    };
    days(29);
    world.ask(&[]);
    assert_eq!(world.offered_mcp(0), ["mcp__sky_weather"]);
    days(2);
    world.ask(&[]);
    assert_eq!(world.offered_mcp(1), Vec::<String>::new(), "too old");
    // Another definition is another server, however new.
    world.script("sky", &weather());
    world.connect("sky");
    let mut entry = world.entry("sky");
    entry["env"] = json!({"FIXTURE_OTHER": "1"});
    world.script("sky", &json!({"never": true, "tools": []}));
    world.write_user(&json!({"sky": entry}));
    omp_run(&world.home, &["-p", "go"]).assert_success();
    assert_eq!(world.offered_mcp(2), Vec::<String>::new(), "nothing is known of it");
    world.server.finish();
}
