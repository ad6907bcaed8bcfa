//! Keybindings files: where they are, what they may hold, how old ones are taken over.

use std::path::Path;

use omp_tui::input::{Code, Key, Modifiers};

use super::{pressed, read, shown, with_file};
use crate::{Action, Bindings, Context, Platform, UserKeys, table};

const YML: &str = "keybindings.yml";

fn text(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap()
}

/// proves: CLI-248
#[test]
fn the_first_file_counts_and_json_becomes_yaml() {
    let directory = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let retry = || shown(&read(&[directory.path()]).0, "app.retry");

    put("keybindings.json", r#"{"app.retry": "F1", "app.plan.toggle": ["F2", "F3"], "mine": {"a": 1}}"#);
    assert_eq!(retry(), ["F1"]);
    let written = text(directory.path(), YML);
    let expected = "app.retry: \"F1\"\napp.plan.toggle: [\"F2\",\"F3\"]\nmine: {\"a\":1}\n";
    assert!(written.ends_with(expected), "{written}");
    assert!(!directory.path().join("keybindings.json").exists());
    assert!(text(directory.path(), "keybindings.json.bak").contains("F1"));
    assert_eq!(retry(), ["F1"]);
    assert_eq!(shown(&read(&[directory.path()]).0, "app.plan.toggle"), ["F2", "F3"]);

    // Whoever writes JSON again is heard as long as the YAML file is only our copy.
    put("keybindings.json", r#"{"app.retry": "F4"}"#);
    assert_eq!(retry(), ["F4"]);
    assert!(text(directory.path(), YML).contains("app.retry: \"F4\""));

    put(YML, "app.retry: F5\n");
    put("keybindings.yaml", "app.retry: F6\n");
    put("keybindings.json", r#"{"app.retry": "F7"}"#);
    let (bindings, warnings) = read(&[directory.path()]);
    assert_eq!(shown(&bindings, "app.retry"), ["F5"]);
    let said = "keybindings.json is ignored because keybindings.yml exists";
    assert!(warnings.iter().any(|warning| warning.contains(said)), "{warnings:?}");
    std::fs::remove_file(directory.path().join(YML)).unwrap();
    assert_eq!(retry(), ["F6"]);
    assert_eq!(text(directory.path(), "keybindings.yaml"), "app.retry: F6\n");
    std::fs::remove_file(directory.path().join("keybindings.yaml")).unwrap();
    assert_eq!(retry(), ["F7"]);
    assert_eq!(read(&[&directory.path().join("absent")]).1, [""; 0]);
}

/// Today's id of every documented old name.
fn old_names() -> Vec<(&'static str, &'static str)> {
    let application = [
        ("interrupt", "app.interrupt"),
        ("clear", "app.clear"),
        ("exit", "app.exit"),
        ("suspend", "app.suspend"),
        ("cycleThinkingLevel", "app.thinking.cycle"),
        ("cycleModelForward", "app.model.cycleForward"),
        ("cycleModelBackward", "app.model.cycleBackward"),
        ("selectModel", "app.model.select"),
        ("togglePlanMode", "app.plan.toggle"),
        ("historySearch", "app.history.search"),
        ("expandTools", "app.tools.expand"),
        ("toggleThinking", "app.thinking.toggle"),
        ("externalEditor", "app.editor.external"),
        ("followUp", "app.message.followUp"),
        ("dequeue", "app.message.dequeue"),
        ("pasteImage", "app.clipboard.pasteImage"),
        ("newSession", "app.session.new"),
        ("tree", "app.session.tree"),
        ("fork", "app.session.fork"),
        ("resume", "app.session.resume"),
    ];
    let generic = Action::all().map(Action::id).filter_map(|id| {
        let name = id.strip_prefix("tui.editor.").or_else(|| id.strip_prefix("tui.input."))?;
        Some((name, id))
    });
    application.into_iter().chain(generic).collect()
}

/// proves: CLI-250, TUI-120
#[test]
fn old_names_are_renamed_where_they_stand() {
    let names = old_names();
    assert_eq!(names.len(), 20 + 25);
    // Chords that nothing else has.
    let chord = |index: usize| format!("Super+Ctrl+{}", char::from_u32(0x4e00 + index as u32).unwrap());
    let lines = |pick: fn(&(&'static str, &'static str)) -> &'static str| -> String {
        let numbered = names.iter().enumerate();
        numbered
            .map(|(index, name)| format!("{}: {}  # number {index}\n", pick(name), chord(index)))
            .collect()
    };
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(YML), format!("# mine\n\n{}", lines(|(old, _)| old))).unwrap();
    let numbered = names.iter().enumerate();
    let entries: Vec<String> =
        numbered.map(|(index, (old, _))| format!("\"{old}\": \"{}\"", chord(index))).collect();
    let json = format!("{{{}}}", entries.join(","));
    for (bindings, warnings) in [read(&[directory.path()]), with_file("keybindings.json", &json)] {
        assert_eq!(warnings, [""; 0]);
        for (index, (_, new)) in names.iter().enumerate() {
            assert_eq!(shown(&bindings, new), [chord(index)], "{new}");
        }
    }
    assert_eq!(text(directory.path(), YML), format!("# mine\n\n{}", lines(|(_, new)| new)));
}

#[test]
fn old_names_are_found_in_any_form() {
    let forms = ["'interrupt' : F1\n", "\"interrupt\": F1\r\n", "{interrupt: [F1]}\n", "  interrupt: F1\n"];
    for content in forms {
        let (bindings, warnings) = with_file(YML, content);
        assert_eq!(
            (shown(&bindings, "app.interrupt"), warnings),
            (vec!["F1".to_owned()], vec![]),
            "{content}"
        );
    }
    // Where both names are there, today's wins and the other goes.
    for content in [
        "interrupt: F1\napp.interrupt: F2\nother: [1, x]\n",
        "app.interrupt: F2\ninterrupt: F1\nother: [1, x]",
    ] {
        let both = tempfile::tempdir().unwrap();
        std::fs::write(both.path().join(YML), content).unwrap();
        assert_eq!(shown(&read(&[both.path()]).0, "app.interrupt"), ["F2"]);
        let written = text(both.path(), YML);
        assert!(written.ends_with("\napp.interrupt: \"F2\"\nother: [1,\"x\"]\n"), "{written}");
    }
}

/// Each is named, and the file stays as it is.
/// proves: CLI-261
#[test]
fn what_means_nothing_is_named_and_nothing_is_written() {
    let content = "app.retry: F1 # fine\napp.no.such: F2\nnested: {app.exit: F3}\nkeybindings:\n  app.exit: F4\n\
                   app.exit: 7\napp.clear: {a: F5}\napp.suspend: true\napp.plan.toggle: [F6, 1]\napp.tools.expand:\n";
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(YML);
    std::fs::write(&file, content).unwrap();
    let before = std::fs::metadata(&file).unwrap().modified().unwrap();
    let (bindings, warnings) = read(&[directory.path()]);
    let said: Vec<&str> =
        warnings.iter().filter_map(|warning| warning.split_once(": ")).map(|said| said.1).collect();
    let wrong = |id: &str| format!("{id}: expected a chord or a list of chords, such as [Ctrl+G, F2]");
    let nobody = |id: &str| format!("unknown action \"{id}\": see /hotkeys for all actions");
    let mut expected = vec![nobody("app.no.such"), nobody("nested"), nobody("keybindings")];
    expected
        .extend(["app.exit", "app.clear", "app.suspend", "app.plan.toggle", "app.tools.expand"].map(wrong));
    assert_eq!(said, expected);
    let (_, warnings) = with_file(YML, "app.modle.select: F2\n");
    assert!(
        warnings[0].ends_with("unknown action \"app.modle.select\": did you mean app.model.select?"),
        "{warnings:?}"
    );
    let defaults = Bindings::new(Platform::Unix, &UserKeys::default());
    for action in Action::all() {
        if action == table::RETRY {
            assert_eq!(shown(&bindings, action.id()), ["F1"]);
        } else {
            assert_eq!(bindings.chords(action), defaults.chords(action), "{action:?}");
        }
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), before);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// proves: TUI-118
#[test]
fn the_case_of_a_chord_does_not_matter() {
    let content = "app.retry: CTRL+SHIFT+R\napp.plan.toggle: alt+shift+p\ntui.input.newLine: [shift+ENTER, cTrL+j]\n\
                   app.tools.expand: Ctrl+Backspace\n";
    let (bindings, warnings) = with_file(YML, content);
    assert_eq!(warnings, [""; 0]);
    let presses = [
        (Key::typed('R', Modifiers::CTRL), "app.retry"),
        (Key::typed('P', Modifiers::ALT), "app.plan.toggle"),
        (Key::new(Code::Backspace, Modifiers::CTRL), "app.tools.expand"),
    ];
    for (key, action) in presses {
        assert_eq!(pressed(&bindings, Context::App, key), Some(action));
    }
    for key in [Key::new(Code::Enter, Modifiers::SHIFT), Key::typed('j', Modifiers::CTRL)] {
        assert_eq!(pressed(&bindings, Context::Editor, key), Some("tui.input.newLine"));
    }
    assert_eq!(shown(&bindings, "app.plan.toggle"), ["Alt+Shift+P"]);
}

/// proves: TUI-119
#[test]
fn an_empty_list_takes_the_keys_away() {
    let files = [("keybindings.json", "{\"app.tools.expand\": []}"), (YML, "app.tools.expand: []\n")];
    for (name, content) in files {
        let (bindings, warnings) = with_file(name, content);
        assert_eq!((shown(&bindings, "app.tools.expand"), warnings), (vec![], vec![]));
        assert_eq!(pressed(&bindings, Context::App, Key::typed('o', Modifiers::CTRL)), None);
        let entry = bindings.list().into_iter().find(|entry| entry.id == "app.tools.expand").unwrap();
        assert!(entry.chords.is_empty());
    }
}

/// proves: TUI-121
#[test]
fn a_broken_file_leaves_the_defaults() {
    for (name, content) in [
        ("keybindings.json", "{\"app.retry\": \"F1\""),
        ("keybindings.json", "[\"F1\"]"),
        (YML, "app.retry: [F1\n"),
        (YML, "- app.retry\n"),
        (YML, "app.retry: \"F1\n"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(name);
        std::fs::write(&file, content).unwrap();
        let (bindings, warnings) = read(&[directory.path()]);
        assert_eq!(shown(&bindings, "app.retry"), ["Alt+R"]);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        let said = format!("{name} is ignored and the defaults apply: ");
        assert!(warnings[0].contains(&said), "{warnings:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
    }
    for content in ["", "# nothing yet\n", "{}", "---\n"] {
        assert_eq!(with_file(YML, content).1, [""; 0], "{content:?}");
    }
}

#[test]
fn a_mistyped_chord_is_named_and_does_not_disable() {
    let (bindings, warnings) = with_file(YML, "app.retry: Ctlr+R\napp.plan.toggle: [F2, Foo]\n");
    assert_eq!(shown(&bindings, "app.retry"), ["Alt+R"]);
    assert_eq!(shown(&bindings, "app.plan.toggle"), ["F2"]);
    let said = "app.retry: unknown key or modifier \"Ctlr\" in \"Ctlr+R\"";
    assert!(warnings[0].contains(said), "{warnings:?}");
    assert!(warnings[1].contains("app.plan.toggle: unknown key or modifier \"Foo\""), "{warnings:?}");
}

#[test]
fn the_nearer_profile_wins_action_by_action() {
    let (base, profile) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let content = "app.retry: F1\napp.plan.toggle: F2\napp.exit: []\n";
    std::fs::write(base.path().join(YML), content).unwrap();
    let nearer = r#"{"togglePlanMode": ["F3"], "app.exit": "F4"}"#;
    std::fs::write(profile.path().join("keybindings.json"), nearer).unwrap();
    let (bindings, warnings) = read(&[base.path(), profile.path()]);
    assert_eq!(warnings, [""; 0]);
    assert_eq!(shown(&bindings, "app.retry"), ["F1"]);
    assert_eq!(shown(&bindings, "app.plan.toggle"), ["F3"]);
    assert_eq!(shown(&bindings, "app.exit"), ["F4"]);
    assert_eq!(text(base.path(), YML), content);
}

/// proves: CLI-258
#[test]
fn every_generic_action_has_its_id_and_can_be_moved() {
    let editor = "cursorUp cursorDown cursorLeft cursorRight cursorWordLeft cursorWordRight cursorLineStart \
                  cursorLineEnd jumpForward jumpBackward pageUp pageDown deleteCharBackward deleteCharForward \
                  deleteWordBackward deleteWordForward deleteToLineStart deleteToLineEnd yank yankPop undo";
    let groups = [
        ("tui.editor.", editor, Context::Editor),
        ("tui.input.", "newLine submit tab copy", Context::Editor),
        ("tui.select.", "up down pageUp pageDown confirm cancel", Context::Select),
    ];
    let mut count = 0;
    for (prefix, names, context) in groups {
        for id in names.split_whitespace().map(|name| format!("{prefix}{name}")) {
            count += 1;
            let (bindings, warnings) = with_file(YML, &format!("{id}: Ctrl+F9\n"));
            assert_eq!(warnings, [""; 0]);
            let key = Key::new(Code::F(9), Modifiers::CTRL);
            assert_eq!(pressed(&bindings, context, key), Some(id.as_str()));
            let action = Action::find(&id).unwrap();
            for old in action.defaults(Platform::Unix) {
                assert!(!bindings.is(old, action), "{id}: {old}");
            }
        }
    }
    assert_eq!(count, 31);
}
