//! What a screen that is played stands in: one session, and nothing of this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_keys::{Action, Bindings, Platform, UserKeys};
use omp_sdk::settings::keys;
use omp_sdk::{Driver, Host, Listener, Outfit, People, Player, SessionError, SessionOptions};
use omp_theme::Appearance;
use omp_tui::image::ImageOptions;
use tokio::sync::mpsc;

use crate::app::{App, Beginning, Files, Task};
use crate::appearance::ThemeSettings;
use crate::clipboard::Clipboard;
use crate::recent::Recent;
use crate::run::{SessionNumbers, editor};
use crate::session_channel::SessionChannel;

/// One session and no other: it was left when another one began.
pub(super) struct One {
    pub(super) channel: SessionChannel,
    pub(super) numbers: SessionNumbers,
}

impl Outfit for One {
    fn options(&self, _cwd: &Path) -> Result<SessionOptions, SessionError> {
        Err(SessionError::Options("a replay has one session".to_owned()))
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(self.channel.of_session(self.numbers.advance()))
    }
}

/// Asks the screen what is to be asked.
pub(super) fn attended(options: SessionOptions, channel: SessionChannel) -> SessionOptions {
    let person = Arc::new(channel);
    let people = People { asker: Some(person.clone()), questioner: Some(person.clone()), ui: Some(person) };
    SessionOptions { people, ..options }
}

/// Nothing of this machine is copied or pasted.
struct NoClipboard;

impl Clipboard for NoClipboard {
    fn copy(&self, _text: String) -> BoxFuture<'static, bool> {
        Box::pin(async { true })
    }

    fn picture(&self) -> BoxFuture<'static, Option<Vec<u8>>> {
        Box::pin(async { None })
    }

    fn text(&self) -> BoxFuture<'static, Option<String>> {
        Box::pin(async { None })
    }
}

/// The program on such a screen, with the keys that the user had chosen.
pub(super) fn app(
    chosen: Vec<(String, Vec<String>)>,
    host: Arc<Host>,
    (channel, numbers): (SessionChannel, SessionNumbers),
    tasks: mpsc::UnboundedSender<Task>,
    player: &Player,
) -> App {
    let session = host.session();
    let settings = session.settings();
    let (theme, _) = ThemeSettings::read(session.directories(), &settings).open(Appearance::Dark);
    let mut user = UserKeys::default();
    for (id, chords) in chosen {
        if let Some(action) = Action::find(&id) {
            user.set(action, chords.iter().filter_map(|chord| chord.parse().ok()).collect());
        }
    }
    let recent = Recent::default();
    let mut app = App::new(Beginning {
        extensions: None,
        driver: Arc::new(Driver::new(Arc::clone(&host), Arc::new(channel.clone()), "interactive")),
        theme,
        keys: Bindings::new(Platform::current(), &user),
        editor: editor(&settings, &recent),
        tasks,
        numbers,
        channel,
        recent,
        files: Files::new(Path::new("/")),
        clipboard: Arc::new(NoClipboard),
        host,
    });
    app.recording.play_screen(PathBuf::from(&player.world().home));
    app.surface.set_pictures(ImageOptions::default(), true);
    app.surface.set_read_preview(settings.get(keys::READ_TOOL_RESULT_PREVIEW));
    app.surface.set_links(settings.get(keys::TUI_HYPERLINKS) != "off");
    app
}
