//! Keys in, rows and wishes out.

use omp_keys::Bindings;
use omp_tui::input::{Code, Key};

use super::{SettingItem, SettingKind, SettingsPanel, SettingsRequest};
use crate::Machine;
use crate::testing::{assert_fits, letters, look, plain, size, text};

fn item(path: &'static str, group: &'static str, kind: SettingKind, value: &str) -> SettingItem {
    let about = "What it is good for.";
    SettingItem {
        path,
        group,
        about,
        kind,
        value: value.to_owned(),
        usual: "text".to_owned(),
        origin: String::new(),
        remark: String::new(),
        is_idle: false,
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn panel() -> SettingsPanel {
    SettingsPanel::new(vec![
        item("retry.enabled", "Models", SettingKind::Flag, "true"),
        item("temperature", "Thinking", SettingKind::Text, "-1"),
        item(
            "theme.dark",
            "Appearance",
            SettingKind::Tried(words(&["amber", "dark", "titanium"])),
            "titanium",
        ),
        item(
            "steeringMode",
            "Interaction",
            SettingKind::Words(words(&["one-at-a-time", "all"])),
            "one-at-a-time",
        ),
    ])
}

fn press(panel: &mut SettingsPanel, keys: &[Key]) -> Option<SettingsRequest> {
    keys.iter().filter_map(|key| panel.key(*key, &Bindings::default())).last()
}

fn shown(panel: &mut SettingsPanel) -> String {
    text(&panel.draw(&look(100), size(100, 40)))
}

#[test]
fn each_kind_is_changed_in_its_way() {
    let mut panel = panel();
    let enter = plain(Code::Enter);
    let head = shown(&mut panel);
    assert!(
        head.starts_with("Settings") && head.lines().nth(1).is_some_and(|row| row.contains("All")),
        "{head}"
    );
    assert!(head.contains("Retry: enabled  on") && head.contains("retry.enabled · text"), "{head}");
    assert_eq!(press(&mut panel, &[enter]), Some(SettingsRequest::Set("retry.enabled", "false".to_owned())));
    assert_eq!(press(&mut panel, &[plain(Code::Down), enter]), Some(SettingsRequest::Write("temperature")));
    assert_eq!(press(&mut panel, &[plain(Code::Delete)]), Some(SettingsRequest::Reset("temperature")));
    press(&mut panel, &[plain(Code::Down), plain(Code::Down), enter]);
    assert!(shown(&mut panel).contains("one-at-a-time\n"), "{}", shown(&mut panel));
    let chosen = press(&mut panel, &[plain(Code::Down), enter]);
    assert_eq!(chosen, Some(SettingsRequest::Set("steeringMode", "all".to_owned())));
    assert_eq!(press(&mut panel, &[plain(Code::Escape)]), Some(SettingsRequest::Close));
}

/// What is tried out is undone with Escape, and the panel stays.
#[test]
fn a_theme_is_tried_out_and_taken_back() {
    let mut panel = panel();
    press(&mut panel, &[plain(Code::Down), plain(Code::Down), plain(Code::Enter)]);
    let tried = press(&mut panel, &[plain(Code::Up)]);
    assert_eq!(tried, Some(SettingsRequest::Try("theme.dark", "dark".to_owned())));
    assert_eq!(press(&mut panel, &[plain(Code::Escape)]), Some(SettingsRequest::StopTrying));
    assert!(shown(&mut panel).contains("Steering mode"));
}

#[test]
fn groups_and_searches_narrow_the_list() {
    let mut panel = panel();
    press(&mut panel, &[plain(Code::Right), plain(Code::Right)]);
    let thinking = shown(&mut panel);
    assert!(thinking.contains("Temperature") && !thinking.contains("Retry: enabled"), "{thinking}");
    press(&mut panel, &[plain(Code::Left), plain(Code::Left)]);
    press(&mut panel, &letters("steer"));
    let found = shown(&mut panel);
    assert!(found.contains("Steering mode") && !found.contains("Temperature"), "{found}");
    assert_eq!(press(&mut panel, &[plain(Code::Escape)]), None, "the search goes first");
}

#[test]
fn new_values_come_in_place() {
    let mut panel = panel();
    press(&mut panel, &[plain(Code::Down)]);
    let mut items = panel.items.clone();
    items[1].value = "0.5".to_owned();
    items[1].origin = "you".to_owned();
    items[1].remark = "It counts in the next session.".to_owned();
    panel.update(items);
    let shown = shown(&mut panel);
    assert!(shown.contains("0.5  (you)") && shown.contains("next session"), "{shown}");
    assert_eq!(panel.current().map(|item| item.path), Some("temperature"));
    panel.complain("That is no number.");
    assert!(self::shown(&mut panel).contains("That is no number."));
}

#[test]
fn it_fits_every_screen() {
    let mut panel = panel();
    assert_fits(|look, size| panel.draw(look, size));
}

/// A setting that nothing reads yet is in nobody's way, but found by its name.
#[test]
fn idle_settings_are_found_by_searching() {
    let mut items = panel().items;
    items[3].is_idle = true;
    let mut panel = SettingsPanel::new(items);
    assert!(!shown(&mut panel).contains("Steering mode"));
    press(&mut panel, &letters("steeringMode"));
    assert!(shown(&mut panel).contains("Steering mode"));
}
