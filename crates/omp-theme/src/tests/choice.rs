//! Choosing, trying out and editing themes.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use omp_tui::text::Color;

use super::{sample, with};
use crate::{Adjustments, Appearance, Catalog, Current, FileWatch, Slots, Theme, ThemeError, Token};

fn slots(dark: &str, light: &str) -> Slots {
    Slots { dark: dark.to_owned(), light: light.to_owned() }
}

fn open(directory: &Path, slots: Slots) -> (Current, Result<(), ThemeError>) {
    Current::new(Catalog::new(directory), slots, Adjustments::default(), Appearance::Dark)
}

fn write(directory: &Path, name: &str, json: &str) {
    std::fs::write(directory.join(format!("{name}.json")), json).unwrap();
}

#[test]
fn built_in_themes_win_over_files() {
    let directory = tempfile::tempdir().unwrap();
    let catalog = Catalog::new(directory.path());
    let built_in = catalog.names();
    write(directory.path(), "dark", &sample());
    write(directory.path(), "mine", &sample());
    write(directory.path(), "apple", "broken");
    std::fs::write(directory.path().join("notes.txt"), "").unwrap();
    std::fs::create_dir(directory.path().join("folder.json")).unwrap();
    let mut expected = built_in;
    expected.extend(["apple".to_owned(), "mine".to_owned()]);
    expected.sort();
    assert_eq!(catalog.names(), expected);
    assert_eq!(
        catalog.load("dark").unwrap().color(Token::Text),
        Theme::built_in("dark").unwrap().color(Token::Text)
    );
    assert_eq!(catalog.load("mine").unwrap().color(Token::Text), Color::Default);
    for name in ["../mine", "", "a/b", "c\\d"] {
        assert!(matches!(catalog.load(name), Err(ThemeError::NotFound { .. })), "{name}");
    }
    write(directory.path(), "huge", &" ".repeat(1024 * 1024 + 1));
    assert!(matches!(catalog.load("huge"), Err(ThemeError::TooLarge { .. })));
    assert!(Catalog::new(directory.path().join("absent")).names().contains(&"titanium".to_owned()));
}

/// proves: TUI-138
#[test]
fn a_broken_choice_falls_back_and_a_broken_preview_does_nothing() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "broken", "{\"name\": \"broken\"}");
    let (mut current, loaded) = open(directory.path(), slots("broken", "light"));
    assert!(loaded.unwrap_err().to_string().contains("missing colors: accent"));
    assert_eq!(current.theme().name(), "dark");

    current.set_slots(slots("ocean", "light")).unwrap();
    assert_eq!(current.theme().name(), "ocean");
    assert!(current.preview("broken").is_err());
    assert!(current.preview("absent").is_err());
    assert_eq!(current.theme().name(), "ocean");

    let error = current.set_slots(slots("absent", "light")).unwrap_err();
    assert_eq!(error.to_string(), "theme not found: absent (see: /theme)");
    assert_eq!(current.theme().name(), "dark");
}

#[test]
fn a_preview_is_taken_back() {
    let directory = tempfile::tempdir().unwrap();
    let (mut current, loaded) = open(directory.path(), Slots::default());
    loaded.unwrap();
    assert_eq!(current.theme().name(), "titanium");
    for name in ["ember", "paper"] {
        current.preview(name).unwrap();
        assert_eq!(current.theme().name(), name);
    }
    current.end_preview();
    assert_eq!(current.theme().name(), "titanium");
    assert_eq!(current.slots(), &Slots::default());
}

#[test]
fn the_slot_follows_the_background() {
    let directory = tempfile::tempdir().unwrap();
    let (mut current, _) = open(directory.path(), slots("ocean", "paper"));
    assert!(current.set_appearance(Appearance::Light).unwrap());
    assert_eq!(current.theme().name(), "paper");
    assert!(!current.set_appearance(Appearance::Light).unwrap());
    assert!(current.set_appearance(Appearance::Dark).unwrap());
    assert_eq!(current.theme().name(), "ocean");
    // A preview stays while the user looks at it.
    current.preview("ember").unwrap();
    current.set_appearance(Appearance::Light).unwrap();
    assert_eq!(current.theme().name(), "ember");
    current.end_preview();
    assert_eq!(current.theme().name(), "paper");
}

#[test]
fn an_edited_file_is_read_again_and_a_broken_one_is_not() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "mine", &sample());
    let (mut current, loaded) = open(directory.path(), slots("mine", "light"));
    loaded.unwrap();
    assert_eq!(current.file(), Some(directory.path().join("mine.json")));
    let border = |current: &Current| current.theme().color(Token::Border);

    write(directory.path(), "mine", &with(&[("/colors/border", "1")]));
    assert!(current.reload().unwrap());
    assert!(!current.reload().unwrap());
    assert_eq!(border(&current), Color::Indexed(1));
    write(directory.path(), "mine", "{\"name\":");
    assert!(current.reload().is_err());
    assert_eq!(border(&current), Color::Indexed(1));
    std::fs::remove_file(directory.path().join("mine.json")).unwrap();
    assert!(current.reload().is_err());
    assert_eq!(border(&current), Color::Indexed(1));
    write(directory.path(), "mine", &with(&[("/colors/border", "2")]));
    assert!(current.reload().unwrap());
    assert!(!current.reload().unwrap());
    assert_eq!(border(&current), Color::Indexed(2));

    current.set_slots(slots("titanium", "light")).unwrap();
    assert_eq!(current.file(), None);
}

#[test]
fn the_watch_sees_writes_and_replacements_of_its_file_only() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mine.json");
    std::fs::write(&file, "1").unwrap();
    let (sender, changes) = mpsc::channel();
    let watch = FileWatch::new(&file, move || {
        let _ = sender.send(());
    })
    .unwrap();
    let wait = || changes.recv_timeout(Duration::from_secs(20)).expect("a change");
    std::fs::write(&file, "2").unwrap();
    wait();
    let other = directory.path().join("other.tmp");
    std::fs::write(&other, "3").unwrap();
    std::fs::rename(&other, &file).unwrap();
    wait();
    drop(watch);
    // The channel ends with the watch: nothing is left behind that could still call us.
    while changes.recv_timeout(Duration::from_secs(20)).is_ok() {}
    assert_eq!(changes.try_recv(), Err(mpsc::TryRecvError::Disconnected));
}
