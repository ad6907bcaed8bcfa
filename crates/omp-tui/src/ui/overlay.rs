//! What lies over the lanes for a while: a picker, a question.

use crate::component::{Component, Layout};
use crate::render::{Cover, Position, Size};

use super::{Id, Ui};

/// Where an overlay stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// In the middle of the bottom edge.
    #[default]
    BottomCenter,
    /// Directly below the lanes; at the bottom edge where they leave no room.
    Below,
    /// In the middle.
    Center,
    /// In the upper right corner.
    TopRight,
}

/// How an overlay is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlayOptions {
    /// Where it stands.
    pub anchor: Anchor,
    /// At most this many columns; all of them if `None`.
    pub width: Option<usize>,
    /// At most this many rows; all of them if `None`.
    pub height: Option<usize>,
    /// It is only shown on a screen of at least this size.
    pub least: Size,
}

pub(super) struct Overlay {
    pub(super) id: Id,
    pub(super) component: Box<dyn Component>,
    options: OverlayOptions,
    /// What had the focus before.
    pub(super) before: Option<Id>,
    hidden: bool,
}

impl Overlay {
    pub(super) fn is_visible(&self, size: Size) -> bool {
        !self.hidden && size.width >= self.options.least.width && size.height >= self.options.least.height
    }

    fn cover(&mut self, size: Size, lanes: usize, focused: bool) -> Cover {
        let width = self.options.width.unwrap_or(size.width).min(size.width);
        let Layout { rows, cursor, .. } = self.component.layout(width);
        let height = rows.min(self.options.height.unwrap_or(size.height)).min(size.height);
        let at = match self.options.anchor {
            Anchor::BottomCenter => Position { row: size.height - height, column: (size.width - width) / 2 },
            Anchor::Below => {
                Position { row: lanes.min(size.height - height), column: (size.width - width) / 2 }
            }
            Anchor::Center => Position { row: (size.height - height) / 2, column: (size.width - width) / 2 },
            Anchor::TopRight => Position { row: 0, column: size.width - width },
        };
        let plain = crate::text::Style::PLAIN;
        let rows = (0..height).map(|row| self.component.row(row).fit(width, plain)).collect();
        Cover { at, rows, cursor: cursor.filter(|cursor| focused && cursor.row < height) }
    }
}

impl Ui {
    /// Shows a component over the lanes and gives it the focus.
    pub fn show_overlay(&mut self, component: impl Component, options: OverlayOptions) -> Id {
        let id = self.id();
        let before = self.focus;
        self.overlays.push(Overlay { id, component: Box::new(component), options, before, hidden: false });
        self.focus(id);
        id
    }

    /// Takes an overlay away and gives the focus back.
    pub fn close_overlay(&mut self, id: Id) {
        let Some(index) = self.overlays.iter().position(|overlay| overlay.id == id) else { return };
        let overlay = self.overlays.remove(index);
        // Overlays that were opened from this one return the focus to where this one would have.
        for later in self.overlays.iter_mut().filter(|later| later.before == Some(id)) {
            later.before = overlay.before;
        }
        if self.focus == Some(id) {
            self.focus = None;
            self.refocus(overlay.before);
        }
    }

    /// Hides an overlay without closing it, or shows it again.
    pub fn hide_overlay(&mut self, id: Id, hidden: bool) {
        if let Some(overlay) = self.overlays.iter_mut().find(|overlay| overlay.id == id) {
            overlay.hidden = hidden;
        }
        self.correct_focus();
    }

    /// Whether any overlay is to be seen.
    pub fn is_covered(&self) -> bool {
        self.overlays.iter().any(|overlay| overlay.is_visible(self.size))
    }

    pub(super) fn covers(&mut self) -> Vec<Cover> {
        let (size, focus) = (self.size, self.focus);
        let lanes = self.lanes.iter().map(|lane| lane.layout.rows).sum();
        let visible = self.overlays.iter_mut().filter(|overlay| overlay.is_visible(size));
        visible.map(|overlay| overlay.cover(size, lanes, focus == Some(overlay.id))).collect()
    }

    /// An overlay that cannot be seen must not swallow keys: the topmost visible one gets the focus, or whatever had it
    /// before the overlays came.
    pub(super) fn correct_focus(&mut self) {
        let Some(focus) = self.focus else { return };
        let Some(hidden) = self.overlays.iter().find(|overlay| overlay.id == focus) else { return };
        if hidden.is_visible(self.size) {
            return;
        }
        let before = hidden.before;
        self.refocus(before);
    }

    fn refocus(&mut self, before: Option<Id>) {
        let visible = self.overlays.iter().rev().find(|overlay| overlay.is_visible(self.size));
        let mut target = visible.map(|overlay| overlay.id).or(before);
        // What had the focus before may be a hidden overlay itself.
        while let Some(overlay) = self.overlays.iter().find(|overlay| Some(overlay.id) == target) {
            if overlay.is_visible(self.size) {
                break;
            }
            target = overlay.before;
        }
        match target {
            Some(target) => self.focus(target),
            None => self.focus = None,
        }
    }
}
