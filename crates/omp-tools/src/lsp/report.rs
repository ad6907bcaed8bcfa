//! Diagnostics as text.

use omp_lsp::diagnostics::{Diagnostic, line, summary};

/// Diagnostics that are shown.
pub(super) const MOST_SHOWN: usize = 50;

/// `2 errors:` and a line for each, at most fifty of them.
pub(super) fn text(shown: &str, items: &[Diagnostic]) -> String {
    format!("{}:\n{}", summary(items), lines(shown, items).join("\n"))
}

/// A line for each, at most fifty, and how many there are beyond that.
pub(super) fn lines(shown: &str, items: &[Diagnostic]) -> Vec<String> {
    let mut lines: Vec<String> = items.iter().take(MOST_SHOWN).map(|one| line(shown, one)).collect();
    if items.len() > MOST_SHOWN {
        lines.push(format!("... {} more not shown", items.len() - MOST_SHOWN));
    }
    lines
}
