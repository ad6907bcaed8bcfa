//! What the tests of this crate share.

use omp_theme::Theme;
use omp_tui::text::Line;

use crate::Look;

/// The dark theme at a width.
pub(crate) fn look(width: usize) -> Look {
    Look::new(Theme::built_in("dark").expect("a built-in theme"), width)
}

/// Rows without their styles.
pub(crate) fn texts(rows: &[Line]) -> Vec<String> {
    rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
}
