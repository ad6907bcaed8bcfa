//! The panel of MCP servers over the conversation, with what it has begun.

use omp_keys::Bindings;
use omp_panels::Machine;
use omp_panels::mcp::{McpPanel, McpRequest, ServerAction};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Drawn, Panel, Reaction};
use crate::app::commands::mcp;

/// The panel. What it watches and what it has begun ends with it.
pub(crate) struct Servers {
    pub(crate) machine: McpPanel,
    /// Ends what runs.
    pub(crate) running: Option<DropGuard>,
    pub(crate) shown: mcp::ShownTools,
    _watch: DropGuard,
}

impl Servers {
    pub(crate) fn new(machine: McpPanel, shown: mcp::ShownTools, watch: CancellationToken) -> Self {
        Self { machine, running: None, shown, _watch: watch.drop_guard() }
    }

    fn grant(&mut self, wish: McpRequest) -> Reaction {
        match wish {
            McpRequest::Close => Reaction::Close(Box::new(|_| {})),
            McpRequest::Write(command) => {
                Reaction::Close(Box::new(move |app| app.set_text(&format!("{command} "))))
            }
            McpRequest::Act(server, ServerAction::Login) => {
                Reaction::Close(Box::new(move |app| mcp::log_in(app, &server)))
            }
            McpRequest::Act(server, action) => {
                Reaction::Do(Box::new(move |app| mcp::act(app, server, action)))
            }
            McpRequest::Call { server, tool, typed } => {
                Reaction::Do(Box::new(move |app| mcp::call_tool(app, server, tool, &typed)))
            }
            McpRequest::Read(server, uri) => Reaction::Do(Box::new(move |app| mcp::read(app, server, uri))),
            McpRequest::Stop => {
                self.running = None;
                Reaction::Stay
            }
        }
    }
}

impl Panel for Servers {
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

    /// A server may ask before it answers.
    fn gives_way(&self) -> bool {
        self.machine.is_running()
    }
}
