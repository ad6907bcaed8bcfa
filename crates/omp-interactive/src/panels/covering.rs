//! Large panels that are all machine: they lie over the conversation, and what they wish is done.

use omp_keys::Bindings;
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};

/// A machine, how it is driven, and what becomes of its wishes.
pub(crate) struct Covering<M, W> {
    pub(crate) machine: M,
    pub(crate) draw: fn(&mut M, &Look, Size) -> Drawn,
    pub(crate) key: fn(&mut M, Key, &Bindings) -> Option<W>,
    pub(crate) paste: fn(&mut M, &str) -> Option<W>,
    pub(crate) grant: fn(W) -> Reaction,
}

impl<M, W> Covering<M, W> {
    fn react(&self, wish: Option<W>) -> Reaction {
        wish.map_or(Reaction::Stay, self.grant)
    }
}

impl<M: 'static, W: 'static> Panel for Covering<M, W> {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        (self.draw)(&mut self.machine, look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let wish = (self.key)(&mut self.machine, key, keys);
        self.react(wish)
    }

    fn paste(&mut self, text: &str) -> Reaction {
        let wish = (self.paste)(&mut self.machine, text);
        self.react(wish)
    }

    fn covers(&self) -> bool {
        true
    }
}
