use omp_config::discovery::{Listing, McpServer};
use serde_json::json;

use crate::world::{World, one_warning};

const SERVER: &str = r#"{"mcpServers": {"s": {"command": "x"}}}"#;

fn names(listing: &Listing<McpServer>) -> Vec<&str> {
    listing.active().map(|finding| finding.item.name.as_str()).collect()
}

// proves: EXT-081
#[test]
fn the_highest_priority_wins_whole() {
    let by_priority = [
        "repo/.omp/mcp.json",
        "repo/.omp/.mcp.json",
        "home/.omp/agent/mcp.json",
        "home/.omp/agent/.mcp.json",
        "home/.claude.json",
        "home/.claude/mcp.json",
        "repo/.claude/mcp.json",
        "home/.gemini/settings.json",
        "repo/.gemini/settings.json",
        "home/.cursor/mcp.json",
        "repo/.cursor/mcp.json",
        "repo/mcp.json",
        "repo/.mcp.json",
    ];
    let world = World::new(&[]);
    for path in by_priority {
        world.write(path, json!({"mcpServers": {"s": {"command": path, (path): true}}}).to_string());
    }
    for path in by_priority {
        let servers = world.at("repo").mcp_servers();
        assert_eq!(world.used(&servers), [path]);
        assert_eq!(
            json!(servers.all[0].item.config),
            json!({"command": path, (path): true}),
            "nothing is merged"
        );
        world.remove(path);
    }
}

#[test]
fn other_ways_to_write_servers_down() {
    let world = World::new(&[
        ("home/.codex/config.toml", "model = 'x'\n[mcp_servers.codex]\ncommand = 'c'\nargs = ['a']\n"),
        (
            "repo/opencode.json",
            r#"{"mcp": {"local": {"type": "local", "command": ["npx", "-y", "p"], "environment": {"A": "b"}},
                        "remote": {"type": "remote", "url": "https://x"}}} // with a comment"#,
        ),
        ("repo/.vscode/mcp.json", r#"{"servers": {"code": {"url": "https://y"}}}"#),
    ]);
    let servers = world.at("repo").mcp_servers();
    assert_eq!(names(&servers), ["codex", "local", "remote", "code"]);
    let config = |index: usize| json!(servers.all[index].item.config);
    assert_eq!(config(0), json!({"command": "c", "args": ["a"]}));
    assert_eq!(config(1), json!({"type": "stdio", "command": "npx", "args": ["-y", "p"], "env": {"A": "b"}}));
    assert_eq!(config(2), json!({"type": "http", "url": "https://x"}));
    assert!(servers.warnings.is_empty(), "{:?}", servers.warnings);
}

#[test]
fn one_broken_file_or_server_is_named() {
    for broken in ["{", "[]", r#"{"mcpServers": []}"#, r#"{"mcpServers": {"bad": "x"}}"#] {
        let world = World::new(&[("repo/.omp/mcp.json", broken), ("home/.claude.json", SERVER)]);
        let servers = world.at("repo").mcp_servers();
        assert_eq!(names(&servers), ["s"]);
        assert!(one_warning(&servers).contains("repo/.omp/mcp.json"), "{broken}");
    }
}

#[test]
fn servers_in_a_file_full_of_other_things() {
    let world = World::new(&[]);
    let history = "x".repeat(1024 * 1024);
    world.write(
        "home/.claude.json",
        json!({"history": history, "mcpServers": {"s": {"command": "x"}}}).to_string(),
    );
    let servers = world.at("repo").mcp_servers();
    assert_eq!(names(&servers), ["s"]);
    assert!(servers.warnings.is_empty(), "{:?}", servers.warnings);

    world.write(
        "home/.claude.json",
        json!({"history": history.repeat(17), "mcpServers": {"s": {}}}).to_string(),
    );
    let servers = world.at("repo").mcp_servers();
    assert!(servers.all.is_empty() && one_warning(&servers).contains("more than the limit of 16777216"));
}
