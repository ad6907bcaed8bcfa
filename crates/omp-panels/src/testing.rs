//! What the tests of lists under tabs share.

use omp_theme::Theme;
use omp_tui::input::{Code, Key, Modifiers};
use omp_tui::render::Size;
use omp_view::Look;

use crate::Drawn;

/// The dark theme at a width.
pub(crate) fn look(width: usize) -> Look {
    Look::new(Theme::built_in("dark").expect("a built-in theme"), width)
}

/// A key without modifiers.
pub(crate) fn plain(code: Code) -> Key {
    Key::new(code, Modifiers::NONE)
}

/// The keys of a text.
pub(crate) fn letters(text: &str) -> Vec<Key> {
    text.chars().map(|letter| plain(Code::Char(letter))).collect()
}

/// A screen of that size.
pub(crate) fn size(width: usize, height: usize) -> Size {
    Size { width, height }
}

/// Rows without their styles, one below the other.
pub(crate) fn text(drawn: &Drawn) -> String {
    drawn.rows.iter().map(|row| format!("{}\n", row.text().trim_end())).collect()
}

/// Nothing is drawn outside the screen, whatever its size.
pub(crate) fn assert_fits(mut draw: impl FnMut(&Look, Size) -> Drawn) {
    for (width, height) in [(20, 8), (40, 12), (80, 24), (200, 60)] {
        let drawn = draw(&look(width), size(width, height));
        assert!(drawn.rows.len() <= height, "{} rows of {height}\n{}", drawn.rows.len(), text(&drawn));
        for row in &drawn.rows {
            assert!(row.width() <= width, "{} cells of {width}: {}", row.width(), row.text());
        }
    }
}
