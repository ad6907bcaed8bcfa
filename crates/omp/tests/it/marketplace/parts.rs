//! What an installed plugin brings to a session.

use omp_testkit::{ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use super::{catalogue, plugin, said, with_review};
use crate::support::{last_user, omp_run};

const TOOL: &str = "export default (pi) => ({ name: 'measure', label: 'measure', description: 'Measures', \
    parameters: pi.zod.object({}), async execute() { return { content: [{ type: 'text', text: 'long' }] }; } });";

// proves: HOK-087, HOK-088, HOK-089
#[test]
fn every_part_works_until_the_plugin_is_removed() {
    let home = with_review();
    let hooks = json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch hook-ran.txt"}]}]}});
    home.write("work/market/review/hooks/hooks.json", hooks.to_string());
    home.write(
        "work/market/review/rules/calm.md",
        "---\ndescription: calm\nalwaysApply: true\n---\nKeep calm always",
    );
    home.write("work/market/review/tools/measure.ts", TOOL);
    home.write("work/market/review/agents/helper.md", "---\nname: helper\ndescription: Helps\n---\nHelp");
    home.write("work/market/review/.mcp.json", r#"{"sky": {"command": "${CLAUDE_PLUGIN_ROOT}/sky.sh"}}"#);
    home.write(
        "work/market/review/package.json",
        r#"{"name": "review", "omp": {"extensions": ["./mine.ts"]}}"#,
    );
    home.write("work/market/review/mine.ts", "import { writeFileSync } from 'node:fs';\nexport default () => writeFileSync('extension-ran.txt', '');");
    let servers = json!({"toy": {"command": "toy-ls", "extensionToLanguage": {".toy": "toy"}}});
    let entry = json!([{"name": "review", "source": "./review", "version": "1.0.0", "lspServers": servers}]);
    catalogue(&home, "market", &entry);
    let server = Server::start(vec![Reply::new().text("done"); 2]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());

    said(&home, &["install", "review@team"]);
    let listed = omp_run(&home, &["mcp", "list", "--json"]);
    let path = home.path("home/.omp/plugins/cache/plugins/team___review___1.0.0");
    assert!(listed.stdout.contains(&path.join("sky.sh").display().to_string()), "{listed:?}");
    let lsp: Value = serde_json::from_slice(&std::fs::read(path.join(".lsp.json")).unwrap()).unwrap();
    assert_eq!(lsp["toy"]["fileTypes"], json!([".toy"]));
    let sources = omp_run(&home, &["config", "sources"]).stdout;
    assert!(sources.contains("helper"), "{sources}");
    std::fs::remove_file(path.join(".mcp.json")).unwrap();

    let output = omp_run(&home, &["-p", "/review:go the tests", "--yolo"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let body = server.requests()[0].body.clone();
    let (prompt, tools) = (body["messages"][0].to_string(), body["tools"].to_string());
    assert!(prompt.contains("Knows careful") && prompt.contains("Keep calm always"), "{prompt}");
    assert!(last_user(&body).to_string().contains("Go and review the tests"), "{body}");
    assert!(tools.contains("measure"), "{tools}");
    assert!(home.exists("work/hook-ran.txt") && !home.exists("work/extension-ran.txt"));

    std::fs::remove_file(home.path("work/hook-ran.txt")).unwrap();
    said(&home, &["uninstall", "review@team"]);
    let output = omp_run(&home, &["-p", "/review:go the tests", "--yolo"]);
    assert!(!home.exists("work/hook-ran.txt"), "{output:?}");
    let body = server.requests()[1].body.to_string();
    for gone in ["Knows careful", "Keep calm always", "Go and review", "Measures"] {
        assert!(!body.contains(gone), "{gone}");
    }
    server.finish();
}

/// What a catalogue lists is what the plugin has, whatever else is in its directory.
#[test]
fn a_catalogue_may_list_parts() {
    let home = with_review();
    for skill in ["one", "two"] {
        plugin(&home, "market", skill);
    }
    let entry = |name: &str, skill: &str| json!({"name": name, "source": "./", "strict": false, "skills": [format!("./skills/{skill}")]});
    catalogue(&home, "market", &json!([entry("first", "one"), entry("second", "two")]));
    said(&home, &["install", "first@team"]);
    let sources = omp_run(&home, &["config", "sources"]).stdout;
    assert!(sources.contains("one") && !sources.contains("skills/two"), "{sources}");
}

/// Plugins of Claude Code are used as its own registry has them, which is never written.
// proves: HOK-095
#[test]
fn claude_codes_registry_is_only_read() {
    let home = with_review();
    let file = "home/.claude/plugins/installed_plugins.json";
    for name in ["on", "off", "turned"] {
        let text = format!("---\nname: {name}\ndescription: x\n---\nx");
        home.write(format!("home/.claude/plugins/cache/{name}/skills/s-{name}/SKILL.md"), text);
    }
    let entry = |name: &str, enabled: bool| json!([{"installPath": home.path(format!("home/.claude/plugins/cache/{name}")), "enabled": enabled, "version": "1"}]);
    let all = json!({"plugins": {"on@m": entry("on", true), "off@m": entry("off", false), "turned@m": entry("turned", true)}});
    home.write(file, all.to_string());
    home.write("home/.claude/settings.json", r#"{"enabledPlugins": {"turned@m": false}}"#);
    let listed = said(&home, &["list"]);
    for line in
        ["on@m 1 (Claude Code)", "off@m 1 (Claude Code, disabled)", "turned@m 1 (Claude Code, disabled)"]
    {
        assert!(listed.contains(line), "{line}: {listed}");
    }
    let sources = omp_run(&home, &["config", "sources"]).stdout;
    assert!(
        sources.contains("s-on") && !sources.contains("s-off") && !sources.contains("s-turned"),
        "{sources}"
    );
    said(&home, &["install", "review@team"]);
    let refused = super::refused(&home, &["uninstall", "on@m"]);
    assert!(refused.contains("is not installed"), "{refused}");
    assert_eq!(home.read(file), all.to_string());
}
