//! The list of saved sessions in the place of the editor.

mod sources;
mod stand;
mod start;

use std::sync::Arc;

use omp_keys::Bindings;
use omp_panels::sessions::{Picker, Scope, Wish};
use omp_tui::input::Key;
use omp_tui::render::Size;
use omp_view::Look;

use super::{Drawn, Panel, Reaction};
use crate::app::{App, Task};
use sources::Sources;
pub use start::{PickStart, Picked, pick_session};

/// The list, and where it gets its sessions from.
struct SessionList {
    picker: Picker,
    sources: Arc<Sources>,
}

impl SessionList {
    fn wishes(wish: Option<Wish>) -> Reaction {
        match wish {
            Some(wish) => Reaction::Do(Box::new(move |app| app.fulfil(wish))),
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

impl App {
    /// Opens the list of sessions.
    pub(crate) fn pick_session(&mut self) {
        let session = self.session();
        let file = session.file();
        let sources = Sources::new(session.directories(), session.session_dir(), &session.cwd(), file);
        let picker = Picker::new(Scope::Folder, self.keys());
        self.open(SessionList { picker, sources: Arc::new(sources) });
        self.fulfil(Wish::Load(Scope::Folder));
    }

    /// Does what the list wants; what needs the disk is done beside the interface.
    fn fulfil(&mut self, wish: Wish) {
        match wish {
            Wish::Choose(path) => {
                self.close::<SessionList>();
                self.resume(path);
            }
            Wish::Cancel => self.close::<SessionList>(),
            Wish::Exit => {
                self.close::<SessionList>();
                self.quit();
            }
            work => {
                let Some(sources) = self.panel::<SessionList>().map(|list| Arc::clone(&list.sources)) else {
                    return;
                };
                self.spawn(async move {
                    let busy = Arc::clone(&sources);
                    let news = tokio::task::spawn_blocking(move || busy.perform(work)).await.ok().flatten();
                    Box::new(move |app: &mut Self| {
                        let Some(list) = app.panel::<SessionList>() else { return };
                        // Another list may have been opened meanwhile.
                        if Arc::ptr_eq(&list.sources, &sources)
                            && let Some(news) = news
                            && let Some(next) = list.picker.news(news)
                        {
                            app.fulfil(next);
                        }
                        app.changed();
                    }) as Task
                });
            }
        }
    }
}
