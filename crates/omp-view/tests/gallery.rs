//! Every view in every state: how it looks, and that it fits.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use omp_theme::{Adjustments, Preset, Theme, Tint, Token};
use omp_tui::text::{Color, Line};
use omp_view::{Look, gallery};

fn theme() -> Arc<Theme> {
    Theme::built_in("dark").unwrap()
}

fn drawn(look: &Look) -> String {
    let mut text = String::new();
    for specimen in gallery::gallery() {
        let _ = writeln!(text, "== {}", specimen.name);
        for row in specimen.rows(look) {
            let _ = writeln!(text, "{}", row.text().trim_end());
        }
    }
    text
}

/// `OMP_BLESS=1` writes the files anew.
fn compare(width: usize) {
    let now = drawn(&Look::new(theme(), width));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/gallery/{width}.txt"));
    if std::env::var_os("OMP_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &now).unwrap();
    }
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = before.lines().zip(now.lines()).position(|(before, now)| before != now);
    let place =
        differs.map(|line| format!("line {}: {:?}", line + 1, now.lines().nth(line).unwrap_or_default()));
    assert!(
        before == now,
        "the gallery at {width} looks different ({place:?}); look at it, then OMP_BLESS=1"
    );
}

#[test]
fn it_looks_as_before_at_40() {
    compare(40);
}

#[test]
fn it_looks_as_before_at_80() {
    compare(80);
}

#[test]
fn it_looks_as_before_at_120() {
    compare(120);
}

#[test]
fn every_row_fits_whatever_the_width() {
    for width in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 200] {
        let look = Look::new(theme(), width);
        for specimen in gallery::gallery() {
            for row in specimen.rows(&look) {
                assert!(row.width() <= width, "{} at {width}: {:?}", specimen.name, row.text());
            }
        }
    }
}

#[test]
fn letters_are_enough() {
    let adjustments = Adjustments { symbols: Some(Preset::Ascii), ..Adjustments::default() };
    let theme = Arc::new(Theme::clone(&theme()).adjusted(adjustments));
    for width in [30, 80] {
        let text = drawn(&Look::new(theme.clone(), width));
        let odd: Vec<&str> = text.lines().filter(|line| !line.is_ascii()).collect();
        assert!(odd.is_empty(), "{odd:#?}");
    }
}

/// Every tool that the program has is in the gallery, in every state.
#[test]
fn every_tool_is_there_in_every_state() {
    let names: Vec<String> = gallery::gallery().into_iter().map(|specimen| specimen.name).collect();
    let tools = [
        "ask",
        "ast_edit",
        "ast_grep",
        "bash",
        "checkpoint",
        "edit",
        "find",
        "goal",
        "job",
        "read",
        "resolve",
        "rewind",
        "search",
        "search_tool_bm25",
        "ssh",
        "todo",
        "write",
    ];
    let states = ["pending", "ready", "running", "done", "done-expanded", "failed", "aborted", "denied"];
    for tool in tools {
        for state in states {
            assert!(names.contains(&format!("{tool}/{state}")), "{tool}/{state}");
        }
    }
}

/// Colours come from the tokens of the theme, and what is said does not depend on them.
#[test]
fn every_colour_is_a_token() {
    let [dark, light] = ["dark", "light"].map(|name| Theme::built_in(name).unwrap());
    let mut different = 0;
    let tints: Vec<Color> = [Token::ToolDiffAdded, Token::ToolDiffRemoved]
        .into_iter()
        .flat_map(|token| [Tint::Quiet, Tint::Strong].map(|tint| dark.tint(token, tint)))
        .flatten()
        .collect();
    for specimen in gallery::gallery() {
        let [first, second] = [&dark, &light].map(|theme| specimen.rows(&Look::new(theme.clone(), 80)));
        let texts = |rows: &[Line]| rows.iter().map(Line::text).collect::<Vec<_>>();
        assert_eq!(texts(&first), texts(&second), "{}", specimen.name);
        different += usize::from(first != second);
        // Programs bring their own colours.
        for span in first.iter().flat_map(|row| row.spans()).filter(|_| !specimen.name.starts_with("bash/")) {
            for color in [span.style().foreground, span.style().background] {
                let known = color == Color::Default
                    || tints.contains(&color)
                    || Token::ALL.iter().any(|token| dark.color(*token) == color);
                assert!(known, "{}: {color:?} of {:?}", specimen.name, span.text());
            }
        }
    }
    assert!(different > 150, "{different}");
}
