//! Every view in every state, printed: `omp gallery`.

use std::fmt::Write as _;

use omp_sdk::Directories;
use omp_sdk::settings::Settings;
use omp_theme::{Appearance, Signals, Theme, Token, color_depth};
use omp_view::Look;
use omp_view::gallery::{Specimen, gallery};

use crate::appearance::ThemeSettings;

/// Which views are wanted, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exhibition {
    /// Only this tool or part of the screen.
    pub tool: Option<String>,
    /// Only this state.
    pub state: Option<String>,
    /// The columns to draw in.
    pub width: usize,
    /// Everything is shown in full.
    pub expanded: bool,
    /// Text alone, without any escape sequence.
    pub plain: bool,
}

impl Exhibition {
    /// The views as text, or why there are none.
    pub fn render(
        &self,
        directories: &Directories,
        settings: &Settings,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<String, String> {
        let chosen = self.chosen()?;
        let background = Signals::new(variable("COLORFGBG").as_deref(), false).appearance();
        let theme = theme(directories, settings, background);
        let depth = color_depth(&variable);
        let look = Look { depth, ..Look::new(theme, self.width) };
        let write = |row: omp_tui::text::Line| match self.plain {
            true => row.text().trim_end().to_owned(),
            false => row.to_ansi(depth),
        };
        let mut text = String::new();
        for specimen in chosen {
            let title = look.row(Token::Accent, &specimen.name);
            let rows = match self.expanded {
                true => specimen.expanded_rows(&look),
                false => specimen.rows(&look),
            };
            let _ = writeln!(text, "{}", write(title));
            rows.into_iter().for_each(|row| _ = writeln!(text, "{}", write(row)));
            text.push('\n');
        }
        Ok(text)
    }

    fn chosen(&self) -> Result<Vec<Specimen>, String> {
        let mut all = gallery();
        // What is always expanded would be there twice.
        all.retain(|specimen| !(self.expanded && specimen.state().ends_with("-expanded")));
        keep(&mut all, self.tool.as_deref(), "view of", Specimen::subject)?;
        keep(&mut all, self.state.as_deref(), "state", Specimen::state)?;
        Ok(all)
    }
}

/// Keeps the specimens of this name; if there are none, the error says which names there are.
fn keep(
    all: &mut Vec<Specimen>,
    wanted: Option<&str>,
    what: &str,
    name: fn(&Specimen) -> &str,
) -> Result<(), String> {
    let Some(wanted) = wanted else { return Ok(()) };
    let mut names: Vec<&str> = Vec::new();
    for specimen in all.iter() {
        if !names.contains(&name(specimen)) {
            names.push(name(specimen));
        }
    }
    if !names.contains(&wanted) {
        return Err(format!("no {what} \"{wanted}\": choose one of {}", names.join(", ")));
    }
    all.retain(|specimen| name(specimen) == wanted);
    Ok(())
}

/// The user's theme for a background; the built-in one where theirs cannot be read.
fn theme(directories: &Directories, settings: &Settings, background: Appearance) -> std::sync::Arc<Theme> {
    let (current, _) = ThemeSettings::read(directories, settings).open(background);
    std::sync::Arc::clone(current.theme())
}
