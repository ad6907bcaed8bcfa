//! What is pasted: text, large texts, pictures; and the clipboard.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_editor::{Command, Content, PASTE_CHOICES, PasteChoice};
use omp_theme::Token;
use omp_tui::clipboard::Pasted;
use omp_types::ImageBlock;

use super::{App, Task, TerminalRequest};
use crate::images;
use crate::panels::menu::Menu;

/// What the clipboard is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A picture; text, where there is none.
    Picture,
    /// Text, put into the prompt as it is.
    RawText,
}

/// Pasted text goes to where text is typed.
pub(crate) fn insert_paste(app: &mut App, text: String) {
    if app.panels.is_for_panel() {
        app.paste_in_panel(&text);
        return;
    }
    if app.paste_elsewhere(&text) {
        return;
    }
    let outcome = app.composer.editor.apply(Command::Paste(text));
    app.after(outcome);
}

/// What the terminal read from its clipboard.
pub(crate) fn clipboard_pasted(app: &mut App, pasted: Pasted) {
    match pasted {
        Pasted::Text(text) => insert_paste(app, text),
        Pasted::Picture(bytes) => picture_pasted(app, bytes),
    }
    app.surface.changed();
}

/// A pasted picture becomes a part of the prompt, and of nothing else.
pub(crate) fn picture_pasted(app: &mut App, bytes: Vec<u8>) {
    if app.panels.has_panel() {
        app.hint(Token::Warning, "images can only be pasted into the prompt");
        return;
    }
    take_pictures(app, move || vec![images::decode(bytes)]);
}

/// Reads pictures and puts them into the editor.
pub(crate) fn attach(app: &mut App, paths: Vec<String>) {
    let cwd = app.session().cwd();
    let absolute = move |path: &String| -> PathBuf { cwd.join(Path::new(path)) };
    take_pictures(app, move || paths.iter().map(|path| images::read(&absolute(path))).collect());
}

fn take_pictures(app: &mut App, read: impl FnOnce() -> Vec<Result<ImageBlock, String>> + Send + 'static) {
    app.composer.loading += 1;
    app.spawn(async move {
        let read = tokio::task::spawn_blocking(read).await.unwrap_or_default();
        Box::new(move |app: &mut App| {
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
            app.shown.channel.set_composing(!app.composer.editor.is_empty());
            app.surface.changed();
        }) as Task
    });
}

/// Pastes from the clipboard of the machine.
pub(crate) fn paste_clipboard(app: &mut App, wanted: Wanted) {
    let clipboard = Arc::clone(&app.composer.clipboard);
    app.spawn(async move {
        if wanted == Wanted::Picture
            && let Some(picture) = clipboard.picture().await
        {
            return Box::new(move |app: &mut App| picture_pasted(app, picture)) as Task;
        }
        let text = clipboard.text().await;
        Box::new(move |app: &mut App| match (text, wanted) {
            (Some(text), Wanted::RawText) => {
                let outcome = app.composer.editor.apply(Command::PasteRaw(text));
                app.after(outcome);
                app.surface.changed();
            }
            (Some(text), Wanted::Picture) => {
                insert_paste(app, text);
                app.surface.changed();
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
pub(crate) fn ask_about_paste(app: &mut App) {
    let Some(paste) = app.composer.editor.large_paste() else { return };
    let title = format!("Pasted {} lines", paste.lines);
    let none = Menu::new(title, []);
    let menu = PASTE_CHOICES.iter().fold(none, |menu, (_, label, detail)| menu.or(*label, *detail));
    app.ask(menu, |app, chosen| {
        let choice = chosen.and_then(|place| PASTE_CHOICES.get(place)).map(|(choice, ..)| *choice);
        let outcome = app.composer.editor.choose_paste(choice.unwrap_or(PasteChoice::Folded));
        app.after(outcome);
    });
}

/// Keeps a paste as a file; the prompt names the file.
pub(crate) fn save_paste(app: &mut App, text: Arc<str>) {
    let session = app.session();
    app.composer.loading += 1;
    app.spawn(async move {
        let saved = session.input().save_paste(&text).await;
        Box::new(move |app: &mut App| {
            app.composer.loading = app.composer.loading.saturating_sub(1);
            match saved {
                Ok(url) => app.composer.editor.insert_content(&Content::from(format!("{url} ").as_str())),
                // The text is not lost: it is pasted after all.
                Err(error) => {
                    app.hint(Token::Warning, error);
                    app.composer.editor.apply(Command::PasteRaw(text.to_string()));
                }
            }
            app.shown.channel.set_composing(!app.composer.editor.is_empty());
            app.surface.changed();
        }) as Task
    });
}

/// Puts a text into the clipboard: that of the machine, else through the terminal.
pub(crate) fn copy(app: &mut App, text: &str) {
    let (clipboard, text) = (Arc::clone(&app.composer.clipboard), text.to_owned());
    app.spawn(async move {
        let copied = clipboard.copy(text.clone()).await;
        Box::new(move |app: &mut App| {
            if !copied {
                app.surface.requests.push(TerminalRequest::Write(crate::clipboard::copy(&text)));
            }
            app.hint(Token::Muted, "Copied to clipboard");
        }) as Task
    });
}
