//! Where servers come from, which of them are used, and how their files change.

use omp_testkit::{mcp_server, run};
use serde_json::{Value, json};

use super::{McpHome, call, done, weather};
use crate::support::{LIMIT, omp, omp_run};

/// The servers as `omp mcp list --json` has them.
fn listed(world: &McpHome) -> Vec<Value> {
    let output = omp_run(&world.home, &["mcp", "list", "--json"]);
    output.assert_success();
    serde_json::from_str(&output.stdout).unwrap()
}

fn states(world: &McpHome) -> Vec<(String, String)> {
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    listed(world).iter().map(|row| (text(row, "name"), text(row, "state"))).collect()
}

fn mcp(world: &McpHome, arguments: &[&str]) -> omp_testkit::Output {
    omp_run(&world.home, &[&["mcp"], arguments].concat())
}

/// Every agent's file is read, with the name of the file that a server comes from; only ours are written.
// proves: EXT-080, HOK-047, HOK-048
#[test]
fn servers_of_every_agent() {
    let world = McpHome::new([]);
    let common = |name: &str| json!({"mcpServers": {name: {"command": "true"}}}).to_string();
    let work = world.home.work_dir();
    let claude = json!({
        "projects": {work.to_str().unwrap(): {"mcpServers": {"claude-local": {"command": "true"}}}},
        "mcpServers": {"claude-user": {"command": "true"}},
    });
    let files = [
        ("home/.omp/agent/mcp.json", common("own-user")),
        ("work/.omp/mcp.json", common("own-project")),
        ("home/.claude.json", claude.to_string()),
        ("home/.cursor/mcp.json", common("cursor")),
        ("work/.vscode/mcp.json", json!({"servers": {"vscode": {"command": "true"}}}).to_string()),
        ("home/.codex/config.toml", "[mcp_servers.codex]\ncommand = \"true\"\n".to_owned()),
        ("home/.codeium/windsurf/mcp_config.json", common("windsurf")),
        ("home/.gemini/settings.json", common("gemini")),
        (
            "home/.config/opencode/opencode.json",
            json!({"mcp": {"opencode": {"type": "local", "command": ["true", "x"]}}}).to_string(),
        ),
        ("work/.mcp.json", common("root")),
    ];
    for (path, text) in &files {
        world.home.write(path, text);
    }
    let rows = listed(&world);
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    for name in [
        "own-user",
        "own-project",
        "claude-local",
        "claude-user",
        "cursor",
        "vscode",
        "codex",
        "windsurf",
        "gemini",
        "opencode",
        "root",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let cursor = rows.iter().find(|row| row["name"] == "cursor").unwrap();
    assert!(cursor["file"].as_str().unwrap().ends_with(".cursor/mcp.json"), "{cursor}");

    mcp(&world, &["disable", "cursor"]).assert_success();
    assert_eq!(world.home.read("home/.cursor/mcp.json"), files[3].1, "left alone");
    let own: Value = serde_json::from_str(&world.home.read("home/.omp/agent/mcp.json")).unwrap();
    assert_eq!(own["disabledServers"], json!(["cursor"]));
    assert!(states(&world).contains(&("cursor".to_owned(), "disabled".to_owned())));
    let refused = mcp(&world, &["remove", "cursor"]);
    assert!(refused.stderr.contains("is not a file of omp"), "{}", refused.stderr);
    mcp(&world, &["enable", "cursor"]).assert_success();
    assert!(states(&world).contains(&("cursor".to_owned(), "disconnected".to_owned())));
}

/// One name in two files is one server, whole.
// proves: EXT-081, HOK-043
#[test]
fn the_nearest_definition_wins_and_only_the_users_file_disables() {
    let world = McpHome::new([done(), done()]).user([("s", json!({"tools": [{"name": "user"}]}))]);
    world.script("project", &json!({"tools": [{"name": "project"}]}));
    let entries = json!({"mcpServers": {"s": world.entry("project")}, "disabledServers": ["s"]});
    world.home.write("work/.omp/mcp.json", entries.to_string());
    mcp(&world, &["trust", "s"]).assert_success();
    world.connect("s");
    world.ask(&[]);
    assert_eq!(world.offered_mcp(0), ["mcp__s_project"]);
    let config = json!({"mcpServers": {}, "disabledServers": ["s"]});
    world.home.write("home/.omp/agent/mcp.json", config.to_string());
    world.ask(&[]);
    assert_eq!(world.offered_mcp(1), Vec::<String>::new());
    world.server.finish();
}

/// What is switched off is not started.
// proves: EXT-082, EXT-103, HOK-044
#[test]
fn servers_that_are_not_wanted_do_not_start() {
    let world = McpHome::new([done(), done()]).user([("off", weather())]);
    let mut off = world.entry("off");
    off["enabled"] = json!(false);
    world.write_user(&json!({"off": off}));
    world.script("project", &weather());
    let entries = json!({"mcpServers": {"project": world.entry("project")}});
    world.home.write("work/.omp/mcp.json", entries.to_string());
    mcp(&world, &["trust", "project"]).assert_success();
    world.connect("project");
    world.home.write("home/.omp/agent/config.yml", "mcp:\n  enableProjectConfig: false\n");
    world.ask(&[]);
    assert_eq!(world.offered_mcp(0), Vec::<String>::new());
    world.home.write("home/.omp/agent/config.yml", "");
    world.ask(&[]);
    assert_eq!(world.offered_mcp(1), ["mcp__project_weather"]);
    assert_eq!(world.starts("off"), 0);
    let tested = mcp(&world, &["test", "off"]);
    assert!(
        tested.stderr.contains("Server \"off\" is disabled. Run /mcp enable off first."),
        "{}",
        tested.stderr
    );
    world.server.finish();
}

/// Variables, values from commands, names of variables.
// proves: EXT-083, EXT-088, HOK-038, HOK-053, CLI-122
#[test]
fn variables_reach_the_server() {
    let world = McpHome::new([]);
    world.script("s", &weather());
    let entry = json!({
        "command": "${FIXTURE_PYTHON:-python3}",
        "args": [mcp_server(), "${FIXTURE_DIRECTORY}/s.json"],
        "env": {
            "FIXTURE_A": "!echo from a command",
            "FIXTURE_B": "FIXTURE_NAMED",
            "FIXTURE_C": "literal ${FIXTURE_MISSING}",
            "FIXTURE_D": "!exit 1",
            "FIXTURE_E": "!printf ' \\n'",
            "FIXTURE_F": "!echo asked >> ${FIXTURE_DIRECTORY}/asked; echo once",
            "FIXTURE_G": "!echo asked >> ${FIXTURE_DIRECTORY}/asked; echo once",
        },
    });
    world.write_user(&json!({"s": entry}));
    let mut command = omp(&world.home, &["mcp", "test", "s"]);
    command.env("FIXTURE_NAMED", "by name");
    world.home.write("home/.omp/agent/.env", format!("FIXTURE_DIRECTORY={}\n", world.home.root().display()));
    run(command, Some(b""), LIMIT).assert_success();
    let started = world.log("s").remove(0);
    let started: Value = serde_json::from_str(started.strip_prefix("started with ").unwrap()).unwrap();
    assert_eq!(started["FIXTURE_A"], "from a command");
    assert_eq!(started["FIXTURE_B"], "by name");
    assert_eq!(started["FIXTURE_C"], "literal ${FIXTURE_MISSING}");
    assert_eq!(started.get("FIXTURE_D"), None, "a command that fails leaves it out");
    assert_eq!(started.get("FIXTURE_E"), None, "so does one that prints nothing");
    assert_eq!((&started["FIXTURE_F"], &started["FIXTURE_G"]), (&json!("once"), &json!("once")));
    assert_eq!(world.home.read("asked"), "asked\n", "a command runs once");
    assert_eq!(started["FIXTURE_NAMED"], "by name", "inherited");
}

/// A mistake is one sentence with its file; the other servers work, and so does the session.
// proves: EXT-076, EXT-085, HOK-046, HOK-073, EXT-104
#[test]
fn mistakes_are_named_and_harm_nobody_else() {
    let world = McpHome::new([done()]).user([("good", weather())]);
    world.write_user(&json!({
        "good": world.entry("good"),
        "both": {"command": "x", "url": "http://localhost"},
        "none": {"type": "stdio"},
        "nowhere": {"type": "http", "headers": {"A": "b"}},
        "older": {"type": "sse"},
        "strange": {"type": "pigeon", "url": "http://localhost"},
        "missing": {"command": "/does/not/exist"},
    }));
    world.connect("good");
    world.home.write("home/.cursor/mcp.json", "{broken");
    let output = world.ask(&[]);
    for sentence in [
        "Invalid server config: Server \"both\": both \"command\" and \"url\" are set",
        "Invalid server config: Server \"none\": stdio server requires \"command\" field",
        "Invalid server config: Server \"nowhere\": http server requires \"url\" field",
        "Invalid server config: Server \"older\": sse server requires \"url\" field",
        "Invalid server config: Server \"strange\": unknown type \"pigeon\"",
        ".cursor/mcp.json",
        "MCP server missing: cannot start /does/not/exist",
    ] {
        assert!(output.stderr.contains(sentence), "{sentence}: {}", output.stderr);
    }
    assert_eq!(output.stdout.trim(), "done", "nothing but the answer");
    assert_eq!(world.offered_mcp(0), ["mcp__good_weather"]);
    let broken = mcp(&world, &["disable", "good"]);
    broken.assert_success();
    world.home.write("home/.omp/agent/mcp.json", "{broken");
    let refused = mcp(&world, &["add", "new", "--", "true"]);
    assert!(refused.stderr.contains("it is not plain JSON"), "{}", refused.stderr);
    assert_eq!(world.home.read("home/.omp/agent/mcp.json"), "{broken");
    world.server.finish();
}

/// The forms of `add`, and what is refused.
// proves: EXT-075, EXT-079, EXT-086, EXT-099, HOK-036
#[test]
fn servers_are_added_and_removed() {
    let world = McpHome::new([]);
    world.home.write("home/.omp/agent/mcp.json", "{\"mcpServers\": {}, \"other\": [1, 2]}");
    mcp(&world, &["add", "local", "--env", "A=b", "--", "python3", "x.py", "--flag"]).assert_success();
    mcp(&world, &["add", "remote", "--url", "https://example.com/mcp", "--token", "t"]).assert_success();
    mcp(&world, &["add", "old", "--url", "https://example.com/sse", "--type", "sse"]).assert_success();
    let file: Value = serde_json::from_str(&world.home.read("home/.omp/agent/mcp.json")).unwrap();
    assert_eq!(
        file,
        json!({
            "$schema": file["$schema"],
            "mcpServers": {
                "local": {
                    "type": "stdio",
                    "command": "python3",
                    "args": ["x.py", "--flag"],
                    "env": {"A": "b"},
                },
                "remote": {
                    "type": "http",
                    "url": "https://example.com/mcp",
                    "headers": {"Authorization": "Bearer t"},
                },
                "old": {"type": "sse", "url": "https://example.com/sse"},
            },
            "other": [1, 2],
        })
    );
    assert!(file["$schema"].as_str().is_some_and(|schema| schema.ends_with("/mcp-schema.json")), "{file}");
    world.home.write("work/.omp/mcp.json", "{\"$schema\": \"mine.json\", \"disabledServers\": [\"x\"]}");
    mcp(&world, &["add", "here", "--scope", "project", "--", "true"]).assert_success();
    let kept: Value = serde_json::from_str(&world.home.read("work/.omp/mcp.json")).unwrap();
    assert_eq!((&kept["$schema"], &kept["disabledServers"]), (&json!("mine.json"), &json!(["x"])));
    mcp(&world, &["remove", "here"]).assert_success();
    let refusals: [(&[&str], &str); 6] = [
        (&["add", "local", "--", "x"], "Server \"local\" already exists in "),
        (&["add", "x", "--url", "http://a", "--", "y"], "Use either --url or -- <command...>, not both."),
        (&["add", "x", "--token", "t", "--", "y"], "--token requires --url (HTTP/SSE transport)."),
        (&["add", "a b", "--", "x"], "server name \"a b\" is not allowed"),
        (&["add", &"x".repeat(101), "--", "x"], "server name is too long"),
        (&["remove", "nobody"], "no server named \"nobody\"; configured: local, remote, old"),
    ];
    for (arguments, sentence) in refusals {
        let output = mcp(&world, arguments);
        assert!(output.code != Some(0) && output.stderr.contains(sentence), "{sentence}: {}", output.stderr);
    }
    mcp(&world, &["remove", "remote"]).assert_success();
    assert!(!world.home.read("home/.omp/agent/mcp.json").contains("remote"));
}

/// A server of the project runs when the user has agreed to it, and only as long as nothing of it changes.
// proves: SEC-039
#[test]
fn servers_of_a_project_wait_for_the_user() {
    let world = McpHome::new([done(), done(), done(), done()]);
    world.script("s", &weather());
    let script = world.home.write("work/server.py", std::fs::read(mcp_server()).unwrap());
    let entry = json!({"command": "python3", "args": ["server.py", world.home.path("s.json")]});
    world.home.write("work/.mcp.json", json!({"mcpServers": {"s": entry}}).to_string());
    let output = world.ask(&[]);
    assert_eq!(world.starts("s"), 0);
    assert!(output.stderr.contains("not started until you trust"), "{}", output.stderr);
    mcp(&world, &["trust", "s"]).assert_success();
    world.connect("s");
    world.ask(&[]);
    assert_eq!(world.offered_mcp(1), ["mcp__s_weather"]);

    let code = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, format!("{code}\n# a byte\n")).unwrap();
    world.ask(&[]);
    assert_eq!(world.starts("s"), 1, "the code that it runs has changed");
    assert_eq!(world.offered_mcp(2), Vec::<String>::new());
    let tested = mcp(&world, &["test", "s"]);
    assert!(tested.stderr.contains("has changed since you trusted it"), "{}", tested.stderr);
    omp_run(&world.home, &["trust", "add"]).assert_success();
    world.connect("s");
    world.ask(&[]);
    assert_eq!(world.offered_mcp(3), ["mcp__s_weather"]);
    world.server.finish();
}

/// In our own files texts stand for flags and numbers; in a project's `.mcp.json` they are mistakes.
// proves: EXT-084
#[test]
fn texts_for_flags_and_numbers() {
    let world = McpHome::new([call("mcp__on_slow", json!({})), done()])
        .user([("on", json!({"tools": [{"name": "slow", "delay": 30}]})), ("off", weather())]);
    let (mut on, mut off) = (world.entry("on"), world.entry("off"));
    on["timeout"] = json!("5000");
    off["enabled"] = json!("false");
    world.write_user(&json!({"on": on, "off": off}));
    let mut strict = world.entry("off");
    strict["enabled"] = json!("false");
    world.home.write("work/.mcp.json", json!({"mcpServers": {"strict": strict}}).to_string());
    mcp(&world, &["trust", "strict"]).assert_success();
    ["on", "strict"].iter().for_each(|name| world.connect(name));
    let output = world.ask(&[]);
    assert_eq!(world.results()[0].0, "MCP error: request timed out after 5 s");
    assert_eq!(world.offered_mcp(0), ["mcp__on_slow", "mcp__strict_weather"]);
    assert!(output.stderr.contains("\"enabled\" is ignored: it must be true or false"), "{}", output.stderr);
    world.server.finish();
}
