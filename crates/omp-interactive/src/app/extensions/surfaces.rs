//! Components of extensions on the screen. A frame shows the rows that a component said last; a component that changed, or
//! that has another width, is asked again beside the interface.

use std::cell::RefCell;
use std::rc::Rc;

use omp_sdk::extensions::Drawing;
use omp_tui::render::Position;
use omp_tui::text::{Line, parse_ansi};

use crate::app::{App, Task};
use crate::extensions::SurfaceId;
use crate::panels::Drawn;
use crate::parts::{Drawers, PartWish};

/// Components that are kept.
const MOST: usize = 200;

/// What is known of a component.
#[derive(Clone, Default)]
pub(super) struct View(Rc<RefCell<Known>>);

#[derive(Default)]
struct Known {
    rows: Vec<Line>,
    cursor: Option<Position>,
    /// The width of the rows.
    width: usize,
    /// The width that the last frame wanted.
    wanted: usize,
    dirty: bool,
    asked: bool,
}

impl View {
    /// The rows of the moment, for a frame of that width.
    pub(super) fn rows(&self, width: usize) -> Drawn {
        let mut known = self.0.borrow_mut();
        known.wanted = width;
        Drawn { rows: known.rows.clone(), cursor: known.cursor }
    }

    /// How many rows there are.
    pub(super) fn height(&self) -> usize {
        self.0.borrow().rows.len()
    }

    /// The width to ask for now, if it is time to ask.
    fn due(&self) -> Option<usize> {
        let mut known = self.0.borrow_mut();
        let is_due = !known.asked && known.wanted > 0 && (known.dirty || known.width != known.wanted);
        if !is_due {
            return None;
        }
        (known.asked, known.dirty) = (true, false);
        Some(known.wanted)
    }

    fn set(&self, width: usize, drawing: Result<Drawing, String>) {
        let mut known = self.0.borrow_mut();
        known.asked = false;
        known.width = width;
        if let Ok(Drawing { rows, cursor }) = drawing {
            known.rows = rows.iter().flat_map(|row| styled(row)).map(|row| row.truncate(width)).collect();
            let fits = |(row, column): &(usize, usize)| *row < known.rows.len() && *column < width;
            known.cursor = cursor.filter(fits).map(|(row, column)| Position { row, column });
        }
    }
}

/// Text of an extension as rows: its colours and links, and nothing else of its escape sequences.
pub(super) fn styled(text: &str) -> Vec<Line> {
    parse_ansi(text)
}

/// The same without colours.
pub(super) fn unstyled(text: &str) -> String {
    parse_ansi(text).iter().map(Line::text).collect::<Vec<_>>().join("\n")
}

impl App {
    /// What is known of a component.
    pub(super) fn surface_view(&mut self, surface: &SurfaceId) -> View {
        let surfaces = &mut self.extensions.surfaces;
        if surfaces.len() >= MOST && !surfaces.contains_key(surface) {
            surfaces.clear();
        }
        surfaces.entry(surface.clone()).or_default().clone()
    }

    /// Asks components for their rows, as far as the frame wanted others.
    pub(in crate::app) fn ask_for_rows(&mut self) {
        let due: Vec<(SurfaceId, usize)> = self
            .extensions
            .surfaces
            .iter()
            .filter_map(|(surface, view)| view.due().map(|width| (surface.clone(), width)))
            .collect();
        let Some(set) = self.extension_set().filter(|_| !due.is_empty()) else { return };
        for (surface, width) in due {
            let set = set.clone();
            self.spawn(async move {
                let drawing = set.draw_surface(surface.0, &surface.1, width).await;
                Box::new(move |app: &mut Self| {
                    if let Some(view) = app.extensions.surfaces.get(&surface) {
                        view.set(width, drawing);
                    }
                    app.surface.changed();
                }) as Task
            });
        }
    }

    /// Asks for the parts of the conversation that blocks wanted to be drawn.
    pub(in crate::app) fn ask_for_parts(&mut self) {
        let parts = self.surface.stage.parts();
        let set = self.extension_set();
        for PartWish { part, extension, request } in parts.take_wishes() {
            let Some(set) = set.clone() else {
                parts.set(part, None);
                continue;
            };
            self.spawn(async move {
                let rows = set.draw_part(extension, request).await;
                Box::new(move |app: &mut Self| {
                    app.surface.stage.parts().set(part, rows);
                    app.surface.changed();
                }) as Task
            });
        }
    }

    /// Who draws parts of the conversation may be somebody else than before.
    pub(in crate::app) fn know_drawers(&mut self) {
        let drawers = self.extension_set().map(|set| Drawers::of(&set)).unwrap_or_default();
        self.surface.stage.parts().set_drawers(drawers);
    }

    /// These components look different by now.
    pub(super) fn surfaces_changed(&mut self, changed: impl IntoIterator<Item = SurfaceId>) {
        for surface in changed {
            self.surface.stage.parts().invalidate(surface.0, &surface.1);
            if let Some(view) = self.extensions.surfaces.get(&surface) {
                view.0.borrow_mut().dirty = true;
            }
        }
        self.surface.changed();
    }

    /// A component is not shown any more.
    pub(super) fn forget_surface(&mut self, surface: &SurfaceId) {
        self.extensions.surfaces.remove(surface);
        self.extensions.typing.remove(surface);
    }
}
