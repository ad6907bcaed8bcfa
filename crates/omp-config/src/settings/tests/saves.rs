//! Changes of the user's file.

use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use serde_json::json;

use super::super::{SAVE_DELAY, Saved, Saver, Settings, SettingsError, keys, reset, set};
use super::{World, write};

/// Before, key, value, after.
const CASES: &[(&str, &str, &str, &str)] = &[
    ("", "steeringMode", "\"all\"", "steeringMode: all\n"),
    ("# mine\n", "retry.maxRetries", "3", "# mine\nretry:\n  maxRetries: 3\n"),
    ("a: 1\n", "retry.maxRetries", "3", "a: 1\nretry:\n  maxRetries: 3\n"),
    ("a: 1", "steeringMode", "\"all\"", "a: 1\nsteeringMode: all\n"),
    ("a: 1\n\n# the end\n", "autoResume", "true", "a: 1\nautoResume: true\n\n# the end\n"),
    (
        "steeringMode: all # why\nb: 2\n",
        "steeringMode",
        "\"one-at-a-time\"",
        "steeringMode: one-at-a-time # why\nb: 2\n",
    ),
    ("steeringMode:   'all'\n", "steeringMode", "\"one-at-a-time\"", "steeringMode: one-at-a-time\n"),
    ("'steeringMode' : all\n", "steeringMode", "\"one-at-a-time\"", "'steeringMode' : one-at-a-time\n"),
    (
        "retry:\n    # first\n    enabled: false\n\n    maxRetries: 5 # five\n# theme\ntheme:\n  dark: x\n",
        "retry.maxRetries",
        "6",
        "retry:\n    # first\n    enabled: false\n\n    maxRetries: 6 # five\n# theme\ntheme:\n  dark: x\n",
    ),
    (
        "retry:\n    enabled: false\n\ntheme:\n  dark: x\n",
        "retry.maxRetries",
        "6",
        "retry:\n    enabled: false\n    maxRetries: 6\n\ntheme:\n  dark: x\n",
    ),
    ("retry: # later\nb: 1\n", "retry.maxRetries", "6", "retry: # later\n  maxRetries: 6\nb: 1\n"),
    (
        "retry: {enabled: false} # f\n",
        "retry.maxRetries",
        "6",
        "retry: { enabled: false, maxRetries: 6 } # f\n",
    ),
    ("cycleOrder:\n- a # one\n- b\nz: 1\n", "cycleOrder", "[\"c\"]", "cycleOrder:\n  - c\nz: 1\n"),
    ("cycleOrder: [a, b]\n", "cycleOrder", "[\"c\",\"d\"]", "cycleOrder: [c, d]\n"),
    (
        "note: |\n  steeringMode: no\n\n  more\nx: 1\n",
        "steeringMode",
        "\"all\"",
        "note: |\n  steeringMode: no\n\n  more\nx: 1\nsteeringMode: all\n",
    ),
    (
        "steeringMode: all\nx: 1\nsteeringMode: all\n",
        "steeringMode",
        "\"one-at-a-time\"",
        "steeringMode: all\nx: 1\nsteeringMode: one-at-a-time\n",
    ),
    ("---\nx: 1\n...\n", "autoResume", "true", "---\nx: 1\nautoResume: true\n...\n"),
    ("x: 1\r\n# c\r\ny: 2\r\n", "autoResume", "true", "x: 1\r\n# c\r\ny: 2\r\nautoResume: true\r\n"),
    ("\u{feff}x: 1\n", "autoResume", "true", "\u{feff}x: 1\nautoResume: true\n"),
    ("shellPath: >-\n  /bin\n  /sh\nx: 1\n", "shellPath", "\"/bin/zsh\"", "shellPath: /bin/zsh\nx: 1\n"),
    ("shellPath: \"/a\n  b\"\nx: 1\n", "shellPath", "\"/bin/zsh\"", "shellPath: /bin/zsh\nx: 1\n"),
    (
        "tools:\n  approval:\n    bash: deny\n  maxTimeout: 5\n",
        "tools.approval",
        "{}",
        "tools:\n  approval: {}\n  maxTimeout: 5\n",
    ),
    (
        "tools:\n  approval: {}\n",
        "tools.approval",
        "{\"bash\":\"prompt\"}",
        "tools:\n  approval: { bash: prompt }\n",
    ),
    (
        "todo:\n  reminders: false\n",
        "todo.reminders.max",
        "5",
        "todo:\n  reminders:\n    enabled: false\n    max: 5\n",
    ),
    (
        "todo:\n  reminders:\n    max: 5\n",
        "todo.reminders",
        "false",
        "todo:\n  reminders:\n    max: 5\n    enabled: false\n",
    ),
    ("", "todo.reminders", "false", "todo:\n  reminders: false\n"),
    ("theme: nord\n", "theme.light", "\"day\"", "theme:\n  dark: nord\n  light: day\n"),
    (
        "base: &b {enabled: true}\nretry: *b\n",
        "steeringMode",
        "\"all\"",
        "base: &b {enabled: true}\nretry: *b\nsteeringMode: all\n",
    ),
    (
        "hindsight:\n  bankMission: |\n    text\n    # still text\nx: 1\n",
        "hindsight.bankMission",
        "\"new\"",
        "hindsight:\n  bankMission: new\nx: 1\n",
    ),
    (
        "note: |\n  text\n  # still text\n",
        "autoResume",
        "true",
        "note: |\n  text\n  # still text\nautoResume: true\n",
    ),
    ("x: 1\r\ny: 2\nz: 3\r\n", "autoResume", "true", "x: 1\r\ny: 2\nz: 3\r\nautoResume: true\r\n"),
    ("x: 1\nautoResume: false", "autoResume", "true", "x: 1\nautoResume: true"),
    ("  x: 1\n  y: 2\n", "autoResume", "true", "  x: 1\n  y: 2\n  autoResume: true\n"),
    ("x:\t1\nautoResume:\tfalse\t# t\n", "autoResume", "true", "x:\t1\nautoResume: true\t# t\n"),
];

// proves: CFG-020, CFG-036
#[test]
fn only_the_key_changes() {
    for (before, path, value, after) in CASES {
        let world = World::with_global(before);
        let saved = set(&world.directories, path, serde_json::from_str(value).unwrap()).unwrap();
        assert_eq!(world.global_text(), *after, "{path} in {before:?}");
        assert_eq!(saved, Saved::InPlace, "{path} in {before:?}");
        assert_eq!(
            set(&world.directories, path, serde_json::from_str(value).unwrap()).unwrap(),
            Saved::InPlace
        );
        assert_eq!(world.global_text(), *after, "a second time");
    }
}

/// What the editor does not understand is rewritten, and the old file is kept.
#[test]
fn a_file_beyond_the_editor_is_rewritten_beside_a_copy() {
    for before in ["{steeringMode: all, foreign: [1]} # c\n", "? steeringMode\n: all\n? foreign\n: [1]\n"] {
        let world = World::with_global(before);
        let saved = set(&world.directories, "retry.maxRetries", json!(4)).unwrap();
        let backup = world.directories.agent.join("config.yml.bak");
        let settings = world.load();
        assert_eq!(settings.get(keys::RETRY_MAX_RETRIES), 4.0);
        assert_eq!(settings.get(keys::STEERING_MODE), "all");
        assert!(world.global_text().contains("foreign"));
        if let Saved::Rewritten { backup: told } = saved {
            assert_eq!(told, backup);
            assert_eq!(std::fs::read_to_string(backup).unwrap(), before);
        } else {
            assert!(world.global_text().starts_with("? "), "{}", world.global_text());
        }
    }
}

// proves: CFG-017
#[test]
fn a_broken_file_is_never_overwritten() {
    for before in ["retry: [1\nsteeringMode: all\n", "- a\n- b\n", "a: 1\n--- \nb: 2\n", "text"] {
        let world = World::with_global(before);
        world.load();
        let error = set(&world.directories, "retry.maxRetries", json!(4)).unwrap_err();
        assert!(matches!(error, SettingsError::Broken { .. }));
        let text = error.to_string();
        assert!(text.contains("config.yml") && text.contains("fix the file"), "{text}");
        assert_eq!(world.global_text(), before);
    }
    let error = set(&World::with_global("x: 1\ny: [\n").directories, "autoResume", json!(true)).unwrap_err();
    assert!(error.to_string().contains("line "), "{error}");
}

#[test]
fn files_are_private_and_keep_their_mode_and_link() {
    let world = World::new();
    set(&world.directories, "autoResume", json!(true)).unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.config()), 0o600);
    std::fs::set_permissions(world.config(), std::fs::Permissions::from_mode(0o644)).unwrap();
    set(&world.directories, "autoResume", json!(false)).unwrap();
    assert_eq!(mode(&world.config()), 0o644);
    let elsewhere = world.root.path().join("dotfiles/config.yml");
    write(&elsewhere, "x: 1\n");
    std::fs::remove_file(world.config()).unwrap();
    std::os::unix::fs::symlink(&elsewhere, world.config()).unwrap();
    set(&world.directories, "autoResume", json!(true)).unwrap();
    assert!(std::fs::symlink_metadata(world.config()).unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(elsewhere).unwrap(), "x: 1\nautoResume: true\n");
}

// proves: CFG-026
#[test]
fn a_reset_writes_the_default() {
    let world = World::with_global("steeringMode: all\nshellPath: /bin/zsh\n");
    reset(&world.directories, "steeringMode").unwrap();
    reset(&world.directories, "shellPath").unwrap();
    reset(&world.directories, "cycleOrder").unwrap();
    assert_eq!(
        world.global_text(),
        "steeringMode: one-at-a-time\nshellPath: \"\"\ncycleOrder:\n  - smol\n  - default\n  - slow\n"
    );
    assert_eq!(world.load().get(keys::SHELL_PATH), None);
    assert!(matches!(reset(&world.directories, "steering"), Err(SettingsError::Unknown { .. })));
}

/// What holds for this process only is not in what it saves.
// proves: CFG-050
#[test]
fn overrides_are_never_saved() {
    let mut world = World::with_global("steeringMode: all\n");
    world.variables = vec![("PI_SMOL_MODEL", "env/s"), ("PI_PY", "0")];
    world.overrides.insert("defaultThinkingLevel".to_owned(), json!("low"));
    let mut settings = world.load();
    settings.set_override("hideThinkingBlock", json!(true)).unwrap();
    assert!(settings.get(keys::HIDE_THINKING_BLOCK));
    set(&world.directories, "autoResume", json!(true)).unwrap();
    assert_eq!(world.global_text(), "steeringMode: all\nautoResume: true\n");
}

#[test]
fn wrong_values_are_not_saved() {
    let world = World::new();
    for (path, value) in
        [("autoResume", json!("maybe")), ("steeringMode", json!("some")), ("cycleOrder", json!("a"))]
    {
        assert!(matches!(set(&world.directories, path, value), Err(SettingsError::Value { .. })), "{path}");
    }
    assert!(!world.config().exists());
    assert!(Settings::defaults().set_override("autoResume", json!(3)).is_err());
    assert!(Settings::defaults().set_override("auto", json!(3)).is_err());
}

// proves: CFG-035
#[test]
fn a_saver_collects_and_keeps_what_others_wrote() {
    let world = World::with_global("steeringMode: all\n");
    let begun = Instant::now();
    let mut saver = Saver::new(world.directories.clone());
    saver.set("autoResume", json!(true), begun).unwrap();
    saver.set("retry.maxRetries", json!(1), begun).unwrap();
    saver.set("retry.maxRetries", json!(2), begun).unwrap();
    saver.tick(begun).unwrap();
    assert_eq!(world.global_text(), "steeringMode: all\n", "too early");
    assert_eq!(saver.deadline(), Some(begun + SAVE_DELAY));
    world.global("steeringMode: all\nedited: meanwhile # by hand\n");
    saver.tick(begun + SAVE_DELAY).unwrap();
    let saved = "steeringMode: all\nedited: meanwhile # by hand\nautoResume: true\nretry:\n  maxRetries: 2\n";
    assert_eq!(world.global_text(), saved);
    assert_eq!(saver.deadline(), None);
    saver.set("autoResume", json!(false), begun).unwrap();
    drop(saver);
    assert_eq!(world.global_text(), saved.replace("autoResume: true", "autoResume: false"));
}

/// Many writers, no lost change.
#[test]
fn threads_do_not_lose_each_others_changes() {
    let world = World::new();
    let paths =
        ["autoResume", "colorBlindMode", "readLineNumbers", "hideThinkingBlock", "images.blockImages"];
    std::thread::scope(|scope| {
        for path in paths {
            scope.spawn(|| set(&world.directories, path, json!(true)).unwrap());
        }
    });
    let settings = world.load();
    for path in paths {
        assert_eq!(settings.value(super::super::find(path).unwrap()), json!(true), "{path}");
    }
}
