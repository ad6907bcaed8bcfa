//! Which layer wins.

use serde_json::json;

use super::super::{ForeignFile, Format, Layer, keys, strings};
use super::{World, write};

// proves: CFG-001, CFG-002
#[test]
fn the_files_of_user_and_project_are_read() {
    let world = World::with_global("steeringMode: all\nretry:\n  maxRetries: 3\n");
    assert_eq!(world.load().get(keys::STEERING_MODE), "all");
    world.project(".omp/settings.json", r#"{"retry": {"maxRetries": 4, "baseDelayMs": 9}}"#);
    let settings = world.load();
    assert_eq!((settings.get(keys::RETRY_MAX_RETRIES), settings.get(keys::RETRY_BASE_DELAY_MS)), (4.0, 9.0));
    world.project(".omp/config.yml", "retry:\n  maxRetries: 5\n");
    let settings = world.load();
    assert_eq!((settings.get(keys::RETRY_MAX_RETRIES), settings.get(keys::RETRY_BASE_DELAY_MS)), (5.0, 9.0));
    assert_eq!(settings.warnings(), [""; 0]);
}

/// Every layer is put on and taken off again.
// proves: CFG-003, CFG-019
#[test]
fn each_layer_wins_over_those_below() {
    let mut world = World::new();
    let path = "retry.maxRetries";
    let seen = |world: &World| {
        let settings = world.load();
        (settings.get(keys::RETRY_MAX_RETRIES), settings.origin(path))
    };
    assert_eq!(seen(&world), (10.0, Layer::Default));
    world.global("retry: {maxRetries: 1}");
    assert_eq!(seen(&world), (1.0, Layer::Global(world.config())));
    let claude = world.cwd().join(".claude/settings.json");
    write(&claude, r#"{"retry": {"maxRetries": 2}}"#);
    world.foreign = vec![ForeignFile { provider: "claude", path: claude.clone(), format: Format::Json }];
    assert_eq!(seen(&world), (2.0, Layer::Project { provider: "claude", path: claude }));
    world.project(".omp/settings.json", r#"{"retry": {"maxRetries": 3}}"#);
    assert_eq!(seen(&world).0, 3.0);
    world.project(".omp/config.yml", "retry: {maxRetries: 4}");
    let native = Layer::Project { provider: "native", path: world.cwd().join(".omp/config.yml") };
    assert_eq!(seen(&world), (4.0, native.clone()));
    world.project("one.yml", "retry: {maxRetries: 5}");
    world.project("two.yml", "retry: {maxRetries: 6}");
    world.overlays = vec!["one.yml".into(), "two.yml".into()];
    assert_eq!(seen(&world), (6.0, Layer::Overlay(world.cwd().join("two.yml"))));
    world.overlays.reverse();
    assert_eq!(seen(&world).0, 5.0);
    world.overrides.insert(path.to_owned(), json!(7));
    assert_eq!(seen(&world), (7.0, Layer::Runtime));
    let mut settings = world.load();
    settings.set_override(path, json!(8)).unwrap();
    assert_eq!(settings.get(keys::RETRY_MAX_RETRIES), 8.0);

    world.overrides.clear();
    world.overlays.clear();
    assert_eq!(seen(&world), (4.0, native));
    assert_eq!(world.global_text(), "retry: {maxRetries: 1}", "loading writes nothing");
}

// proves: CFG-004, CFG-005
#[test]
fn only_the_working_directory_has_project_settings() {
    let world = World::new();
    world.project(".omp/config.yml", "steeringMode: all\n");
    let below = world.cwd().join("deep/er");
    std::fs::create_dir_all(&below).unwrap();
    let settings = world.try_load_in(&below).unwrap();
    assert_eq!(settings.get(keys::STEERING_MODE), "one-at-a-time");
    std::fs::create_dir_all(below.join(".omp")).unwrap();
    assert_eq!(world.try_load_in(&below).unwrap().warnings(), [""; 0]);
}

// proves: CFG-006, CFG-007
#[test]
fn other_agents_files_count_less_and_can_be_turned_off() {
    let mut world = World::new();
    for (provider, name, text) in [
        (
            "codex",
            ".codex/config.toml",
            "steeringMode = \"all\"\nautoResume = true\nmodel = \"x\"\n[retry]\nmaxRetries = 1\n",
        ),
        (
            "claude",
            ".claude/settings.json",
            r#"{"autoResume": false, "permissions": {"allow": []}, "retry": {"maxRetries": 2, "baseDelayMs": "soon"}}"#,
        ),
    ] {
        let path = world.cwd().join(name);
        write(&path, text);
        let format = if name.ends_with("toml") { Format::Toml } else { Format::Json };
        world.foreign.push(ForeignFile { provider, path, format });
    }
    let settings = world.load();
    assert_eq!(settings.get(keys::STEERING_MODE), "all");
    assert!(!settings.get(keys::AUTO_RESUME), "the later file wins");
    assert_eq!(settings.get(keys::RETRY_MAX_RETRIES), 2.0);
    assert_eq!(settings.get(keys::RETRY_BASE_DELAY_MS), 500.0);
    assert_eq!(settings.warnings(), [""; 0], "what others write is their business");

    world.project(".omp/config.yml", "retry: {maxRetries: 9}\ndisabledProviders: [claude]\n");
    let settings = world.load();
    assert_eq!(settings.get(keys::RETRY_MAX_RETRIES), 9.0);
    assert!(settings.get(keys::AUTO_RESUME), "claude is turned off");
    world.global("disabledProviders: [native, claude]\n");
    let settings = world.load();
    assert_eq!(settings.get(keys::RETRY_MAX_RETRIES), 1.0, "and now the project's own files");
}

// proves: CFG-038, CFG-039
#[test]
fn mappings_merge_across_files_and_lists_do_not() {
    let world = World::with_global(
        "tools:\n  approvalMode: write\n  approval:\n    bash: prompt\n    read: allow\ndisabledProviders:\n  - anthropic\n  - openai\n",
    );
    world.project(".omp/config.yml", "tools:\n  approval:\n    bash: deny\ndisabledProviders:\n  - groq\n");
    let settings = world.load();
    assert_eq!(settings.get(keys::TOOLS_APPROVAL_MODE), "write");
    assert_eq!(settings.value(keys::TOOLS_APPROVAL.setting()), json!({"bash": "deny", "read": "allow"}));
    assert_eq!(strings(settings.get(keys::DISABLED_PROVIDERS)).collect::<Vec<_>>(), ["groq"]);
}

/// Files that come with the code may ask for more care, never for less.
#[test]
fn a_project_cannot_loosen_what_protects_the_user() {
    let world = World::with_global(
        "tools:\n  approvalMode: write\n  approval: {bash: prompt, write: deny, read: allow}\nsecrets: {enabled: true}\n",
    );
    let loose = "tools:\n  approvalMode: yolo\n  approval: {bash: allow, write: prompt, edit: Allow, find: prompt}\n  \
                 approvalRules: [rm *]\nsecrets: {enabled: false}\nshellPath: ./evil\nsteeringMode: all\n";
    world.project(".omp/config.yml", loose);
    let settings = world.load();
    assert_eq!(settings.get(keys::TOOLS_APPROVAL_MODE), "write");
    let policies = json!({"bash": "prompt", "write": "deny", "read": "allow", "find": "prompt"});
    assert_eq!(settings.value(keys::TOOLS_APPROVAL.setting()), policies);
    assert!(settings.get(keys::TOOLS_APPROVAL_RULES).is_empty() && settings.get(keys::SECRETS_ENABLED));
    assert_eq!((settings.get(keys::SHELL_PATH), settings.get(keys::STEERING_MODE)), (None, "all"));
    let named = |path: &str| {
        let wanted = format!("config.yml: {path} cannot be set by a project");
        settings.warnings().iter().filter(|warning| warning.contains(&wanted)).count()
    };
    let refused =
        ["tools.approvalMode", "tools.approval.bash", "tools.approval.write", "tools.approval.edit"];
    for path in refused.into_iter().chain(["tools.approvalRules", "secrets.enabled", "shellPath"]) {
        assert_eq!(named(path), 1, "{path}: {:?}", settings.warnings());
    }
    world.project(".omp/config.yml", "tools:\n  approvalMode: always-ask\n  approval: {read: deny}\n");
    let settings = world.load();
    assert_eq!(settings.get(keys::TOOLS_APPROVAL_MODE), "always-ask");
    assert_eq!(settings.value(keys::TOOLS_APPROVAL.setting())["read"], "deny");
    assert_eq!(settings.warnings(), [""; 0]);
}

// proves: CFG-040, CFG-041
#[test]
fn scoped_entries_hold_below_their_path_after_the_merge() {
    let world = World::new();
    let here = world.cwd().display().to_string();
    world.global(&format!(
        "enabledModels:\n  - every\n  - path: {here}\n    models: [here]\n  - path: ~/elsewhere\n    models: [there]\n\
         disabledProviders:\n  - pathPrefixes: [{here}]\n    providers: [groq]\n  - path: {here}-two\n    values: [x]\n"
    ));
    let settings = world.load();
    assert_eq!(settings.enabled_models(), ["every", "here"]);
    assert_eq!(settings.disabled_providers(), ["groq"]);
    let there = world.directories.home.join("elsewhere/deep");
    std::fs::create_dir_all(&there).unwrap();
    assert_eq!(world.try_load_in(&there).unwrap().enabled_models(), ["every", "there"]);
    world.project(".omp/config.yml", "enabledModels: [only]\n");
    assert_eq!(world.load().enabled_models(), ["only"]);
}

#[test]
fn variables_win_over_files_and_flags_over_variables() {
    let mut world = World::with_global(
        "modelRoles: {smol: file/s, slow: file/l, plan: file/p, default: file/d}\neval: {py: true, js: true}\n\
         auth: {broker: {url: http://file, token: file}}\n",
    );
    world.variables = vec![
        ("PI_SMOL_MODEL", "env/s"),
        ("PI_SLOW_MODEL", "env/l"),
        ("PI_PLAN_MODEL", "env/p"),
        ("PI_PY", "0"),
        ("PI_JS", "off"),
        ("PI_TINY_DEVICE", "cpu"),
        ("PI_TINY_DTYPE", "q8"),
        ("OMP_AUTH_BROKER_URL", "http://env"),
        ("OMP_AUTH_BROKER_TOKEN", "env"),
    ];
    let settings = world.load();
    let roles = json!({"smol": "env/s", "slow": "env/l", "plan": "env/p", "default": "file/d"});
    assert_eq!(settings.value(keys::MODEL_ROLES.setting()), roles);
    assert!(!settings.get(keys::EVAL_PY) && !settings.get(keys::EVAL_JS));
    assert_eq!(settings.get(keys::PROVIDERS_TINY_MODEL_DEVICE), "cpu");
    assert_eq!(settings.get(keys::PROVIDERS_TINY_MODEL_DTYPE), "q8");
    assert_eq!(settings.get(keys::AUTH_BROKER_URL), Some("http://env"));
    assert_eq!(settings.get(keys::AUTH_BROKER_TOKEN), Some("env"));
    world.overrides.insert("modelRoles.smol".to_owned(), json!("flag/s"));
    let settings = world.load();
    assert_eq!(settings.get(keys::MODEL_ROLES)["smol"], "flag/s");
    assert_eq!(settings.get(keys::MODEL_ROLES)["slow"], "env/l");
}

/// A name that is both a switch and a group can be written either way.
#[test]
fn a_switch_with_members_has_two_forms() {
    for (text, on, most) in [
        ("todo: {reminders: false}", false, 3.0),
        ("todo: {reminders: {max: 5}}", true, 5.0),
        ("todo: {reminders: {enabled: no, max: 5}}", false, 5.0),
    ] {
        let settings = World::with_global(text).load();
        assert_eq!(settings.warnings(), [""; 0]);
        assert_eq!((settings.get(keys::TODO_REMINDERS), settings.get(keys::TODO_REMINDERS_MAX)), (on, most));
    }
    assert!(World::with_global("tools: {codeMode: true}").load().get(keys::TOOLS_CODE_MODE_ENABLED));
    assert!(
        !World::with_global("tools: {codeMode: {timeoutMs: 5}}").load().get(keys::TOOLS_CODE_MODE_ENABLED)
    );
}
