//! Commands on a terminal, shown in the place of the editor.

use omp_shell::pty::Terminal;
use omp_tui::render::Size;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{App, Task};
use crate::panels::pty::Pty;

impl App {
    /// Shows the terminal of a command until it ends.
    pub(super) fn show_terminal(&mut self, command: String, terminal: Terminal, ended: CancellationToken) {
        let changes = terminal.changes();
        let screen = self.surface.screen_size;
        self.open_in_front(Pty::new(command, terminal, ended.clone(), screen));
        self.follow_terminal(changes, ended);
    }

    /// A frame for every change of the terminal's screen, and one for its end.
    fn follow_terminal(&self, mut changes: watch::Receiver<()>, ended: CancellationToken) {
        self.spawn(async move {
            tokio::select! {
                _ = changes.changed() => {}
                () = ended.cancelled() => {}
            }
            Box::new(move |app: &mut Self| {
                app.changed();
                if !ended.is_cancelled() {
                    app.follow_terminal(changes, ended);
                }
            }) as Task
        });
    }

    /// The screen has this size; terminals of commands are made for it.
    pub(super) fn note_size(&mut self, size: Size) {
        self.surface.screen_size = size;
        self.shown.link.set_room(crate::panels::pty::room(size));
    }
}
