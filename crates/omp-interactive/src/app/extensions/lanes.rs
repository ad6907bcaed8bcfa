//! Where what extensions place stands: above and below the editor, in the place of the status line, around a turn.

use std::time::Duration;

use omp_theme::Token;
use omp_tui::render::{Position, Size};
use omp_tui::text::Line;
use omp_view::Look;

use super::surfaces::styled;
use crate::app::App;
use crate::extensions::{SurfaceId, WidgetContent};
use crate::panels::Drawn;

/// A component takes at most this share of the screen.
const SHARE: usize = 3;

/// Something that a widget shows.
enum Shown {
    Rows(Vec<String>),
    Surface(SurfaceId),
}

impl App {
    /// Tells extensions what the screen is like, if there are any.
    pub(in crate::app) fn describe_screen(&mut self, size: Size) {
        if self.extension_set().is_none() {
            return;
        }
        self.tell_foreign_editor();
        let Some(screen) = self.extensions.screen() else { return };
        let keys = (self.extensions.described_keys != self.shown.number)
            .then(|| crate::extensions::facts::keys(self.composer.keys()));
        let theme = std::sync::Arc::clone(self.surface.theme.theme());
        let mut facts = screen.facts();
        let is_new = facts.theme.as_ref().is_none_or(|known| **known != *theme);
        facts.theme = Some(theme);
        (facts.columns, facts.rows) = (size.width, size.height);
        facts.editor_text = self.composer.typed_text();
        facts.tools_expanded = self.surface.stage.expanded();
        facts.git_branch = self.status.branch.clone();
        facts.links = self.surface.stage.has_links();
        if let Some(keys) = keys {
            facts.keys = keys;
            self.extensions.described_keys = self.shown.number;
        }
        drop(facts);
        if is_new && let Some(set) = self.extension_set() {
            // Beside the interface: whoever draws takes over the colours.
            tokio::spawn(async move { set.look_changed().await });
        }
    }

    /// The rows of the widgets on one side of the editor.
    pub(in crate::app) fn widget_rows(&mut self, look: &Look, size: Size, below: bool) -> Vec<Line> {
        let Some(screen) = self.extensions.screen() else { return Vec::new() };
        let shown: Vec<Shown> = screen
            .placed()
            .widgets
            .iter()
            .filter(|widget| widget.below == below)
            .map(|widget| match &widget.content {
                WidgetContent::Rows(rows) => Shown::Rows(rows.clone()),
                WidgetContent::Surface(surface) => Shown::Surface(surface.clone()),
            })
            .collect();
        let mut rows = Vec::new();
        for shown in shown {
            match shown {
                Shown::Rows(texts) => rows.extend(texts.iter().flat_map(|text| {
                    let lines = styled(text).into_iter();
                    lines.map(|line| look.shortened(&line, look.width)).collect::<Vec<_>>()
                })),
                Shown::Surface(surface) => {
                    let most = (size.height / SHARE).max(1);
                    rows.extend(self.surface_view(&surface).rows(look.width).rows.into_iter().take(most));
                }
            }
        }
        rows.truncate((size.height / 2).max(1));
        if !rows.is_empty() && !below {
            rows.insert(0, Line::new());
        }
        rows
    }

    /// The rows of an extension in the place of the status line.
    pub(in crate::app) fn footer_rows(&mut self, look: &Look, size: Size) -> Option<Vec<Line>> {
        let footer = self.extensions.screen()?.placed().footer.clone()?;
        let drawn = self.surface_view(&footer).rows(look.width);
        let most = (size.height / SHARE).max(1);
        Some(std::iter::once(Line::new()).chain(drawn.rows.into_iter().take(most)).collect())
    }

    /// The editor of an extension, in the place of ours.
    pub(in crate::app) fn foreign_editor(&mut self, size: Size) -> Option<Drawn> {
        let editor = self.extensions.screen()?.placed().editor.clone()?;
        let view = self.surface_view(&editor);
        let mut drawn = view.rows(size.width);
        if view.height() == 0 {
            return None;
        }
        drawn.rows.truncate((size.height / 2).max(3));
        drawn.cursor = drawn.cursor.filter(|cursor: &Position| cursor.row < drawn.rows.len());
        Some(drawn)
    }

    /// Texts of extensions for the status line.
    pub(in crate::app) fn extension_statuses(&self) -> Vec<(String, String)> {
        self.extensions.screen().map(|screen| screen.placed().statuses()).unwrap_or_default()
    }

    /// The row of a turn that runs, as extensions want it; nothing where they hide it.
    pub(in crate::app) fn working_as_wanted(&self, look: &Look, row: Line, running: Duration) -> Vec<Line> {
        let Some(screen) = self.extensions.screen() else { return vec![Line::new(), row] };
        let placed = screen.placed();
        if placed.working.hidden_by.is_some() {
            return Vec::new();
        }
        let Some((_, indicator)) = &placed.working.indicator else { return vec![Line::new(), row] };
        let step = running.as_millis() / indicator.interval.as_millis().max(1);
        let mut line = Line::new();
        if !indicator.frames.is_empty() {
            let frame = &indicator.frames[step as usize % indicator.frames.len()];
            styled(frame).first().iter().for_each(|frame| _ = line.append(frame));
        }
        let mut rest = row.spans().iter().skip(1).peekable();
        if line.width() == 0 && rest.peek().is_none() {
            line = Line::styled(look.fg(Token::Muted), "");
        }
        for span in rest {
            line.push_linked(span.style(), span.text(), span.link().cloned());
        }
        vec![Line::new(), look.shortened(&line, look.width)]
    }

    /// What a turn that runs is called.
    pub(in crate::app) fn working_message(&self) -> Option<String> {
        let screen = self.extensions.screen()?;
        let placed = screen.placed();
        let (_, message) = placed.working.message.as_ref()?;
        Some(super::surfaces::unstyled(message).replace('\n', " "))
    }

    /// The title that an extension gave the window.
    pub(in crate::app) fn wanted_title(&self) -> Option<String> {
        let screen = self.extensions.screen()?;
        let placed = screen.placed();
        let (_, title) = placed.title.as_ref()?;
        Some(title.clone())
    }
}
