//! The list of saved sessions in the place of the editor.

mod sources;
mod standalone;
mod start;

use std::sync::Arc;

use omp_keys::Bindings;
use omp_panels::sessions::{Picker, Scope, SessionsRequest};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};
use crate::app::switching;
use crate::app::{App, Task};
use sources::Sources;
pub use start::{PickStart, Picked, pick_session};

/// The list, and where it gets its sessions from.
struct SessionList {
    picker: Picker,
    sources: Arc<Sources>,
}

impl SessionList {
    fn wishes(wish: Option<SessionsRequest>) -> Reaction {
        match wish {
            Some(wish) => Reaction::Do(Box::new(move |app| fulfil(app, wish))),
            None => Reaction::Stay,
        }
    }
}

impl Panel for SessionList {
    fn draw(&mut self, look: &Look, size: Size) -> Drawn {
        self.picker.draw(look, size)
    }

    fn key(&mut self, key: Key, keys: &Bindings) -> Reaction {
        Self::wishes(self.picker.key(key, keys))
    }

    fn paste(&mut self, text: &str) -> Reaction {
        Self::wishes(self.picker.paste(text))
    }
}

/// Opens the list of sessions.
pub(crate) fn open_session_list(app: &mut App) {
    let session = app.session();
    let file = session.file();
    let sources = Sources::new(session.directories(), session.session_dir(), &session.cwd(), file);
    let picker = Picker::new(Scope::Folder, app.composer.keys());
    app.open(SessionList { picker, sources: Arc::new(sources) });
    fulfil(app, SessionsRequest::Load(Scope::Folder));
}

/// Does what the list wants; what needs the disk is done beside the interface.
fn fulfil(app: &mut App, wish: SessionsRequest) {
    match wish {
        SessionsRequest::Choose(path) => {
            app.close::<SessionList>();
            switching::resume(app, path);
        }
        SessionsRequest::Cancel => app.close::<SessionList>(),
        SessionsRequest::Exit => {
            app.close::<SessionList>();
            app.surface.quit();
        }
        work => {
            let Some(sources) = app.panels.panel::<SessionList>().map(|list| Arc::clone(&list.sources))
            else {
                return;
            };
            app.spawn(async move {
                let busy = Arc::clone(&sources);
                let news = tokio::task::spawn_blocking(move || busy.perform(work)).await.ok().flatten();
                Box::new(move |app: &mut App| {
                    let Some(list) = app.panels.panel::<SessionList>() else { return };
                    // Another list may have been opened meanwhile.
                    if Arc::ptr_eq(&list.sources, &sources)
                        && let Some(news) = news
                        && let Some(next) = list.picker.news(news)
                    {
                        fulfil(app, next);
                    }
                    app.surface.changed();
                }) as Task
            });
        }
    }
}
