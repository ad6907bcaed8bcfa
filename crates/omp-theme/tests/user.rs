//! Themes of a user: where they are found, and which one is shown before anything is set.

use std::path::Path;

use omp_config::Directories;
use omp_config::settings::{Settings, keys};
use omp_theme::{Adjustments, Appearance, Catalog, Current, Preset, Slots, Theme, Token};

fn catalog(variables: &[(&str, &Path)]) -> Catalog {
    let value = |name: &str| {
        variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_str().unwrap().to_owned())
    };
    Catalog::new(Directories::resolve(value).unwrap().themes())
}

/// A theme whose border has this number.
fn theme(border: u8) -> String {
    let colors = Token::ALL.iter().map(|token| {
        let number = if *token == Token::Border { border } else { 7 };
        format!("\"{}\": {number}", token.name())
    });
    format!("{{\"name\": \"own\", \"colors\": {{{}}}}}", colors.collect::<Vec<_>>().join(", "))
}

fn put(directory: &Path, name: &str, border: u8) {
    std::fs::create_dir_all(directory).unwrap();
    std::fs::write(directory.join(format!("{name}.json")), theme(border)).unwrap();
}

/// proves: TUI-132
#[test]
fn built_in_themes_come_first_then_those_of_the_agent_directory() {
    let home = tempfile::tempdir().unwrap();
    let usual = home.path().join(".omp/agent/themes");
    let other = home.path().join("elsewhere");
    put(&usual, "dark", 1);
    put(&usual, "aaa", 2);
    put(&usual, "zzz", 3);
    put(&other.join("themes"), "moved", 4);

    let here = catalog(&[("HOME", home.path())]);
    let border = |catalog: &Catalog, name: &str| catalog.load(name).map(|theme| theme.color(Token::Border));
    assert_eq!(border(&here, "dark").unwrap(), Theme::built_in("dark").unwrap().color(Token::Border));
    assert_eq!(border(&here, "zzz").unwrap(), omp_tui::text::Color::Indexed(3));
    assert_eq!(border(&here, "moved").unwrap_err().to_string(), "theme not found: moved (see: /theme)");
    let names = here.names();
    assert!(
        names.is_sorted() && names.first().unwrap() == "aaa" && names.last().unwrap() == "zzz",
        "{names:?}"
    );
    assert_eq!(names.iter().filter(|name| *name == "dark").count(), 1);
    assert!(names.contains(&"titanium".to_owned()) && names.contains(&"light".to_owned()));

    let moved = catalog(&[("HOME", home.path()), ("PI_CODING_AGENT_DIR", &other)]);
    assert_eq!(border(&moved, "moved").unwrap(), omp_tui::text::Color::Indexed(4));
    assert_eq!(border(&moved, "zzz").unwrap_err().to_string(), "theme not found: zzz (see: /theme)");
}

/// proves: TUI-133
#[test]
fn a_fresh_start_has_the_documented_defaults() {
    let settings = Settings::defaults();
    assert_eq!(settings.get(keys::THEME_DARK), Some("titanium"));
    assert_eq!(settings.get(keys::THEME_LIGHT), Some("light"));
    assert_eq!(settings.get(keys::SYMBOL_PRESET), "unicode");
    assert!(!settings.get(keys::COLOR_BLIND_MODE));
    let slots = Slots::default();
    assert_eq!((Some(slots.dark.as_str()), Some(slots.light.as_str())), (Some("titanium"), Some("light")));

    let home = tempfile::tempdir().unwrap();
    for (appearance, name) in [(Appearance::Dark, "titanium"), (Appearance::Light, "light")] {
        let catalog = catalog(&[("HOME", home.path())]);
        assert!(catalog.names().len() >= 12);
        let (current, loaded) = Current::new(catalog, slots.clone(), Adjustments::default(), appearance);
        loaded.unwrap();
        let theme = current.theme();
        assert_eq!((theme.name(), theme.preset()), (name, Preset::Unicode));
        assert_eq!(theme.is_light(), appearance == Appearance::Light);
        let plain = Theme::built_in(name).unwrap();
        assert_eq!(theme.color(Token::ToolDiffAdded), plain.color(Token::ToolDiffAdded));
    }
}
