//! The tree: lanes from top to bottom, overlays above them, one of them with the focus.

mod compose;
mod dispatch;
mod overlay;
#[cfg(test)]
mod tests;

use std::any::Any;

use crate::component::{Component, Layout};

pub use compose::Frame;
pub use dispatch::{Dispatch, Verdict};
pub use overlay::{Anchor, OverlayOptions};

/// Names a lane or an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(usize);

impl Id {
    /// The number for [`crate::schedule::Request::Component`].
    pub fn number(self) -> usize {
        self.0
    }
}

struct Lane {
    id: Id,
    component: Box<dyn Component>,
    layout: Layout,
    laid_out: bool,
}

/// The whole interface.
#[derive(Default)]
pub struct Ui {
    lanes: Vec<Lane>,
    overlays: Vec<overlay::Overlay>,
    listeners: Vec<dispatch::Listener>,
    focus: Option<Id>,
    size: crate::render::Size,
    next: usize,
}

impl Ui {
    /// Nothing to see.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a lane below the others.
    pub fn push(&mut self, component: impl Component) -> Id {
        let id = self.id();
        self.lanes.push(Lane {
            id,
            component: Box::new(component),
            layout: Layout::default(),
            laid_out: false,
        });
        id
    }

    /// Puts another component in the place of a lane.
    pub fn replace(&mut self, id: Id, component: impl Component) {
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.id == id) {
            lane.component = Box::new(component);
            lane.laid_out = false;
            lane.component.set_focused(self.focus == Some(id));
        }
    }

    /// A component, to look at or change it; `None` if it is gone or of another type.
    pub fn get_mut<T: Component>(&mut self, id: Id) -> Option<&mut T> {
        let component: &mut dyn Any = self.component_mut(id)?;
        component.downcast_mut()
    }

    /// Gives the focus to a component.
    pub fn focus(&mut self, id: Id) {
        if self.focus == Some(id) {
            return;
        }
        if let Some(old) = self.focus.and_then(|old| self.component_mut(old)) {
            old.set_focused(false);
        }
        self.focus = Some(id);
        if let Some(new) = self.component_mut(id) {
            new.set_focused(true);
        }
    }

    /// Which component has the focus.
    pub fn focused(&self) -> Option<Id> {
        self.focus
    }

    /// Everything cached is out of date.
    pub fn invalidate(&mut self) {
        self.lanes.iter_mut().for_each(|lane| lane.component.invalidate());
        self.overlays.iter_mut().for_each(|overlay| overlay.component.invalidate());
    }

    fn id(&mut self) -> Id {
        self.next += 1;
        Id(self.next)
    }

    fn component_mut(&mut self, id: Id) -> Option<&mut dyn Component> {
        let lanes = self.lanes.iter_mut().map(|lane| (lane.id, &mut lane.component));
        let overlays = self.overlays.iter_mut().map(|overlay| (overlay.id, &mut overlay.component));
        let (_, component) = lanes.chain(overlays).find(|(known, _)| *known == id)?;
        Some(component.as_mut())
    }
}
