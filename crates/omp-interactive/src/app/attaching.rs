//! What is pasted: text, large texts, pictures; and the clipboard.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_editor::{Command, Content, PASTE_CHOICES, PasteChoice};
use omp_theme::Token;
use omp_tui::clipboard::Pasted;
use omp_types::ImageBlock;

use super::{App, Task, Wish};
use crate::images;
use crate::panels::menu::Menu;

/// What the clipboard is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A picture; text, where there is none.
    Picture,
    /// Text, put into the prompt as it is.
    RawText,
}

impl App {
    /// Pasted text goes to where text is typed.
    pub(super) fn pasted(&mut self, text: String) {
        if self.is_for_panel() {
            self.paste_in_panel(&text);
            return;
        }
        let outcome = self.composer.editor.apply(Command::Paste(text));
        self.after(outcome);
    }

    /// What the terminal read from its clipboard.
    pub(crate) fn clipboard_pasted(&mut self, pasted: Pasted) {
        match pasted {
            Pasted::Text(text) => self.pasted(text),
            Pasted::Picture(bytes) => self.picture_pasted(bytes),
        }
        self.changed();
    }

    /// A pasted picture becomes a part of the prompt, and of nothing else.
    pub(super) fn picture_pasted(&mut self, bytes: Vec<u8>) {
        if self.has_panel() {
            self.hint(Token::Warning, "images can only be pasted into the prompt");
            return;
        }
        self.take_pictures(move || vec![images::decode(bytes)]);
    }

    /// Reads pictures and puts them into the editor.
    pub(super) fn attach(&mut self, paths: Vec<String>) {
        let cwd = self.session().cwd();
        let absolute = move |path: &String| -> PathBuf { cwd.join(Path::new(path)) };
        self.take_pictures(move || paths.iter().map(|path| images::read(&absolute(path))).collect());
    }

    fn take_pictures(&mut self, read: impl FnOnce() -> Vec<Result<ImageBlock, String>> + Send + 'static) {
        self.composer.loading += 1;
        self.spawn(async move {
            let read = tokio::task::spawn_blocking(read).await.unwrap_or_default();
            Box::new(move |app: &mut Self| {
                app.composer.loading = app.composer.loading.saturating_sub(1);
                for picture in read {
                    match picture {
                        Ok(picture) => {
                            let handle = app.composer.images.add(picture);
                            app.composer.editor.insert_image(handle);
                        }
                        Err(error) => app.hint(Token::Warning, error),
                    }
                }
                app.shown.link.set_composing(!app.composer.editor.is_empty());
                app.changed();
            }) as Task
        });
    }

    /// Pastes from the clipboard of the machine.
    pub(super) fn paste_clipboard(&mut self, wanted: Wanted) {
        let clipboard = Arc::clone(&self.composer.clipboard);
        self.spawn(async move {
            if wanted == Wanted::Picture
                && let Some(picture) = clipboard.picture().await
            {
                return Box::new(move |app: &mut Self| app.picture_pasted(picture)) as Task;
            }
            let text = clipboard.text().await;
            Box::new(move |app: &mut Self| match (text, wanted) {
                (Some(text), Wanted::RawText) => {
                    let outcome = app.composer.editor.apply(Command::PasteRaw(text));
                    app.after(outcome);
                    app.changed();
                }
                (Some(text), Wanted::Picture) => {
                    app.pasted(text);
                    app.changed();
                }
                (None, _) => app.hint(
                    Token::Warning,
                    "nothing to paste: the clipboard is empty, or wl-paste, xclip or pngpaste is not installed \
                     (the terminal's own paste key works without them)",
                ),
            }) as Task
        });
    }

    /// Asks what becomes of a large paste.
    pub(super) fn ask_about_paste(&mut self) {
        let Some(paste) = self.composer.editor.large_paste() else { return };
        let title = format!("Pasted {} lines", paste.lines);
        let none = Menu::new(title, []);
        let menu = PASTE_CHOICES.iter().fold(none, |menu, (_, label, detail)| menu.or(*label, *detail));
        self.ask(menu, |app, chosen| {
            let choice = chosen.and_then(|place| PASTE_CHOICES.get(place)).map(|(choice, ..)| *choice);
            let outcome = app.composer.editor.choose_paste(choice.unwrap_or(PasteChoice::Folded));
            app.after(outcome);
        });
    }

    /// Keeps a paste as a file; the prompt names the file.
    pub(super) fn save_paste(&mut self, text: Arc<str>) {
        let session = self.session();
        self.composer.loading += 1;
        self.spawn(async move {
            let saved = session.save_paste(&text).await;
            Box::new(move |app: &mut Self| {
                app.composer.loading = app.composer.loading.saturating_sub(1);
                match saved {
                    Ok(url) => app.composer.editor.insert_content(&Content::from(format!("{url} ").as_str())),
                    // The text is not lost: it is pasted after all.
                    Err(error) => {
                        app.hint(Token::Warning, error);
                        app.composer.editor.apply(Command::PasteRaw(text.to_string()));
                    }
                }
                app.shown.link.set_composing(!app.composer.editor.is_empty());
                app.changed();
            }) as Task
        });
    }

    /// Puts a text into the clipboard: that of the machine, else through the terminal.
    pub(super) fn copy(&mut self, text: &str) {
        let (clipboard, text) = (Arc::clone(&self.composer.clipboard), text.to_owned());
        self.spawn(async move {
            let copied = clipboard.copy(text.clone()).await;
            Box::new(move |app: &mut Self| {
                if !copied {
                    app.surface.wishes.push(Wish::Write(crate::clipboard::copy(&text)));
                }
                app.hint(Token::Muted, "Copied to clipboard");
            }) as Task
        });
    }
}
