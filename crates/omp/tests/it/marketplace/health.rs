//! What of plugins works, and repairing what does not.

use serde_json::{Value, json};

use super::{USER, cached, catalogue, registry, run, said, with_review};

// proves: IOP-026, HOK-088, HOK-108
#[test]
fn every_declared_part_is_listed_with_its_state() {
    let home = with_review();
    let hook = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}});
    for (file, text) in [
        ("hooks/hooks.json", hook.to_string().as_str()),
        ("agents/helper.md", "---\nname: helper\ndescription: h\n---\nx"),
        ("output-styles/terse.md", "x"),
        ("rules/calm.md", "---\nalwaysApply: true\n---\nx"),
        (".mcp.json", r#"{"sky": {"command": "sky"}}"#),
        ("hooks/pre/bash.sh", "#!/bin/sh\n"),
        ("package.json", r#"{"omp": {"extensions": ["./mine.ts"]}}"#),
        (".claude-plugin/plugin.json", r#"{"name": "review", "commands": ["./more/x.md"]}"#),
    ] {
        home.write(format!("work/market/review/{file}"), text);
    }
    let servers = json!({"toy": {"command": "no-such-server", "extensionToLanguage": {".toy": "toy"}}});
    let entry = json!([{"name": "review", "source": "./review", "version": "1.0.0", "lspServers": servers}]);
    catalogue(&home, "market", &entry);
    said(&home, &["install", "review@team"]);
    let output = run(&home, &["doctor"]);
    for row in [
        "review@team 1.0.0 (user)",
        "active  skills  skills/careful/SKILL.md",
        "active  commands  commands/go.md",
        "active  rules  rules/calm.md",
        "active  hooks  hooks/hooks.json (Stop)",
        "active  MCP servers  sky",
        "off     agents  agents/helper.md: not available yet",
        "off     output styles  output-styles/terse.md: not available yet",
        "off     extensions  ./mine.ts: extension modules of marketplace plugins are not loaded",
        "broken  hooks  hooks/pre/bash.sh: it is not executable",
        "broken  language servers  toy: the program \"no-such-server\" is not installed",
        "broken  commands  ./more/x.md does not exist",
    ] {
        assert!(output.stdout.contains(row), "{row}\n{}", output.stdout);
    }
    assert_eq!(output.code, Some(1), "{output:?}");
    said(&home, &["disable", "review@team"]);
    let off = run(&home, &["doctor", "--json"]);
    let health: Value = serde_json::from_str(&off.stdout).unwrap();
    let parts = health["plugins"][0]["parts"].as_array().unwrap();
    assert!(parts.iter().all(|part| part["state"] == "off"), "{parts:#?}");
    assert_eq!(off.code, Some(0), "{off:?}");
}

// proves: HOK-108
#[test]
fn doctor_repairs_what_it_can() {
    let home = with_review();
    said(&home, &["install", "review@team"]);
    assert!(said(&home, &["doctor"]).contains("0 problems"));
    home.write("home/.omp/plugins/cache/plugins/team___old___1.0.0/x", "");
    home.write("home/.omp/plugins/cache/marketplaces/gone/x", "");
    home.write("home/.omp/plugins/cache/plugins/mine/x", "not ours");
    let directory = home.path("home/.omp/plugins/cache/plugins/team___review___1.0.0");
    std::fs::rename(&directory, home.path("work/kept")).unwrap();
    let broken = run(&home, &["doctor"]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    for problem in [
        "team___old___1.0.0 belongs to no plugin",
        "gone belongs to no marketplace",
        "does not exist",
        "3 problems",
    ] {
        assert!(broken.stdout.contains(problem), "{problem}: {}", broken.stdout);
    }
    let fixed = run(&home, &["doctor", "--fix"]);
    assert_eq!(fixed.code, Some(0), "{fixed:?}");
    assert!(fixed.stdout.contains("removed review@team from the registry"), "{fixed:?}");
    assert_eq!(cached(&home), ["mine"]);
    assert_eq!(registry(&home, USER)["plugins"], json!({}));
    std::fs::rename(home.path("work/market"), home.path("work/moved")).unwrap();
    let lost = run(&home, &["doctor"]);
    assert!(lost.code == Some(1) && lost.stdout.contains("marketplace team: "), "{lost:?}");
}
