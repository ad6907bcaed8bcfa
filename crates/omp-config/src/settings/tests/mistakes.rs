//! Files that are wrong.

use super::super::{SettingsError, keys, set};
use super::{World, write};

fn one_warning(world: &World) -> String {
    let settings = world.load();
    assert_eq!(settings.warnings().len(), 1, "{:?}", settings.warnings());
    settings.warnings()[0].clone()
}

// proves: CFG-016
#[test]
fn a_file_that_is_no_mapping_counts_as_empty() {
    for text in ["- a\n- b\n", "just text\n", "42\n", "true\n"] {
        let world = World::with_global(text);
        world.project(".omp/config.yml", "steeringMode: all\n");
        assert_eq!(world.load().get(keys::STEERING_MODE), "all");
        let warning = one_warning(&world);
        assert!(warning.contains("config.yml") && warning.contains("mapping"), "{warning}");
    }
    for text in ["", "\n\n", "# nothing\n", "---\n", "null\n", "{}\n", "\u{feff}"] {
        assert_eq!(World::with_global(text).load().warnings(), [""; 0], "{text:?}");
    }
}

#[test]
fn broken_yaml_is_named_with_its_line_and_the_rest_works() {
    let world = World::with_global("steeringMode: all\nretry:\n  maxRetries: [1\nautoResume: true\n");
    world.project(".omp/config.yml", "autoResume: true\n");
    let settings = world.load();
    assert_eq!(settings.get(keys::STEERING_MODE), "one-at-a-time");
    assert!(settings.get(keys::AUTO_RESUME));
    let warning = one_warning(&world);
    assert!(warning.contains("config.yml, line "), "{warning}");
    assert!(!warning.contains('\n') && !warning.contains("-->"), "one sentence: {warning}");
}

#[test]
fn wrong_values_are_named_and_the_layer_below_shows() {
    let world = World::with_global(
        "retry: {maxRetries: 3}\nsteeringMode: all\nautoResume: true\nshellPath: /bin/sh\n",
    );
    world.project(
        ".omp/config.yml",
        "retry: {maxRetries: many}\nsteeringMode: some\nautoResume: 7\nshellPath: 12\ncycleOrder: smol\nmodelRoles: []\ntheme: [x]\n",
    );
    let settings = world.load();
    assert_eq!(settings.get(keys::RETRY_MAX_RETRIES), 3.0);
    assert_eq!(settings.get(keys::STEERING_MODE), "all");
    assert!(settings.get(keys::AUTO_RESUME));
    assert_eq!(settings.get(keys::SHELL_PATH), Some("/bin/sh"));
    let all = settings.warnings().join("\n");
    for part in [
        ".omp/config.yml: retry.maxRetries: expected a number",
        "steeringMode: expected one of one-at-a-time, all",
        "autoResume: expected true or false",
        "shellPath: expected a string; put it in quotes",
        "cycleOrder: expected a list",
        "modelRoles: expected a mapping",
        "theme: expected a mapping of settings",
    ] {
        assert!(all.contains(part), "{part} is missing in\n{all}");
    }
}

// proves: CFG-020
#[test]
fn unknown_keys_are_named_with_what_was_probably_meant() {
    let world = World::with_global("steringMode: all\nretry: {maxRetrys: 1}\ntheme.dark: x\nzzz: 1\n");
    let all = world.load().warnings().join("\n");
    for part in [
        "unknown settings steringMode (did you mean steeringMode?), retry.maxRetrys (did you mean retry.maxRetries?), zzz",
        "theme.dark: write it nested: `theme:` and, indented below it, `dark:`",
    ] {
        assert!(all.contains(part), "{part} is missing in\n{all}");
    }
    let many: String = (0..500).map(|n| format!("unknown{n}: 1\n")).collect();
    let settings = World::with_global(&many).load();
    assert_eq!(settings.warnings().len(), 1);
    assert!(settings.warnings()[0].ends_with("and 490 more"), "{:?}", settings.warnings());
}

/// What later releases keep in their files gives no warning at every run, and is named where settings are looked at.
#[test]
fn settings_of_later_releases_are_no_mistakes() {
    let world = World::with_global(
        "tier: {openai: priority, subagent: none}\nida: {enabled: true}\ntask: {agentPrewalk: {scout: on}}\ntypo: 1\n",
    );
    let settings = world.load();
    assert_eq!(settings.get(keys::SERVICE_TIER), "openai-only");
    assert_eq!(settings.warnings().len(), 1, "{:?}", settings.warnings());
    assert!(settings.warnings()[0].ends_with("unknown setting typo"), "{:?}", settings.warnings());
    let [later] = settings.of_later_releases() else { panic!("{:?}", settings.of_later_releases()) };
    assert!(later.ends_with("tier.subagent, ida.enabled, task.agentPrewalk"), "{later}");
}

#[test]
fn yaml_of_every_sort_is_understood() {
    for text in [
        "\u{feff}steeringMode: all\r\nretry:\r\n  maxRetries: 2\r\n",
        "---\nsteeringMode: all\nretry: {maxRetries: 2}\n...\n",
        "%YAML 1.2\n---\n\"steeringMode\": 'all'\nretry:\n    maxRetries: 2 # two\n",
        "retry: &r {maxRetries: 1}\nsteeringMode: all\nretry: {maxRetries: 2}\n",
        "{steeringMode: all, retry: {maxRetries: 2}}\n",
    ] {
        let settings = World::with_global(text).load();
        assert_eq!(settings.warnings(), [""; 0], "{text}");
        assert_eq!(settings.get(keys::STEERING_MODE), "all", "{text}");
        assert_eq!(settings.get(keys::RETRY_MAX_RETRIES), 2.0, "{text}");
    }
}

#[test]
fn words_of_yaml_are_read_as_meant() {
    let settings = World::with_global(
        "memory: {backend: off}\nadvisor: {syncBacklog: 3}\nask: {notify: off}\nautoResume: yes\nretry: {enabled: Off}\ntodo:\n",
    )
    .load();
    assert_eq!(settings.warnings(), [""; 0]);
    assert_eq!(settings.get(keys::MEMORY_BACKEND), "off");
    assert_eq!(settings.get(keys::ADVISOR_SYNC_BACKLOG), "3");
    assert_eq!(settings.get(keys::ASK_NOTIFY), "off");
    assert!(settings.get(keys::AUTO_RESUME) && !settings.get(keys::RETRY_ENABLED));
}

#[test]
fn hostile_files_cost_only_themselves() {
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n\
                d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n\
                g: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n";
    // Small enough for the defaults of the parser.
    let squib: String = bomb.lines().take(5).map(|line| format!("{line}\n")).collect();
    let deep = format!("a: {}{}\n", "[".repeat(500), "]".repeat(500));
    let large = format!("# {}\nsteeringMode: all\n", "x".repeat(1024 * 1024));
    for text in [bomb, &squib, &deep, &large] {
        let warning = one_warning(&World::with_global(text));
        assert!(warning.contains("ignored"), "{warning}");
    }
    let deep_json = World::new();
    deep_json.project(".omp/settings.json", &format!("{}1{}", "{\"a\":".repeat(500), "}".repeat(500)));
    assert!(one_warning(&deep_json).contains("settings.json"));

    let world = World::new();
    write(&world.config(), "");
    std::fs::write(world.config(), b"ok: 1\nsteeringMode: \xff\n").unwrap();
    let warning = one_warning(&world);
    assert!(warning.contains("UTF-8") && warning.contains("line 2"), "{warning}");
    std::fs::remove_file(world.config()).unwrap();
    std::fs::create_dir(world.config()).unwrap();
    assert!(one_warning(&world).contains("is a directory"));
    std::fs::remove_dir(world.config()).unwrap();
    nix::unistd::mkfifo(&world.config(), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(one_warning(&world).contains("is a named pipe"));
    assert!(matches!(set(&world.directories, "autoResume", true.into()), Err(SettingsError::Broken { .. })));
    std::fs::remove_file(world.config()).unwrap();
    std::os::unix::fs::symlink(world.config(), world.config()).unwrap();
    assert!(one_warning(&world).contains("cannot be read"));
}

// proves: CFG-018
#[test]
fn an_overlay_that_cannot_be_used_is_an_error() {
    let mut world = World::new();
    world.project("list.yml", "- a\n");
    world.project("broken.yml", "a: [\n");
    world.project("text.yml", "text\n");
    world.project("good.yml", "steeringMode: all\n");
    for (name, reason) in [
        ("none.yml", "does not exist"),
        ("list.yml", "a list"),
        ("broken.yml", "line "),
        ("text.yml", "a string"),
        (".", "directory"),
    ] {
        world.overlays = vec!["good.yml".into(), name.into()];
        match world.try_load_in(&world.cwd()) {
            Err(error @ SettingsError::Overlay { .. }) => {
                assert!(error.to_string().contains(name) && error.to_string().contains(reason), "{error}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    write(&world.directories.home.join("mine.yml"), "steeringMode: all\n");
    world.overlays = vec!["~/mine.yml".into()];
    assert_eq!(world.load().get(keys::STEERING_MODE), "all");
    world.overlays = vec![world.cwd().join("good.yml")];
    assert_eq!(world.load().get(keys::STEERING_MODE), "all");
}

// proves: CFG-080
#[test]
fn old_names_work_in_every_layer() {
    let old = "queueMode: all\n";
    assert_eq!(World::with_global(old).load().get(keys::STEERING_MODE), "all");
    let world = World::new();
    world.project(".omp/config.yml", old);
    assert_eq!(world.load().get(keys::STEERING_MODE), "all");
    let mut world = World::with_global("steeringMode: one-at-a-time\n");
    world.project("over.yml", old);
    world.overlays = vec!["over.yml".into()];
    assert_eq!(world.load().get(keys::STEERING_MODE), "all");
    let mut world = World::with_global("steeringMode: one-at-a-time\n");
    world.overrides.insert("queueMode".to_owned(), "all".into());
    assert_eq!(world.load().get(keys::STEERING_MODE), "all");
    assert_eq!(world.load().warnings(), [""; 0]);
}
