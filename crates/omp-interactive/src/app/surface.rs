//! What is drawn on: the lanes of the screen, the theme, and what the terminal is asked for.

use std::sync::Arc;
use std::time::Duration;

use omp_theme::Current;
use omp_tui::announce::{self, Notices};
use omp_tui::render::{Gesture, Size};
use omp_tui::schedule::{Request, Scheduler};
use omp_tui::transcript::Transcript;
use omp_tui::ui::{Id, Ui};

use super::clock::Clock;
use crate::pane::Pane;
use crate::stage::Stage;

/// Where things are on the screen, from top to bottom.
pub(crate) struct Lanes {
    pub(super) transcript: Id,
    pub(super) pending: Id,
    pub(super) working: Id,
    pub(super) todo: Id,
    pub(super) aside: Id,
    pub(super) banner: Id,
    pub(super) above: Id,
    pub(super) status: Id,
    pub(super) editor: Id,
    pub(super) below: Id,
}

/// What has to be done outside.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TerminalRequest {
    Quit,
    Suspend,
    /// Everything on the screen is redrawn.
    Gesture(Gesture),
    /// Bytes for the terminal that are not part of a frame: a title, a bell, the clipboard.
    Write(Vec<u8>),
    /// A text is to be changed in another program.
    ExternalEditor(String),
}

/// The screen as the program knows it.
pub(crate) struct Surface {
    pub(crate) ui: Ui,
    pub(crate) scheduler: Scheduler,
    pub(super) lanes: Lanes,
    pub(super) stage: Stage,
    pub(super) theme: Current,
    pub(super) focused: bool,
    /// How a person who looks elsewhere is told something; `None` for not at all.
    pub(super) notices: Option<Notices>,
    pub(super) requests: Vec<TerminalRequest>,
    /// The title of the window.
    pub(super) window: String,
    pub(super) clock: Clock,
    pub(super) width: usize,
    /// How many blocks had been asked for their rows.
    pub(super) asked_blocks: usize,
    /// The screen as it was last drawn.
    pub(super) screen_size: Size,
}

impl Surface {
    pub(super) fn new(theme: Current, clock: Clock) -> Self {
        let mut ui = Ui::new();
        let transcript = ui.push(Transcript::new());
        let lanes = Lanes {
            transcript,
            pending: ui.push(Pane::default()),
            working: ui.push(Pane::default()),
            todo: ui.push(Pane::default()),
            aside: ui.push(Pane::default()),
            banner: ui.push(Pane::default()),
            above: ui.push(Pane::default()),
            status: ui.push(Pane::default()),
            editor: ui.push(Pane::default()),
            below: ui.push(Pane::default()),
        };
        ui.focus(lanes.editor);
        Self {
            ui,
            scheduler: Scheduler::new(),
            lanes,
            stage: Stage::new(Arc::clone(theme.theme())),
            theme,
            focused: true,
            notices: None,
            requests: Vec::new(),
            window: String::new(),
            clock,
            width: 80,
            asked_blocks: 0,
            screen_size: Size { width: 80, height: 24 },
        }
    }
}

impl Surface {
    /// The time since the program began.
    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// What has to be done outside since the last time.
    pub(crate) fn take_requests(&mut self) -> Vec<TerminalRequest> {
        std::mem::take(&mut self.requests)
    }

    /// A frame is wanted.
    pub(crate) fn changed(&mut self) {
        let now = self.now();
        self.scheduler.request(Request::Ordinary, now);
    }

    /// A frame is wanted at once: it shows what was typed.
    pub(crate) fn echo(&mut self) {
        let now = self.now();
        self.scheduler.request(Request::Key, now);
    }

    /// How a person who looks elsewhere is told something.
    pub(crate) fn set_notices(&mut self, notices: Option<Notices>) {
        self.notices = notices;
    }

    /// Tells a person who looks elsewhere.
    pub(crate) fn notify(&mut self, text: &str) {
        if let Some(notices) = self.notices.filter(|_| !self.focused) {
            self.requests.push(TerminalRequest::Write(announce::notice(notices, "omp", text)));
        }
    }
}
