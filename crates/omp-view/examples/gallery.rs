//! Prints every view in every state: `cargo run -p omp-view --example gallery [theme] [width] [part of a name]`.

use std::io::Write as _;

use omp_theme::Theme;
use omp_tui::text::Depth;
use omp_view::{Look, gallery};

fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1);
    let theme = words.next().unwrap_or_else(|| "titanium".to_owned());
    let width = words.next().and_then(|word| word.parse().ok()).unwrap_or(80);
    let part = words.next().unwrap_or_default();
    let Some(theme) = Theme::built_in(&theme) else {
        return Err(std::io::Error::other(format!("There is no built-in theme {theme}")));
    };
    let look = Look::new(theme, width);
    let mut out = std::io::stdout().lock();
    for specimen in gallery::gallery().iter().filter(|specimen| specimen.name.contains(&part)) {
        writeln!(out, "\n{}", specimen.name)?;
        for row in specimen.rows(&look) {
            writeln!(out, "{}", row.to_ansi(Depth::Direct))?;
        }
    }
    Ok(())
}
