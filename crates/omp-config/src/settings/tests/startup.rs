//! Files of earlier versions.

use serde_json::json;

use super::super::config_file::{Loaded, load};
use super::super::{keys, migrate_files};
use super::{World, write};

fn migrate(world: &World) -> Vec<String> {
    migrate_files(&world.directories, &|_| None)
}

fn database(world: &World, rows: &[(&str, &str)]) {
    std::fs::create_dir_all(&world.directories.agent).unwrap();
    let connection = rusqlite::Connection::open(world.directories.agent.join("agent.db")).unwrap();
    connection.execute("CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT)", []).unwrap();
    for row in rows {
        connection.execute("INSERT INTO settings VALUES (?1, ?2)", *row).unwrap();
    }
}

// proves: CFG-074
#[test]
fn config_yml_is_built_once_from_what_there_was() {
    let world = World::new();
    let json = world.directories.agent.join("settings.json");
    write(
        &json,
        "{\"queueMode\": \"all\", \"theme\": \"nord\", \"retry\": {\"maxRetries\": 3}, \"mine\": [1]}",
    );
    database(&world, &[("retry.baseDelayMs", "7"), ("autoResume", "true"), ("shellPath", "/bin/zsh")]);
    assert_eq!(migrate(&world), [""; 0]);
    let settings = world.load();
    assert_eq!(settings.get(keys::STEERING_MODE), "all");
    assert_eq!(settings.get(keys::THEME_DARK), Some("nord"));
    assert_eq!((settings.get(keys::RETRY_MAX_RETRIES), settings.get(keys::RETRY_BASE_DELAY_MS)), (3.0, 7.0));
    assert!(settings.get(keys::AUTO_RESUME));
    assert_eq!(settings.get(keys::SHELL_PATH), Some("/bin/zsh"));
    assert!(world.global_text().contains("mine:\n  - 1\n"), "{}", world.global_text());
    assert!(!json.exists() && json.with_extension("json.bak").exists());

    let first = world.global_text();
    write(&json, "{\"steeringMode\": \"one-at-a-time\"}");
    assert_eq!(migrate(&world), [""; 0]);
    assert_eq!(world.global_text(), first, "a second start changes nothing");
    assert!(json.exists());
}

#[test]
fn nothing_old_makes_nothing_new() {
    let world = World::new();
    assert_eq!(migrate(&world), [""; 0]);
    assert!(!world.directories.agent.exists());
    database(&world, &[]);
    assert_eq!(migrate(&world), [""; 0]);
    assert!(!world.config().exists());
}

#[test]
fn what_cannot_be_migrated_stays() {
    let world = World::new();
    let json = world.directories.agent.join("settings.json");
    write(&json, "{\"a\": \n oops}");
    write(
        &world.directories.agent.join("agent.db"),
        "not a database, but long enough to look like a file of one",
    );
    let warnings = migrate(&world);
    assert!(warnings.len() == 1 && warnings[0].contains("settings.json, line 2"), "{warnings:?}");
    assert!(json.exists() && !world.config().exists());

    let other = World::new();
    std::fs::create_dir_all(&other.directories.agent).unwrap();
    let connection = rusqlite::Connection::open(other.directories.agent.join("agent.db")).unwrap();
    connection.execute("CREATE TABLE settings (id INTEGER, data BLOB)", []).unwrap();
    assert_eq!(migrate(&other), [""; 0]);
    assert!(!other.config().exists());
}

// proves: CFG-078
#[test]
fn the_changelog_version_leaves_the_settings() {
    let world = World::with_global(
        "# top\nlastChangelogVersion: 1.2.3\nedit:\n  mode: vim # gone\nstatusLine:\n  leftSegments: [plan_mode]\n",
    );
    assert_eq!(migrate(&world), [""; 0]);
    assert_eq!(
        world.global_text(),
        "# top\nedit:\n  mode: vim # gone\nstatusLine:\n  leftSegments: [plan_mode]\n"
    );
    let marker = world.directories.agent.join("last-changelog-version");
    assert_eq!(std::fs::read_to_string(marker).unwrap(), "1.2.3");
    let settings = world.load();
    assert_eq!(settings.warnings(), [""; 0]);
    assert_eq!(settings.get(keys::EDIT_MODE), "hashline");
    assert_eq!(settings.get(keys::STATUS_LINE_LEFT_SEGMENTS), [json!("mode")]);

    let alone = World::with_global("lastChangelogVersion: 1.2.3\n");
    assert_eq!(migrate(&alone), [""; 0]);
    assert_eq!(alone.load().warnings(), [""; 0]);
    assert!(!alone.global_text().contains("lastChangelogVersion"));
}

#[test]
fn a_json_sibling_becomes_yaml_once() {
    let world = World::new();
    let yaml = world.directories.agent.join("models.yml");
    assert!(matches!(load(&yaml), Loaded::NotFound));
    let json = yaml.with_extension("json");
    write(&json, "{\"providers\": {\"x\": {\"baseUrl\": \"http://a\"}}} // c");
    match load(&yaml) {
        Loaded::Ok { path, map } => {
            assert_eq!(path, yaml);
            assert_eq!(map["providers"]["x"]["baseUrl"], "http://a");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(std::fs::read_to_string(&yaml).unwrap(), "providers:\n  x:\n    baseUrl: http://a\n");
    write(&json, "{}");
    assert!(matches!(load(&yaml), Loaded::Ok { map, .. } if !map.is_empty()), "the YAML counts from now on");

    let direct = world.directories.agent.join("other.json");
    write(&direct, "{\"a\": 1}");
    assert!(matches!(load(&direct), Loaded::Ok { path, .. } if path == direct));
    assert!(!direct.with_extension("yml").exists());
    let commented = world.directories.agent.join("other2.jsonc");
    write(&commented, "// c\n{\"a\": [1,],}");
    assert!(matches!(load(&commented), Loaded::Ok { map, .. } if map["a"] == json!([1])));
}

#[test]
fn a_wrong_file_is_named_with_its_line() {
    let world = World::new();
    let yaml = world.directories.agent.join("models.yaml");
    for (text, part) in [("a: 1\nb: [\n", "line "), ("- a\n", "a list"), ("a: \"x\n", "line ")] {
        write(&yaml, text);
        match load(&yaml) {
            Loaded::Error(error) => {
                let error = error.to_string();
                assert!(error.contains("models.yaml") && error.contains(part), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// What the theme is made for decides, not its name; the rest of the file stays as it was written.
#[test]
fn a_flat_theme_gets_the_slot_of_its_background() {
    let is_light = |name: &str| match name {
        "night-owl" => Some(true),
        "daylight" => Some(false),
        _ => None,
    };
    for (flat, expected) in [
        ("night-owl", "# mine\ntheme:\n  light: night-owl\nautoResume: true # yes\n"),
        ("daylight", "# mine\ntheme:\n  dark: daylight\nautoResume: true # yes\n"),
        ("solarized-light", "# mine\ntheme:\n  light: solarized-light\nautoResume: true # yes\n"),
        ("dark", "# mine\nautoResume: true # yes\n"),
    ] {
        let world = World::new();
        write(&world.config(), &format!("# mine\ntheme: {flat}\nautoResume: true # yes\n"));
        assert_eq!(migrate_files(&world.directories, &is_light), [""; 0]);
        assert_eq!(world.global_text(), expected, "{flat}");
        assert_eq!(migrate_files(&world.directories, &is_light), [""; 0]);
        assert_eq!(world.global_text(), expected, "a second start changes nothing");
    }
    let world = World::new();
    write(&world.directories.agent.join("settings.json"), "{\"theme\": \"night-owl\"}");
    assert_eq!(migrate_files(&world.directories, &is_light), [""; 0]);
    assert_eq!(world.load().get(keys::THEME_LIGHT), Some("night-owl"));
}
