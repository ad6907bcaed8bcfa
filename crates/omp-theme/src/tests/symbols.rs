//! Which signs a theme draws with.

use std::time::Duration;

use omp_tui::text::Color;

use super::{sample, with};
use crate::color::{channels, contrast};
use crate::{Adjustments, Preset, Spinner, Symbol, Theme, Token};

/// proves: TUI-142
#[test]
fn the_setting_goes_before_the_theme() {
    let presets = [Preset::Unicode, Preset::Nerd, Preset::Ascii];
    for setting in presets.map(Some).into_iter().chain([None]) {
        for own in presets.map(Some).into_iter().chain([None]) {
            let json = own.map_or_else(sample, |preset| {
                with(&[("/symbols", &format!("{{\"preset\": \"{}\"}}", preset.name()))])
            });
            let adjustments = Adjustments { symbols: setting, ..Adjustments::default() };
            let theme = Theme::load(&json).unwrap().adjusted(adjustments);
            let expected = setting.or(own).unwrap_or(Preset::Unicode);
            assert_eq!(theme.preset(), expected);
            for symbol in Symbol::ALL {
                assert_eq!(theme.symbol(*symbol), symbol.in_preset(expected));
            }
        }
    }
    assert_eq!(Symbol::StatusSuccess.in_preset(Preset::Unicode), "✓");
    assert_eq!(Symbol::StatusSuccess.in_preset(Preset::Nerd), "\u{f00c}");
    assert_eq!(Symbol::StatusSuccess.in_preset(Preset::Ascii), "ok");
}

/// proves: TUI-143
#[test]
fn single_signs_and_frames_can_differ() {
    let symbols = |json: &str| Theme::load(&with(&[("/symbols", json)])).unwrap();
    let theme = symbols(r#"{"overrides": {"status.success": "YES", "no.such": "x", "nav.cursor": ""}}"#);
    assert_eq!(theme.symbol(Symbol::StatusSuccess), "YES");
    assert_eq!(theme.symbol(Symbol::NavCursor), "");
    assert_eq!(theme.symbol(Symbol::StatusError), "✗");
    assert_eq!(theme.notes(), ["/symbols/overrides/no.such: unknown symbol ignored"]);
    // An override stands in every preset.
    let ascii = theme.adjusted(Adjustments { symbols: Some(Preset::Ascii), ..Adjustments::default() });
    assert_eq!((ascii.symbol(Symbol::StatusSuccess), ascii.symbol(Symbol::StatusError)), ("YES", "x"));

    let plain = Theme::load(&sample()).unwrap();
    let both = symbols(r#"{"spinnerFrames": ["a", "b"]}"#);
    assert_eq!(both.spinner(Spinner::Status), ["a", "b"]);
    assert_eq!(both.spinner(Spinner::Activity), ["a", "b"]);
    let one = symbols(r#"{"spinnerFrames": {"activity": ["1", "2", "3"]}}"#);
    assert_eq!(one.spinner(Spinner::Activity), ["1", "2", "3"]);
    assert_eq!(one.spinner(Spinner::Status), plain.spinner(Spinner::Status));
    let ascii = one.adjusted(Adjustments { symbols: Some(Preset::Ascii), ..Adjustments::default() });
    assert_eq!(ascii.spinner(Spinner::Activity), ["1", "2", "3"]);
    assert_eq!(ascii.spinner(Spinner::Status), ["|", "/", "-", "\\"]);

    // 12.5 and about 30 frames a second.
    let turns = |kind: Spinner| Duration::from_secs(2).as_nanos() / kind.interval().as_nanos();
    assert_eq!((turns(Spinner::Status), turns(Spinner::Activity)), (25, 60));
}

/// proves: TUI-141
#[test]
fn added_lines_turn_blue_for_the_colour_blind() {
    let on = Adjustments { color_blind: true, ..Adjustments::default() };
    for name in crate::builtin::names() {
        let theme = Theme::built_in(name).unwrap();
        let blind = Theme::clone(&theme).adjusted(on);
        for token in Token::ALL.iter().filter(|token| **token != Token::ToolDiffAdded) {
            assert_eq!(theme.color(*token), blind.color(*token), "{name}: {}", token.name());
        }
    }
    let added = |json: &str| Theme::load(&with(&[("/colors/toolDiffAdded", json)])).unwrap();
    let green = added("\"#9ece6a\"").adjusted(on).color(Token::ToolDiffAdded);
    let Color::Rgb(red, _, blue) = green else { panic!("{green:?}") };
    assert!(blue > red.saturating_add(50), "{green:?}");
    for name in ["titanium", "dark", "light"] {
        let theme = Theme::clone(&Theme::built_in(name).unwrap()).adjusted(on);
        let color = channels(theme.color(Token::ToolDiffAdded)).unwrap();
        assert!(contrast(color, theme.page_colors().page.unwrap()) >= 4.5, "{name}: {color:?}");
    }
    // Colours that the terminal chooses stay.
    assert_eq!(added("2").adjusted(on).color(Token::ToolDiffAdded), Color::Indexed(2));
    assert_eq!(added("\"\"").adjusted(on).color(Token::ToolDiffAdded), Color::Default);
}
