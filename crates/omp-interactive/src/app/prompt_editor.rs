//! The prompt editor on the screen, and the keys of vi in it.

use omp_editor::vi::{self, Mode, Reply};
use omp_editor::{Border, Frame as Surround, Look as EditorLook};
use omp_sdk::keyword_spans;
use omp_sdk::settings::{Layer, keys};
use omp_theme::Token;
use omp_tui::input::{Code, Key, Modifiers};
use omp_tui::render::Size;
use omp_tui::text::Line;
use omp_tui::transcript::Transcript;
use omp_view::Look;

use super::App;
use super::draw::EDITOR_SHARE;
use crate::app::composer::Composer;
use crate::panels::Drawn;

/// What an empty editor says, and where there is less room.
const PLACEHOLDERS: [&str; 3] = [
    "Ask anything. / for commands, @ for files, ! for the shell",
    "Ask anything. / commands, @ files, ! shell",
    "Ask anything",
];

/// Rows that a list of commands leaves to the editor above it.
const ABOVE_COMMANDS: usize = 3;
/// Cells of the editor that are its frame.
const FRAME: usize = 4;

impl App {
    /// The rows of the prompt editor, with its list of completions.
    pub(super) fn prompt_rows(&mut self, look: &Look, size: Size) -> Drawn {
        let settings = self.session().settings();
        let border = Border::of(self.composer.editor.prefix(), Some(self.status.thinking));
        let title = self.composer.vi.as_ref().map(|vi| mode_title(look, vi.mode()));
        let is_usual = settings.origin(keys::AUTOCOMPLETE_MAX_VISIBLE.path()) == Layer::Default;
        let command_rows = if is_usual { size.height.saturating_sub(ABOVE_COMMANDS) } else { 0 };
        let rendered = self.composer.editor.render(&EditorLook {
            width: size.width,
            height: (size.height / EDITOR_SHARE).max(3),
            command_rows,
            styles: &self.tinted(look, border),
            frame: Surround::Box,
            title: None,
            title_right: title.as_ref(),
            placeholder: placeholder(size.width),
            keywords: &|text| keyword_spans(&settings, text),
        });
        let mut rows = rendered.rows;
        rows.extend(rendered.popup);
        Drawn { rows, cursor: Some(rendered.cursor) }
    }

    /// Rows of the program's own making, in the conversation.
    pub(crate) fn show_rows(&mut self, draw: impl Fn(&Look) -> Vec<Line> + 'static) {
        if let Some(transcript) = self.surface.ui.get_mut::<Transcript>(self.surface.lanes.transcript) {
            self.shown.conversation.show(transcript, draw);
        }
        self.surface.changed();
    }

    /// Leaves a place for the language servers, which are not known yet.
    pub(crate) fn show_servers(&mut self) {
        if let Some(transcript) = self.surface.ui.get_mut::<Transcript>(self.surface.lanes.transcript) {
            self.status.servers = Some(self.shown.conversation.show_servers(transcript));
        }
    }

    /// Turns the keys of vi on or off, as the settings want it.
    pub(super) fn choose_keys(&mut self) {
        let wanted = self.session().settings().get(keys::TUI_VIM_MODE);
        match (wanted, self.composer.vi.is_some()) {
            (true, false) => self.composer.vi = Some(vi::Vi::default()),
            (false, true) => self.composer.vi = None,
            _ => {}
        }
    }

    /// Lets vi have a key. `true` if it means something there.
    pub(super) fn vi_key(&mut self, key: Key) -> bool {
        let open = self.composer.editor.is_completing() || self.composer.editor.is_waiting_for_jump();
        let (empty, running) =
            (self.composer.editor.is_empty(), self.turn.run.is_some() || self.turn.shell.is_some());
        let Some(vi) = &mut self.composer.vi else { return false };
        // Escape closes the list first, and where there is nothing to move in, it stops what runs.
        let escape = key.code == Code::Escape && key.modifiers == Modifiers::NONE;
        if escape && (open || empty || (running && vi.mode() == Mode::Normal)) {
            vi.reset();
            return false;
        }
        match vi.key(key.into()) {
            Reply::Pass => false,
            Reply::Commands(commands) => {
                for command in commands {
                    let outcome = self.composer.editor.apply(command);
                    self.after(outcome);
                }
                true
            }
        }
    }
}

impl Composer {
    /// The text is gone from the editor: what is typed next is text.
    pub(super) fn begin_anew(&mut self) {
        if let Some(vi) = &mut self.vi {
            vi.reset();
        }
    }
}

/// The longest words that fit into an empty editor.
fn placeholder(width: usize) -> &'static str {
    let [.., shortest] = PLACEHOLDERS;
    let fits = |words: &&&str| words.len() + FRAME <= width;
    PLACEHOLDERS.iter().find(fits).copied().unwrap_or(shortest)
}

/// The word for a mode of vi, in the border.
fn mode_title(look: &Look, mode: Mode) -> Line {
    let (token, word) = match mode {
        Mode::Insert => (Token::Dim, "INSERT"),
        Mode::Normal => (Token::Accent, "NORMAL"),
        Mode::Visual => (Token::Warning, "VISUAL"),
        Mode::VisualLine => (Token::Warning, "V-LINE"),
    };
    look.row(token, word)
}
