//! The plugin browser over the conversation, with what it has begun.

use omp_keys::Bindings;
use omp_panels::Machine;
use omp_panels::plugins::{PluginsPanel, PluginsRequest};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use tokio_util::sync::DropGuard;

use super::{Drawn, Panel, Reaction};
use crate::app::commands::plugins;

/// The browser. What it has begun ends with it.
pub(crate) struct PluginBrowser {
    pub(crate) machine: PluginsPanel,
    /// Ends what runs.
    pub(crate) running: Option<DropGuard>,
    /// Plugins are other ones than when it was opened.
    pub(crate) has_changed: bool,
}

impl PluginBrowser {
    pub(crate) fn new(machine: PluginsPanel) -> Self {
        Self { machine, running: None, has_changed: false }
    }

    fn grant(&mut self, wish: PluginsRequest) -> Reaction {
        match wish {
            // What was changed is used from here on.
            PluginsRequest::Close if self.has_changed => Reaction::Close(Box::new(plugins::use_changes)),
            PluginsRequest::Close => Reaction::Close(Box::new(|_| {})),
            PluginsRequest::Act(id, action) => {
                Reaction::Do(Box::new(move |app| plugins::act(app, &id, action)))
            }
            PluginsRequest::Stop => {
                self.running = None;
                Reaction::Stay
            }
        }
    }
}

impl Panel for PluginBrowser {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.machine.draw(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        let wish = self.machine.key(key, keys);
        wish.map_or(Reaction::Stay, |wish| self.grant(wish))
    }

    fn paste(&mut self, text: &str) -> Reaction {
        let wish = self.machine.paste(text);
        wish.map_or(Reaction::Stay, |wish| self.grant(wish))
    }

    fn covers(&self) -> bool {
        true
    }
}
