//! The themes that come with the program.

use crate::builtin;
use crate::color::{channels, contrast};
use crate::{Theme, Tint, Token};

/// Text that is looked at second.
const QUIET: &[Token] = &[Token::Dim, Token::SyntaxComment, Token::ThinkingMinimal, Token::StatusLineSep];

/// Lines, which are seen and not read.
const LINES: &[Token] = &[
    Token::Border,
    Token::BorderMuted,
    Token::MdCodeBlockBorder,
    Token::MdQuoteBorder,
    Token::MdHr,
    Token::ThinkingOff,
];

fn themes() -> Vec<std::sync::Arc<Theme>> {
    builtin::names()
        .map(|name| Theme::built_in(name).unwrap_or_else(|| panic!("{name} does not load")))
        .collect()
}

#[test]
fn they_load_under_their_names() {
    let themes = themes();
    assert!(themes.len() >= 12, "{}", themes.len());
    let names: Vec<&str> = builtin::names().collect();
    assert!(names.is_sorted(), "{names:?}");
    for (theme, name) in themes.iter().zip(names) {
        assert_eq!(theme.name(), name);
        assert!(theme.notes().is_empty(), "{name}: {:?}", theme.notes());
    }
    let light = themes.iter().filter(|theme| theme.is_light()).count();
    assert!(light >= 5 && light + 5 <= themes.len(), "{light}");
    for (name, light) in
        [("dark", false), ("titanium", false), ("light", true), ("paper", true), ("ansi", false)]
    {
        assert_eq!(Theme::built_in(name).unwrap().is_light(), light, "{name}");
    }
}

#[test]
fn every_text_can_be_read_where_it_stands() {
    for theme in themes() {
        // The page is what the theme expects the terminal to have behind it.
        let Some(page) = theme.page_colors().page else { continue };
        let grounds = Token::ALL.iter().filter(|token| token.is_background());
        let grounds: Vec<_> =
            grounds.filter_map(|token| channels(theme.color(*token))).chain([page]).collect();
        for token in Token::ALL.iter().filter(|token| !token.is_background() && !LINES.contains(token)) {
            let Some(color) = channels(theme.color(*token)) else { continue };
            let least = if QUIET.contains(token) { 3.0 } else { 4.5 };
            for ground in &grounds {
                let found = contrast(color, *ground);
                let (theme, token) = (theme.name(), token.name());
                assert!(found >= least, "{theme}: {token} has {found:.2} on {ground:?}, needs {least}");
            }
        }
    }
}

/// Code is read on the tints of added and removed lines, too.
#[test]
fn code_can_be_read_on_tints() {
    for theme in themes() {
        let syntax = Token::ALL.iter().filter(|token| token.name().starts_with("syntax"));
        for token in syntax.chain([&Token::Text, &Token::ToolDiffAdded, &Token::ToolDiffRemoved]) {
            let Some(color) = channels(theme.color(*token)) else { continue };
            for change in [Token::ToolDiffAdded, Token::ToolDiffRemoved] {
                let Some(ground) = theme.tint(change, Tint::Quiet).and_then(channels) else { continue };
                let found = contrast(color, ground);
                let least = if QUIET.contains(token) { 2.5 } else { 3.5 };
                let (theme, token) = (theme.name(), token.name());
                assert!(found >= least, "{theme}: {token} has {found:.2} on {ground:?}, needs {least}");
            }
        }
    }
}

#[test]
fn the_high_contrast_themes_are_what_they_say() {
    for name in ["contrast-dark", "contrast-light"] {
        let theme = Theme::built_in(name).unwrap();
        let page = theme.page_colors().page.unwrap();
        for token in [Token::Text, Token::Accent, Token::Error, Token::Success, Token::Muted] {
            let found = contrast(channels(theme.color(token)).unwrap(), page);
            assert!(found >= 7.0, "{name}: {} has {found:.2}", token.name());
        }
    }
}

/// Added and removed lines of the themes for the colour-blind differ in more than green against red.
#[test]
fn the_safe_themes_do_not_rest_on_green_and_red() {
    for name in ["safe-dark", "safe-light"] {
        let theme = Theme::built_in(name).unwrap();
        let blue = |token: Token| {
            channels(theme.color(token)).map(|(red, _, blue)| i32::from(blue) - i32::from(red))
        };
        for (good, bad) in [(Token::ToolDiffAdded, Token::ToolDiffRemoved), (Token::Success, Token::Error)] {
            assert!(blue(good).unwrap() > 60 && blue(bad).unwrap() < -60, "{name}");
        }
    }
}
