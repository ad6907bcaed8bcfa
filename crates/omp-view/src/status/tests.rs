use super::*;
use crate::gallery::status_facts;
use crate::testing::look;

fn shown(width: usize, settings: &Settings) -> Vec<String> {
    rows(&look(width), &status_facts(), settings).iter().map(Line::text).collect()
}

fn preset(name: &str) -> Settings {
    Settings { preset: name.to_owned(), ..Settings::usual() }
}

#[test]
fn presets_show_their_segments() {
    let usual = shown(120, &Settings::usual());
    let (left, right) = usual[0].trim().split_once("  ").unwrap();
    assert_eq!(left, "◫ plan › ◈ sonnet-5 high › auto (sandbox) › ~/work/omp › ⎇ main +1 *2 ?3");
    assert_eq!(right.trim(), "⁂ 2 ‹ ◔ 42% of 200k ‹ $1.23");
    assert_eq!(usual[1], "lint: ok");
    assert_eq!(Line::plain(&usual[0]).width(), 120);
    assert_eq!(
        shown(60, &preset("minimal"))[0].split_whitespace().collect::<Vec<_>>().join(" "),
        "◫ plan › auto (sandbox) › ~/work/omp ◔ 42% of 200k"
    );
    assert!(shown(160, &preset("full"))[0].contains("↑12k ↓3.4k"));
    assert!(shown(160, &preset("nerd"))[0].contains('\u{f2db}'));
    let ascii = shown(120, &Settings { separator: "ascii".into(), ..preset("ascii") });
    assert!(ascii[0].is_ascii(), "{ascii:?}");
}

#[test]
fn separators_follow_the_setting() {
    for (name, sign) in
        [("slash", " / "), ("pipe", " │ "), ("block", " ▌ "), ("powerline", " ▸ "), ("none", "  ")]
    {
        let settings = Settings { separator: name.into(), ..Settings::usual() };
        assert!(shown(100, &settings)[0].contains(&format!("~/work/omp{sign}⎇")), "{name}");
    }
}

#[test]
fn a_custom_line_has_what_was_asked_for() {
    let options = serde_json::json!({ "git": { "showCounts": false }, "path": { "maxLength": 6 } });
    let settings = Settings {
        left: vec!["git".into(), "nonsense".into(), "path".into()],
        right: vec!["cost".into()],
        options: options.as_object().unwrap().clone(),
        show_hook_status: false,
        ..preset("custom")
    };
    assert_eq!(shown(40, &settings), [format!(" ⎇ main › …/omp{}$1.23 ", " ".repeat(19))]);
}

#[test]
fn what_does_not_fit_gives_way() {
    for width in 1..120 {
        let rows = shown(width, &Settings::usual());
        assert_eq!(Line::plain(&rows[0]).width(), width, "{rows:?}");
    }
    let narrow = shown(40, &Settings::usual());
    assert!(narrow[0].contains("sonnet-5") && !narrow[0].contains("$1.23"), "{narrow:?}");
}

#[test]
fn the_ground_can_be_left_alone() {
    let look = look(60);
    let ground =
        |settings: &Settings| rows(&look, &status_facts(), settings)[0].spans()[0].style().background;
    assert_eq!(ground(&Settings { transparent: true, ..Settings::usual() }), omp_tui::text::Color::Default);
    assert_eq!(ground(&Settings::usual()), look.theme.color(Token::StatusLineBg));
}

/// What the provider's cache missed stands behind what came from it.
#[test]
fn the_cache_shows_what_it_missed() {
    let settings = Settings { left: vec!["cache".into()], show_hook_status: false, ..preset("custom") };
    let shown = |missed| rows(&look(40), &Facts { missed, ..status_facts() }, &settings)[0].text();
    assert!(shown(0).trim().ends_with(" 220k"), "{}", shown(0));
    assert!(shown(31_000).trim().ends_with(" 220k -31k"), "{}", shown(31_000));
}
