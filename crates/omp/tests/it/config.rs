//! `omp config`, and the settings table as documents and code see it.

use std::path::Path;

use omp_sdk::settings::{TABLE, docs_page};
use omp_testkit::{Home, Output, run, start};
use serde_json::{Value, json};

use crate::support::{LIMIT, omp, omp_run};

const CONFIG: &str = "home/.omp/agent/config.yml";
const PROJECT: &str = "work/.omp/config.yml";

fn config(home: &Home, args: &[&str]) -> Output {
    omp_run(home, &[&["config"], args].concat())
}

fn get(home: &Home, key: &str) -> String {
    let output = config(home, &["get", key]);
    output.assert_success();
    output.stdout.trim_end_matches('\n').to_owned()
}

fn json_of(output: &Output) -> Value {
    output.assert_success();
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{}", output.stdout))
}

// proves: CFG-021, CFG-022
#[test]
fn list_shows_every_setting_by_group() {
    let home = Home::new();
    home.write(CONFIG, "steeringMode: all\n");
    home.write(PROJECT, "retry:\n  maxRetries: 4\n");
    let output = config(&home, &["list"]);
    let lines: Vec<&str> = output.assert_success().stdout.lines().collect();
    for row in TABLE {
        let start = format!("  {} = ", row.path);
        let found: Vec<_> = lines.iter().filter(|line| line.starts_with(&start)).collect();
        assert!(
            found.len() == 1 && found[0].ends_with(&format!("({})", row.type_name())),
            "{}: {found:?}",
            row.path
        );
        let title = lines.iter().position(|line| *line == row.group.title()).expect("its group");
        assert!(lines.iter().position(|line| line.starts_with(&start)) > Some(title));
    }
    assert!(lines.contains(&"  steeringMode = all (enum)"));
    assert!(lines.contains(&"  retry.maxRetries = 4 (number)"));
    assert!(lines.contains(&"  shellPath = not set (string)"));

    let list = json_of(&config(&home, &["list", "--json"]));
    assert_eq!(list.as_object().unwrap().len(), TABLE.len());
    assert_eq!(list["retry.maxRetries"]["value"], 4);
    assert_eq!(list["retry.maxRetries"]["type"], "number");
    assert!(list["retry.maxRetries"]["description"].as_str().unwrap().contains("retries"));
}

/// What the documents say each setting is before anybody changes it.
// proves: CFG-052, CFG-058, CFG-061, CFG-062, CFG-065, CFG-067, CFG-071, CMP-101, MEM-034
#[test]
fn documented_defaults() {
    let list = json_of(&config(&Home::new(), &["list", "--json"]));
    let documented: Value = serde_json::from_str(include_str!("config/defaults.json")).unwrap();
    for (path, value) in documented.as_object().unwrap() {
        let row = list.get(path).unwrap_or_else(|| panic!("{path} is missing"));
        assert_eq!(row["value"], *value, "{path}");
    }
}

// proves: CFG-070
#[test]
fn providers_are_chosen_from_documented_words() {
    let home = Home::new();
    for (key, default, words) in [
        ("providers.webSearch", "auto", "tavily, perplexity, brave"),
        ("providers.image", "auto", "openai, antigravity, xai, gemini, openrouter"),
        ("providers.fetch", "auto", "native, trafilatura, lynx, parallel, jina"),
        ("providers.tinyModel", "online", "lfm2-350m"),
        ("providers.tinyModelDevice", "default", "cpu"),
        ("providers.tinyModelDtype", "default", "q8"),
        ("providers.openaiWebsockets", "auto", "off, on"),
        ("providers.openrouterVariant", "default", "nitro, floor, online, exacto"),
        ("providers.kimiApiFormat", "anthropic", "openai"),
        ("provider.appendOnlyContext", "auto", "on, off"),
    ] {
        assert_eq!(get(&home, key), default);
        let output = config(&home, &["set", key, "bogus"]);
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains(words), "{key}: {}", output.stderr);
    }
    config(&home, &["set", "providers.webSearch", "kagi"]).assert_success();
    assert_eq!(get(&home, "providers.webSearch"), "kagi");
}

/// Settings of other agents in the project count, less than ours, and only while their source is on.
// proves: CFG-006, CFG-007
#[test]
fn settings_of_other_agents_count() {
    let home = Home::new();
    home.write(
        "work/.claude/settings.json",
        r#"{"steeringMode": "all", "permissions": {"allow": ["Bash"]}}"#,
    );
    let output = config(&home, &["get", "steeringMode"]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("all\n", ""));
    home.write("home/.claude/settings.json", r#"{"followUpMode": "all"}"#);
    assert_eq!(get(&home, "followUpMode"), "one-at-a-time", "only the project's");
    home.write(PROJECT, "steeringMode: one-at-a-time\n");
    assert_eq!(get(&home, "steeringMode"), "one-at-a-time");
    home.write(PROJECT, "disabledProviders: [claude]\n");
    assert_eq!(get(&home, "steeringMode"), "one-at-a-time");
    home.write(PROJECT, "disabledProviders: [codex]\n");
    assert_eq!(get(&home, "steeringMode"), "all");
}

// proves: CFG-023, CFG-001
#[test]
fn get_prints_the_effective_value() {
    let home = Home::new();
    home.write(CONFIG, "theme:\n  dark: nord\nmodelRoles: {smol: a/b}\nautoResume: true\n");
    assert_eq!(get(&home, "theme.dark"), "nord");
    assert_eq!(get(&home, "theme.light"), "light");
    assert_eq!(get(&home, "modelRoles"), "{\"smol\":\"a/b\"}");
    assert_eq!(get(&home, "cycleOrder"), "[\"smol\",\"default\",\"slow\"]");
    assert_eq!(get(&home, "autoResume"), "true");
    assert_eq!(get(&home, "shellPath"), "");
    let described = json_of(&config(&home, &["get", "theme.dark", "--json"]));
    let row = TABLE.iter().find(|row| row.path == "theme.dark").unwrap();
    let expected = json!({"key": "theme.dark", "value": "nord", "type": "string", "description": row.about});
    assert_eq!(described, expected);
}

// proves: CFG-024
#[test]
fn an_unknown_name_is_refused_with_a_guess() {
    let home = Home::new();
    for args in [&["get", "theme"][..], &["set", "theme", "x"], &["reset", "theme"]] {
        let output = config(&home, args);
        assert_ne!(output.code, Some(0));
        let lines: Vec<&str> = output.stderr.lines().collect();
        assert_eq!(lines, ["Error: Unknown setting: theme", "Did you mean theme.dark?"], "{args:?}");
        assert_eq!(output.stdout, "");
    }
    assert!(!home.exists(CONFIG));
}

// proves: CFG-025, CFG-029, CFG-030, CFG-031, CFG-032
#[test]
fn set_reads_the_value_by_type_and_saves_it() {
    let home = Home::new();
    for (key, value) in [
        ("autoResume", "YES"),
        ("retry.maxRetries", "7"),
        ("temperature", "-1"),
        ("edit.fuzzyThreshold", "0.5"),
        ("steeringMode", "all"),
        ("cycleOrder", "[\"a\",\"b\"]"),
        ("tools.approval", "{\"bash\":\"prompt\"}"),
        ("theme.dark", " fjord "),
    ] {
        config(&home, &["set", key, value]).assert_success();
    }
    assert_eq!(
        home.read(CONFIG),
        "autoResume: true\nretry:\n  maxRetries: 7\ntemperature: -1\nedit:\n  fuzzyThreshold: 0.5\nsteeringMode: all\n\
         cycleOrder:\n  - a\n  - b\ntools:\n  approval:\n    bash: prompt\ntheme:\n  dark: fjord\n"
    );
    let before = home.read(CONFIG);
    for (key, value, reason) in [
        ("autoResume", "maybe", "not a boolean"),
        ("retry.maxRetries", "NaN", "finite number"),
        ("retry.maxRetries", "-Infinity", "finite number"),
        ("steeringMode", "All", "one-at-a-time, all"),
        ("cycleOrder", "a,b", "JSON array"),
        ("tools.approval", "[]", "JSON object"),
    ] {
        let output = omp_run(&home, &["config", "set", key, "--", value]);
        assert_eq!(output.code, Some(1), "{key} {value}");
        assert!(output.stderr.contains(reason) && output.stderr.contains(key), "{}", output.stderr);
    }
    assert_eq!(home.read(CONFIG), before);
}

// proves: CFG-033
#[test]
fn words_are_joined_and_trimmed() {
    let home = Home::new();
    config(&home, &["set", "collab.displayName", " Ada", "King ", "Lovelace "]).assert_success();
    assert_eq!(get(&home, "collab.displayName"), "Ada King  Lovelace");
    assert_eq!(home.read(CONFIG), "collab:\n  displayName: \"Ada King  Lovelace\"\n");
}

// proves: CFG-026, CFG-027
#[test]
fn reset_writes_the_default_and_everything_speaks_json() {
    let home = Home::new();
    home.write(CONFIG, "steeringMode: all # mine\n");
    let answer = json_of(&config(&home, &["reset", "steeringMode", "--json"]));
    assert_eq!((&answer["key"], &answer["value"]), (&json!("steeringMode"), &json!("one-at-a-time")));
    assert_eq!(home.read(CONFIG), "steeringMode: one-at-a-time # mine\n");
    let answer = json_of(&config(&home, &["set", "autoResume", "on", "--json"]));
    assert_eq!(
        (&answer["key"], &answer["value"], &answer["type"]),
        (&json!("autoResume"), &json!(true), &json!("boolean"))
    );
    assert_eq!(json_of(&config(&home, &["get", "autoResume", "--json"]))["value"], true);
    assert_eq!(json_of(&config(&home, &["list", "--json"]))["autoResume"]["value"], true);
}

// proves: CFG-009
#[test]
fn path_prints_the_agent_directory() {
    let home = Home::new();
    assert_eq!(config(&home, &["path"]).stdout.trim_end(), home.agent_dir().to_str().unwrap());
    let moved = home.path("elsewhere");
    let mut command = omp(&home, &["config", "set", "autoResume", "true"]);
    run(command.env("PI_CODING_AGENT_DIR", &moved), None, LIMIT).assert_success();
    assert_eq!(home.read("elsewhere/config.yml"), "autoResume: true\n");
    let mut command = omp(&home, &["config", "path"]);
    let output = run(command.env("PI_CODING_AGENT_DIR", &moved), None, LIMIT);
    assert_eq!(output.stdout.trim_end(), moved.to_str().unwrap());
}

// proves: CFG-028
#[test]
fn alone_it_explains_itself_and_lists() {
    let home = Home::new();
    home.write(CONFIG, "steeringMode: all\n");
    for args in [&[][..], &["--help"], &["-h"]] {
        let output = config(&home, args);
        output.assert_success();
        assert!(output.stdout.contains("omp config set tools.approvalMode write"), "{}", output.stdout);
        assert!(output.stdout.contains("  steeringMode = all (enum)"), "{}", output.stdout);
    }
}

// proves: CFG-034
#[test]
fn the_project_is_never_written() {
    let home = Home::new();
    home.write(PROJECT, "steeringMode: all # ours\n");
    let output = config(&home, &["set", "steeringMode", "one-at-a-time"]);
    output.assert_success();
    assert!(output.stderr.contains("work/.omp/config.yml overrides steeringMode here"), "{}", output.stderr);
    config(&home, &["reset", "steeringMode"]).assert_success();
    assert_eq!(home.read(PROJECT), "steeringMode: all # ours\n");
    assert_eq!(home.read(CONFIG), "steeringMode: one-at-a-time\n");
    assert_eq!(get(&home, "steeringMode"), "all");
    assert_eq!(config(&home, &["set", "autoResume", "true"]).stderr, "");
}

// proves: CFG-019, CFG-018
#[test]
fn overlays_hold_for_one_run() {
    let home = Home::new();
    home.write(CONFIG, "steeringMode: one-at-a-time\n");
    home.write("work/a.yml", "steeringMode: all\nretry: {maxRetries: 1}\n");
    home.write("work/b.yml", "retry: {maxRetries: 2}\n");
    let with = |args: &[&str]| {
        omp_run(&home, &[&["config", "get"], args, &["--config", "a.yml", "--config", "b.yml"]].concat())
    };
    assert_eq!(with(&["steeringMode"]).assert_success().stdout, "all\n");
    assert_eq!(with(&["retry.maxRetries"]).assert_success().stdout, "2\n");
    assert_eq!(home.read(CONFIG), "steeringMode: one-at-a-time\n");
    for (name, text) in [("none.yml", None), ("bad.yml", Some("a: [\n")), ("list.yml", Some("- a\n"))] {
        if let Some(text) = text {
            home.write(format!("work/{name}"), text);
        }
        for args in [&["config", "list", "--config", name][..], &["-p", "--config", name, "hello"]] {
            let output = omp_run(&home, args);
            assert_ne!(output.code, Some(0), "{args:?}");
            assert!(output.stderr.contains(name), "{}", output.stderr);
        }
    }
}

/// Real processes at the same time, again and again.
// proves: CFG-035
#[test]
fn two_processes_lose_nothing() {
    for round in 0..10 {
        let home = Home::new();
        home.write(CONFIG, "# kept\nforeign: 1\n");
        let keys = ["autoResume", "colorBlindMode", "retry.enabled", "hideThinkingBlock"];
        let running: Vec<_> =
            keys.iter().map(|key| start(omp(&home, &["config", "set", key, "true"]))).collect();
        for process in running {
            process.wait(LIMIT).assert_success();
        }
        let text = home.read(CONFIG);
        assert!(text.starts_with("# kept\nforeign: 1\n"), "{text}");
        for key in keys {
            assert_eq!(get(&home, key), "true", "round {round}\n{text}");
        }
    }
}

// proves: CFG-036, CFG-020
#[test]
fn comments_and_foreign_keys_survive() {
    let home = Home::new();
    let text = "# top\nfoo: 1   # mine\n\nretry:\n    # why\n    enabled: false\n";
    home.write(CONFIG, text);
    let output = config(&home, &["set", "retry.maxRetries", "3"]);
    output.assert_success();
    assert!(output.stderr.contains("unknown setting foo"), "{}", output.stderr);
    assert_eq!(home.read(CONFIG), format!("{text}    maxRetries: 3\n"));
}

// proves: CFG-017, CFG-016
#[test]
fn a_broken_file_is_named_and_kept() {
    let home = Home::new();
    let broken = "steeringMode: all\nretry: {maxRetries: 3\nautoResume: true\n";
    home.write(CONFIG, broken);
    let output = config(&home, &["get", "steeringMode"]);
    assert_eq!(output.assert_success().stdout, "one-at-a-time\n");
    assert!(output.stderr.contains("config.yml, line "), "{}", output.stderr);
    let output = config(&home, &["set", "autoResume", "true"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.stderr.contains("nothing was saved") && output.stderr.contains("line "),
        "{}",
        output.stderr
    );
    assert_eq!(home.read(CONFIG), broken);
    home.write(CONFIG, "- a list\n");
    assert_eq!(get(&home, "steeringMode"), "one-at-a-time");
}

#[test]
fn secrets_are_masked_in_lists() {
    let home = Home::new();
    home.write(CONFIG, "auth:\n  broker:\n    token: s3cr3t\nsearxng: {basicPassword: hush}\n");
    for args in [&["list"][..], &["list", "--json"], &["--help"], &[]] {
        let output = config(&home, args);
        output.assert_success();
        assert!(!output.stdout.contains("s3cr3t") && !output.stdout.contains("hush"), "{args:?}");
        assert!(output.stdout.contains("********"));
    }
    assert_eq!(get(&home, "auth.broker.token"), "s3cr3t");
    let output = config(&home, &["set", "auth.broker.token", "other"]);
    assert!(!output.stdout.contains("other"), "{}", output.stdout);
}

/// A project is not trusted with the terminal.
#[test]
fn values_cannot_steer_the_terminal() {
    let home = Home::new();
    home.write(PROJECT, "theme:\n  dark: \"a\\e[31m\\e]0;title\\ab\\nc\"\n");
    assert_eq!(get(&home, "theme.dark"), "a␛[31m␛]0;title␇b\nc");
    let list = config(&home, &["list"]);
    assert!(list.stdout.contains("  theme.dark = a␛[31m␛]0;title␇b c (string)"));
    assert!(!list.stdout.contains('\u{1b}'));
}

/// Not as root, who may write everywhere.
#[test]
fn a_home_that_cannot_be_written_is_said() {
    let home = Home::new();
    home.write("home/.omp/agent", "a file where the directory should be");
    let output = config(&home, &["set", "autoResume", "true"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.stderr.contains(".omp/agent") && output.stderr.contains("cannot save"),
        "{}",
        output.stderr
    );
}

#[test]
fn missing_and_extra_arguments_are_refused() {
    let home = Home::new();
    for (args, reason) in [
        (&["get"][..], "needs the name of a setting"),
        (&["set"], "needs the name of a setting"),
        (&["set", "autoResume"], "needs a value"),
        (&["get", "autoResume", "x"], "Unexpected argument: x"),
        (&["reset", "autoResume", "x"], "Unexpected argument: x"),
        (&["list", "x"], "Unexpected argument: x"),
        (&["set", "autoResume", "--frobnicate"], "Unknown flag: --frobnicate"),
    ] {
        let output = config(&home, args);
        assert_ne!(output.code, Some(0), "{args:?}");
        assert!(output.stderr.contains(reason), "{args:?}: {}", output.stderr);
    }
}

// proves: CFG-074
#[test]
fn old_settings_are_taken_over_once() {
    let home = Home::new();
    home.write("home/.omp/agent/settings.json", r#"{"queueMode": "all", "theme": "nord"}"#);
    assert_eq!(get(&home, "steeringMode"), "all");
    assert_eq!(home.read(CONFIG), "steeringMode: all\ntheme:\n  dark: nord\n");
    assert!(
        !home.exists("home/.omp/agent/settings.json") && home.exists("home/.omp/agent/settings.json.bak")
    );
    home.write("home/.omp/agent/settings.json", r#"{"steeringMode": "one-at-a-time"}"#);
    assert_eq!(get(&home, "steeringMode"), "all");
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A page that is made from the table cannot disagree with it.
#[test]
fn the_page_of_settings_is_up_to_date() {
    let path = root().join("docs/settings.md");
    if std::env::var_os("OMP_BLESS").is_some() {
        std::fs::write(&path, docs_page()).expect("the page can be written");
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == docs_page(),
        "docs/settings.md is out of date: run this test with OMP_BLESS=1 and commit the page"
    );
}

#[test]
fn names_are_completed() {
    let output = omp_run(&Home::new(), &["__complete", "settings", "--", "retry.max"]);
    let names: Vec<&str> =
        output.assert_success().stdout.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(names, ["retry.maxRetries", "retry.maxDelayMs"]);
}

/// What the page says about flags is true.
#[test]
fn flags_of_settings_exist() {
    let known: Vec<String> = omp_cli::table::launch_flags().flat_map(|flag| flag.spellings()).collect();
    for row in TABLE {
        for flag in row.flag.into_iter().flat_map(|flags| flags.split(", ")) {
            assert!(known.iter().any(|spelling| spelling == flag), "{}: {flag}", row.path);
        }
    }
}

/// Everything in the table does something, or says what it waits for.
// proves: CFG-073
#[test]
fn every_setting_is_read_or_waits() {
    let mut code = String::new();
    collect(&root().join("crates"), &mut code);
    for row in TABLE {
        let needle = format!("keys::{}", row.constant);
        let whole = |at: usize| {
            let after = code[at + needle.len()..].chars().next();
            !after.is_some_and(|next| next.is_ascii_alphanumeric() || next == '_')
        };
        // Lists with scoped entries are read through the method that resolves them.
        let resolved = match row.path {
            "enabledModels" => code.contains(".enabled_models()"),
            "disabledProviders" => code.contains(".disabled_providers()"),
            // The table of tools names the setting that switches each of them.
            path => omp_types::BUILTIN_TOOLS.iter().any(|tool| tool.switch == Some(path)),
        };
        let read = resolved || code.match_indices(&needle).any(|(at, _)| whole(at));
        match row.waits_for {
            None => assert!(read, "{} is in the table but nothing reads keys::{}", row.path, row.constant),
            Some(part) => assert!(!read, "{} is read, yet its row waits for {part}", row.path),
        }
    }
}

/// The code of the program: no tests, not the table itself.
fn collect(directory: &Path, code: &mut String) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "tests" | "settings" | "target" | "omp-testkit") {
                collect(&path, code);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            code.push_str(text.split("#[cfg(test)]").next().unwrap_or_default());
        }
    }
}
