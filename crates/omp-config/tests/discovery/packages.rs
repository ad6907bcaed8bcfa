use omp_config::discovery::{Discovery, Level, ModuleForm};
use serde_json::json;

use crate::world::World;

fn modules(world: &World) -> Vec<(String, String)> {
    let listing = world.at("repo").extension_modules();
    listing.active().map(|found| (found.item.name.clone(), world.short(&found.item.path))).collect()
}

fn short(all: &[(String, String)], folder: &str) -> Vec<String> {
    all.iter().map(|(name, path)| format!("{name} {}", path.trim_start_matches(folder))).collect()
}

// proves: EXT-029
#[test]
fn a_package_brings_everything_beside_its_manifest() {
    let world = World::new(&[]);
    let folder = world.package("@s/pkg", &json!({}));
    for (path, text) in [
        ("skills/s/SKILL.md", "---\ndescription: d\n---\nx"),
        ("hooks/pre/bash.ts", ""),
        ("hooks/post/edit.sh", ""),
        ("tools/count.ts", ""),
        ("commands/go.md", "go"),
        ("rules/r.md", "r"),
        ("prompts/p.md", "p"),
        ("agents/a.md", "---\nname: a\ndescription: d\n---\nx"),
        (
            ".mcp.json",
            r#"{"mcpServers": {"m": {"command": "./run", "args": ["${CLAUDE_PLUGIN_ROOT}/x"], "cwd": "."}}}"#,
        ),
    ] {
        world.write(&format!("{folder}/{path}"), text);
    }
    let discovery = world.at("repo");
    let rows = discovery.sources().rows;
    let rows: Vec<String> = rows
        .iter()
        .filter(|row| row.provider == "omp-plugins")
        .map(|row| format!("{} {}", row.kind, row.name))
        .collect();
    assert_eq!(
        rows,
        [
            "skill s",
            "rule r",
            "command go",
            "prompt template p",
            "hook pre:bash:bash.ts",
            "hook post:edit:edit.sh",
            "tool count",
            "MCP server m",
            "agent a",
        ]
    );
    let servers = discovery.mcp_servers();
    let config = &servers.all[0].item.config;
    let root = world.path(&folder).display().to_string();
    assert_eq!(config["command"], format!("{root}/run"));
    assert_eq!(config["args"], json!([format!("{root}/x")]));
    assert_eq!(servers.all[0].origin.level, Level::User);
}

// proves: EXT-004
#[test]
fn skills_of_packages_say_what_they_are_for() {
    let world = World::new(&[]);
    let folder = world.package("pkg", &json!({"skills": ["./own"]}));
    for path in ["skills/a/SKILL.md", "own/SKILL.md"] {
        world.write(&format!("{folder}/{path}"), "no description");
    }
    world.write("repo/.omp/skills/n/SKILL.md", "none");
    world.write("repo/.github/skills/g/SKILL.md", "none");
    for other in ["home/.claude", "home/.codex", "home/.agents", "home/.config/opencode"] {
        let name = other.rsplit('/').next().unwrap().trim_start_matches('.');
        world.write(&format!("{other}/skills/{name}/SKILL.md"), "none");
    }
    let skills = world.at("repo").skills();
    let names: Vec<&str> = skills.active().map(|found| found.item.name.as_str()).collect();
    assert_eq!(names, ["claude", "agents", "codex", "opencode"]);
    let skipped = skills.warnings.iter().filter(|warning| warning.contains("add a `description`")).count();
    assert_eq!(skipped, 4, "{:?}", skills.warnings);
    assert_eq!(
        world
            .at("repo")
            .scan_skills(
                &world.path(&format!("{folder}/skills")),
                omp_config::discovery::Description::Required
            )
            .all,
        []
    );
}

// proves: HOK-104, HOK-105
#[test]
fn a_manifest_and_its_features_say_which_modules_there_are() {
    let world = World::new(&[]);
    let manifest = json!({
        "extensions": ["./a.ts", "dir", "many/*.ts", "!many/not.ts", "missing.ts", "../../out.ts", "/etc/passwd"],
        "hooks": "hook/index.js",
        "tools": "tool",
        "features": {
            "on": {"default": true, "extensions": ["on.ts"]},
            "off": {"extensions": ["off.ts"], "tools": ["more.ts"]},
        },
    });
    let folder = world.package("pkg", &manifest);
    for path in [
        "a.ts",
        "dir/index.js",
        "many/b.ts",
        "many/not.ts",
        "hook/index.js",
        "tool/index.ts",
        "on.ts",
        "off.ts",
        "more.ts",
    ] {
        world.write(&format!("{folder}/{path}"), "");
    }
    world.write("home/.omp/plugins/node_modules/out.ts", "");
    let found = short(&modules(&world), &folder);
    assert_eq!(
        found,
        ["pkg/a /a.ts", "pkg/dir /dir/index.js", "pkg/b /many/b.ts", "pkg/on /on.ts", "pkg /hook/index.js"]
    );
    let discovery = world.at("repo");
    let hooks = discovery.extension_modules();
    assert_eq!(hooks.active().filter(|found| found.item.form == ModuleForm::Hook).count(), 1);
    assert_eq!(world.used(&discovery.tools()), [format!("{folder}/tool/index.ts")]);
    assert_eq!(discovery.package_of(&world.path(&format!("{folder}/on.ts"))), Some("pkg"));

    let records = |features: serde_json::Value| {
        let records = json!({"plugins": {"pkg": {"enabledFeatures": features}}});
        world.write("home/.omp/plugins/omp-plugins.lock.json", records.to_string());
        short(&modules(&world), &folder)
            .into_iter()
            .filter(|name| name.starts_with("pkg/o"))
            .collect::<Vec<_>>()
    };
    assert_eq!(records(json!(["off"])), ["pkg/off /off.ts"]);
    assert_eq!(world.at("repo").tools().active().count(), 2);
    assert_eq!(records(json!([])), Vec::<String>::new());

    // The older name of the field counts where the newer one is missing; without both a package brings nothing.
    world.write(&format!("{folder}/package.json"), r#"{"name": "pkg", "pi": {"extensions": ["a.ts"]}}"#);
    assert_eq!(short(&modules(&world), &folder), ["pkg /a.ts"]);
    world.write(
        &format!("{folder}/package.json"),
        r#"{"name": "pkg", "pi": {"extensions": ["a.ts"]}, "omp": {}}"#,
    );
    assert_eq!(modules(&world), []);
    world.write(&format!("{folder}/package.json"), r#"{"name": "pkg"}"#);
    world.write(&format!("{folder}/commands/x.md"), "x");
    let rows = world.at("repo").sources().rows;
    assert!(rows.iter().all(|row| row.provider != "omp-plugins"), "{rows:?}");
}

// proves: EXT-027
#[test]
fn a_directory_of_extensions_is_searched_one_level_deep() {
    let world = World::new(&[]);
    let folder = world.package("pkg", &json!({"extensions": ["./extensions"]}));
    let add = |path: &str, text: &str| world.write(&format!("{folder}/extensions/{path}"), text);
    for path in ["one.ts", "one.js", "types.d.ts", "two/index.js", "two/other.ts", "none/x.ts", ".hidden.ts"]
    {
        add(path, "");
    }
    add("said/package.json", r#"{"omp": {"extensions": ["start.ts", "gone.ts"]}}"#);
    add("said/start.ts", "");
    add("said/index.ts", "");
    let found = short(&modules(&world), &folder);
    assert_eq!(
        found,
        [
            "pkg/one /extensions/one.ts",
            "pkg/start /extensions/said/start.ts",
            "pkg/two /extensions/two/index.js"
        ]
    );
    add("index.js", "");
    assert_eq!(short(&modules(&world), &folder), ["pkg /extensions/index.js"]);
    add("index.ts", "");
    assert_eq!(short(&modules(&world), &folder), ["pkg /extensions/index.ts"]);
    let native = World::new(&[
        ("repo/.omp/extensions/a.ts", ""),
        ("repo/.omp/extensions/b/index.js", ""),
        ("repo/.omp/extensions/b/index.ts", ""),
        ("repo/.omp/extensions/c/package.json", r#"{"pi": {"extensions": ["main.ts"]}}"#),
        ("repo/.omp/extensions/c/main.ts", ""),
        ("repo/.omp/extensions/d/deep/index.ts", ""),
        // Of directories above only the working directory's own counts.
        ("repo/sub/x", ""),
    ]);
    let listing = native.at("repo").extension_modules();
    assert_eq!(
        native.used(&listing),
        ["repo/.omp/extensions/a.ts", "repo/.omp/extensions/b/index.ts", "repo/.omp/extensions/c/main.ts"]
    );
    assert_eq!(native.at("repo/sub").extension_modules().all, []);
}

// proves: HOK-103
#[test]
fn a_project_overrides_and_is_not_written() {
    let world = World::new(&[]);
    let manifest = json!({"extensions": ["a.ts"], "features": {"f": {"extensions": ["f.ts"]}}});
    let folder = world.package("pkg", &manifest);
    world.write(&format!("{folder}/a.ts"), "");
    world.write(&format!("{folder}/f.ts"), "");
    let count = || modules(&world).len();
    assert_eq!(count(), 1);
    world.write("repo/.omp/plugin-overrides.json", r#"{"features": {"pkg": ["f"]}}"#);
    assert_eq!(count(), 2);
    world.write("repo/.omp/plugin-overrides.json", r#"{"disabled": ["pkg"]}"#);
    let listing = world.at("repo").extension_modules();
    assert_eq!(listing.all, []);
    assert!(listing.warnings[0].contains("switches the plugin pkg off"), "{:?}", listing.warnings);
    for broken in ["{", "[]", r#"{"disabled": 7, "features": {"pkg": "f"}}"#] {
        world.write("repo/.omp/plugin-overrides.json", broken);
        assert_eq!(count(), 1, "{broken}");
        assert_eq!(std::fs::read_to_string(world.path("repo/.omp/plugin-overrides.json")).unwrap(), broken);
    }
}

// proves: HOK-102
#[test]
fn broken_records_are_none() {
    let world = World::new(&[]);
    let folder = world.package("pkg", &json!({"extensions": ["a.ts"]}));
    world.write(&format!("{folder}/a.ts"), "");
    assert_eq!(modules(&world).len(), 1);
    let records = "home/.omp/plugins/omp-plugins.lock.json";
    for broken in ["", "{", "[]", "7"] {
        world.write(records, broken);
        let listing = world.at("repo").extension_modules();
        assert_eq!(listing.all, []);
        assert!(listing.warnings[0].contains("omp-plugins.lock.json"), "{:?}", listing.warnings);
    }
    world.write(records, r#"{"plugins": {"pkg": {"enabled": false}}}"#);
    assert_eq!(modules(&world), []);
    world.write(records, r#"{"plugins": {"../../evil": {}, "gone": {}, "pkg": 7}}"#);
    assert_eq!(modules(&world).len(), 1, "what is odd in an entry is not what counts");
    world.remove(records);
    let listing = world.at("repo").extension_modules();
    assert_eq!((listing.all.len(), listing.warnings.len()), (0, 0));
}

// proves: CLI-027
#[test]
fn directories_that_are_named_come_first() {
    let world = World::new(&[
        ("named/commands/go.md", "named"),
        ("named/.claude-plugin/plugin.json", r#"{"name": "mine"}"#),
        ("second/commands/go.md", "second"),
        ("own/package.json", r#"{"name": "pkg", "omp": {}}"#),
        ("own/commands/go.md", "own"),
    ]);
    let folder = world.package("pkg", &json!({}));
    world.write(&format!("{folder}/commands/go.md"), "installed");
    let mut places = world.places("repo");
    places.plugin_directories = ["named", "second", "own"].map(|name| world.path(name)).into();
    let commands = Discovery::new(places, &[]).commands();
    let active: Vec<_> =
        commands.active().map(|found| format!("{}: {}", found.item.name, found.item.body)).collect();
    assert_eq!(active, ["go: own", "mine:go: named", "second:go: second"]);
    assert_eq!(world.hidden(&commands), [format!("{folder}/commands/go.md < own/commands/go.md")]);
}
