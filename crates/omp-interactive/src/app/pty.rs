//! Commands on a terminal, shown in the place of the editor.

use omp_shell::pty::Terminal;
use omp_tui::render::Size;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{App, Task};
use crate::panels::pty::Pty;

/// Shows the terminal of a command until it ends.
pub(crate) fn show_terminal(app: &mut App, command: String, terminal: Terminal, ended: CancellationToken) {
    let changes = terminal.changes();
    let screen = app.surface.screen_size;
    app.open_in_front(Pty::new(command, terminal, ended.clone(), screen));
    follow_terminal(app, changes, ended);
}

/// A frame for every change of the terminal's screen, and one for its end.
fn follow_terminal(app: &App, mut changes: watch::Receiver<()>, ended: CancellationToken) {
    app.spawn(async move {
        tokio::select! {
            _ = changes.changed() => {}
            () = ended.cancelled() => {}
        }
        Box::new(move |app: &mut App| {
            app.surface.changed();
            if !ended.is_cancelled() {
                follow_terminal(app, changes, ended);
            }
        }) as Task
    });
}

/// The screen has this size; terminals of commands are made for it.
pub(crate) fn note_size(app: &mut App, size: Size) {
    app.surface.screen_size = size;
    app.shown.channel.set_room(crate::panels::pty::room(size));
}
