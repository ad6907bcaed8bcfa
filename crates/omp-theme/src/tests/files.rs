//! What a theme file may say, and what it is told when it is wrong.

use omp_tui::text::{Color, Depth, Line};

use super::{sample, with, without};
use crate::{Catalog, Theme, ThemeError, Token};

fn mistake(json: &str) -> String {
    Theme::load(json).unwrap_err().to_string()
}

/// proves: TUI-127
#[test]
fn a_name_and_colours_are_enough() {
    let theme = Theme::load(&sample()).unwrap();
    assert_eq!(theme.name(), "sample");
    let more = with(&[
        ("/$schema", "\"https://example.org/theme.json\""),
        ("/export", r##"{"pageBg": "#000000"}"##),
        ("/symbols", r#"{"preset": "ascii"}"#),
    ]);
    assert!(Theme::load(&more).is_ok());
    assert!(Theme::load(&format!("\u{feff}{}", sample())).is_ok());
    // Without the variables that nothing refers to.
    let colors: Vec<String> = Token::ALL.iter().map(|token| format!("\"{}\": 7", token.name())).collect();
    assert!(Theme::load(&format!("{{\"name\": \"x\", \"colors\": {{{}}}}}", colors.join(","))).is_ok());

    assert!(mistake(&with(&[("/name", "7")])).contains("/name: expected a name, found a number"));
    assert!(mistake("{\"colors\": {}}").contains("/name: a theme needs a \"name\""));
    assert!(mistake("{\"name\": \"x\"}").contains("missing colors: accent, border,"));
    assert!(mistake("[]").contains("/: expected an object, found a list"));
}

/// proves: TUI-128
#[test]
fn every_colour_is_needed() {
    let documented = [(11, "accent"), (7, "selectedBg"), (5, "userMessageText"), (10, "mdHeading")];
    let more = [(12, "toolDiffAdded"), (8, "thinkingOff"), (13, "statusLineSep")];
    let mut at = 0;
    for (count, first) in documented.into_iter().chain(more) {
        assert_eq!(Token::ALL[at].name(), first);
        at += count;
    }
    assert_eq!((at, Token::ALL.len()), (66, 66));
    for token in Token::ALL {
        let message = mistake(&without(*token));
        let line = message.lines().nth(1).unwrap();
        assert!(line.starts_with(&format!("missing colors: {};", token.name())), "{message}");
    }
}

/// proves: TUI-129, TUI-137
#[test]
fn a_colour_has_four_forms() {
    let theme = Theme::load(&with(&[("/colors/muted", "\"grey\""), ("/colors/selectedBg", "236")])).unwrap();
    assert_eq!(theme.color(Token::Border), Color::Rgb(0xaa, 0xbb, 0xcc));
    assert_eq!(theme.color(Token::Dim), Color::Indexed(240));
    assert_eq!(theme.color(Token::Accent), Color::Rgb(0x7a, 0xa2, 0xf7));
    assert_eq!(theme.color(Token::Muted), Color::Indexed(244));
    assert_eq!(theme.color(Token::Text), Color::Default);

    let shown = |token: Token, depth: Depth| {
        let style = if token.is_background() { theme.bg(token) } else { theme.fg(token) };
        Line::styled(style, "x").to_ansi(depth)
    };
    for depth in [Depth::Direct, Depth::Indexed] {
        assert_eq!(shown(Token::Dim, depth), "\x1b[38;5;240mx\x1b[m");
        assert_eq!(shown(Token::SelectedBg, depth), "\x1b[48;5;236mx\x1b[m");
        // The terminal's own colours, written where another one was before.
        let mut out = Vec::new();
        theme.fg(Token::Border).transition(
            theme.fg(Token::Text).background(Color::Indexed(3)),
            depth,
            &mut out,
        );
        assert_eq!(String::from_utf8(out).unwrap(), "\x1b[39;48;5;3m");
        let mut out = Vec::new();
        theme.bg(Token::StatusLineBg).transition(theme.fg(Token::Dim), depth, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "\x1b[38;5;240;49m");
    }
    assert_eq!(shown(Token::Accent, Depth::Direct), "\x1b[38;2;122;162;247mx\x1b[m");
    assert_eq!(shown(Token::Accent, Depth::Indexed), "\x1b[38;5;111mx\x1b[m");
    assert_eq!(shown(Token::StatusLineBg, Depth::Direct), "\x1b[48;2;16;32;48mx\x1b[m");
    assert_eq!(shown(Token::StatusLineBg, Depth::Indexed), "\x1b[48;5;234mx\x1b[m");
}

/// proves: TUI-130
#[test]
fn variables_lead_to_a_colour() {
    let chain =
        with(&[("/vars/a", "\"b\""), ("/vars/b", "\"c\""), ("/vars/c", "17"), ("/colors/text", "\"a\"")]);
    assert_eq!(Theme::load(&chain).unwrap().color(Token::Text), Color::Indexed(17));

    let missing = mistake(&with(&[("/colors/text", "\"nowhere\"")]));
    assert!(missing.contains("/colors/text: \"vars\" has no entry \"nowhere\""), "{missing}");
    let missing = mistake(&with(&[("/vars/a", "\"nowhere\"")]));
    assert!(missing.contains("/vars/a: \"vars\" has no entry \"nowhere\""), "{missing}");
    let circle = mistake(&with(&[("/vars/a", "\"b\""), ("/vars/b", "\"a\""), ("/colors/text", "\"a\"")]));
    assert!(circle.contains("/colors/text: circular reference between variables: a -> b -> a"), "{circle}");
    let itself = mistake(&with(&[("/vars/a", "\"a\"")]));
    assert!(itself.contains("/vars/a: circular reference between variables: a -> a"), "{itself}");
}

/// proves: TUI-131
#[test]
fn mistakes_are_named_together_with_their_place() {
    let mut value: serde_json::Value = serde_json::from_str(&with(&[
        ("/colors/text", "true"),
        ("/colors/dim", "256"),
        ("/colors/muted", "-1"),
        ("/colors/error", "\"#12345\""),
        ("/colors/success", "[1]"),
        ("/vars/shade", "{}"),
        (
            "/symbols",
            r#"{"preset": "emoji", "overrides": {"status.success": 1}, "spinnerFrames": {"status": []}}"#,
        ),
        ("/export", "[]"),
    ]))
    .unwrap();
    for name in ["border", "mdHr", "statusLineCost"] {
        value["colors"].as_object_mut().unwrap().shift_remove(name);
    }
    let message = mistake(&value.to_string());
    let lines: Vec<&str> = message.lines().collect();
    let forms =
        "expected \"#RRGGBB\", a number from 0 to 255, the name of an entry of \"vars\", or \"\", found";
    assert_eq!(
        lines,
        [
            "invalid theme:",
            "missing colors: border, mdHr, statusLineCost; add them to \"colors\" (every theme needs all 66)",
            &format!("/vars/brand: {forms} an object"),
            &format!("/vars/shade: {forms} an object"),
            &format!("/colors/accent: {forms} an object"),
            &format!("/colors/success: {forms} a list"),
            &format!("/colors/error: {forms} \"#12345\""),
            &format!("/colors/muted: {forms} -1"),
            &format!("/colors/dim: {forms} 256"),
            &format!("/colors/text: {forms} true or false"),
            "/export: expected an object, found a list",
            "/symbols/preset: expected unicode, nerd or ascii, found a string",
            "/symbols/overrides/status.success: expected a string, found a number",
            "/symbols/spinnerFrames/status: expected a list of at least one string, found a list",
        ]
    );
    assert!(matches!(Theme::load("{"), Err(ThemeError::Json(_))));
    let directory = tempfile::tempdir().unwrap();
    let unknown = Catalog::new(directory.path()).load("no-such-theme").unwrap_err();
    assert_eq!(unknown.to_string(), "theme not found: no-such-theme (see: /theme)");
}
